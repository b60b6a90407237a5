"""How many children a run has, and what a child leaves for its parent."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("run", sa.Column("children", sa.Integer(), nullable=True))
    op.add_column("run", sa.Column("output", sa.Text(), nullable=True))
    op.add_column("run", sa.Column("applied_fence", sa.BigInteger(), nullable=True))
