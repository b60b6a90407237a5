"""Chats: open, rename, list, the view that a client draws, and what the head of each holds of
preferences and requirements."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache

import sqlalchemy as sa
from pydantic import JsonValue

from sayso.core.chat_view import (
    ArtifactItem,
    ChatSummary,
    ChatView,
    Head,
    LiveText,
    MessageItem,
    ToolCallItem,
)
from sayso.core.digest import JsonObject
from sayso.core.events import ChatTitled, read_event
from sayso.core.feed import Frame
from sayso.core.ports import Clock
from sayso.core.preferences import check_preferences
from sayso.core.requirements import SpokenYes
from sayso.core.store_results import Fence
from sayso.store import tables
from sayso.store.codec import clean, dump, instant, load, micros
from sayso.store.mapping import CHAT_COLUMNS, ITEM_COLUMNS, chat_from, item_from
from sayso.store.moves.cards import settle_in_words
from sayso.store.moves.chats import add_requirements, lock_chat, log_of, open_chat, set_preference
from sayso.store.moves.open_texts import open_texts
from sayso.store.moves.runs import lock_fenced
from sayso.store.search_text import like_pattern, searchable
from sayso.store.transaction import (
    Statement,
    Transaction,
    chunks,
    ids,
    in_state,
    one,
    one_of,
    param,
    rows,
)

_c, _m, _v, _i = tables.chat.c, tables.item.c, tables.event.c, tables.interaction.c

_CHAT = Statement(sa.select(*CHAT_COLUMNS).where(_c.app_id == param("app"), _c.id == param("chat")))
_EVENTS_AFTER = Statement(
    sa.select(_v.seq, _v.body)
    .where(_v.app_id == param("app"), _v.chat_id == param("chat"), _v.seq > param("after"))
    .order_by(_v.seq)
    .limit(param("most", sa.Integer))
)
_LAST_EVENTS = Statement(
    sa.select(_c.app_id, _v.chat_id, _v.body)
    .join(tables.event, (_v.app_id == _c.app_id) & (_v.chat_id == _c.id) & (_v.seq == _c.last_seq))
    # All tenants by name, so that SQLite looks into the index by tenant and time.
    .where(
        _c.app_id.in_(sa.select(tables.chat.alias().c.app_id).distinct()),
        _c.updated_at >= param("since"),
    )
)
_PAGE = Statement(
    sa.select(*ITEM_COLUMNS)
    .where(
        _m.app_id == param("app"),
        _m.chat_id == param("chat"),
        in_state(_m.kind, "message", "tool_call"),
        _m.sequence < param("before"),
    )
    .order_by(_m.sequence.desc())
    .limit(param("most", sa.Integer))
)
_OPEN_ITEMS = Statement(
    sa.select(*ITEM_COLUMNS).where(
        _m.app_id == param("app"), _m.chat_id == param("chat"), sa.text(f"item.{tables.OPEN_ITEM}")
    )
)
_WITH_KEY = Statement(
    sa.select(*CHAT_COLUMNS)
    .where(
        _c.app_id == param("app"),
        sa.or_(_c.created_by == param("person"), _c.created_by.is_(None)),
        _c.head.like(param("key"), escape="\\"),
    )
    .order_by(_c.updated_at.desc())
)
# Above every seq there can be.
_END_OF_LOG = 2**62


def create_chat(
    clock: Clock,
    app_id: str,
    *,
    agent: str,
    title: str = "",
    by: str | None = None,
    chat_id: str | None = None,
) -> Transaction[ChatView]:
    if chat_id is not None:
        known = yield from load_view(app_id, chat_id)
        if known is not None:
            return known
    new_id = chat_id or clock.new_id()
    log = yield from open_chat(clock, app_id, chat_id=new_id, agent=agent, by=by)
    if title:
        log.add(ChatTitled(title=clean(title)), by=by)
    yield from log.flush()
    return ChatView.model_validate(log.chat.head.model_dump())


def rename_chat(
    clock: Clock, app_id: str, chat_id: str, title: str, *, by: str | None
) -> Transaction[list[Frame]]:
    log = yield from log_of(clock, app_id, chat_id)
    log.add(ChatTitled(title=clean(title)), by=by)
    return (yield from log.flush())


def set_chat_preference(
    clock: Clock, app_id: str, chat_id: str, key: str, value: JsonValue, *, by: str | None
) -> Transaction[list[Frame]]:
    log = yield from log_of(clock, app_id, chat_id)
    check_preferences({**log.chat.head.preferences, key: value})
    set_preference(log, key, value, by=by)
    return (yield from log.flush())


def chats_preferring(app_id: str, key: str, *, by: str) -> Transaction[list[Head]]:
    """The key stands in the head as JSON, in which a title's own quotes are escaped."""
    found = yield from rows(_WITH_KEY, app=app_id, person=by, key=f"%{like_pattern(dump(key))}:%")
    heads = [chat_from(row).head for row in found]
    return [head for head in heads if head.preferences.get(key)]


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


def chat_titles(app_id: str, chat_ids: Sequence[str]) -> Transaction[dict[str, str]]:
    """Return the titles of these chats, of those that have one."""
    titles: dict[str, str] = {}
    for part in chunks(sorted(set(chat_ids))):
        for row in (yield from rows(_of_ids(len(part)), app=app_id, **ids(part))):
            if title := chat_from(row).head.title:
                titles[row["c_id"]] = title
    return titles


def load_view(
    app_id: str, chat_id: str, *, before: int | None = None, limit: int = 50
) -> Transaction[ChatView | None]:
    found = yield from one(_CHAT, app=app_id, chat=chat_id)
    if found is None:
        return None
    page = yield from rows(
        _PAGE,
        app=app_id,
        chat=chat_id,
        before=_END_OF_LOG if before is None else before,
        most=limit + 1,
    )
    shown = page[:limit]
    items = {(row["m_kind"], row["m_id"]): row for row in shown}
    live: list[LiveText] = []
    if before is None:
        for row in (yield from rows(_OPEN_ITEMS, app=app_id, chat=chat_id)):
            items[row["m_kind"], row["m_id"]] = row
        live = [
            LiveText(message_id=text.message_id, text=text.text, agent_name=text.agent_name)
            for text in (yield from open_texts(app_id, chat_id))
        ]
    parts = [item_from(row) for row in sorted(items.values(), key=lambda r: int(r["m_sequence"]))]
    head = chat_from(found).head
    return ChatView(
        **dict(head),
        messages=[part for part in parts if isinstance(part, MessageItem)],
        tool_calls=[part for part in parts if isinstance(part, ToolCallItem)],
        artifacts=[part for part in parts if isinstance(part, ArtifactItem)],
        live=live,
        before=shown[-1]["m_sequence"] if len(page) > limit and shown else None,
    )


def events_after(
    app_id: str, chat_id: str, seq: int, *, limit: int = 1000
) -> Transaction[list[Frame]]:
    found = yield from rows(_EVENTS_AFTER, app=app_id, chat=chat_id, after=seq, most=limit)
    return [frame for row in found if (frame := _frame(chat_id, row["body"]))]


def _frame(chat_id: str, body: str) -> Frame | None:
    """Return a stored event as it is sent; None for one of a kind that is not known here."""
    event = read_event(load(body))
    return Frame(chat_id, event.seq, event, body.encode()) if event is not None else None


def last_events(since: datetime) -> Transaction[list[tuple[str, Frame]]]:
    found = yield from rows(_LAST_EVENTS, since=micros(since))
    return [
        (row["app_id"], frame) for row in found if (frame := _frame(row["chat_id"], row["body"]))
    ]


def list_chats(
    app_id: str, *, q: str = "", before: datetime | None = None, limit: int = 50
) -> Transaction[list[ChatSummary]]:
    params: dict[str, object] = {"app": app_id}
    words = searchable(q.strip())
    if words:
        params["words"] = f"%{like_pattern(words)}%"
    if before is not None:
        params["before"] = micros(before)
    searches, pages = bool(words), before is not None
    found = list((yield from rows(_listed(searches, pages, False), most=limit, **params)))
    if len(found) == limit and found:
        moment = found[-1]["c_updated_at"]
        known = {row["c_id"] for row in found}
        same = yield from rows(_listed(searches, pages, True), moment=moment, **params)
        others = [row for row in same if row["c_id"] not in known]
        found += sorted(others, key=lambda row: str(row["c_id"]))
    return [
        ChatSummary(
            head=chat_from(row).head,
            updated_at=instant(row["c_updated_at"]),
            pending=row["pending"],
        )
        for row in found
    ]


@cache
def _of_ids(count: int) -> Statement:
    named = one_of(_c.id, count)
    return Statement(sa.select(*CHAT_COLUMNS).where(_c.app_id == param("app"), named))


@cache
def _listed(searches: bool, pages: bool, of_one_moment: bool) -> Statement:
    pending = (
        sa.select(sa.func.count())
        .where(_i.app_id == _c.app_id, _i.chat_id == _c.id, sa.text(tables.NEEDS_PERSON))
        .scalar_subquery()
    )
    query = sa.select(*CHAT_COLUMNS, pending.label("pending")).where(
        _c.app_id == param("app"), sa.text(f"chat.{tables.CONVERSATION}")
    )
    if searches:
        said = sa.exists().where(
            _m.app_id == _c.app_id,
            _m.chat_id == _c.id,
            _m.search_text.like(param("words"), escape="\\"),
        )
        query = query.where(sa.or_(_c.search_title.like(param("words"), escape="\\"), said))
    if pages:
        query = query.where(_c.updated_at < param("before"))
    if of_one_moment:
        # In no order: asked for one by id, SQLite would walk the primary key, past every chat.
        return Statement(query.where(_c.updated_at == param("moment")))
    return Statement(query.order_by(_c.updated_at.desc(), _c.id).limit(param("most", sa.Integer)))
