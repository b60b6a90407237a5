"""What is asked of a run: claim it, write under its fence, end it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache

import sqlalchemy as sa

from sayso.core.digest import JsonObject
from sayso.core.events import EventData, ToolCallStatus
from sayso.core.feed import Frame
from sayso.core.interactions import InteractionState
from sayso.core.ports import Clock
from sayso.core.sessions import Run, RunState, SavedState
from sayso.core.transactions import Claimed, Fence, Finished, Lease
from sayso.store import tables
from sayso.store.children import keep_output
from sayso.store.codec import micros
from sayso.store.ending import end, start_next
from sayso.store.log import ChatLog
from sayso.store.queries_texts import close_texts, forget_text
from sayso.store.rows import (
    RUN_COLUMNS,
    chat_from,
    run_from,
    saved_record,
)
from sayso.store.running import (
    RUN_AND_CHAT,
    append,
    held,
    knows,
    move,
    tell,
    with_lease,
)
from sayso.store.script import (
    Script,
    Statement,
    db_now,
    do,
    insert,
    one,
    p,
    rows,
    word,
)
from sayso.store.starting import claimed_if_running

_r, _i = tables.run.c, tables.interaction.c

_RUN = Statement(sa.select(*RUN_COLUMNS).where(_r.app_id == p("app"), _r.id == p("run_id")))
_RENEW = Statement(
    sa.update(tables.run)
    .where(
        _r.id == p("run_id"),
        _r.owner == p("holder"),
        _r.state == word("running"),
    )
    .values(
        lease_until=db_now() + sa.bindparam("lease_micros", type_=sa.BigInteger, required=False)
    )
    .returning(_r.id)
)
_SAVE = Statement(
    sa.update(tables.run)
    .where(_r.app_id == p("app"), _r.id == p("run_id"))
    .values(
        {
            name: p(name)
            for name in ("saved_adapter", "saved_version", "saved_blob", "saved_journal")
        }
    )
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
    """Ready runs, expired leases and, `at_once`, what dead holders of the file lock have left."""
    return Statement(
        sa.select(_r.app_id, _r.id)
        .where(
            _r.state.in_([word("ready"), word("running")]),
            _r.agent.in_([p(f"agent_{n}") for n in range(agents)]),
            sa.or_(
                _r.state == word("ready"),
                _r.lease_until <= db_now(),
                sa.and_(
                    sa.bindparam("at_once", type_=sa.Integer, required=False) == 1,
                    _r.owner.like(word("lock:%")),
                    _r.owner != p("holder"),
                ),
            ),
        )
        .order_by(_r.updated_at)
        .limit(sa.bindparam("most", type_=sa.Integer, required=False))
    )


def run_of(app_id: str, run_id: str) -> Script[Run | None]:
    row = yield from one(_RUN, app=app_id, run_id=run_id)
    return run_from(row).run if row is not None else None


def claim(clock: Clock, app_id: str, run_id: str, lease: Lease) -> Script[Claimed | None]:
    return (yield from _claim(clock, app_id, run_id, lease, at_once=False))


def claim_due(
    clock: Clock, lease: Lease, *, limit: int, not_mine: Collection[str], at_once: bool
) -> Script[list[Claimed]]:
    if not lease.agents:
        return []
    due = yield from rows(
        _due(len(lease.agents)),
        at_once=int(at_once),
        holder=lease.owner,
        most=limit + len(not_mine),
        **{f"agent_{n}": agent for n, agent in enumerate(sorted(lease.agents))},
    )
    taken: list[Claimed] = []
    for row in due:
        if row["id"] in not_mine or len(taken) >= limit:
            continue
        claimed = yield from _claim(clock, row["app_id"], row["id"], lease, at_once=at_once)
        if claimed is not None:
            taken.append(claimed)
    return taken


def _claim(
    clock: Clock, app_id: str, run_id: str, lease: Lease, *, at_once: bool
) -> Script[Claimed | None]:
    found = yield from one(RUN_AND_CHAT, app=app_id, run_id=run_id)
    if found is None:
        return None
    row, time = run_from(found), found["db_now"]
    if not knows(lease, row.run) or not _is_due(row.run, lease, time, at_once=at_once):
        return None
    log = ChatLog(chat_from(found), clock.now())
    new = with_lease(row.run, lease, time)
    if row.run.state is RunState.RUNNING:
        new = replace(new, takeovers=new.takeovers + 1)
        yield from close_texts(log, row.run.id)
    row = yield from move(log, row, new)
    tell(log, row.run)
    frames = yield from log.flush()
    claimed = yield from claimed_if_running(log, row)
    assert claimed is not None
    return replace(claimed, frames=frames)


def _is_due(run: Run, lease: Lease, time: int, *, at_once: bool) -> bool:
    match run.state:
        case RunState.READY:
            return True
        case RunState.RUNNING:
            owner = run.owner or ""
            dead = at_once and owner.startswith("lock:") and owner != lease.owner
            return dead or run.lease_until is None or micros(run.lease_until) <= time
        case _:
            return False


def renew(owner: str, run_ids: Sequence[str], seconds: float) -> Script[frozenset[str]]:
    held_still = set()
    for run_id in run_ids:
        row = yield from one(
            _RENEW, run_id=run_id, holder=owner, lease_micros=int(seconds * 1_000_000)
        )
        if row is not None:
            held_still.add(run_id)
    return frozenset(held_still)


def record(
    clock: Clock, fence: Fence, events: Sequence[EventData], saved: SavedState | None
) -> Script[list[Frame]]:
    found = yield from held(fence)
    log = ChatLog(chat_from(found), clock.now())
    for message_id in append(log, events):
        yield from forget_text(log, message_id)
    if saved is not None:
        yield from save(fence, saved)
    return (yield from log.flush())


def save(fence: Fence, saved: SavedState) -> Script[None]:
    """Keep the state to go on from; the fence has been checked."""
    yield from do(_SAVE, app=fence.app_id, run_id=fence.run_id, **saved_record(saved))


def finish(
    clock: Clock,
    fence: Fence,
    state: RunState,
    *,
    events: Sequence[EventData],
    error: JsonObject | None,
    reason: str | None,
    memory: bytes | None,
    output: str,
    lease: Lease | None,
) -> Script[Finished]:
    found = yield from held(fence)
    row = run_from(found)
    log = ChatLog(chat_from(found), clock.now())
    closed = append(log, events)
    failed = state is RunState.FAILED
    yield from end(
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
    )
    yield from keep_output(row.run, output)
    if memory is not None and row.run.parent_run_id is None:
        # The fence is the comparison: only the run that holds the chat writes its agent's memory.
        yield from do(
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
