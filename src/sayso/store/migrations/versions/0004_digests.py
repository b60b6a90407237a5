"""A card's digest lies in its row, with its revision; the cards that are there keep what they
showed."""

import sqlalchemy as sa
from alembic import op

from sayso.core.shown import older_digest
from sayso.store.codec import load

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_ROWS = 500


def upgrade() -> None:
    for name in ("salt", "digest", "changes"):
        op.add_column("interaction", sa.Column(name, sa.Text(), nullable=True))
    op.add_column("interaction", sa.Column("revision", sa.Integer(), nullable=True))
    _fill()


def _fill() -> None:
    """Until now a card with a proposal showed its digest, and no other card had one."""
    table = sa.table(
        "interaction", *map(sa.column, ("app_id", "id", "proposal", "digest", "revision"))
    )
    c, link, last = table.c, op.get_bind(), ("", "")
    stretch = (
        sa.select(c.app_id, c.id, c.proposal)
        .where(c.proposal.is_not(None))
        .order_by(c.app_id, c.id)
        .limit(_ROWS)
    )
    while found := link.execute(stretch.where(sa.tuple_(c.app_id, c.id) > sa.tuple_(*last))).all():
        for row in found:
            proposal = load(row.proposal)
            link.execute(
                sa.update(table)
                .where(c.app_id == row.app_id, c.id == row.id)
                .values(digest=older_digest(proposal), revision=proposal["revision"])
            )
        last = (found[-1].app_id, found[-1].id)
