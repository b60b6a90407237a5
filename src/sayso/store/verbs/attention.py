"""Claims and snoozes: who is looking at a card, and who wants to see it later."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache

import sqlalchemy as sa

from sayso.core.attention import Attention, AttentionMoved, Claim
from sayso.core.errors import AlreadyClaimed, NotFound
from sayso.core.feed import Frame
from sayso.core.ports import Clock
from sayso.store import tables
from sayso.store.codec import encode, instant, micros
from sayso.store.transaction import (
    Row,
    Statement,
    Transaction,
    chunks,
    execute,
    ids,
    insert,
    literal,
    one,
    one_of,
    param,
    rows,
    upsert,
)

_c, _z, _i = tables.claim.c, tables.snooze.c, tables.interaction.c

_CHAT = Statement(
    sa.select(_i.chat_id).where(_i.app_id == param("app"), _i.id == param("interaction"))
)
_PUT_CLAIM = Statement(upsert(insert(tables.claim), tables.claim))
_CLAIM = Statement(
    sa.select(*_c).where(
        _c.app_id == param("app"), _c.interaction_id == param("of"), _c.until > param("now")
    )
)
_DROP_CLAIM = Statement(
    sa.delete(tables.claim).where(
        _c.app_id == param("app"),
        _c.interaction_id == param("of"),
        sa.or_(_c.person == param("who"), _c.given_by == param("who")),
    )
)
_PUT_SNOOZE = Statement(upsert(insert(tables.snooze), tables.snooze))
_DROP_SNOOZE = Statement(
    sa.delete(tables.snooze).where(
        _z.app_id == param("app"), _z.interaction_id == param("of"), _z.person == param("who")
    )
)
_FORGET_CLAIMS = Statement(
    sa.delete(tables.claim).where(_c.app_id == param("app"), _c.until <= param("now"))
)
_FORGET_SNOOZES = Statement(
    sa.delete(tables.snooze).where(_z.app_id == param("app"), _z.until <= param("now"))
)
_COUNT_SNOOZED = Statement(
    sa.select(sa.func.count().label("count"))
    .select_from(tables.snooze)
    .join(
        tables.interaction,
        sa.and_(_i.app_id == _z.app_id, _i.id == _z.interaction_id),
    )
    .where(
        _z.app_id == param("app"),
        _z.person == param("who"),
        _z.until > param("now"),
        _i.state == literal("pending"),
    )
)
#: For how long it is known what was had back, so that whoever put it off is told of it.
_BACK = timedelta(days=1)
#: Ids in one statement.
_CHUNK = 200


def put_claim(clock: Clock, app_id: str, claim: Claim, *, take_over: bool) -> Transaction[Frame]:
    now = micros(clock.now())
    yield from execute(_FORGET_CLAIMS, app=app_id, now=now)
    held = yield from one(_CLAIM, app=app_id, of=claim.interaction_id, now=now)
    if held is not None and not take_over and claim.by not in (held["person"], held["given_by"]):
        other = _claim_from(held)
        raise AlreadyClaimed(
            f"{other.person} is looking at this until {other.until.isoformat()}.",
            context={"claim": other.as_json()},
        )
    yield from execute(
        _PUT_CLAIM,
        app_id=app_id,
        interaction_id=claim.interaction_id,
        person=claim.person,
        given_by=claim.by,
        note=claim.note,
        until=micros(claim.until),
        given_at=now,
    )
    return (yield from _moved(app_id, claim.interaction_id))


def drop_claim(app_id: str, interaction_id: str, person: str) -> Transaction[Frame]:
    yield from execute(_DROP_CLAIM, app=app_id, of=interaction_id, who=person)
    return (yield from _moved(app_id, interaction_id))


def put_snooze(
    clock: Clock, app_id: str, interaction_id: str, person: str, until: datetime
) -> Transaction[Frame]:
    yield from execute(_FORGET_SNOOZES, app=app_id, now=micros(clock.now() - _BACK))
    yield from execute(
        _PUT_SNOOZE,
        app_id=app_id,
        interaction_id=interaction_id,
        person=person,
        until=micros(until),
    )
    return (yield from _moved(app_id, interaction_id))


def drop_snooze(app_id: str, interaction_id: str, person: str) -> Transaction[Frame]:
    yield from execute(_DROP_SNOOZE, app=app_id, of=interaction_id, who=person)
    return (yield from _moved(app_id, interaction_id))


def attention(
    clock: Clock, app_id: str, interaction_ids: Sequence[str], person: str
) -> Transaction[Attention]:
    now = micros(clock.now())
    claims: dict[str, Claim] = {}
    snoozed: dict[str, datetime] = {}
    for part in chunks(interaction_ids, _CHUNK):
        given = ids(part)
        for row in (yield from rows(_claims(len(part)), app=app_id, now=now, **given)):
            claims[row["interaction_id"]] = _claim_from(row)
        put_off = yield from rows(_snoozes(len(part)), app=app_id, now=now, who=person, **given)
        for row in put_off:
            snoozed[row["interaction_id"]] = instant(row["until"])
    return Attention(claims, snoozed)


def count_snoozed(clock: Clock, app_id: str, person: str) -> Transaction[int]:
    row = yield from one(_COUNT_SNOOZED, app=app_id, who=person, now=micros(clock.now()))
    return int(row["count"]) if row is not None else 0


def _moved(app_id: str, interaction_id: str) -> Transaction[Frame]:
    row = yield from one(_CHAT, app=app_id, interaction=interaction_id)
    if row is None:
        raise NotFound(f"There is no interaction '{interaction_id}'.")
    moved = AttentionMoved(interaction_id)
    return Frame(row["chat_id"], None, moved, encode(moved.as_json()))


@cache
def _claims(count: int) -> Statement:
    named = one_of(_c.interaction_id, count)
    return Statement(
        sa.select(*_c).where(_c.app_id == param("app"), named, _c.until > param("now"))
    )


@cache
def _snoozes(count: int) -> Statement:
    named = one_of(_z.interaction_id, count)
    mine = sa.and_(_z.person == param("who"), _z.until > param("now"))
    return Statement(sa.select(*_z).where(_z.app_id == param("app"), named, mine))


def _claim_from(row: Row) -> Claim:
    return Claim(
        interaction_id=row["interaction_id"],
        person=row["person"],
        by=row["given_by"],
        until=instant(row["until"]),
        note=row["note"],
    )
