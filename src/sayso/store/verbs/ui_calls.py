"""Calls that a tool's own UI makes: begun, and looked up."""

from __future__ import annotations

from datetime import timedelta

import sqlalchemy as sa

from sayso.core.errors import RateLimited
from sayso.core.ports import Clock
from sayso.core.sessions import Run, RunState
from sayso.core.store_results import Lease
from sayso.core.ui_calls import (
    MOST_A_MINUTE,
    MOST_OPEN,
    UI_CALL_KEY,
    UiCall,
    UiCallOpened,
    UiCallRecord,
    ui_id,
)
from sayso.store import tables
from sayso.store.chat_log import ChatLog
from sayso.store.codec import micros
from sayso.store.mapping import RUN_COLUMNS, RunRow, chat_from, run_from
from sayso.store.moves.chats import lock_chat
from sayso.store.moves.runs import add_run_event, begun, insert_run
from sayso.store.moves.segment_start import claimed_if_running
from sayso.store.transaction import Row, Statement, Transaction, in_state, literal, one, param, rows

_r, _i = tables.run.c, tables.interaction.c

_OF_UI = sa.select(*RUN_COLUMNS).where(_r.app_id == param("app"), _r.parent_run_id == param("ui"))
_OPEN = Statement(
    _OF_UI.where(in_state(_r.state, "ready", "running", "waiting")).order_by(_r.created_at, _r.id)
)
_ONE = Statement(_OF_UI.where(_r.id == param("run_id")))
_CARDS = Statement(
    sa.select(_i.id)
    .where(_i.app_id == param("app"), _i.run_id == param("run_id"), _i.state == literal("pending"))
    .order_by(_i.opened_seq)
)
_NEWLY_BEGUN = Statement(
    sa.select(sa.func.count().label("number")).where(
        _r.app_id == param("app"), _r.parent_run_id == param("ui"), _r.created_at > param("since")
    )
)


def open_ui_call(
    clock: Clock, app_id: str, call: UiCall, lease: Lease | None
) -> Transaction[UiCallOpened]:
    found = yield from lock_chat(app_id, call.chat_id)
    known = yield from open_ui_calls(app_id, call.of)
    same = next((record for record in known if call.is_of(record.run)), None)
    if same is not None:
        return UiCallOpened(record=same)
    if len(known) >= MOST_OPEN:
        raise RateLimited(f"{MOST_OPEN} calls of this UI are open already.")
    log = ChatLog(chat_from(found), clock.now())
    since = micros(log.now - timedelta(minutes=1))
    newest = yield from one(_NEWLY_BEGUN, app=app_id, ui=ui_id(call.of), since=since)
    if newest is not None and newest["number"] >= MOST_A_MINUTE:
        raise RateLimited(f"This UI has made {MOST_A_MINUTE} calls in a minute.")
    run_id = clock.new_id()
    run = Run(
        id=run_id,
        app_id=app_id,
        chat_id=call.chat_id,
        agent=call.agent,
        task=call.task(run_id),
        state=RunState.READY,
        created_at=log.now,
        updated_at=log.now,
        parent_run_id=ui_id(call.of),
        parent_call_key=UI_CALL_KEY,
        person=call.by,
    )
    run = begun(run, lease, found["db_now"])
    row = RunRow(run=run, number=log.next_seq)
    yield from insert_run(row)
    add_run_event(log, run)
    frames = yield from log.flush()
    claimed = yield from claimed_if_running(log, row)
    return UiCallOpened(record=UiCallRecord(run=run), frames=frames, claimed=claimed)


def open_ui_calls(app_id: str, tool_call_id: str) -> Transaction[list[UiCallRecord]]:
    listed: list[UiCallRecord] = []
    for row in (yield from rows(_OPEN, app=app_id, ui=ui_id(tool_call_id))):
        listed.append((yield from _record(row)))
    return listed


def ui_call(app_id: str, tool_call_id: str, run_id: str) -> Transaction[UiCallRecord | None]:
    row = yield from one(_ONE, app=app_id, ui=ui_id(tool_call_id), run_id=run_id)
    return (yield from _record(row)) if row is not None else None


def _record(row: Row) -> Transaction[UiCallRecord]:
    found = run_from(row)
    cards = yield from rows(_CARDS, app=found.run.app_id, run_id=found.run.id)
    return UiCallRecord(
        run=found.run, cards=[str(card["id"]) for card in cards], result=found.output or ""
    )
