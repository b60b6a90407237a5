"""Under whose word an effect ran, and as what it is told."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("effect", sa.Column("interaction_id", sa.Text(), nullable=True))
    op.add_column("effect", sa.Column("allowed", sa.Text(), nullable=True))
    op.create_index("effect_by_interaction", "effect", ["app_id", "interaction_id"])
