"""A run waits: its state is saved, its cards open, and nobody holds it; or it goes on at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.core.children import ChildRequest, Request
from sayso.core.decisions import Settle
from sayso.core.digest import new_salt
from sayso.core.events import EventData
from sayso.core.interactions import CardRequest, Interaction, InteractionState
from sayso.core.ports import Clock
from sayso.core.sessions import Run, RunState, SavedState
from sayso.core.store_results import Fence, Lease, Waited
from sayso.core.usage import ModelCall
from sayso.store import tables
from sayso.store.chat_log import ChatLog
from sayso.store.mapping import (
    SAVED_COLUMNS,
    RunRow,
    chat_from,
    interaction_from,
    run_from,
)
from sayso.store.moves.cards import OF_RUN, new_interaction, open_card, redraw_card, settle
from sayso.store.moves.child_runs import children_of, start_children
from sayso.store.moves.content import keep_files
from sayso.store.moves.open_texts import close_texts
from sayso.store.moves.resume import may_go_on
from sayso.store.moves.runs import add_events, add_run_event, lock_fenced, move, resume, with_usage
from sayso.store.moves.saved_states import state_record
from sayso.store.moves.segment_start import claimed_if_running
from sayso.store.transaction import (
    Statement,
    Transaction,
    execute,
    param,
    rows,
    update,
)

_r, _i = tables.run.c, tables.interaction.c

_SAVE_TO_WAIT = Statement(
    update(tables.run, (*SAVED_COLUMNS, "resume_each", "children")).where(
        _r.app_id == param("app"), _r.id == param("run_id")
    )
)


def wait(
    clock: Clock,
    fence: Fence,
    saved: SavedState,
    requests: Sequence[Request],
    *,
    resume_each: bool,
    events: Sequence[EventData] = (),
    usage: Sequence[ModelCall] = (),
    lease: Lease | None = None,
) -> Transaction[Waited]:
    found = yield from lock_fenced(fence)
    row = with_usage(run_from(found), usage)
    known = [
        interaction_from(other)
        for other in (yield from rows(OF_RUN, app=fence.app_id, run_id=fence.run_id))
    ]
    log = ChatLog(chat_from(found), clock.now())
    closed = add_events(log, events)
    yield from close_texts(log, fence.run_id, closed=closed)
    cards = [request for request in requests if isinstance(request, CardRequest)]
    asked = yield from _ask(log, clock, row.run, known, cards)
    handed = [request for request in requests if isinstance(request, ChildRequest)]
    older = yield from children_of(row)
    born = yield from start_children(log, row, older, handed, lease=lease, time=found["db_now"])
    children = [*older, *born]
    row = yield from _save(row, saved, resume_each=resume_each, children=len(children))
    waits = replace(row, run=replace(row.run, state=RunState.WAITING))
    if (yield from may_go_on(waits)):
        row = yield from resume(log, row, lease, found["db_now"])
    else:
        row = yield from move(log, row, waits.run)
        if any(child.is_open for child in children):
            log.tree_moved = True
        else:
            add_run_event(log, row.run)
    frames = yield from log.flush()
    claimed = yield from claimed_if_running(log, row)
    at_work = []
    for child in born:
        begun = yield from claimed_if_running(log, child.row)
        if begun is not None:
            at_work.append(begun)
    state = RunState.WAITING if row.run.state is RunState.WAITING else RunState.READY
    return Waited(state=state, interactions=asked, frames=frames, claimed=claimed, children=at_work)


def _save(
    row: RunRow, saved: SavedState, *, resume_each: bool, children: int
) -> Transaction[RunRow]:
    """Keep the state that the run goes on from."""
    record = yield from state_record(row.run.app_id, row.run.id, saved)
    run = replace(row.run, saved=saved, takeovers=0, tries=0, trouble_since=None)
    yield from execute(
        _SAVE_TO_WAIT,
        app=run.app_id,
        run_id=run.id,
        resume_each=resume_each,
        children=children,
        **record,
    )
    return replace(row, run=run, resume_each=resume_each, children=children, saved_base=None)


def _ask(
    log: ChatLog,
    clock: Clock,
    run: Run,
    known: Sequence[Interaction],
    requests: Sequence[CardRequest],
) -> Transaction[list[Interaction]]:
    """Open, refresh or keep a card for each request; what they revise is superseded."""
    by_key = {it.call_key: it for it in known}
    batch_id = _batch_of(requests, known) or clock.new_id()
    asked: list[Interaction] = []
    for request in requests:
        old = by_key.get(request.call_key)
        if old is None:
            it = new_interaction(
                request,
                run,
                log,
                clock,
                batch_id=batch_id,
                revision=1 + max((i.revision for i in known if _revises(request, i)), default=0),
            )
            yield from open_card(log, it, metadata=request.metadata)
        elif old.state is InteractionState.PENDING:
            it = old.asked_again(request, salt=new_salt())
            if it != old:
                yield from redraw_card(log, it, by=None)
        else:
            it = old
        by_key[it.call_key] = it
        asked.append(it)
    yield from keep_files(clock, run.app_id, requests)
    keys = {request.call_key for request in requests}
    for it in known:
        if it.call_key not in keys and _is_superseded(it, requests):
            superseded = Settle(InteractionState.SUPERSEDED, None)
            yield from settle(log, it, superseded, by=None, applied_fence=run.fence)
    return asked


def _batch_of(requests: Sequence[CardRequest], known: Sequence[Interaction]) -> str | None:
    """Return the batch a new card joins: of a card that is asked again, or of the proposal it
    revises."""
    keys = {request.call_key for request in requests}
    for it in known:
        if it.state is InteractionState.PENDING and it.call_key in keys:
            return it.batch_id
    for it in reversed(known):
        if any(_revises(request, it) for request in requests):
            return it.batch_id
    return None


def _revises(request: CardRequest, it: Interaction) -> bool:
    return (
        request.proposal is not None
        and it.proposal is not None
        and request.tool_call_id is not None
        and request.tool_call_id == it.tool_call_id
        and request.proposal.revision > it.proposal.revision
    )


def _is_superseded(it: Interaction, requests: Sequence[CardRequest]) -> bool:
    return it.state is InteractionState.PENDING and any(_revises(r, it) for r in requests)
