"""The requirements of a chat: one value in its row, each version written by whoever saw the one
before."""

from __future__ import annotations

import sqlalchemy as sa

from sayso.core.digest import JsonObject
from sayso.core.effects import GrantUse
from sayso.core.errors import NotFound
from sayso.core.events import RequirementsChanged
from sayso.core.feed import Frame
from sayso.core.ports import Clock
from sayso.core.requirements import check_next, used_up
from sayso.core.transactions import Fence
from sayso.store import tables
from sayso.store.log import ChatLog
from sayso.store.rows import CHAT_COLUMNS, ChatRow, chat_from
from sayso.store.running import held
from sayso.store.script import Script, Statement, one, p

_c = tables.chat.c
_CHAT = Statement(
    sa.select(*CHAT_COLUMNS).where(_c.app_id == p("app"), _c.id == p("chat")).with_for_update()
)


def requirements(app_id: str, chat_id: str) -> Script[JsonObject | None]:
    return (yield from chat_of(app_id, chat_id)).head.requirements


def change_requirements(
    clock: Clock,
    app_id: str,
    chat_id: str,
    changed: JsonObject,
    *,
    by: str | None,
    fence: Fence | None,
) -> Script[list[Frame]]:
    if fence is not None:
        yield from held(fence)
    log = ChatLog((yield from chat_of(app_id, chat_id)), clock.now())
    add(log, changed, by=by)
    return (yield from log.flush())


def add(log: ChatLog, changed: JsonObject, *, by: str | None = None) -> None:
    """The next version, into the log of a chat that is locked. Raises VersionConflict."""
    check_next(log.chat.head.requirements, changed)
    log.add(RequirementsChanged(requirements=changed), by=by)


def use_up(log: ChatLog, grant: GrantUse) -> None:
    """Mark a grant as used, in the transaction that starts its effect. Raises GrantVoid."""
    kept = log.chat.head.requirements
    log.add(RequirementsChanged(requirements=used_up(kept, grant.grant_id, grant.value_hash)))


def chat_of(app_id: str, chat_id: str) -> Script[ChatRow]:
    """The chat, locked. Raises NotFound."""
    found = yield from one(_CHAT, app=app_id, chat=chat_id)
    if found is None:
        raise NotFound(f"There is no chat '{chat_id}'.")
    return chat_from(found)
