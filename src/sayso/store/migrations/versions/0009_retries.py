"""When a run tries again, what its models were asked for, and no state of a run that has ended."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_KEPT = sa.text("state = 'failed' AND saved_adapter IS NOT NULL")


def upgrade() -> None:
    op.add_column("run", sa.Column("due_at", sa.BigInteger(), nullable=True))
    op.add_column("run", sa.Column("tries", sa.Integer(), nullable=True))
    op.add_column("run", sa.Column("trouble_since", sa.BigInteger(), nullable=True))
    op.add_column("run", sa.Column("model_calls", sa.Text(), nullable=True))
    op.add_column("run", sa.Column("saved_base", sa.Text(), nullable=True))
    op.execute(
        "UPDATE run SET saved_adapter = NULL, saved_version = NULL, saved_blob = NULL, "
        "saved_journal = NULL WHERE state IN ('completed', 'failed', 'cancelled')"
    )
    op.create_index(
        "run_retryable",
        "run",
        ["app_id", "chat_id"],
        sqlite_where=_KEPT,
        postgresql_where=_KEPT,
    )
