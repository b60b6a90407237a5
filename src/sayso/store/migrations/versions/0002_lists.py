"""Interactions are found by tool, decision and words, and the history is read in its own order."""

import sqlalchemy as sa
from alembic import op

from sayso.store.codec import load
from sayso.store.search_text import words_in

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_ROWS = 500


def upgrade() -> None:
    for name in ("tool_name", "decision", "search_text"):
        op.add_column("interaction", sa.Column(name, sa.Text(), nullable=True))
    op.create_index(
        "interaction_settled",
        "interaction",
        ["app_id", "settled_at", "opened_seq", "id"],
        unique=False,
        sqlite_where=sa.text("state <> 'pending'"),
        postgresql_where=sa.text("state <> 'pending'"),
    )
    _fill()


def _fill() -> None:
    """The new columns of the rows that are there, a stretch at a time."""
    names = ("app_id", "id", "card", "agent_name", "settled_by", "ui_tool_id")
    table = sa.table(
        "interaction",
        *map(sa.column, (*names, "proposal", "response", "tool_name", "decision", "search_text")),
    )
    c, link, last = table.c, op.get_bind(), ("", "")
    wanted = [c[name] for name in (*names, "proposal", "response")]
    stretch = sa.select(*wanted).order_by(c.app_id, c.id).limit(_ROWS)
    while found := link.execute(stretch.where(sa.tuple_(c.app_id, c.id) > sa.tuple_(*last))).all():
        for row in found:
            proposal, response = (
                load(text) if text else None for text in (row.proposal, row.response)
            )
            said_by = row.settled_by or ""
            link.execute(
                sa.update(table)
                .where(c.app_id == row.app_id, c.id == row.id)
                .values(
                    tool_name=proposal["tool_name"] if proposal else None,
                    decision=_decision(response) if response else None,
                    search_text=words_in(
                        load(row.card), response, row.agent_name, said_by, row.ui_tool_id
                    ),
                )
            )
        last = (found[-1].app_id, found[-1].id)


def _decision(response: dict[str, object]) -> str:
    data = response.get("response_data")
    rows = data if isinstance(data, dict) else {}
    if not response.get("approved") or rows.get("approved_rows") == []:
        return "reject"
    return "partial" if rows.get("rejected_rows") else "approve"
