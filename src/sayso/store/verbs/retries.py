"""A run tries again: by itself when it is due, or because a person says so after it has failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import sqlalchemy as sa

from sayso.core.errors import AlreadySettled, ModelUnavailable
from sayso.core.events import EventData
from sayso.core.model_trouble import TryAgain, failure_id
from sayso.core.ports import Clock
from sayso.core.sessions import RunState, SavedState
from sayso.core.store_results import Fence, Lease, Postponed, Retried
from sayso.core.usage import ModelCall
from sayso.store import tables
from sayso.store.chat_log import ChatLog
from sayso.store.codec import instant
from sayso.store.mapping import chat_from, run_from
from sayso.store.moves.error_cards import fold_error_cards
from sayso.store.moves.open_texts import close_texts
from sayso.store.moves.runs import (
    add_events,
    add_run_event,
    lock_fenced,
    lock_with_chat,
    move,
    resume,
    with_usage,
)
from sayso.store.moves.saved_states import save_state
from sayso.store.moves.segment_start import claimed_if_running
from sayso.store.transaction import Statement, Transaction, db_now, in_state, one, param

_r = tables.run.c

_NEXT_DUE = Statement(
    sa.select((sa.func.min(_r.due_at) - db_now()).label("micros")).where(
        in_state(_r.state, "ready", "running"), _r.due_at > db_now()
    )
)
_IS_OPEN = Statement(
    sa.select(_r.id)
    .where(_r.app_id == param("app"), _r.chat_id == param("chat"), sa.text(tables.OPEN_RUN))
    .limit(1)
)


def postpone(
    clock: Clock,
    fence: Fence,
    saved: SavedState | None,
    again: TryAgain,
    *,
    reason: str,
    events: Sequence[EventData] = (),
    usage: Sequence[ModelCall] = (),
) -> Transaction[Postponed]:
    found = yield from lock_fenced(fence)
    row = with_usage(run_from(found), usage)
    log = ChatLog(chat_from(found), clock.now())
    closed = add_events(log, events)
    yield from close_texts(log, fence.run_id, closed=closed)
    if saved is not None:
        yield from save_state(fence.app_id, fence.run_id, saved)
    due_at = instant(found["db_now"]) + timedelta(seconds=again.seconds)
    new = replace(
        row.run,
        state=RunState.READY,
        takeovers=0,
        due_at=due_at,
        tries=again.run.tries,
        trouble_since=again.run.trouble_since,
    )
    row = yield from move(log, row, new)
    add_run_event(log, row.run, reason=reason)
    return Postponed(frames=(yield from log.flush()))


def seconds_to_next_due() -> Transaction[float | None]:
    row = yield from one(_NEXT_DUE)
    left = row["micros"] if row is not None else None
    return left / 1_000_000 if left is not None else None


def retry_run(
    clock: Clock, app_id: str, run_id: str, *, by: str | None, lease: Lease | None
) -> Transaction[Retried]:
    found = yield from lock_with_chat(app_id, run_id)
    row, log = run_from(found), ChatLog(chat_from(found), clock.now())
    error = row.run.error or {}
    if row.run.state is not RunState.FAILED or error.get("code") != ModelUnavailable.code:
        raise AlreadySettled(
            f"The run '{run_id}' did not fail because its model was not available.",
            fix="Send the message again, if you want it done again.",
        )
    newest = log.chat.head.run
    is_open = yield from one(_IS_OPEN, app=app_id, chat=log.chat.id)
    if is_open is not None or newest is None or newest.run_id != run_id:
        raise AlreadySettled(
            f"The chat has gone on since the run '{run_id}' failed.",
            fix="Send the message again, if you want it done again.",
        )
    yield from fold_error_cards(log, failure_id(run_id, row.run.fence), by=by)
    log.audit("run.retried", run_id, actor=by, body={"task_id": row.run.task.task_id})
    fresh = replace(row.run, error=None, tries=0, trouble_since=None)
    row = yield from resume(log, replace(row, run=fresh), lease, found["db_now"])
    frames = yield from log.flush()
    claimed = yield from claimed_if_running(log, row)
    return Retried(run=row.run, frames=frames, claimed=claimed)
