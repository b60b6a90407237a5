"""What a person chose last is found by an index."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_CHOSEN = "state = 'completed' AND kind IN ('options', 'form')"


def upgrade() -> None:
    op.create_index(
        "interaction_chosen",
        "interaction",
        ["app_id", "settled_by", "settled_at", "opened_seq"],
        sqlite_where=sa.text(_CHOSEN),
        postgresql_where=sa.text(_CHOSEN),
    )
