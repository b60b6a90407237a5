"""May this run go on? One rule for every way in: an answer, words that answer, an expiry, the late
truth of a call, the end of a child, and a run that is about to wait."""

from __future__ import annotations

import sqlalchemy as sa

from sayso.core.asks import is_ask
from sayso.core.decisions import Settle
from sayso.core.interactions import Interaction
from sayso.core.sessions import Run, RunState
from sayso.core.store_results import Lease, Settled
from sayso.store import tables
from sayso.store.chat_log import ChatLog
from sayso.store.mapping import RunRow
from sayso.store.moves.asks import after_answer
from sayso.store.moves.cards import settle
from sayso.store.moves.runs import can_run, lock_run, resume
from sayso.store.moves.segment_start import claimed_if_running
from sayso.store.transaction import Row, Statement, Transaction, in_state, literal, one, param

_r = tables.run.c

_card, _child = tables.interaction.alias("card"), tables.run.alias("child")


def waits_for(
    app_id: sa.ColumnElement[str], run_id: sa.ColumnElement[str], settling: sa.ColumnElement[str]
) -> list[sa.Label[bool]]:
    """Return the columns that `may_go_on` decides by, for a statement that reads them of a run:
    what is open, but for the card that is being settled, and what no segment was given yet."""
    card = sa.exists().where(_card.c.app_id == app_id, _card.c.run_id == run_id)
    child = sa.exists().where(_child.c.app_id == app_id, _child.c.parent_run_id == run_id)
    is_open = in_state(_child.c.state, "ready", "running", "waiting")
    has_ended = in_state(_child.c.state, "completed", "failed", "cancelled")
    return [
        card.where(_card.c.state == literal("pending"), _card.c.id != settling).label("has_cards"),
        child.where(is_open).label("has_children"),
        card.where(_card.c.state != literal("pending"), _card.c.applied_fence.is_(None)).label(
            "has_answers"
        ),
        child.where(has_ended, _child.c.applied_fence.is_(None)).label("has_ended_children"),
    ]


_WAITS_FOR = Statement(sa.select(*waits_for(param("app"), param("run_id"), param("settling"))))


def may_go_on(
    row: RunRow, *, settling: Interaction | None = None, waits: Row | None = None
) -> Transaction[bool]:
    """Return whether a waiting run has what it goes on with: nothing that it asked for is open any
    more, or it resumes with each answer and has one that no segment was given yet. `settling` is
    the card whose answer is about to be written; `waits` has the columns of `waits_for` where they
    have been read already.

    A run that asked only for what it has applied already goes on as well: nobody else would wake
    it.
    """
    if row.run.state is not RunState.WAITING:
        return False
    if settling is not None and row.resume_each:
        return True
    if waits is None:
        waits = yield from one(
            _WAITS_FOR,
            app=row.run.app_id,
            run_id=row.run.id,
            settling=settling.id if settling is not None else "",
        )
    assert waits is not None
    if not waits["has_cards"] and not waits["has_children"]:
        return True
    return row.resume_each and bool(waits["has_answers"] or waits["has_ended_children"])


def settle_and_resume(
    log: ChatLog,
    row: RunRow,
    it: Interaction,
    to: Settle,
    *,
    by: str | None,
    lease: Lease | None,
    time: int,
    key: str | None = None,
    reason: str | None = None,
    overdue: bool = False,
    waits: Row | None = None,
) -> Transaction[Settled]:
    """Settle a card, let its run go on if that was all it waited for, and write the log."""
    goes_on = yield from may_go_on(row, settling=it, waits=waits)
    starts = goes_on and can_run(lease, row.run)
    settled = yield from settle(
        log,
        it,
        to,
        by=by,
        key=key,
        applied_fence=row.run.fence + 1 if starts else None,
        reason=reason,
        overdue=overdue,
    )
    if is_ask(row.run):
        row = yield from after_answer(log, row, settled)
    elif goes_on:
        row = yield from resume(log, row, lease, time)
    elif row.children:
        log.tree_moved = True  # it may wait for its children alone now
    frames = yield from log.flush()
    claimed = yield from claimed_if_running(log, row if goes_on else None)
    return Settled(interaction=settled, frames=frames, run_state=row.run.state, claimed=claimed)


def resume_parent(
    log: ChatLog, child: Run, lease: Lease | None, time: int
) -> Transaction[RunRow | None]:
    """Let the parent of a run that has ended go on, if that was all it waited for.

    The parent is locked after its child and its chat: a database of many writers needs it first.
    """
    assert child.parent_run_id is not None
    parent = yield from lock_run(child.app_id, child.parent_run_id)
    if parent is None or not (yield from may_go_on(parent)):
        return None
    return (yield from resume(log, parent, lease, time))
