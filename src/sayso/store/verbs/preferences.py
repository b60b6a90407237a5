"""A person's preferences, the same in all chats."""

from __future__ import annotations

import sqlalchemy as sa

from sayso.core.digest import JsonObject
from sayso.core.ports import Clock
from sayso.core.preferences import check_preferences
from sayso.store import tables
from sayso.store.codec import dump, load, micros
from sayso.store.transaction import Statement, Transaction, execute, insert, one, param, upsert

_PREFERENCES = Statement(
    sa.select(tables.preference.c.content).where(
        tables.preference.c.app_id == param("app"), tables.preference.c.person == param("who")
    )
)
_PUT_PREFERENCES = Statement(upsert(insert(tables.preference), tables.preference))


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
