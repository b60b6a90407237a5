"""The browsers that are told by push, and what each of them is to be told now.

What it was told is one time per browser: the cards that were opened after it are due. Nothing is
written when a card opens, and what is answered before it was told is not told.
"""

from __future__ import annotations

from datetime import timedelta

import sqlalchemy as sa

from sayso.core.ports import Clock
from sayso.core.pushes import (
    MOST_BROWSERS,
    MOST_CARDS,
    DuePushes,
    PushNotice,
    PushSubscription,
)
from sayso.store import tables
from sayso.store.codec import dump, instant, micros
from sayso.store.mapping import INTERACTION_COLUMNS, interaction_from
from sayso.store.search_text import like_pattern
from sayso.store.transaction import (
    Row,
    Statement,
    Transaction,
    execute,
    insert,
    literal,
    one,
    param,
    rows,
    upsert,
)

_s, _i = tables.push_subscription.c, tables.interaction.c

_PUT = Statement(upsert(insert(tables.push_subscription), tables.push_subscription))
_OLDEST_FIRST = Statement(
    sa.select(_s.id)
    .where(_s.app_id == param("app"), _s.person == param("who"))
    .order_by(_s.created_at, _s.id)
)
_FORGET = Statement(
    sa.delete(tables.push_subscription).where(
        _s.app_id == param("app"), _s.id == param("of"), _s.person == param("who")
    )
)
_ALL = Statement(sa.select(tables.push_subscription).order_by(_s.due_at))
_PENDING = _i.state == literal("pending")
_CARDS = Statement(
    sa.select(*INTERACTION_COLUMNS)
    .where(
        _i.app_id == param("app"),
        _PENDING,
        _i.created_at > param("after"),
        sa.or_(_i.assignees == literal("[]"), _i.assignees.like(param("named"), escape="\\")),
    )
    .order_by(_i.created_at.desc(), _i.opened_seq.desc(), _i.id.desc())
    .limit(MOST_CARDS)
)
_NEWEST = Statement(
    sa.select(_i.id)
    .where(_i.app_id == param("app"), _PENDING)
    .order_by(_i.created_at.desc(), _i.opened_seq.desc(), _i.id.desc())
    .limit(MOST_CARDS)
)
_COUNT = Statement(
    sa.select(sa.func.count().label("count"))
    .select_from(tables.interaction)
    .where(_i.app_id == param("app"), _PENDING)
)
_TOLD = Statement(
    sa.update(tables.push_subscription)
    .where(_s.app_id == param("app"), _s.id == param("of"))
    .values(told_until=param("told"), attempts=0)
)
_LATER = Statement(
    sa.update(tables.push_subscription)
    .where(_s.app_id == param("app"), _s.id == param("of"))
    .values(due_at=param("again"), attempts=_s.attempts + 1)
)


def put_push_subscription(new: PushSubscription) -> Transaction[None]:
    yield from execute(
        _PUT,
        app_id=new.app_id,
        id=new.id,
        person=new.person,
        endpoint=new.endpoint,
        p256dh=new.p256dh,
        auth=new.auth,
        language=new.language,
        created_at=micros(new.created_at),
        told_until=micros(new.told_until),
        due_at=micros(new.due_at),
        attempts=new.attempts,
    )
    known = yield from rows(_OLDEST_FIRST, app=new.app_id, who=new.person)
    for row in known[:-MOST_BROWSERS]:
        yield from forget_push_subscription(new.app_id, row["id"], new.person)


def forget_push_subscription(app_id: str, subscription_id: str, person: str) -> Transaction[None]:
    yield from execute(_FORGET, app=app_id, of=subscription_id, who=person)


def due_pushes(clock: Clock) -> Transaction[DuePushes]:
    now = clock.now()
    found = yield from rows(_ALL)
    notices: list[PushNotice] = []
    for each in map(_subscription_from, found):
        if each.due_at > now:
            # The others are due later still.
            return DuePushes(notices, (each.due_at - now).total_seconds())
        if notice := (yield from _notice(each)):
            notices.append(notice)
    return DuePushes(notices)


def told_push(notice: PushNotice) -> Transaction[None]:
    to = notice.to
    yield from execute(_TOLD, app=to.app_id, of=to.id, told=micros(notice.told_until))


def tell_push_later(
    clock: Clock, app_id: str, subscription_id: str, *, again_in: float
) -> Transaction[None]:
    again = clock.now() + timedelta(seconds=again_in)
    yield from execute(_LATER, app=app_id, of=subscription_id, again=micros(again))


def _notice(to: PushSubscription) -> Transaction[PushNotice | None]:
    named = f"%{like_pattern(dump(to.person))}%"
    cards = yield from rows(_CARDS, app=to.app_id, after=micros(to.told_until), named=named)
    if not cards:
        return None
    newest = yield from rows(_NEWEST, app=to.app_id)
    counted = yield from one(_COUNT, app=to.app_id)
    assert counted is not None
    return PushNotice(
        to,
        [interaction_from(row) for row in cards],
        waiting=counted["count"],
        open_ids=[row["id"] for row in newest],
    )


def _subscription_from(row: Row) -> PushSubscription:
    return PushSubscription(
        app_id=row["app_id"],
        id=row["id"],
        person=row["person"],
        endpoint=row["endpoint"],
        p256dh=row["p256dh"],
        auth=row["auth"],
        language=row["language"],
        created_at=instant(row["created_at"]),
        told_until=instant(row["told_until"]),
        due_at=instant(row["due_at"]),
        attempts=row["attempts"],
    )
