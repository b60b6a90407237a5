"""A run's moves: held under its fence, made ready, claimed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Literal, cast

import sqlalchemy as sa

from sayso.core.errors import LeaseLost
from sayso.core.events import (
    EventData,
    MessageWritten,
    RunMoved,
)
from sayso.core.sessions import Run, RunState
from sayso.core.transactions import Fence, Lease
from sayso.store import tables
from sayso.store.codec import dump, instant, micros
from sayso.store.log import ChatLog
from sayso.store.rows import (
    CHAT_COLUMNS,
    RUN_COLUMNS,
    RunRow,
)
from sayso.store.script import Row, Script, Statement, db_now, one, p, word

_r, _c, _i, _e = tables.run.c, tables.chat.c, tables.interaction.c, tables.effect.c

_RUN_AND_CHAT = sa.select(*RUN_COLUMNS, *CHAT_COLUMNS, db_now().label("db_now")).join_from(
    tables.run, tables.chat, sa.and_(_c.app_id == _r.app_id, _c.id == _r.chat_id)
)
#: A run with its chat, both locked, and the database's time.
RUN_AND_CHAT = Statement(
    _RUN_AND_CHAT.where(_r.app_id == p("app"), _r.id == p("run_id")).with_for_update(
        of=[tables.run, tables.chat]
    )
)
_FENCED = Statement(
    _RUN_AND_CHAT.where(
        _r.app_id == p("app"),
        _r.id == p("run_id"),
        _r.fence == p("number"),
        _r.state == word("running"),
    ).with_for_update(of=[tables.run, tables.chat])
)
_MOVE = Statement(
    sa.update(tables.run)
    .where(_r.app_id == p("app"), _r.id == p("run_id"), _r.fence == p("fence_was"))
    .values(
        {
            name: p(name)
            for name in (
                "state",
                "owner",
                "fence",
                "lease_until",
                "takeovers",
                "error",
                "updated_at",
            )
        }
    )
    .returning(_r.id)
)


def held(fence: Fence) -> Script[Row]:
    """The run and its chat, locked, if this fence still holds it. Raises LeaseLost."""
    row = yield from one(_FENCED, app=fence.app_id, run_id=fence.run_id, number=fence.number)
    if row is None:
        raise lease_lost(fence)
    return row


def lease_lost(fence: Fence) -> LeaseLost:
    return LeaseLost(f"Run '{fence.run_id}' is no longer held under fence {fence.number}.")


def fence_of(run: Run) -> Fence:
    return Fence(app_id=run.app_id, chat_id=run.chat_id, run_id=run.id, number=run.fence)


def knows(lease: Lease | None, run: Run) -> bool:
    """Whether whoever holds this lease can run the run's agent."""
    return lease is not None and run.agent in lease.agents


def with_lease(run: Run, lease: Lease, time: int) -> Run:
    """The run as this lease claims it at the database's `time`."""
    return replace(
        run,
        state=RunState.RUNNING,
        owner=lease.owner,
        fence=run.fence + 1,
        lease_until=instant(time) + timedelta(seconds=lease.seconds),
    )


def move(log: ChatLog, row: RunRow, new: Run) -> Script[RunRow]:
    """Write a run's new state over the fence it was read with."""
    new = replace(new, updated_at=log.now)
    moved = yield from one(
        _MOVE,
        app=new.app_id,
        run_id=new.id,
        fence_was=row.run.fence,
        state=new.state.value,
        owner=new.owner,
        fence=new.fence,
        lease_until=micros(new.lease_until) if new.lease_until is not None else None,
        takeovers=new.takeovers,
        error=dump(new.error) if new.error is not None else None,
        updated_at=micros(new.updated_at),
    )
    if moved is None:
        raise lease_lost(fence_of(row.run))
    return replace(row, run=new)


def tell(log: ChatLog, run: Run, *, reason: str | None = None, by: str | None = None) -> None:
    """The event of a run's move. A child run's moves are its parent's business: the chat tells how
    the whole tree stands."""
    if run.parent_run_id is not None:
        log.tree_moved = True
        return
    if run.state is RunState.QUEUED:
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
        ),
        by=by,
    )


def set_going(log: ChatLog, row: RunRow, lease: Lease | None, time: int) -> Script[RunRow]:
    """There is work for this run: it is ready, or running at once where the lease can run it."""
    if lease is not None and knows(lease, row.run):
        new = with_lease(row.run, lease, time)
    else:
        new = replace(row.run, state=RunState.READY, owner=None, lease_until=None)
    moved = yield from move(log, row, new)
    tell(log, moved.run)
    return moved


def append(log: ChatLog, events: Sequence[EventData]) -> list[str]:
    """Add a segment's events; the ids of the messages that they close."""
    for data in events:
        log.add(data)
    return [
        data.message_id
        for data in events
        if isinstance(data, MessageWritten) and data.role == "assistant"
    ]
