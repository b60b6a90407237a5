"""The first schema."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "agent_state",
        sa.Column("app_id", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("blob", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("app_id", "chat_id", "agent"),
    )
    op.create_table(
        "audit",
        sa.Column("position", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("app_id", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=True),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("position"),
    )
    op.create_index("audit_by_position", "audit", ["app_id", "position"], unique=False)
    op.create_index("audit_chain", "audit", ["app_id", "chat_id", "number"], unique=True)
    op.create_table(
        "chat",
        sa.Column("app_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("search_title", sa.Text(), nullable=False),
        sa.Column("log_id", sa.Text(), nullable=False),
        sa.Column("last_seq", sa.BigInteger(), nullable=False),
        sa.Column("head", sa.Text(), nullable=False),
        sa.Column("audit_number", sa.BigInteger(), nullable=False),
        sa.Column("audit_hash", sa.Text(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("app_id", "id"),
    )
    op.create_index("chat_by_update", "chat", ["app_id", "updated_at"], unique=False)
    op.create_table(
        "draft",
        sa.Column("app_id", sa.Text(), nullable=False),
        sa.Column("interaction_id", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("app_id", "interaction_id", "person"),
    )
    op.create_index("draft_by_chat", "draft", ["app_id", "chat_id", "person"], unique=False)
    op.create_index("draft_by_run", "draft", ["app_id", "run_id"], unique=False)
    op.create_table(
        "effect",
        sa.Column("app_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("tool_call_id", sa.Text(), nullable=True),
        sa.Column("tool_name", sa.Text(), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=False),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("shown_digest", sa.Text(), nullable=True),
        sa.Column("executed_digest", sa.Text(), nullable=True),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("app_id", "run_id", "key", "attempt"),
        sqlite_with_rowid=False,
    )
    op.create_index("effect_by_call", "effect", ["app_id", "tool_call_id"], unique=False)
    op.create_table(
        "event",
        sa.Column("app_id", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("by", sa.Text(), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("app_id", "chat_id", "seq"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "interaction",
        sa.Column("app_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("call_key", sa.Text(), nullable=False),
        sa.Column("batch_id", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("card", sa.Text(), nullable=False),
        sa.Column("ui_tool_id", sa.Text(), nullable=False),
        sa.Column("agent_name", sa.Text(), nullable=False),
        sa.Column("display", sa.Text(), nullable=False),
        sa.Column("tool_call_id", sa.Text(), nullable=True),
        sa.Column("proposal", sa.Text(), nullable=True),
        sa.Column("assignees", sa.Text(), nullable=False),
        sa.Column("on_expiry", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("response", sa.Text(), nullable=True),
        sa.Column("answer_key", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("opened_seq", sa.BigInteger(), nullable=False),
        sa.Column("settled_at", sa.BigInteger(), nullable=True),
        sa.Column("settled_by", sa.Text(), nullable=True),
        sa.Column("applied_fence", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("app_id", "id"),
    )
    op.create_index(
        "interaction_by_call", "interaction", ["app_id", "run_id", "call_key"], unique=True
    )
    op.create_index("interaction_by_chat", "interaction", ["app_id", "chat_id"], unique=False)
    op.create_index(
        "interaction_by_creation",
        "interaction",
        ["app_id", "created_at", "opened_seq", "id"],
        unique=False,
    )
    op.create_index(
        "interaction_due",
        "interaction",
        ["expires_at"],
        unique=False,
        sqlite_where=sa.text("state = 'pending' AND expires_at IS NOT NULL"),
        postgresql_where=sa.text("state = 'pending' AND expires_at IS NOT NULL"),
    )
    op.create_index(
        "interaction_pending",
        "interaction",
        ["app_id", "created_at", "opened_seq", "id"],
        unique=False,
        sqlite_where=sa.text("state = 'pending'"),
        postgresql_where=sa.text("state = 'pending'"),
    )
    op.create_table(
        "item",
        sa.Column("app_id", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("as_of", sa.BigInteger(), nullable=False),
        sa.Column("is_open", sa.Boolean(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("search_text", sa.Text(), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("app_id", "chat_id", "kind", "id"),
    )
    op.create_index(
        "item_artifact",
        "item",
        ["app_id", "id"],
        unique=False,
        sqlite_where=sa.text("kind = 'artifact'"),
        postgresql_where=sa.text("kind = 'artifact'"),
    )
    op.create_index("item_by_sequence", "item", ["app_id", "chat_id", "sequence"], unique=True)
    op.create_index(
        "item_open",
        "item",
        ["app_id", "chat_id", "is_open"],
        unique=False,
        sqlite_where=sa.text("is_open = TRUE"),
        postgresql_where=sa.text("is_open = TRUE"),
    )
    op.create_index(
        "item_tool_call",
        "item",
        ["app_id", "id"],
        unique=False,
        sqlite_where=sa.text("kind = 'tool_call'"),
        postgresql_where=sa.text("kind = 'tool_call'"),
    )
    op.create_table(
        "message_dedupe",
        sa.Column("app_id", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("client_message_id", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("app_id", "chat_id", "client_message_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "open_text",
        sa.Column("app_id", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("position", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("agent_name", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("app_id", "chat_id", "message_id", "position"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "preference",
        sa.Column("app_id", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("app_id", "person"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "run",
        sa.Column("app_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("task_digest", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=True),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("takeovers", sa.Integer(), nullable=False),
        sa.Column("resume_each", sa.Boolean(), nullable=False),
        sa.Column("saved_adapter", sa.Text(), nullable=True),
        sa.Column("saved_version", sa.Text(), nullable=True),
        sa.Column("saved_blob", sa.LargeBinary(), nullable=True),
        sa.Column("saved_journal", sa.LargeBinary(), nullable=True),
        sa.Column("parent_run_id", sa.Text(), nullable=True),
        sa.Column("parent_call_key", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("app_id", "id"),
    )
    op.create_index(
        "run_by_parent",
        "run",
        ["app_id", "parent_run_id"],
        unique=False,
        sqlite_where=sa.text("parent_run_id IS NOT NULL"),
        postgresql_where=sa.text("parent_run_id IS NOT NULL"),
    )
    op.create_index("run_by_task", "run", ["app_id", "chat_id", "task_id"], unique=True)
    op.create_index(
        "run_due",
        "run",
        ["updated_at"],
        unique=False,
        sqlite_where=sa.text("state IN ('ready', 'running')"),
        postgresql_where=sa.text("state IN ('ready', 'running')"),
    )
    op.create_index(
        "run_open",
        "run",
        ["app_id", "chat_id"],
        unique=True,
        sqlite_where=sa.text("state IN ('ready', 'running', 'waiting') AND parent_run_id IS NULL"),
        postgresql_where=sa.text(
            "state IN ('ready', 'running', 'waiting') AND parent_run_id IS NULL"
        ),
    )
    op.create_index(
        "run_queued",
        "run",
        ["app_id", "chat_id", "number"],
        unique=False,
        sqlite_where=sa.text("state = 'queued'"),
        postgresql_where=sa.text("state = 'queued'"),
    )
