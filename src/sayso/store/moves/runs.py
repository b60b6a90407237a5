"""A run's moves: locked under its fence, made ready, claimed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Literal, cast

import sqlalchemy as sa

from sayso.core.errors import LeaseLost, NotFound
from sayso.core.events import EventData, MessageWritten, RunMoved
from sayso.core.sessions import Run, RunState
from sayso.core.store_results import Fence, Lease
from sayso.core.usage import ModelCall, usage_of, with_calls
from sayso.store import tables
from sayso.store.chat_log import ChatLog
from sayso.store.codec import instant
from sayso.store.mapping import (
    CHAT_COLUMNS,
    MOVED,
    RUN_COLUMNS,
    RunRow,
    run_from,
    run_record,
    values_of,
)
from sayso.store.transaction import (
    Row,
    Statement,
    Transaction,
    db_now,
    execute,
    literal,
    one,
    param,
    update,
)

_r, _c = tables.run.c, tables.chat.c

_RUN_AND_CHAT = sa.select(*RUN_COLUMNS, *CHAT_COLUMNS, db_now().label("db_now")).join_from(
    tables.run, tables.chat, sa.and_(_c.app_id == _r.app_id, _c.id == _r.chat_id)
)
#: A run with its chat, both locked, and the database's time.
RUN_AND_CHAT = Statement(
    _RUN_AND_CHAT.where(_r.app_id == param("app"), _r.id == param("run_id")).with_for_update(
        of=[tables.run, tables.chat]
    )
)
_RUN = Statement(
    sa.select(*RUN_COLUMNS)
    .where(_r.app_id == param("app"), _r.id == param("run_id"))
    .with_for_update()
)
_FENCED = Statement(
    _RUN_AND_CHAT.where(
        _r.app_id == param("app"),
        _r.id == param("run_id"),
        _r.fence == param("number"),
        _r.state == literal("running"),
    ).with_for_update(of=[tables.run, tables.chat])
)
_INSERT = Statement(sa.insert(tables.run))
_MOVE = Statement(
    update(tables.run, MOVED)
    .where(_r.app_id == param("app"), _r.id == param("run_id"), _r.fence == param("fence_was"))
    .returning(_r.id)
)


def insert_run(row: RunRow) -> Transaction[None]:
    yield from execute(_INSERT, **run_record(row))


def lock_run(app_id: str, run_id: str) -> Transaction[RunRow | None]:
    """Return the run, locked; None where there is none."""
    found = yield from one(_RUN, app=app_id, run_id=run_id)
    return run_from(found) if found is not None else None


def lock_with_chat(app_id: str, run_id: str) -> Transaction[Row]:
    """Return the run and its chat, locked, and the database's time. Raises NotFound."""
    found = yield from one(RUN_AND_CHAT, app=app_id, run_id=run_id)
    if found is None:
        raise NotFound(f"There is no run '{run_id}'.")
    return found


def lock_fenced(fence: Fence) -> Transaction[Row]:
    """Return the run and its chat, locked, if this fence still holds it. Raises LeaseLost."""
    row = yield from one(_FENCED, app=fence.app_id, run_id=fence.run_id, number=fence.number)
    if row is None:
        raise lease_lost(fence)
    return row


def with_usage(row: RunRow, usage: Sequence[ModelCall]) -> RunRow:
    """Return the run with what the models of its segment were asked for."""
    run = replace(row.run, model_calls=with_calls(row.run.model_calls, usage))
    return replace(row, run=run)


def lease_lost(fence: Fence) -> LeaseLost:
    return LeaseLost(f"Run '{fence.run_id}' is no longer held under fence {fence.number}.")


def fence_of(run: Run) -> Fence:
    return Fence(app_id=run.app_id, chat_id=run.chat_id, run_id=run.id, number=run.fence)


def can_run(lease: Lease | None, run: Run) -> bool:
    """Return whether the holder of this lease can run the run's agent."""
    return lease is not None and run.agent in lease.agents


def with_lease(run: Run, lease: Lease, time: int) -> Run:
    """Return the run as this lease claims it at the database's `time`."""
    return replace(
        run,
        state=RunState.RUNNING,
        owner=lease.owner,
        fence=run.fence + 1,
        lease_until=instant(time) + timedelta(seconds=lease.seconds),
        due_at=None,
    )


def begun(run: Run, lease: Lease | None, time: int) -> Run:
    """Return the run as ready, or as running at once where the lease can run it."""
    if lease is not None and can_run(lease, run):
        return with_lease(run, lease, time)
    return replace(run, state=RunState.READY)


def move(log: ChatLog, row: RunRow, new: Run) -> Transaction[RunRow]:
    """Write a run's new state over the fence it was read with. Nobody holds one that does not
    run."""
    new = replace(new, updated_at=log.now)
    if new.state is not RunState.RUNNING:
        new = replace(new, owner=None, lease_until=None)
    moved = yield from one(
        _MOVE,
        app=new.app_id,
        run_id=new.id,
        fence_was=row.run.fence,
        **values_of(MOVED, new),
    )
    if moved is None:
        raise lease_lost(fence_of(row.run))
    return replace(row, run=new)


def add_run_event(
    log: ChatLog, run: Run, *, reason: str | None = None, by: str | None = None
) -> None:
    """Add the event of a run's move. A child run's moves are its parent's business: the chat tells
    how the whole tree stands."""
    if run.parent_run_id is not None:
        log.tree_moved = True
        return
    log.add(
        RunMoved(
            run_id=run.id,
            task_id=run.task.task_id,
            status=cast(
                Literal["ready", "running", "waiting", "completed", "failed", "cancelled"],
                run.state.value,
            ),
            reason=reason,
            error=run.error,
            usage=usage_of(run.model_calls) if run.state.is_final else None,
        ),
        by=by,
    )


def resume(log: ChatLog, row: RunRow, lease: Lease | None, time: int) -> Transaction[RunRow]:
    """Make the run ready, or running at once where the lease can run it: there is work for it."""
    moved = yield from move(log, row, begun(row.run, lease, time))
    add_run_event(log, moved.run)
    return moved


def add_events(log: ChatLog, events: Sequence[EventData]) -> list[str]:
    """Add a segment's events. Return the ids of the messages that they close."""
    for data in events:
        log.add(data)
    return [data.message_id for data in events if isinstance(data, MessageWritten)]
