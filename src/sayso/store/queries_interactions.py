"""What is asked of interactions: answer, dismiss, extend, expire, list."""

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
    decide_answer,
    decide_dismissal,
    expiry_of,
    is_overdue,
)
from sayso.core.errors import InvalidInput, NotFound, VersionConflict
from sayso.core.interactions import Interaction
from sayso.core.ports import Answer, Clock
from sayso.core.sessions import RunState
from sayso.core.transactions import AnsweredTooLate, Lease, Settled
from sayso.store import tables
from sayso.store.codec import instant, micros
from sayso.store.ending import cancel, start_next
from sayso.store.log import ChatLog
from sayso.store.rows import (
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
from sayso.store.running import fence_of, knows, set_going
from sayso.store.script import Row, Script, Statement, db_now, one, p, word
from sayso.store.settling import opened_event, settle
from sayso.store.starting import claimed_if_running

_i, _r, _c, _m = tables.interaction.c, tables.run.c, tables.chat.c, tables.item.c

_other = tables.interaction.alias("other")
_others_pending = (
    sa.select(sa.func.count())
    .where(
        _other.c.app_id == _i.app_id,
        _other.c.run_id == _i.run_id,
        _other.c.state == word("pending"),
        _other.c.id != _i.id,
    )
    .scalar_subquery()
)
_child = tables.run.alias("child")
_open_children = (
    sa.select(sa.func.count())
    .where(
        _child.c.app_id == _i.app_id,
        _child.c.parent_run_id == _i.run_id,
        _child.c.state.in_([word("ready"), word("running"), word("waiting")]),
    )
    .scalar_subquery()
)
#: All that settling an interaction needs, locked in the order run, interaction, chat.
_WHOLE = Statement(
    sa.select(
        *RUN_COLUMNS,
        *INTERACTION_COLUMNS,
        *CHAT_COLUMNS,
        *ITEM_COLUMNS,
        _others_pending.label("others_pending"),
        _open_children.label("open_children"),
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
            _m.kind == word("message"),
            _m.id == _i.id,
        ),
    )
    .where(_i.app_id == p("app"), _i.id == p("interaction"))
    .with_for_update(of=[tables.run, tables.interaction, tables.chat])
)
_EXTEND = Statement(
    sa.update(tables.interaction)
    .where(
        _i.app_id == p("app"),
        _i.id == p("interaction"),
        _i.state == word("pending"),
        _i.expires_at == p("seen"),
    )
    .values(expires_at=p("expires_at"))
    .returning(_i.id)
)
_OVERDUE = Statement(
    sa.select(_i.app_id, _i.id)
    .where(_i.state == word("pending"), _i.expires_at.is_not(None), _i.expires_at <= p("due"))
    .order_by(_i.expires_at)
    .limit(1)
)
_NEXT_EXPIRY = Statement(
    sa.select(_i.expires_at)
    .where(_i.state == word("pending"), _i.expires_at.is_not(None))
    .order_by(_i.expires_at)
    .limit(1)
)


def answer(
    clock: Clock,
    app_id: str,
    interaction_id: str,
    read: Answer,
    *,
    key: str | None,
    by: str | None,
    lease: Lease | None,
) -> Script[Settled | AnsweredTooLate]:
    found = yield from _whole(app_id, interaction_id)
    it, now = interaction_from(found), clock.now()
    decision = decide_answer(it, read(it), key=key, now=now)
    return (yield from _carry_out(decision, found, it, now, by=by, key=key, lease=lease))


def dismiss(
    clock: Clock,
    app_id: str,
    interaction_id: str,
    *,
    reason: str | None,
    by: str | None,
    lease: Lease | None,
) -> Script[Settled | AnsweredTooLate]:
    found = yield from _whole(app_id, interaction_id)
    it, now = interaction_from(found), clock.now()
    decision = decide_dismissal(it, now=now)
    return (yield from _carry_out(decision, found, it, now, by=by, reason=reason, lease=lease))


def extend(
    clock: Clock,
    app_id: str,
    interaction_id: str,
    *,
    seconds: float,
    seen: datetime | None,
    by: str | None,
) -> Script[Settled | AnsweredTooLate]:
    found = yield from _whole(app_id, interaction_id)
    it, now = interaction_from(found), clock.now()
    if it.state.is_final:
        raise already_settled(it)
    if is_overdue(it, now):
        return AnsweredTooLate((yield from _expire(found, it, now, lease=None)))
    if it.expires_at is None:
        raise InvalidInput(f"Interaction '{it.id}' never expires.", fix="It needs no more time.")
    if seen is not None and seen != it.expires_at:
        raise VersionConflict(f"The time of '{it.id}' was changed to {it.expires_at.isoformat()}.")
    longer = replace(it, expires_at=it.expires_at + timedelta(seconds=seconds))
    log = _log(found, now)
    moved = yield from one(
        _EXTEND,
        app=app_id,
        interaction=interaction_id,
        seen=micros(it.expires_at),
        expires_at=micros(it.expires_at + timedelta(seconds=seconds)),
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


def expire_one(now: datetime, lease: Lease | None) -> Script[Settled | None]:
    due = yield from one(_OVERDUE, due=micros(now))
    if due is None:
        return None
    found = yield from _whole(due["app_id"], due["id"])
    it = interaction_from(found)
    return (yield from _expire(found, it, now, lease=lease))


def next_expiry() -> Script[datetime | None]:
    row = yield from one(_NEXT_EXPIRY)
    return instant(row["expires_at"]) if row is not None else None


def settle_one(
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
) -> Script[Settled]:
    """Settle one interaction and let its run go on, if that was all it waited for."""
    log, row = _log(found, now), run_from(found)
    goes_on = row.run.state is RunState.WAITING and (
        row.resume_each or (found["others_pending"] == 0 and found["open_children"] == 0)
    )
    starts = goes_on and knows(lease, row.run)
    settled = yield from settle(
        log,
        it,
        to,
        by=by,
        key=key,
        applied_fence=row.run.fence + 1 if starts else None,
        reason=reason,
        overdue=overdue,
    )
    if goes_on:
        row = yield from set_going(log, row, lease, found["db_now"])
    elif row.children:
        log.tree_moved = True  # it may wait for its children alone now
    frames = yield from log.flush()
    claimed = yield from claimed_if_running(log, row if goes_on else None)
    return Settled(interaction=settled, frames=frames, run_state=row.run.state, claimed=claimed)


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
) -> Script[Settled | AnsweredTooLate]:
    match decision:
        case Refused(error):
            raise error
        case Repeated():
            return Settled(interaction=it, repeated=True, run_state=RunState(found["r_state"]))
        case Overdue():
            return AnsweredTooLate((yield from _expire(found, it, now, lease=None)))
        case Settle() as to:
            return (
                yield from settle_one(
                    found, it, to, now, by=by, key=key, reason=reason, lease=lease
                )
            )
        case never:
            assert_never(never)


def _whole(app_id: str, interaction_id: str) -> Script[Row]:
    found = yield from one(_WHOLE, app=app_id, interaction=interaction_id)
    if found is None:
        raise NotFound(f"There is no interaction '{interaction_id}'.")
    return found


def _log(found: Row, now: datetime) -> ChatLog:
    log = ChatLog(chat_from(found), now)
    if found["m_id"] is not None:
        log.know(item_from(found))
    return log


def _expire(found: Row, it: Interaction, now: datetime, *, lease: Lease | None) -> Script[Settled]:
    if it.on_expiry.action != "cancel":
        return (
            yield from settle_one(found, it, expiry_of(it), now, by=None, lease=lease, overdue=True)
        )
    return (yield from _expire_and_cancel(found, it, now, lease))


def _expire_and_cancel(
    found: Row, it: Interaction, now: datetime, lease: Lease | None
) -> Script[Settled]:
    """The time of a card whose run must not go on without it is over."""
    log, row = _log(found, now), run_from(found)
    settled = yield from settle(log, it, expiry_of(it), by=None, overdue=True)
    ended: RunRow = yield from cancel(log, row, by=None, reason="Nobody answered in time.")
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
