"""A chat: opened, locked, and what its head holds of preferences and requirements."""

from __future__ import annotations

import sqlalchemy as sa
from pydantic import JsonValue

from sayso.core.chat_view import Head
from sayso.core.digest import JsonObject
from sayso.core.errors import NotFound
from sayso.core.events import PreferenceSet, RequirementsChanged
from sayso.core.ports import Clock
from sayso.core.requirements import check_next
from sayso.store import tables
from sayso.store.chat_log import ChatLog
from sayso.store.codec import dump_model, micros
from sayso.store.mapping import CHAT_COLUMNS, ChatRow, chat_from
from sayso.store.transaction import Row, Statement, Transaction, db_now, execute, one, param

_c = tables.chat.c
_CHAT = Statement(
    sa.select(*CHAT_COLUMNS, db_now().label("db_now"))
    .where(_c.app_id == param("app"), _c.id == param("chat"))
    .with_for_update()
)
_INSERT = Statement(sa.insert(tables.chat))


def open_chat(
    clock: Clock, app_id: str, *, chat_id: str, agent: str, by: str | None
) -> Transaction[ChatLog]:
    """Write a new chat, and return its log."""
    now = clock.now()
    head = Head(
        id=chat_id,
        app_id=app_id,
        log_id=clock.new_id(),
        agent=agent,
        created_at=now.isoformat(),
    )
    yield from execute(
        _INSERT,
        app_id=app_id,
        id=chat_id,
        agent=agent,
        search_title="",
        log_id=head.log_id,
        last_seq=0,
        head=dump_model(head),
        audit_number=0,
        audit_hash="",
        created_by=by,
        created_at=micros(now),
        updated_at=micros(now),
    )
    return ChatLog(
        ChatRow(app_id=app_id, id=chat_id, head=head, audit_number=0, audit_hash=""), now
    )


def lock_chat(app_id: str, chat_id: str) -> Transaction[Row]:
    """Return the chat, locked, and the database's time. Raises NotFound."""
    found = yield from one(_CHAT, app=app_id, chat=chat_id)
    if found is None:
        raise NotFound(f"There is no chat '{chat_id}'.")
    return found


def log_of(clock: Clock, app_id: str, chat_id: str) -> Transaction[ChatLog]:
    """Return the log of a chat, which is locked. Raises NotFound."""
    return ChatLog(chat_from((yield from lock_chat(app_id, chat_id))), clock.now())


def set_preference(log: ChatLog, key: str, value: JsonValue, *, by: str | None) -> None:
    log.add(PreferenceSet(key=key, value=value), by=by)
    # "Always allow" lets tools act unasked from here on: that too is somebody's word.
    log.audit(f"preference.{key}", log.chat.id, actor=by, body={"value": value})


def add_requirements(log: ChatLog, changed: JsonObject, *, by: str | None) -> None:
    """Add the next version of the requirements. Raises VersionConflict."""
    check_next(log.chat.head.requirements, changed)
    log.add(RequirementsChanged(requirements=changed), by=by)
