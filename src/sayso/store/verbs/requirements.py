"""The requirements of a chat: one value in its row, each version written by whoever saw the one
before."""

from __future__ import annotations

from sayso.core.digest import JsonObject
from sayso.core.feed import Frame
from sayso.core.ports import Clock
from sayso.core.requirements import SpokenYes
from sayso.core.store_results import Fence
from sayso.store.mapping import chat_from
from sayso.store.moves.cards import settle_in_words
from sayso.store.moves.chats import add_requirements, lock_chat, log_of
from sayso.store.moves.runs import lock_fenced
from sayso.store.transaction import Transaction


def requirements(app_id: str, chat_id: str) -> Transaction[JsonObject | None]:
    return chat_from((yield from lock_chat(app_id, chat_id))).head.requirements


def change_requirements(
    clock: Clock,
    app_id: str,
    chat_id: str,
    requirements: JsonObject,
    *,
    by: str | None,
    fence: Fence | None = None,
    yes: SpokenYes | None = None,
) -> Transaction[list[Frame]]:
    row = (yield from lock_fenced(fence)) if fence is not None else None
    log = yield from log_of(clock, app_id, chat_id)
    add_requirements(log, requirements, by=by)
    if yes is not None and row is not None:
        yield from settle_in_words(log, yes, by=row["r_person"])
    return (yield from log.flush())
