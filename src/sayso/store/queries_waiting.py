"""A run waits: its state is saved, its cards open, and nobody holds it; or it goes on at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import sqlalchemy as sa

from sayso.core.children import ChildRequest, Request
from sayso.core.decisions import Settle
from sayso.core.events import EventData
from sayso.core.interactions import CardRequest, Interaction, InteractionState
from sayso.core.ports import Clock
from sayso.core.sessions import Run, RunState, SavedState
from sayso.core.transactions import Fence, Lease, Waited
from sayso.store import tables
from sayso.store.children import Child, children_of, start_children
from sayso.store.log import ChatLog
from sayso.store.queries_texts import close_texts
from sayso.store.rows import (
    RunRow,
    asked_record,
    chat_from,
    interaction_from,
    interaction_record,
    run_from,
    saved_record,
)
from sayso.store.running import append, held, move, set_going, tell
from sayso.store.script import Script, Statement, do, insert_many, numbered, p, rows, word
from sayso.store.settling import OF_RUN, asked_again, new_interaction, opened_event, settle
from sayso.store.starting import claimed_if_running

_r, _i = tables.run.c, tables.interaction.c

_SAVE_TO_WAIT = Statement(
    sa.update(tables.run)
    .where(_r.app_id == p("app"), _r.id == p("run_id"))
    .values(
        {
            name: p(name)
            for name in (
                "saved_adapter",
                "saved_version",
                "saved_blob",
                "saved_journal",
                "resume_each",
                "children",
            )
        }
    )
)
_ASK_AGAIN = Statement(
    sa.update(tables.interaction)
    .where(_i.app_id == p("app"), _i.id == p("interaction"), _i.state == word("pending"))
    .values(
        {
            name: p(name)
            for name in (
                "card",
                "ui_tool_id",
                "agent_name",
                "display",
                "tool_call_id",
                "proposal",
                "assignees",
                "on_expiry",
                "expires_at",
                "tool_name",
                "search_text",
            )
        }
    )
)


@cache
def _open_cards(count: int) -> Statement:
    return Statement(insert_many(tables.interaction, count))


def wait(
    clock: Clock,
    fence: Fence,
    saved: SavedState,
    requests: Sequence[Request],
    *,
    resume_each: bool,
    events: Sequence[EventData],
    lease: Lease | None,
) -> Script[Waited]:
    """Save the state, open the cards, and let go of the run, or go on where all is answered."""
    found = yield from held(fence)
    row = run_from(found)
    known = [
        interaction_from(other)
        for other in (yield from rows(OF_RUN, app=fence.app_id, run_id=fence.run_id))
    ]
    log = ChatLog(chat_from(found), clock.now())
    closed = append(log, events)
    yield from close_texts(log, fence.run_id, closed=closed)
    cards = [request for request in requests if isinstance(request, CardRequest)]
    asked, others = yield from _ask(log, clock, row.run, known, cards)
    handed = [request for request in requests if isinstance(request, ChildRequest)]
    older = yield from children_of(row)
    born = yield from start_children(log, row, older, handed, lease=lease, time=found["db_now"])
    children = [*older, *born]
    row = yield from _save(row, saved, resume_each=resume_each, children=len(children))
    if may_go_on([*asked, *others], children, each=resume_each):
        row = yield from set_going(log, row, lease, found["db_now"])
    else:
        waiting = replace(row.run, state=RunState.WAITING, owner=None, lease_until=None)
        row = yield from move(log, row, waiting)
        if any(child.is_open for child in children):
            log.tree_moved = True
        else:
            tell(log, row.run)
    frames = yield from log.flush()
    claimed = yield from claimed_if_running(log, row)
    at_work = []
    for child in born:
        begun = yield from claimed_if_running(log, child.row)
        if begun is not None:
            at_work.append(begun)
    state = RunState.WAITING if row.run.state is RunState.WAITING else RunState.READY
    return Waited(state=state, interactions=asked, frames=frames, claimed=claimed, children=at_work)


def may_go_on(
    interactions: Sequence[Interaction], children: Sequence[Child] = (), *, each: bool
) -> bool:
    """Whether a run that asked for these has something to go on with. One that asked only for what
    it has applied already goes on as well: nobody else would ever wake it."""
    if all(it.state.is_final for it in interactions) and not any(c.is_open for c in children):
        return True
    return each and (
        any(it.state.is_final and it.applied_fence is None for it in interactions)
        or any(child.is_news for child in children)
    )


def _save(row: RunRow, saved: SavedState, *, resume_each: bool, children: int) -> Script[RunRow]:
    """Keep the state that the run goes on from."""
    run = replace(row.run, saved=saved, takeovers=0)
    yield from do(
        _SAVE_TO_WAIT,
        app=run.app_id,
        run_id=run.id,
        resume_each=resume_each,
        children=children,
        **saved_record(saved),
    )
    return replace(row, run=run, resume_each=resume_each, children=children)


def _ask(
    log: ChatLog,
    clock: Clock,
    run: Run,
    known: Sequence[Interaction],
    requests: Sequence[CardRequest],
) -> Script[tuple[list[Interaction], list[Interaction]]]:
    """Open, refresh or keep a card for each request; also gives the run's other interactions."""
    by_key = {it.call_key: it for it in known}
    batch_id = _batch_of(requests, known) or clock.new_id()
    asked: list[Interaction] = []
    opened: list[dict[str, object]] = []
    for request in requests:
        old = by_key.get(request.call_key)
        if old is None:
            it = new_interaction(
                request, run, interaction_id=clock.new_id(), batch_id=batch_id, now=log.now
            )
            opened.append(interaction_record(it, opened_seq=log.next_seq))
            log.add(opened_event(it), new=True)
        elif old.state is InteractionState.PENDING:
            it = asked_again(old, request)
            if it != old:
                yield from do(_ASK_AGAIN, app=it.app_id, interaction=it.id, **asked_record(it))
                log.add(opened_event(it))
        else:
            it = old
        by_key[it.call_key] = it
        asked.append(it)
    for record in opened:
        yield from do(_open_cards(1), **numbered([record]))
    keys = {request.call_key for request in requests}
    others: list[Interaction] = []
    for it in known:
        if it.call_key in keys:
            continue
        if _is_superseded(it, requests):
            superseded = Settle(InteractionState.SUPERSEDED, None)
            others.append(
                (yield from settle(log, it, superseded, by=None, applied_fence=run.fence))
            )
        else:
            others.append(it)
    return asked, others


def _batch_of(requests: Sequence[CardRequest], known: Sequence[Interaction]) -> str | None:
    """The batch a new card joins: of a card that is asked again, or of the proposal it revises."""
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
