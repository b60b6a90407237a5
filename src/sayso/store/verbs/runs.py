"""Runs: claim one, write under its fence, end it; and the lists of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import sqlalchemy as sa

from sayso.core.digest import JsonObject
from sayso.core.events import EventData, ToolCallStatus
from sayso.core.feed import Frame
from sayso.core.interactions import InteractionState
from sayso.core.ports import Clock
from sayso.core.sessions import Run, RunState, SavedState
from sayso.core.store_results import Claimed, Fence, Finished, Lease
from sayso.core.usage import ModelCall
from sayso.store import tables
from sayso.store.chat_log import ChatLog
from sayso.store.codec import micros
from sayso.store.mapping import (
    RUN_COLUMNS,
    chat_from,
    run_from,
)
from sayso.store.moves.child_runs import keep_output
from sayso.store.moves.open_texts import close_texts, forget_text
from sayso.store.moves.run_end import end_run, start_next
from sayso.store.moves.runs import (
    RUN_AND_CHAT,
    add_events,
    add_run_event,
    can_run,
    lock_fenced,
    move,
    with_lease,
    with_usage,
)
from sayso.store.moves.saved_states import save_state, with_whole_state
from sayso.store.moves.segment_start import claimed_if_running
from sayso.store.transaction import (
    Statement,
    Transaction,
    db_now,
    execute,
    ids,
    in_state,
    insert,
    literal,
    one,
    one_of,
    param,
    rows,
)

_r, _i = tables.run.c, tables.interaction.c

_OPEN_RUNS = Statement(
    sa.select(*RUN_COLUMNS)
    .where(_r.app_id == param("app"), sa.text(tables.OPEN_RUN), sa.text(tables.ROOT_RUN))
    .order_by(_r.updated_at.desc(), _r.id)
    .limit(param("most", sa.Integer))
)
_FAMILY = Statement(
    sa.select(_r.id).where(_r.app_id == param("app"), _r.parent_run_id == param("parent"))
)

_RUN = Statement(sa.select(*RUN_COLUMNS).where(_r.app_id == param("app"), _r.id == param("run_id")))
_RENEW = Statement(
    sa.update(tables.run)
    .where(
        _r.app_id == param("app"),
        _r.id == param("run_id"),
        _r.fence == param("number"),
        _r.state == literal("running"),
    )
    .values(
        owner=param("holder"),
        lease_until=db_now() + param("lease_micros", sa.BigInteger),
    )
    .returning(_r.id)
)
_remember = insert(tables.agent_state)
_REMEMBER = Statement(
    _remember.on_conflict_do_update(
        index_elements=list(tables.agent_state.primary_key.columns),
        set_={"blob": _remember.excluded.blob, "version": tables.agent_state.c.version + 1},
    )
)


@cache
def _due(agents: int) -> Statement:
    """Build the query for ready runs that are due, expired leases and, `at_once`, what dead holders
    of the file lock have left."""
    return Statement(
        sa.select(_r.app_id, _r.id)
        .where(
            in_state(_r.state, "ready", "running"),
            one_of(_r.agent, agents),
            sa.or_(
                sa.and_(
                    _r.state == literal("ready"),
                    sa.or_(_r.due_at.is_(None), _r.due_at <= db_now()),
                ),
                _r.lease_until <= db_now(),
                sa.and_(
                    param("at_once", sa.Integer) == 1,
                    _r.owner.like(literal("lock:%")),
                    _r.owner != param("holder"),
                ),
            ),
        )
        .order_by(_r.updated_at)
        .limit(param("most", sa.Integer))
    )


def run(app_id: str, run_id: str) -> Transaction[Run | None]:
    row = yield from one(_RUN, app=app_id, run_id=run_id)
    if row is None:
        return None
    return (yield from with_whole_state(run_from(row))).run


def open_runs(app_id: str, *, limit: int = 1000) -> Transaction[list[Run]]:
    found = yield from rows(_OPEN_RUNS, app=app_id, most=limit)
    return [run_from(row).run for row in found]


def family(app_id: str, run_id: str) -> Transaction[list[str]]:
    found: list[str] = []
    parents = [run_id]
    while parents:
        below = yield from rows(_FAMILY, app=app_id, parent=parents.pop())
        ids = [str(row["id"]) for row in below]
        found += ids
        parents += ids
    return found


def claim(clock: Clock, app_id: str, run_id: str, lease: Lease) -> Transaction[Claimed | None]:
    return (yield from _claim(clock, app_id, run_id, lease, at_once=False))


def claim_due(
    clock: Clock, lease: Lease, *, limit: int, not_mine: Sequence[str], at_once: bool
) -> Transaction[list[Claimed]]:
    if not lease.agents:
        return []
    due = yield from rows(
        _due(len(lease.agents)),
        at_once=int(at_once),
        holder=lease.owner,
        most=limit + len(not_mine),
        **ids(sorted(lease.agents)),
    )
    held, taken = frozenset(not_mine), list[Claimed]()
    for row in due:
        if row["id"] in held or len(taken) >= limit:
            continue
        claimed = yield from _claim(clock, row["app_id"], row["id"], lease, at_once=at_once)
        if claimed is not None:
            taken.append(claimed)
    return taken


def _claim(
    clock: Clock, app_id: str, run_id: str, lease: Lease, *, at_once: bool
) -> Transaction[Claimed | None]:
    found = yield from one(RUN_AND_CHAT, app=app_id, run_id=run_id)
    if found is None:
        return None
    row, time = run_from(found), found["db_now"]
    if not can_run(lease, row.run) or not _is_due(row.run, lease, time, at_once=at_once):
        return None
    log = ChatLog(chat_from(found), clock.now())
    new = with_lease(row.run, lease, time)
    if row.run.state is RunState.RUNNING:
        new = replace(new, takeovers=new.takeovers + 1)
        yield from close_texts(log, row.run.id)
    row = yield from move(log, row, new)
    add_run_event(log, row.run)
    frames = yield from log.flush()
    claimed = yield from claimed_if_running(log, row)
    assert claimed is not None
    return replace(claimed, frames=frames)


def _is_due(run: Run, lease: Lease, time: int, *, at_once: bool) -> bool:
    match run.state:
        case RunState.READY:
            return run.due_at is None or micros(run.due_at) <= time
        case RunState.RUNNING:
            owner = run.owner or ""
            dead = at_once and owner.startswith("lock:") and owner != lease.owner
            return dead or run.lease_until is None or micros(run.lease_until) <= time
        case _:
            return False


def renew(owner: str, fences: Sequence[Fence], seconds: float) -> Transaction[frozenset[str]]:
    held_still = set()
    for fence in fences:
        row = yield from one(
            _RENEW,
            app=fence.app_id,
            run_id=fence.run_id,
            number=fence.number,
            holder=owner,
            lease_micros=int(seconds * 1_000_000),
        )
        if row is not None:
            held_still.add(fence.run_id)
    return frozenset(held_still)


def record(
    clock: Clock, fence: Fence, events: Sequence[EventData], *, saved: SavedState | None = None
) -> Transaction[list[Frame]]:
    found = yield from lock_fenced(fence)
    log = ChatLog(chat_from(found), clock.now())
    for message_id in add_events(log, events):
        yield from forget_text(log, message_id)
    if saved is not None:
        yield from save_state(fence.app_id, fence.run_id, saved)
    return (yield from log.flush())


def finish(
    clock: Clock,
    fence: Fence,
    state: RunState,
    *,
    events: Sequence[EventData] = (),
    error: JsonObject | None = None,
    reason: str | None = None,
    memory: bytes | None = None,
    output: str = "",
    saved: SavedState | None = None,
    usage: Sequence[ModelCall] = (),
    lease: Lease | None = None,
) -> Transaction[Finished]:
    found = yield from lock_fenced(fence)
    row = with_usage(run_from(found), usage)
    log = ChatLog(chat_from(found), clock.now())
    closed = add_events(log, events)
    failed = state is RunState.FAILED
    yield from end_run(
        log,
        row,
        replace(row.run, state=state, error=error),
        by=None,
        reason=reason,
        cards=InteractionState.SUPERSEDED
        if state is RunState.COMPLETED
        else InteractionState.CANCELLED,
        calls=ToolCallStatus.FAILED if failed else ToolCallStatus.CANCELLED,
        closed=closed,
        keeps=saved,
    )
    yield from keep_output(row.run, output)
    if memory is not None and row.run.parent_run_id is None:
        # The fence is the comparison: only the run that holds the chat writes its agent's memory.
        yield from execute(
            _REMEMBER,
            app_id=fence.app_id,
            chat_id=fence.chat_id,
            agent=row.run.agent,
            version=1,
            blob=memory,
        )
    following = yield from start_next(log, row.run, lease, found["db_now"])
    frames = yield from log.flush()
    claimed = yield from claimed_if_running(log, following)
    return Finished(
        frames=frames,
        next_run_id=following.run.id if following else None,
        claimed=claimed,
        stopped=log.stopped,
    )
