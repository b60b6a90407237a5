"""Mail addresses and webhooks of people beside their browsers, and when a card was handed over."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("push_subscription", sa.Column("page", sa.Text(), nullable=True))
    op.add_column("claim", sa.Column("given_at", sa.BigInteger(), nullable=True))
