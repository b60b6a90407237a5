"""Since when this machine counts time: leases and cards outlast a clock that is set."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "boot",
        sa.Column("place", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("boot_id", sa.Text(), nullable=False),
        sa.Column("anchor", sa.BigInteger(), nullable=False),
        sa.Column("written_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("place"),
    )
