"""A run ends: its cards, texts, calls and children with it; then the next in the queue starts."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import sqlalchemy as sa

from sayso.core.chat_view import MessageItem, ToolCallItem
from sayso.core.decisions import Settle
from sayso.core.events import MessageStatus, MessageWritten, ToolCallStatus, ToolReturned
from sayso.core.interactions import InteractionState
from sayso.core.record import Outcome, OutcomeState
from sayso.core.sessions import Run, RunState, SavedState
from sayso.core.store_results import Lease
from sayso.store import tables
from sayso.store.chat_log import ChatLog
from sayso.store.mapping import ITEM_COLUMNS, RUN_COLUMNS, RunRow, item_from, run_from
from sayso.store.moves.cards import pending_of, settle
from sayso.store.moves.child_runs import keep_output
from sayso.store.moves.effect_outcomes import mark_uncertain
from sayso.store.moves.open_texts import close_texts
from sayso.store.moves.resume import resume_parent
from sayso.store.moves.runs import add_run_event, move, resume
from sayso.store.moves.saved_states import forget_failed_states, keep_state
from sayso.store.transaction import (
    Statement,
    Transaction,
    execute,
    in_state,
    literal,
    one,
    param,
    rows,
)

_r, _i = tables.run.c, tables.interaction.c

_NEXT_QUEUED = Statement(
    sa.select(*RUN_COLUMNS)
    .where(_r.app_id == param("app"), _r.chat_id == param("chat"), _r.state == literal("queued"))
    .order_by(_r.number)
    .limit(1)
    .with_for_update()
)
_OPEN_CHILDREN = Statement(
    sa.select(*RUN_COLUMNS)
    .where(
        _r.app_id == param("app"),
        _r.parent_run_id == param("parent"),
        in_state(_r.state, "queued", "ready", "running", "waiting"),
    )
    .with_for_update()
)
_OPEN_CALLS = Statement(
    sa.select(*ITEM_COLUMNS).where(
        tables.item.c.app_id == param("app"),
        tables.item.c.chat_id == param("chat"),
        tables.item.c.run_id == param("run_id"),
        tables.item.c.kind == literal("tool_call"),
        sa.text(f"item.{tables.OPEN_ITEM}"),
    )
)
_ALLOWED = Statement(
    sa.select(_i.id, _i.tool_call_id, _i.tool_name)
    .where(
        _i.app_id == param("app"),
        _i.run_id == param("run_id"),
        in_state(_i.decision, "approve", "partial"),
        _i.tool_call_id.is_not(None),
    )
    .order_by(_i.opened_seq)
)
# What was typed into a card that was answered is not needed; an expired card keeps it.
_FORGET_DRAFTS = Statement(
    sa.delete(tables.draft).where(
        tables.draft.c.app_id == param("app"),
        tables.draft.c.run_id == param("run_id"),
        ~sa.exists().where(
            _i.app_id == param("app"),
            _i.id == tables.draft.c.interaction_id,
            _i.state == literal("expired"),
        ),
    )
)


def end_run(
    log: ChatLog,
    row: RunRow,
    new: Run,
    *,
    by: str | None,
    reason: str | None,
    cards: InteractionState,
    calls: ToolCallStatus,
    closed: Collection[str] = (),
    keeps: SavedState | None = None,
) -> Transaction[RunRow]:
    """End a run, and with it its cards, open texts, open calls and children. It keeps nothing to go
    on from but `keeps`, and neither do the runs of its chat that failed before it."""
    for it in (yield from pending_of(row.run)):
        yield from settle(log, it, Settle(cards, None), by=by, reason=reason)
    yield from close_texts(log, row.run.id, closed=closed)
    yield from _close_calls(log, row.run, calls)
    for child in (yield from rows(_OPEN_CHILDREN, app=row.run.app_id, parent=row.run.id)):
        row_of_child = run_from(child)
        if row_of_child.run.state is RunState.RUNNING:
            log.stopped.append(row_of_child.run.id)
        yield from cancel(log, row_of_child, by=by, reason=reason, cards=cards)
    yield from execute(_FORGET_DRAFTS, app=row.run.app_id, run_id=row.run.id)
    if new.state is RunState.CANCELLED:
        yield from keep_output(new, reason or "")
    if row.run.parent_run_id is None:
        yield from forget_failed_states(row.run.app_id, row.run.chat_id)
    ended = yield from move(log, row, replace(new, due_at=None))
    yield from keep_state(ended.run, keeps)
    add_run_event(log, ended.run, reason=reason, by=by)
    return ended


def cancel(
    log: ChatLog,
    row: RunRow,
    *,
    by: str | None,
    reason: str | None,
    cards: InteractionState = InteractionState.CANCELLED,
) -> Transaction[RunRow]:
    """Cancel an open or queued run: whoever runs it has lost it from here on."""
    is_queued = row.run.state is RunState.QUEUED
    if is_queued:
        yield from _rewrite_message(log, row, MessageStatus.INTERRUPTED, by=by)
    new = replace(row.run, state=RunState.CANCELLED, fence=row.run.fence + 1)
    log.audit(
        "run.cancelled",
        row.run.id,
        actor=by,
        body={"task_id": row.run.task.task_id, "reason": reason, "state": row.run.state.value},
    )
    if is_queued:
        # The page shows the newest run that began; one that never did must not take its place.
        return (yield from move(log, row, new))
    return (
        yield from end_run(
            log, row, new, by=by, reason=reason, cards=cards, calls=ToolCallStatus.CANCELLED
        )
    )


def start_next(
    log: ChatLog, ended: Run, lease: Lease | None, time: int
) -> Transaction[RunRow | None]:
    """Resume what the end of a run lets go on: its parent, which waited for it; or, now that the
    chat is free, the run of the oldest queued message."""
    if ended.parent_run_id is not None:
        return (yield from resume_parent(log, ended, lease, time))
    found = yield from one(_NEXT_QUEUED, app=log.chat.app_id, chat=log.chat.id)
    if found is None:
        return None
    row = run_from(found)
    yield from _rewrite_message(log, row, MessageStatus.COMPLETE, by=row.run.person)
    return (yield from resume(log, row, lease, time))


def _rewrite_message(
    log: ChatLog, row: RunRow, status: MessageStatus, *, by: str | None
) -> Transaction[None]:
    """Give the message that a queued run came from its new status."""
    message_id = row.message_id or ""
    yield from log.read([message_id])
    message = log.item("message", message_id)
    if not isinstance(message, MessageItem):
        return
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


def _close_calls(log: ChatLog, run: Run, status: ToolCallStatus) -> Transaction[None]:
    """End the run's open tool rows. What is under way is unclear from here on; its true end is told
    whenever it comes."""
    left = yield from mark_uncertain(log, run)
    found = yield from rows(_OPEN_CALLS, app=run.app_id, chat=run.chat_id, run_id=run.id)
    allowed = (yield from _allowed_calls(run)) if found else {}
    for row in found:
        item = item_from(row)
        log.keep_item(item)
        if item.id in left or not isinstance(item, ToolCallItem):
            continue
        card = allowed.get((item.id, item.name))
        outcome = Outcome(interaction_id=card, state=OutcomeState.NOT_RUN) if card else None
        log.add(ToolReturned(tool_call_id=item.id, status=status, outcome=outcome))


def _allowed_calls(run: Run) -> Transaction[dict[tuple[str, str], str]]:
    """Return the newest card on which each call, by its id and tool, was allowed."""
    found = yield from rows(_ALLOWED, app=run.app_id, run_id=run.id)
    return {(row["tool_call_id"], row["tool_name"]): row["id"] for row in found}
