"""Drafts: what people have typed into open cards."""

from __future__ import annotations

import sqlalchemy as sa

from sayso.core.events import Draft
from sayso.core.feed import Frame
from sayso.core.ports import Clock
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

_d, _i = tables.draft.c, tables.interaction.c

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
