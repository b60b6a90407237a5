"""Where people who are away are told, and what each place is to be told now.

What it was told is one time per place: the cards that were opened, handed over or had back after it
are due. Nothing is written when a card opens, and what is answered before it was told is not told.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import sqlalchemy as sa

from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput
from sayso.core.ports import Clock
from sayso.core.preferences import QUIET_HOURS, QuietHours
from sayso.core.pushes import (
    MOST_BROWSERS,
    MOST_CARDS,
    Carrier,
    DuePushes,
    PushNotice,
    PushSubscription,
)
from sayso.store import tables
from sayso.store.codec import dump, instant, load, micros
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
_c, _z, _p = tables.claim.c, tables.snooze.c, tables.preference.c

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
_ALL = Statement(
    sa.select(tables.push_subscription, _p.content.label("preferences"))
    .outerjoin_from(
        tables.push_subscription,
        tables.preference,
        sa.and_(_p.app_id == _s.app_id, _p.person == _s.person),
    )
    .order_by(_s.due_at)
)
_PENDING = sa.text(tables.NEEDS_PERSON)
_NEWEST_FIRST = (_i.created_at.desc(), _i.opened_seq.desc(), _i.id.desc())
_PUT_OFF = (
    sa.exists()
    .where(_z.app_id == _i.app_id, _z.interaction_id == _i.id, _z.person == param("who"))
    .where(_z.until > param("now"))
)
_OPENED = Statement(
    sa.select(*INTERACTION_COLUMNS)
    .where(
        _i.app_id == param("app"),
        _PENDING,
        _i.created_at > param("after"),
        _i.created_at <= param("until"),
        sa.or_(_i.assignees == literal("[]"), _i.assignees.like(param("named"), escape="\\")),
        ~_PUT_OFF,
    )
    .order_by(*_NEWEST_FIRST)
    .limit(MOST_CARDS)
)
_HANDED = Statement(
    sa.select(*INTERACTION_COLUMNS, _c.given_at.label("moment"), _c.given_by.label("giver"))
    .join_from(
        tables.claim,
        tables.interaction,
        sa.and_(_i.app_id == _c.app_id, _i.id == _c.interaction_id),
    )
    .where(
        _c.app_id == param("app"),
        _PENDING,
        _c.person == param("who"),
        _c.given_by != param("who"),
        _c.given_at > param("after"),
        _c.given_at <= param("until"),
    )
    .order_by(_c.given_at.desc(), _i.id.desc())
    .limit(MOST_CARDS)
)
_HAD_BACK = Statement(
    sa.select(*INTERACTION_COLUMNS, _z.until.label("moment"))
    .join_from(
        tables.snooze,
        tables.interaction,
        sa.and_(_i.app_id == _z.app_id, _i.id == _z.interaction_id),
    )
    .where(
        _z.app_id == param("app"),
        _PENDING,
        _z.person == param("who"),
        _z.until > param("after"),
        _z.until <= param("until"),
    )
    .order_by(_z.until.desc(), _i.id.desc())
    .limit(MOST_CARDS)
)
_NEWEST = Statement(
    sa.select(_i.id)
    .where(_i.app_id == param("app"), _PENDING)
    .order_by(*_NEWEST_FIRST)
    .limit(MOST_CARDS)
)
_COUNT = Statement(
    sa.select(sa.func.count().label("count"))
    .select_from(tables.interaction)
    .where(_i.app_id == param("app"), _PENDING)
)
_OF_PERSON = Statement(
    sa.select(tables.push_subscription)
    .where(_s.app_id == param("app"), _s.person == param("who"))
    .order_by(_s.created_at, _s.id)
)
_TAKE = Statement(
    sa.update(tables.push_subscription)
    .where(
        _s.app_id == param("app"),
        _s.id == param("of"),
        _s.due_at == param("seen_due"),
        _s.told_until == param("seen_told"),
    )
    .values(due_at=param("leased"))
    .returning(_s.id)
)
_TOLD = Statement(
    sa.update(tables.push_subscription)
    .where(_s.app_id == param("app"), _s.id == param("of"))
    .values(told_until=param("told"), due_at=param("rested"), attempts=0)
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
        page=new.page,
    )
    known = yield from rows(_OLDEST_FIRST, app=new.app_id, who=new.person)
    for row in known[:-MOST_BROWSERS]:
        yield from forget_push_subscription(new.app_id, row["id"], new.person)


def forget_push_subscription(app_id: str, subscription_id: str, person: str) -> Transaction[None]:
    yield from execute(_FORGET, app=app_id, of=subscription_id, who=person)


def push_subscriptions(app_id: str, person: str) -> Transaction[list[PushSubscription]]:
    found = yield from rows(_OF_PERSON, app=app_id, who=person)
    return [_subscription_from(row) for row in found]


def due_pushes(clock: Clock, *, mail_after: float) -> Transaction[DuePushes]:
    now = clock.now()
    mailed_until = now - timedelta(seconds=mail_after)
    found = yield from rows(_ALL)
    notices: list[PushNotice] = []
    for row in found:
        each = _subscription_from(row)
        if each.due_at > now:
            # The others are due later still.
            return DuePushes(notices, (each.due_at - now).total_seconds())
        if _is_quiet(row, now):
            continue
        until = mailed_until if each.carrier is Carrier.MAIL else now
        if notice := (yield from _notice(each, until=until, now=now)):
            notices.append(notice)
    return DuePushes(notices)


def take_push(clock: Clock, notice: PushNotice, *, seconds: float) -> Transaction[bool]:
    to = notice.to
    taken = yield from one(
        _TAKE,
        app=to.app_id,
        of=to.id,
        seen_due=micros(to.due_at),
        seen_told=micros(to.told_until),
        leased=micros(clock.now() + timedelta(seconds=seconds)),
    )
    return taken is not None


def told_push(clock: Clock, notice: PushNotice, *, rests: float) -> Transaction[None]:
    to = notice.to
    yield from execute(
        _TOLD,
        app=to.app_id,
        of=to.id,
        told=micros(notice.told_until),
        rested=micros(clock.now() + timedelta(seconds=rests)),
    )


def tell_push_later(
    clock: Clock, app_id: str, subscription_id: str, *, again_in: float
) -> Transaction[None]:
    again = clock.now() + timedelta(seconds=again_in)
    yield from execute(_LATER, app=app_id, of=subscription_id, again=micros(again))


def _is_quiet(row: Row, now: datetime) -> bool:
    kept: JsonObject = load(row["preferences"] or "{}")
    try:
        hours = QuietHours.read(kept.get(QUIET_HOURS))
    except InvalidInput:
        # From before they were checked.
        return False
    return hours is not None and hours.hold(now)


def _notice(
    to: PushSubscription, *, until: datetime, now: datetime
) -> Transaction[PushNotice | None]:
    span: dict[str, object] = {"app": to.app_id, "who": to.person}
    span |= {"after": micros(to.told_until), "until": micros(until)}
    named = f"%{like_pattern(dump(to.person))}%"
    opened = yield from rows(_OPENED, **span, named=named, now=micros(now))
    handed = yield from rows(_HANDED, **span)
    had_back = yield from rows(_HAD_BACK, **span)
    cards = {row["i_id"]: interaction_from(row) for row in (*handed, *opened, *had_back)}
    if not cards:
        return None
    moments = [row["i_created_at"] for row in opened]
    moments += [row["moment"] for row in (*handed, *had_back)]
    newest = yield from rows(_NEWEST, app=to.app_id)
    counted = yield from one(_COUNT, app=to.app_id)
    assert counted is not None
    return PushNotice(
        to,
        [*cards.values()][:MOST_CARDS],
        waiting=counted["count"],
        open_ids=[row["id"] for row in newest],
        told_until=instant(max(moments)),
        handed_by=handed[0]["giver"] if handed else None,
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
        page=row["page"] or "",
    )
