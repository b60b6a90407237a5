"""A run's moves: made ready, claimed, ended; and what a segment is given to start with."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta
from typing import Literal, cast

import sqlalchemy as sa

from sayso.core.errors import LeaseLost
from sayso.core.events import (
    MessageStatus,
    MessageWritten,
    RunMoved,
    ToolCallStatus,
    ToolReturned,
)
from sayso.core.interactions import Interaction, InteractionState, Settle
from sayso.core.ports import Claimed, Fence, Lease
from sayso.core.segments import AgentState, SegmentStart
from sayso.core.sessions import Run, RunState
from sayso.core.tasks import UniversalMessage
from sayso.core.view import MessageItem
from sayso.store import tables
from sayso.store.codec import dump, instant, micros
from sayso.store.log import ChatLog
from sayso.store.queries_texts import close_texts
from sayso.store.rows import (
    CHAT_COLUMNS,
    INTERACTION_COLUMNS,
    ITEM_COLUMNS,
    RUN_COLUMNS,
    RunRow,
    interaction_from,
    item_from,
    newest_attempts,
    run_from,
)
from sayso.store.script import Row, Script, Statement, db_now, do, one, p, rows, word
from sayso.store.settling import pending_of, settle

#: How much of a long chat an agent is given at the start of a run.
HISTORY_MESSAGES = 200

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
_NEXT_QUEUED = Statement(
    sa.select(*RUN_COLUMNS)
    .where(_r.app_id == p("app"), _r.chat_id == p("chat"), _r.state == word("queued"))
    .order_by(_r.number)
    .limit(1)
    .with_for_update()
)
_OPEN_CHILDREN = Statement(
    sa.select(*RUN_COLUMNS)
    .where(
        _r.app_id == p("app"),
        _r.parent_run_id == p("parent"),
        _r.state.in_([word("queued"), word("ready"), word("running"), word("waiting")]),
    )
    .with_for_update()
)
_OPEN_CALLS = Statement(
    sa.select(*ITEM_COLUMNS).where(
        tables.item.c.app_id == p("app"),
        tables.item.c.chat_id == p("chat"),
        tables.item.c.run_id == p("run_id"),
        tables.item.c.kind == word("tool_call"),
        sa.text(f"item.{tables.OPEN_ITEM}"),
    )
)
_STARTED_EFFECTS = Statement(
    sa.select(_e.key, _e.tool_call_id).where(
        _e.app_id == p("app"), _e.run_id == p("run_id"), _e.state == word("started")
    )
)
_SETTLED_OF_RUN = Statement(
    sa.select(*INTERACTION_COLUMNS)
    .where(_i.app_id == p("app"), _i.run_id == p("run_id"), _i.state != word("pending"))
    .order_by(_i.opened_seq)
)
_APPLY = Statement(
    sa.update(tables.interaction)
    .where(
        _i.app_id == p("app"),
        _i.run_id == p("run_id"),
        _i.state != word("pending"),
        _i.applied_fence.is_(None),
    )
    .values(applied_fence=p("applied_fence"))
)
_EFFECTS_OF_RUN = Statement(
    sa.select(tables.effect)
    .where(_e.app_id == p("app"), _e.run_id == p("run_id"))
    .order_by(_e.key, _e.attempt)
)
_AGENT_STATE = Statement(
    sa.select(tables.agent_state.c.version, tables.agent_state.c.blob).where(
        tables.agent_state.c.app_id == p("app"),
        tables.agent_state.c.chat_id == p("chat"),
        tables.agent_state.c.agent == p("agent"),
    )
)
_HISTORY = Statement(
    sa.select(*ITEM_COLUMNS)
    .where(
        tables.item.c.app_id == p("app"),
        tables.item.c.chat_id == p("chat"),
        tables.item.c.kind == word("message"),
    )
    .order_by(tables.item.c.sequence.desc())
    .limit(HISTORY_MESSAGES)
)
_MESSAGE = Statement(
    sa.select(*ITEM_COLUMNS).where(
        tables.item.c.app_id == p("app"),
        tables.item.c.chat_id == p("chat"),
        tables.item.c.kind == word("message"),
        tables.item.c.id == p("message"),
    )
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
    """The event of a run's move. A child run's moves are its parent's business, not the chat's."""
    if run.parent_run_id is not None or run.state is RunState.QUEUED:
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


def claimed_if_running(log: ChatLog, row: RunRow | None) -> Script[Claimed | None]:
    """All that the segment of a run just claimed needs; None for one that is only ready."""
    if row is None or row.run.state is not RunState.RUNNING:
        return None
    run = row.run
    answers: dict[str, Interaction] = {}
    effects = {}
    if run.fence > 1:
        answers = yield from _apply_answers(run)
        found = yield from rows(_EFFECTS_OF_RUN, app=run.app_id, run_id=run.id)
        effects = newest_attempts(found)
    memory, history = None, []
    if run.saved is None:
        memory = yield from _agent_state(run)
        history = yield from _history(run)
    start = SegmentStart(
        run=run,
        answers=answers,
        effects=effects,
        agent_state=memory,
        history=history,
        preferences=log.chat.head.preferences,
    )
    return Claimed(fence=fence_of(run), start=start)


def end(
    log: ChatLog,
    row: RunRow,
    new: Run,
    *,
    by: str | None,
    reason: str | None,
    cards: InteractionState,
    calls: ToolCallStatus,
    closed: Collection[str] = (),
) -> Script[RunRow]:
    """A run ends: its cards, open texts, open calls and children end with it."""
    for it in (yield from pending_of(row.run)):
        yield from settle(log, it, Settle(cards, None), by=by, reason=reason)
    yield from close_texts(log, row.run.id, closed=closed)
    yield from _close_calls(log, row.run, calls)
    for child in (yield from rows(_OPEN_CHILDREN, app=row.run.app_id, parent=row.run.id)):
        yield from cancel(log, run_from(child), by=by, reason=reason, cards=cards)
    ended = yield from move(log, row, replace(new, owner=None, lease_until=None))
    tell(log, ended.run, reason=reason, by=by)
    return ended


def cancel(
    log: ChatLog,
    row: RunRow,
    *,
    by: str | None,
    reason: str | None,
    cards: InteractionState = InteractionState.CANCELLED,
) -> Script[RunRow]:
    """Cancel an open or queued run: whoever runs it has lost it from here on."""
    if row.run.state is RunState.QUEUED and row.message_id is not None:
        yield from _rewrite_message(log, row, MessageStatus.INTERRUPTED, by=by)
    queued = row.run.state is RunState.QUEUED
    new = replace(row.run, state=RunState.CANCELLED, fence=row.run.fence + 1)
    log.audit(
        "run.cancelled",
        row.run.id,
        actor=by,
        body={"task_id": row.run.task.task_id, "reason": reason, "state": row.run.state.value},
    )
    if queued:
        # The page shows the newest run that began; one that never did must not take its place.
        return (yield from move(log, row, new))
    return (
        yield from end(
            log, row, new, by=by, reason=reason, cards=cards, calls=ToolCallStatus.CANCELLED
        )
    )


def start_next(log: ChatLog, lease: Lease | None, time: int) -> Script[RunRow | None]:
    """The run of the oldest queued message, now that the chat is free."""
    found = yield from one(_NEXT_QUEUED, app=log.chat.app_id, chat=log.chat.id)
    if found is None:
        return None
    row = run_from(found)
    yield from _rewrite_message(log, row, MessageStatus.COMPLETE, by=row.run.person)
    return (yield from set_going(log, row, lease, time))


def _rewrite_message(
    log: ChatLog, row: RunRow, status: MessageStatus, *, by: str | None
) -> Script[None]:
    """The message that a queued run came from is queued no longer."""
    found = yield from one(_MESSAGE, app=log.chat.app_id, chat=log.chat.id, message=row.message_id)
    if found is None:
        return
    message = item_from(found)
    assert isinstance(message, MessageItem)
    log.know(message)
    log.add(
        MessageWritten(
            message_id=message.event_id,
            role="user",
            content=message.content,
            agent_name=message.agent_name,
            run_id=row.run.id,
            status=status,
            metadata=message.metadata,
        ),
        by=by,
    )


def _close_calls(log: ChatLog, run: Run, status: ToolCallStatus) -> Script[None]:
    """End the run's open tool rows, but not those whose effect has started: its end tells the
    truth, whenever it comes."""
    found = yield from rows(_OPEN_CALLS, app=run.app_id, chat=run.chat_id, run_id=run.id)
    if not found:
        return
    started = yield from rows(_STARTED_EFFECTS, app=run.app_id, run_id=run.id)
    acting = {row["tool_call_id"] or row["key"] for row in started}
    for row in found:
        item = item_from(row)
        log.know(item)
        if item.id not in acting:
            log.add(ToolReturned(tool_call_id=item.id, status=status))


def _apply_answers(run: Run) -> Script[dict[str, Interaction]]:
    """Every settled interaction by call key; those new to this segment are marked as its own."""
    found = yield from rows(_SETTLED_OF_RUN, app=run.app_id, run_id=run.id)
    settled = [interaction_from(row) for row in found]
    if any(it.applied_fence is None for it in settled):
        yield from _mark_applied(run)
    return {
        it.call_key: it if it.applied_fence is not None else replace(it, applied_fence=run.fence)
        for it in settled
    }


def _mark_applied(claimed: Run) -> Script[None]:
    yield from do(_APPLY, app=claimed.app_id, run_id=claimed.id, applied_fence=claimed.fence)


def _agent_state(run: Run) -> Script[AgentState | None]:
    row = yield from one(_AGENT_STATE, app=run.app_id, chat=run.chat_id, agent=run.agent)
    if row is None:
        return None
    return AgentState(agent=run.agent, version=row["version"], blob=bytes(row["blob"]))


def _history(run: Run) -> Script[list[UniversalMessage]]:
    """What was said in the chat before this run began, which may be long after its message was
    queued; cards are not part of it."""
    found = yield from rows(_HISTORY, app=run.app_id, chat=run.chat_id)
    said = [item for row in reversed(found) if isinstance(item := item_from(row), MessageItem)]
    return [
        UniversalMessage.model_validate(
            {"role": item.role, "content": item.content, "name": item.agent_name}
        )
        for item in said
        if item.run_id != run.id
        and "ui_tool" not in item.metadata
        and item.status is not MessageStatus.QUEUED
        and item.content
    ]
