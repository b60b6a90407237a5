"""Asks from outside: the chats that are conversations, and where answers are told."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

CONVERSATION = "agent <> 'sayso:ask'"
DUE_HOOK = "state = 'due'"


def upgrade() -> None:
    op.create_index(
        "chat_conversations",
        "chat",
        ["app_id", "updated_at"],
        sqlite_where=sa.text(CONVERSATION),
        postgresql_where=sa.text(CONVERSATION),
    )
    op.create_table(
        "webhook",
        sa.Column("app_id", sa.Text(), nullable=False),
        sa.Column("interaction_id", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("app_id", "interaction_id"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "webhook_due",
        "webhook",
        ["due_at"],
        sqlite_where=sa.text(DUE_HOOK),
        postgresql_where=sa.text(DUE_HOOK),
    )
