"""Child runs: started in the transaction in which their parent waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from sayso.core.children import ChildEnd, ChildRequest, child_run_id
from sayso.core.sessions import Run, RunState
from sayso.core.store_results import Lease
from sayso.store import tables
from sayso.store.chat_log import ChatLog
from sayso.store.mapping import RUN_COLUMNS, RunRow, run_from
from sayso.store.moves.runs import begun, insert_run
from sayso.store.transaction import Statement, Transaction, execute, in_state, param, rows

_r, _i = tables.run.c, tables.interaction.c

_CHILDREN = Statement(
    sa.select(*RUN_COLUMNS)
    .where(_r.app_id == param("app"), _r.parent_run_id == param("parent"))
    .order_by(_r.created_at, _r.id)
    .with_for_update()
)
_APPLY = Statement(
    sa.update(tables.run)
    .where(
        _r.app_id == param("app"),
        _r.parent_run_id == param("parent"),
        in_state(_r.state, "completed", "failed", "cancelled"),
        _r.applied_fence.is_(None),
    )
    .values(applied_fence=param("by_fence"))
)
_OUTPUT = Statement(
    sa.update(tables.run)
    .where(_r.app_id == param("app"), _r.id == param("run_id"))
    .values(output=param("said"))
)


@dataclass(frozen=True, slots=True)
class Child:
    """A child as its parent sees it."""

    row: RunRow

    @property
    def is_open(self) -> bool:
        return not self.row.run.state.is_final

    @property
    def is_unapplied(self) -> bool:
        """Whether it has ended and no segment of the parent was given that."""
        return self.row.run.state.is_final and self.row.applied_fence is None

    @property
    def end(self) -> ChildEnd:
        run = self.row.run
        return ChildEnd(state=run.state, output=self.row.output or "", error=run.error)


def children_of(row: RunRow) -> Transaction[list[Child]]:
    if not row.children:
        return []
    found = yield from rows(_CHILDREN, app=row.run.app_id, parent=row.run.id)
    return [Child(run_from(child)) for child in found]


def start_children(
    log: ChatLog,
    parent: RunRow,
    known: Sequence[Child],
    requests: Sequence[ChildRequest],
    *,
    lease: Lease | None,
    time: int,
) -> Transaction[list[Child]]:
    """Start the children that were asked for and are not there yet; they run at once where the
    lease can run them."""
    there = {child.row.run.id for child in known}
    born: list[Child] = []
    for request in requests:
        run = _new_child(log, parent.run, request)
        if run.id in there:
            continue
        run = begun(run, lease, time)
        row = RunRow(run=run, number=parent.number)
        yield from insert_run(row)
        born.append(Child(row))
    return born


def _new_child(log: ChatLog, parent: Run, request: ChildRequest) -> Run:
    return Run(
        id=child_run_id(parent.id, request.call_key),
        app_id=parent.app_id,
        chat_id=parent.chat_id,
        agent=request.agent,
        task=request.task,
        state=RunState.READY,
        created_at=log.now,
        updated_at=log.now,
        parent_run_id=parent.id,
        parent_call_key=request.call_key,
        person=parent.person,
    )


def child_ends(parent: RunRow) -> Transaction[dict[str, ChildEnd]]:
    """Return how this run's children have ended, by call key, and mark that a segment was given
    it."""
    found = yield from children_of(parent)
    if any(child.is_unapplied for child in found):
        run = parent.run
        yield from execute(_APPLY, app=run.app_id, parent=run.id, by_fence=run.fence)
    return {child.row.run.parent_call_key or "": child.end for child in found if not child.is_open}


def keep_output(run: Run, said: str) -> Transaction[None]:
    """Keep what a child's parent will be told. A run without a parent keeps nothing."""
    if run.parent_run_id is not None and said:
        yield from execute(_OUTPUT, app=run.app_id, run_id=run.id, said=said)
