"""Settle an interaction: answered, dismissed, expired; or give it more time."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import assert_never

import sqlalchemy as sa

from sayso.core.decisions import (
    Overdue,
    Refused,
    Repeated,
    Settle,
    already_settled,
    asks_the_same,
    decide_answer,
    decide_dismissal,
    expiry_of,
    is_overdue,
    unanswered,
)
from sayso.core.errors import InvalidInput, NotFound, VersionConflict
from sayso.core.interactions import Interaction
from sayso.core.messages import message
from sayso.core.ports import Clock
from sayso.core.sessions import RunState
from sayso.core.store_results import AnsweredTooLate, Checked, Lease, Moved, Settled
from sayso.store import tables
from sayso.store.chat_log import ChatLog
from sayso.store.codec import instant, micros
from sayso.store.mapping import (
    CHAT_COLUMNS,
    INTERACTION_COLUMNS,
    ITEM_COLUMNS,
    RUN_COLUMNS,
    RunRow,
    chat_from,
    interaction_from,
    item_from,
    run_from,
)
from sayso.store.moves.cards import opened_event, settle
from sayso.store.moves.resume import settle_and_resume, waits_for
from sayso.store.moves.run_end import cancel, start_next
from sayso.store.moves.runs import fence_of
from sayso.store.moves.segment_start import claimed_if_running
from sayso.store.transaction import Row, Statement, Transaction, db_now, literal, one, param

_i, _r, _c, _m = tables.interaction.c, tables.run.c, tables.chat.c, tables.item.c

#: All that settling an interaction needs, locked in the order run, interaction, chat.
_WHOLE = Statement(
    sa.select(
        *RUN_COLUMNS,
        *INTERACTION_COLUMNS,
        *CHAT_COLUMNS,
        *ITEM_COLUMNS,
        *waits_for(_r.app_id, _r.id, _i.id),
        db_now().label("db_now"),
    )
    .select_from(tables.run)
    .join(tables.interaction, sa.and_(_i.app_id == _r.app_id, _i.run_id == _r.id))
    .join(tables.chat, sa.and_(_c.app_id == _r.app_id, _c.id == _r.chat_id))
    .outerjoin(
        tables.item,
        sa.and_(
            _m.app_id == _i.app_id,
            _m.chat_id == _i.chat_id,
            _m.kind == literal("message"),
            _m.id == _i.id,
        ),
    )
    .where(_i.app_id == param("app"), _i.id == param("interaction"))
    .with_for_update(of=[tables.run, tables.interaction, tables.chat])
)
_EXTEND = Statement(
    sa.update(tables.interaction)
    .where(
        _i.app_id == param("app"),
        _i.id == param("interaction"),
        _i.state == literal("pending"),
        _i.expires_at == param("seen"),
    )
    .values(expires_at=param("expires_at"))
    .returning(_i.id)
)
_OVERDUE = Statement(
    sa.select(_i.app_id, _i.id)
    .where(_i.state == literal("pending"), _i.expires_at.is_not(None), _i.expires_at <= db_now())
    .order_by(_i.expires_at)
    .limit(1)
)
_NEXT_EXPIRY = Statement(
    sa.select(_i.expires_at)
    .where(_i.state == literal("pending"), _i.expires_at.is_not(None))
    .order_by(_i.expires_at)
    .limit(1)
)


def answer(
    clock: Clock,
    app_id: str,
    checked: Checked,
    *,
    key: str | None,
    by: str | None,
    lease: Lease | None,
) -> Transaction[Settled | AnsweredTooLate | Moved]:
    found = yield from _whole(app_id, checked.seen.id)
    it, now = interaction_from(found), clock.now()
    if not asks_the_same(it, checked.seen):
        return Moved(it)
    decision = decide_answer(it, checked.response, key=key, now=clock.steady())
    return (yield from _carry_out(decision, found, it, now, by=by, key=key, lease=lease))


def dismiss(
    clock: Clock,
    app_id: str,
    interaction_id: str,
    *,
    reason: str | None,
    by: str | None,
    lease: Lease | None,
) -> Transaction[Settled | AnsweredTooLate]:
    found = yield from _whole(app_id, interaction_id)
    it, now = interaction_from(found), clock.now()
    decision = decide_dismissal(it, now=clock.steady())
    return (yield from _carry_out(decision, found, it, now, by=by, reason=reason, lease=lease))


def extend(
    clock: Clock,
    app_id: str,
    interaction_id: str,
    *,
    seconds: float,
    seen: datetime | None,
    by: str | None,
) -> Transaction[Settled | AnsweredTooLate]:
    found = yield from _whole(app_id, interaction_id)
    it, now = interaction_from(found), clock.now()
    if it.state.is_final:
        raise already_settled(it)
    if is_overdue(it, clock.steady()):
        return AnsweredTooLate((yield from _expire(found, it, now, lease=None)))
    if it.expires_at is None:
        raise InvalidInput(f"Interaction '{it.id}' never expires.", fix="It needs no more time.")
    if seen is not None and seen != it.expires_at:
        raise VersionConflict(f"The time of '{it.id}' was changed to {it.expires_at.isoformat()}.")
    try:
        longer = replace(it, expires_at=it.expires_at + timedelta(seconds=seconds))
    except OverflowError as exc:
        raise InvalidInput(
            f"seconds: {seconds:g} more would be after the year 9999.",
            fix="Give less; a card that waits for ever should have no time at all.",
            context={"errors": [{"path": "seconds", "message": "is too much"}]},
        ) from exc
    assert longer.expires_at is not None
    log = _log(found, now)
    moved = yield from one(
        _EXTEND,
        app=app_id,
        interaction=interaction_id,
        seen=micros(it.expires_at),
        expires_at=micros(longer.expires_at),
    )
    if moved is None:
        raise VersionConflict(f"The time of '{it.id}' was changed by someone else.")
    log.add(opened_event(longer), by=by)
    log.audit(
        "interaction.extended",
        it.id,
        actor=by,
        body={
            "run_id": it.run_id,
            "expires_at": longer.as_json()["expires_at"],
            "before": it.as_json()["expires_at"],
        },
    )
    frames = yield from log.flush()
    return Settled(interaction=longer, frames=frames, run_state=RunState(found["r_state"]))


def expire_one(*, now: datetime, lease: Lease | None) -> Transaction[Settled | None]:
    due = yield from one(_OVERDUE)
    if due is None:
        return None
    found = yield from _whole(due["app_id"], due["id"])
    it = interaction_from(found)
    return (yield from _expire(found, it, now, lease=lease))


def expire_now(
    clock: Clock, app_id: str, interaction_id: str, *, lease: Lease | None
) -> Transaction[Settled]:
    found = yield from _whole(app_id, interaction_id)
    it = interaction_from(found)
    if it.state.is_final:
        return Settled(interaction=it, repeated=True, run_state=RunState(found["r_state"]))
    end = unanswered(it, message("run.asker_gone"))
    return (yield from _settle(found, it, end, clock.now(), by=None, lease=lease))


def next_expiry() -> Transaction[datetime | None]:
    row = yield from one(_NEXT_EXPIRY)
    return instant(row["expires_at"]) if row is not None else None


def _settle(
    found: Row,
    it: Interaction,
    to: Settle,
    now: datetime,
    *,
    by: str | None,
    lease: Lease | None,
    key: str | None = None,
    reason: str | None = None,
    overdue: bool = False,
) -> Transaction[Settled]:
    return (
        yield from settle_and_resume(
            _log(found, now),
            run_from(found),
            it,
            to,
            by=by,
            lease=lease,
            time=found["db_now"],
            key=key,
            reason=reason,
            overdue=overdue,
            waits=found,
        )
    )


def _carry_out(
    decision: Settle | Repeated | Overdue | Refused,
    found: Row,
    it: Interaction,
    now: datetime,
    *,
    by: str | None,
    lease: Lease | None,
    key: str | None = None,
    reason: str | None = None,
) -> Transaction[Settled | AnsweredTooLate]:
    match decision:
        case Refused(error):
            raise error
        case Repeated():
            return Settled(interaction=it, repeated=True, run_state=RunState(found["r_state"]))
        case Overdue():
            return AnsweredTooLate((yield from _expire(found, it, now, lease=None)))
        case Settle() as to:
            return (
                yield from _settle(found, it, to, now, by=by, key=key, reason=reason, lease=lease)
            )
        case never:
            assert_never(never)


def _whole(app_id: str, interaction_id: str) -> Transaction[Row]:
    found = yield from one(_WHOLE, app=app_id, interaction=interaction_id)
    if found is None:
        raise NotFound(f"There is no interaction '{interaction_id}'.")
    return found


def _log(found: Row, now: datetime) -> ChatLog:
    log = ChatLog(chat_from(found), now)
    if found["m_id"] is not None:
        log.keep_item(item_from(found))
    return log


def _expire(
    found: Row, it: Interaction, now: datetime, *, lease: Lease | None
) -> Transaction[Settled]:
    if it.on_expiry.action != "cancel":
        return (
            yield from _settle(found, it, expiry_of(it), now, by=None, lease=lease, overdue=True)
        )
    return (yield from _expire_and_cancel(found, it, now, lease))


def _expire_and_cancel(
    found: Row, it: Interaction, now: datetime, lease: Lease | None
) -> Transaction[Settled]:
    """Expire a card whose run must not go on without it."""
    log, row = _log(found, now), run_from(found)
    settled = yield from settle(log, it, expiry_of(it), by=None, overdue=True)
    ended: RunRow = yield from cancel(log, row, by=None, reason=message("run.nobody_answered"))
    following = yield from start_next(log, row.run, lease, found["db_now"])
    frames = yield from log.flush()
    claimed = yield from claimed_if_running(log, following)
    return Settled(
        interaction=settled,
        frames=frames,
        run_state=ended.run.state,
        claimed=claimed,
        cancelled=fence_of(row.run),
        next_run_id=following.run.id if following else None,
        stopped=log.stopped,
    )
