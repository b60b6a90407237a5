"""The tables. Ids and JSON are text, times are microseconds in UTC, and every key begins with the
tenant."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, LargeBinary, Table, Text

metadata = sa.MetaData()


def _text(name: str, *, null: bool = False) -> Column[str]:
    return Column(name, Text, nullable=null)


def _time(name: str, *, null: bool = False) -> Column[int]:
    return Column(name, BigInteger, nullable=null)


def _count(name: str) -> Column[int]:
    return Column(name, BigInteger, nullable=False)


def _key(name: str) -> Column[str]:
    return Column(name, Text, primary_key=True)


def _partial(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    """Return an index over the rows of which this is so."""
    rows = sa.text(where)
    return Index(name, *columns, unique=unique, sqlite_where=rows, postgresql_where=rows)


#: The conditions of the partial indexes, word for word as the queries must say them.
OPEN_RUN = "state IN ('ready', 'running', 'waiting')"
DUE_RUN = "state IN ('ready', 'running')"
QUEUED_RUN = "state = 'queued'"
ROOT_RUN = "parent_run_id IS NULL"
PENDING = "state = 'pending'"
SETTLED = "state <> 'pending'"
#: What people are told of and what is counted: what was approved and is held needs nobody.
NEEDS_PERSON = "interaction.state = 'pending' AND interaction.kind <> 'hold'"
#: What a person may have chosen in.
CHOSEN = "state = 'completed' AND kind IN ('options', 'form')"
OPEN_ITEM = "is_open = TRUE"
TOOL_CALL = "kind = 'tool_call'"
ARTIFACT = "kind = 'artifact'"
#: An ask has a chat of its own, which is no conversation.
CONVERSATION = "agent <> 'sayso:ask'"
DUE_HOOK = "state = 'due'"
RETRYABLE = "state = 'failed' AND saved_adapter IS NOT NULL"
HELD_KEY = "business_key IS NOT NULL AND state IN ('started', 'uncertain', 'done')"

chat = Table(
    "chat",
    metadata,
    _key("app_id"),
    _key("id"),
    _text("agent"),
    _text("search_title"),
    _text("log_id"),
    _count("last_seq"),
    _text("head"),
    _count("audit_number"),
    _text("audit_hash"),
    _text("created_by", null=True),
    _time("created_at"),
    _time("updated_at"),
    Index("chat_by_update", "app_id", "updated_at"),
    _partial("chat_conversations", "app_id", "updated_at", where=CONVERSATION),
)

event = Table(
    "event",
    metadata,
    _key("app_id"),
    _key("chat_id"),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    _text("type"),
    _time("at"),
    _text("by", null=True),
    _text("body"),
    sqlite_with_rowid=False,
)

item = Table(
    "item",
    metadata,
    _key("app_id"),
    _key("chat_id"),
    _key("kind"),
    _key("id"),
    _count("sequence"),
    _count("as_of"),
    Column("is_open", Boolean, nullable=False),
    _text("run_id", null=True),
    _text("search_text", null=True),
    _text("body"),
    Index("item_by_sequence", "app_id", "chat_id", "sequence", unique=True),
    # `is_open` is a column too, so that SQLite prefers it to the primary key, which has all items.
    _partial("item_open", "app_id", "chat_id", "is_open", where=OPEN_ITEM),
    _partial("item_tool_call", "app_id", "id", where=TOOL_CALL),
    _partial("item_artifact", "app_id", "id", where=ARTIFACT),
)

run = Table(
    "run",
    metadata,
    _key("app_id"),
    _key("id"),
    _text("chat_id"),
    _text("task_id"),
    _text("task_digest"),
    _text("task"),
    _text("agent"),
    _text("person", null=True),
    _text("message_id", null=True),
    # The seq of its message: the order of the queue, and where the chat before it ends.
    _count("number"),
    _text("state"),
    _text("owner", null=True),
    _count("fence"),
    _time("lease_until", null=True),
    Column("takeovers", Integer, nullable=False),
    Column("resume_each", Boolean, nullable=False),
    _text("saved_adapter", null=True),
    _text("saved_version", null=True),
    Column("saved_blob", LargeBinary),
    Column("saved_journal", LargeBinary),
    _text("parent_run_id", null=True),
    _text("parent_call_key", null=True),
    _text("error", null=True),
    _time("created_at"),
    _time("updated_at"),
    # How many child runs it has started: most have none, and are asked nothing about them.
    Column("children", Integer),
    # Of a child run: what its parent is told, and the parent's segment that was told.
    _text("output", null=True),
    Column("applied_fence", BigInteger),
    # A ready run is not claimed before this; and the trouble with its model, while there is one.
    _time("due_at", null=True),
    Column("tries", Integer),
    _time("trouble_since", null=True),
    # What its models were asked for, a record for each call.
    _text("model_calls", null=True),
    # Which part of its agent's memory belongs into `saved_blob`, and where.
    _text("saved_base", null=True),
    Index("run_by_task", "app_id", "chat_id", "task_id", unique=True),
    _partial("run_open", "app_id", "chat_id", unique=True, where=f"{OPEN_RUN} AND {ROOT_RUN}"),
    _partial("run_queued", "app_id", "chat_id", "number", where=QUEUED_RUN),
    # Asked across all tenants by the sweep.
    _partial("run_due", "updated_at", where=DUE_RUN),
    # The failed runs that still hold a state: forgotten when the chat has gone on.
    _partial("run_retryable", "app_id", "chat_id", where=RETRYABLE),
    _partial("run_by_parent", "app_id", "parent_run_id", where="parent_run_id IS NOT NULL"),
)

message_dedupe = Table(
    "message_dedupe",
    metadata,
    _key("app_id"),
    _key("chat_id"),
    _key("client_message_id"),
    _text("message_id"),
    _text("run_id", null=True),
    _text("digest"),
    sqlite_with_rowid=False,
)

interaction = Table(
    "interaction",
    metadata,
    _key("app_id"),
    _key("id"),
    _text("chat_id"),
    _text("run_id"),
    _text("task_id"),
    _text("call_key"),
    _text("batch_id"),
    _text("type"),
    _text("kind"),
    _text("state"),
    _text("card"),
    _text("ui_tool_id"),
    _text("agent_name"),
    _text("display"),
    _text("tool_call_id", null=True),
    _text("proposal", null=True),
    _text("assignees"),
    _text("on_expiry"),
    _time("expires_at", null=True),
    _text("response", null=True),
    _text("answer_key", null=True),
    _time("created_at"),
    # The seq of the event that opened it: the order among cards that were opened at one moment.
    _count("opened_seq"),
    _time("settled_at", null=True),
    _text("settled_by", null=True),
    Column("applied_fence", BigInteger),
    # What lists are filtered by: what lies inside the JSON, and the words people saw.
    _text("tool_name", null=True),
    _text("decision", null=True),
    _text("search_text", null=True),
    # The digest of what is shown and would run, with its salt, and which revision that is.
    _text("salt", null=True),
    _text("digest", null=True),
    _text("changes", null=True),
    Column("revision", Integer),
    Index("interaction_by_call", "app_id", "run_id", "call_key", unique=True),
    Index("interaction_by_creation", "app_id", "created_at", "opened_seq", "id"),
    # With the state in it, open cards are counted from the index alone.
    Index("interaction_by_chat", "app_id", "chat_id", "state"),
    _partial("interaction_pending", "app_id", "created_at", "opened_seq", "id", where=PENDING),
    # The history: who decided what, in the order in which it was decided.
    _partial("interaction_settled", "app_id", "settled_at", "opened_seq", "id", where=SETTLED),
    # What a person chose last.
    _partial(
        "interaction_chosen", "app_id", "settled_by", "settled_at", "opened_seq", where=CHOSEN
    ),
    # Asked across all tenants by the timer.
    _partial("interaction_due", "expires_at", where=f"{PENDING} AND expires_at IS NOT NULL"),
)

effect = Table(
    "effect",
    metadata,
    _key("app_id"),
    _key("run_id"),
    _key("key"),
    Column("attempt", Integer, primary_key=True, autoincrement=False),
    _text("chat_id"),
    _text("state"),
    _text("tool_call_id", null=True),
    _text("tool_name"),
    _text("arguments"),
    _text("result", null=True),
    _text("error", null=True),
    _text("shown_digest", null=True),
    _text("executed_digest", null=True),
    _time("started_at"),
    _time("ended_at", null=True),
    _text("business_key", null=True),
    # The card on which it was allowed, and the rest of core.record.Allowed.
    _text("interaction_id", null=True),
    _text("allowed", null=True),
    Index("effect_by_call", "app_id", "tool_call_id"),
    Index("effect_by_interaction", "app_id", "interaction_id"),
    _partial("effect_by_business_key", "app_id", "business_key", unique=True, where=HELD_KEY),
    sqlite_with_rowid=False,
)

# Where the answer to an ask is told, and how far that has come.
webhook = Table(
    "webhook",
    metadata,
    _key("app_id"),
    _key("interaction_id"),
    _text("url"),
    _text("state"),
    Column("attempts", Integer, nullable=False),
    _time("due_at", null=True),
    _text("error", null=True),
    _time("created_at"),
    _time("ended_at", null=True),
    # Asked across all tenants by its task.
    _partial("webhook_due", "due_at", where=DUE_HOOK),
    sqlite_with_rowid=False,
)

# Who says that they are looking at a card; it ends by its time.
claim = Table(
    "claim",
    metadata,
    _key("app_id"),
    _key("interaction_id"),
    _text("person"),
    _text("given_by"),
    _text("note"),
    _time("until"),
    # When it was claimed or handed over.
    _time("given_at", null=True),
    sqlite_with_rowid=False,
)

# Cards that a person wants to see later.
snooze = Table(
    "snooze",
    metadata,
    _key("app_id"),
    _key("interaction_id"),
    _key("person"),
    _time("until"),
    sqlite_with_rowid=False,
)

# What people wrote to be asked less often; it holds until its end, or until it is revoked.
standing_rule = Table(
    "standing_rule",
    metadata,
    _key("app_id"),
    _key("id"),
    _text("chat_id"),
    _text("interaction_id"),
    _text("agent_name"),
    # As core.policy_rules.Rule: the tool, the conditions and the verdict.
    _text("rule"),
    _text("written_by"),
    _time("written_at"),
    _time("ends_at", null=True),
    _text("revoked_by", null=True),
    _time("revoked_at", null=True),
    _count("uses"),
    _time("last_used_at", null=True),
    sqlite_with_rowid=False,
)

# Where people are told of cards while no page is open (a browser, a mail address, a webhook of
# their own), and until when each has been told.
push_subscription = Table(
    "push_subscription",
    metadata,
    _key("app_id"),
    _key("id"),
    _text("person"),
    _text("endpoint"),
    _text("p256dh"),
    _text("auth"),
    _text("language"),
    _time("created_at"),
    _time("told_until"),
    _time("due_at"),
    Column("attempts", Integer, nullable=False),
    # Where the person opens this server; a browser knows it.
    _text("page", null=True),
    sqlite_with_rowid=False,
)

open_text = Table(
    "open_text",
    metadata,
    _key("app_id"),
    _key("chat_id"),
    _key("message_id"),
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    _text("run_id"),
    _text("agent_name", null=True),
    _text("text"),
    sqlite_with_rowid=False,
)

agent_state = Table(
    "agent_state",
    metadata,
    _key("app_id"),
    _key("chat_id"),
    _key("agent"),
    _count("version"),
    Column("blob", LargeBinary, nullable=False),
)

draft = Table(
    "draft",
    metadata,
    _key("app_id"),
    _key("interaction_id"),
    _key("person"),
    _text("chat_id"),
    _text("run_id"),
    _text("content"),
    _time("updated_at"),
    Index("draft_by_chat", "app_id", "chat_id", "person"),
    Index("draft_by_run", "app_id", "run_id"),
)

preference = Table(
    "preference",
    metadata,
    _key("app_id"),
    _key("person"),
    _text("content"),
    _time("updated_at"),
    sqlite_with_rowid=False,
)

# One row for the machine, not for a tenant: since when it counts time, and that it can be written.
boot = Table(
    "boot",
    metadata,
    Column("place", Integer, primary_key=True, autoincrement=False),
    _text("boot_id"),
    _count("anchor"),
    _time("written_at"),
)

audit = Table(
    "audit",
    metadata,
    # A key without a tenant: it only orders the lines, and each question names the tenant.
    Column("position", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    _text("app_id"),
    _text("chat_id"),
    _count("number"),
    _time("at"),
    _text("actor", null=True),
    _text("action"),
    _text("subject"),
    _text("body"),
    _text("hash"),
    # None in the lines of versions that had no key.
    _text("key_id", null=True),
    Index("audit_chain", "app_id", "chat_id", "number", unique=True),
    Index("audit_by_position", "app_id", "position"),
)

seal = Table(
    "seal",
    metadata,
    _key("app_id"),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    _time("at"),
    # The last audit line, of all tenants, that was seen: where the next seal goes on.
    _count("position"),
    _text("heads"),
    _text("key_id"),
    _text("hash"),
    Index("seal_by_position", "position"),
    sqlite_with_rowid=False,
)

#: What is too large for an event, once however often it is spoken of: the pages of tools' own UIs.
content = Table(
    "content",
    metadata,
    _key("app_id"),
    _key("digest"),
    Column("body", LargeBinary, nullable=False),
    _time("created_at"),
)

sign_in = Table(
    "sign_in",
    metadata,
    # The other key without a tenant: a cookie is shown before anybody knows whose it is. It is a
    # digest of that: who reads the database cannot walk in with it.
    _key("id"),
    _text("app_id"),
    _text("token"),
    _time("began_at"),
    _time("seen_at"),
    sqlite_with_rowid=False,
)
