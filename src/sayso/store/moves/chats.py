"""Open a chat, or lock one."""

from __future__ import annotations

import sqlalchemy as sa

from sayso.core.chat_view import Head
from sayso.core.errors import NotFound
from sayso.core.ports import Clock
from sayso.store import tables
from sayso.store.chat_log import ChatLog
from sayso.store.codec import dump_model, micros
from sayso.store.mapping import CHAT_COLUMNS, ChatRow, chat_from
from sayso.store.transaction import Statement, Transaction, execute, one, param

_c = tables.chat.c
_CHAT = Statement(
    sa.select(*CHAT_COLUMNS)
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


def lock_chat(app_id: str, chat_id: str) -> Transaction[ChatRow]:
    """Return the chat, locked. Raises NotFound."""
    found = yield from one(_CHAT, app=app_id, chat=chat_id)
    if found is None:
        raise NotFound(f"There is no chat '{chat_id}'.")
    return chat_from(found)
