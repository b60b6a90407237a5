"""What an effect does for the whole tenant: one effect holds a business key at a time."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

HELD = "business_key IS NOT NULL AND state IN ('started', 'uncertain', 'done')"


def upgrade() -> None:
    op.add_column("effect", sa.Column("business_key", sa.Text(), nullable=True))
    op.create_index(
        "effect_by_business_key",
        "effect",
        ["app_id", "business_key"],
        unique=True,
        sqlite_where=sa.text(HELD),
        postgresql_where=sa.text(HELD),
    )
