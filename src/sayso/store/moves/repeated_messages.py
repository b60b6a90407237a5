"""A message that comes twice is posted once."""

from __future__ import annotations

import sqlalchemy as sa

from sayso.core.digest import digest
from sayso.core.errors import MessageIdReused, TaskIdReused
from sayso.core.store_results import NewMessage, Posted
from sayso.store import tables
from sayso.store.chat_log import ChatLog
from sayso.store.mapping import RUN_COLUMNS, run_from
from sayso.store.transaction import (
    Statement,
    Transaction,
    execute,
    in_state,
    one,
    param,
    rows,
)

_r, _d = tables.run.c, tables.message_dedupe.c

_SENT = Statement(
    sa.select(_d.message_id, _d.run_id, _d.digest).where(
        _d.app_id == param("app"),
        _d.chat_id == param("chat"),
        _d.client_message_id == param("client_id"),
    )
)
_SAME_TASK = Statement(
    sa.select(_r.id, _r.message_id, _r.task_digest).where(
        _r.app_id == param("app"), _r.chat_id == param("chat"), _r.task_id == param("task_id")
    )
)
_RETRIES = Statement(
    sa.select(*RUN_COLUMNS).where(
        _r.app_id == param("app"),
        _r.chat_id == param("chat"),
        in_state(_r.state, "queued", "ready", "running", "waiting"),
        _r.parent_run_id.is_(None),
    )
)
_REMEMBER = Statement(sa.insert(tables.message_dedupe))


def already_posted(app_id: str, chat_id: str, message: NewMessage) -> Transaction[Posted | None]:
    """Return what became of this message before; None for a new one. Raises MessageIdReused,
    TaskIdReused."""
    posted = yield from _same_message(app_id, chat_id, message)
    if posted is None and message.retry_of is not None:
        posted = yield from _same_retry(app_id, chat_id, message)
    return posted


def remember_message(
    log: ChatLog, message: NewMessage, *, message_id: str, run_id: str
) -> Transaction[None]:
    """Keep what became of a message, for when it comes again."""
    yield from execute(
        _REMEMBER,
        app_id=log.chat.app_id,
        chat_id=log.chat.id,
        client_message_id=message.client_message_id,
        message_id=message_id,
        run_id=run_id,
        digest=_digest_of(message),
    )


def _same_message(app_id: str, chat_id: str, message: NewMessage) -> Transaction[Posted | None]:
    """Return what became of the same message, or of the same task under another message id."""
    sent = yield from one(_SENT, app=app_id, chat=chat_id, client_id=message.client_message_id)
    if sent is not None:
        if sent["digest"] != _digest_of(message):
            raise MessageIdReused(
                f"The client_message_id '{message.client_message_id}' was used for other words."
            )
        return Posted(status="repeated", message_id=sent["message_id"], run_id=sent["run_id"])
    task = yield from one(_SAME_TASK, app=app_id, chat=chat_id, task_id=message.task.task_id)
    if task is None:
        return None
    if task["task_digest"] != message.task.content_digest():
        raise TaskIdReused(f"The task_id '{message.task.task_id}' was used for another task.")
    return Posted(status="repeated", message_id=task["message_id"], run_id=task["id"])


def _same_retry(app_id: str, chat_id: str, message: NewMessage) -> Transaction[Posted | None]:
    """Return the run that tries the same call again already: the button was pressed twice."""
    found = yield from rows(_RETRIES, app=app_id, chat=chat_id)
    for row in map(run_from, found):
        task = row.run.task
        if (task.task_type, task.context) == (message.task.task_type, message.task.context):
            assert row.message_id is not None
            return Posted(status="repeated", message_id=row.message_id, run_id=row.run.id)
    return None


def _digest_of(message: NewMessage) -> str:
    """Return what is equal exactly where two messages with one id are the same message."""
    return digest({"content": message.content, "context": message.task.context})
