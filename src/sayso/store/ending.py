"""A run ends: its cards, texts, calls and children with it; then the next in the queue starts."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import sqlalchemy as sa

from sayso.core.decisions import Settle
from sayso.core.events import MessageStatus, MessageWritten, ToolCallStatus, ToolReturned
from sayso.core.interactions import InteractionState
from sayso.core.sessions import Run, RunState
from sayso.core.transactions import Lease
from sayso.core.view import MessageItem
from sayso.store import tables
from sayso.store.children import go_on_with, keep_output
from sayso.store.log import ChatLog
from sayso.store.queries_texts import close_texts
from sayso.store.rows import ITEM_COLUMNS, RUN_COLUMNS, RunRow, item_from, run_from
from sayso.store.running import move, set_going, tell
from sayso.store.script import Script, Statement, do, one, p, rows, word
from sayso.store.settling import pending_of, settle

_r, _i, _e = tables.run.c, tables.interaction.c, tables.effect.c

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
_MESSAGE = Statement(
    sa.select(*ITEM_COLUMNS).where(
        tables.item.c.app_id == p("app"),
        tables.item.c.chat_id == p("chat"),
        tables.item.c.kind == word("message"),
        tables.item.c.id == p("message"),
    )
)
# What was typed into a card that was answered is not needed; an expired card keeps it.
_FORGET_DRAFTS = Statement(
    sa.delete(tables.draft).where(
        tables.draft.c.app_id == p("app"),
        tables.draft.c.run_id == p("run_id"),
        ~sa.exists().where(
            _i.app_id == p("app"),
            _i.id == tables.draft.c.interaction_id,
            _i.state == word("expired"),
        ),
    )
)


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
        row_of_child = run_from(child)
        if row_of_child.run.state is RunState.RUNNING:
            log.stopped.append(row_of_child.run.id)
        yield from cancel(log, row_of_child, by=by, reason=reason, cards=cards)
    yield from do(_FORGET_DRAFTS, app=row.run.app_id, run_id=row.run.id)
    if new.state is RunState.CANCELLED:
        yield from keep_output(new, reason or "")
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


def start_next(log: ChatLog, ended: Run, lease: Lease | None, time: int) -> Script[RunRow | None]:
    """What the end of a run sets going: its parent, which waited for it; or, now that the chat is
    free, the run of the oldest queued message."""
    if ended.parent_run_id is not None:
        return (yield from go_on_with(log, ended, lease, time))
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
