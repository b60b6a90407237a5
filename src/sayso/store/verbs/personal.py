"""What one person keeps: drafts, typed into open cards, and preferences, the same in all chats."""

from __future__ import annotations

import sqlalchemy as sa

from sayso.core.digest import JsonObject
from sayso.core.events import Draft
from sayso.core.feed import Frame
from sayso.core.ports import Clock
from sayso.core.preferences import check_preferences
from sayso.store import tables
from sayso.store.codec import dump, encode, load, micros
from sayso.store.transaction import (
    Statement,
    Transaction,
    execute,
    in_state,
    insert,
    literal,
    one,
    param,
    rows,
    upsert,
)

_d, _i, _p = tables.draft.c, tables.interaction.c, tables.preference.c

_PREFERENCES = Statement(
    sa.select(_p.content).where(_p.app_id == param("app"), _p.person == param("who"))
)
_PUT_PREFERENCES = Statement(upsert(insert(tables.preference), tables.preference))
_PUT_DRAFT = Statement(upsert(insert(tables.draft), tables.draft))
_OPEN_CARD = Statement(
    sa.select(_i.chat_id, _i.run_id).where(
        _i.app_id == param("app"), _i.id == param("interaction"), _i.state == literal("pending")
    )
)
# An expired card keeps what was typed, so that it can be sent as a message instead.
_DRAFTS = Statement(
    sa.select(_d.interaction_id, _d.content)
    .join_from(
        tables.draft,
        tables.interaction,
        sa.and_(_i.app_id == _d.app_id, _i.id == _d.interaction_id),
    )
    .where(
        _d.app_id == param("app"),
        _d.chat_id == param("chat"),
        _d.person == param("who"),
        in_state(_i.state, "pending", "expired"),
    )
    .order_by(_i.opened_seq)
)


def put_draft(clock: Clock, app_id: str, draft: Draft) -> Transaction[Frame | None]:
    card = yield from one(_OPEN_CARD, app=app_id, interaction=draft.interaction_id)
    if card is None:
        return None
    yield from execute(
        _PUT_DRAFT,
        app_id=app_id,
        interaction_id=draft.interaction_id,
        person=draft.person,
        chat_id=card["chat_id"],
        run_id=card["run_id"],
        content=dump(draft.content),
        updated_at=micros(clock.now()),
    )
    return Frame(card["chat_id"], None, draft, encode(draft.as_json()))


def drafts(app_id: str, chat_id: str, person: str) -> Transaction[list[Draft]]:
    found = yield from rows(_DRAFTS, app=app_id, chat=chat_id, who=person)
    return [Draft(row["interaction_id"], person, load(row["content"])) for row in found]


def preferences(app_id: str, person: str) -> Transaction[JsonObject]:
    row = yield from one(_PREFERENCES, app=app_id, who=person)
    kept: JsonObject = load(row["content"]) if row is not None else {}
    return kept


def put_preferences(
    clock: Clock, app_id: str, person: str, values: JsonObject
) -> Transaction[JsonObject]:
    before = yield from preferences(app_id, person)
    merged: JsonObject = {**before, **values}
    kept: JsonObject = {key: value for key, value in merged.items() if value is not None}
    check_preferences(kept)
    yield from execute(
        _PUT_PREFERENCES,
        app_id=app_id,
        person=person,
        content=dump(kept),
        updated_at=micros(clock.now()),
    )
    return kept
