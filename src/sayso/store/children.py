"""Child runs: born in the transaction in which their parent waits, ended in the one in which it
goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from sayso.core.children import ChildEnd, ChildRequest, child_run_id
from sayso.core.sessions import Run, RunState
from sayso.core.transactions import Lease
from sayso.store import tables
from sayso.store.log import ChatLog
from sayso.store.rows import RUN_COLUMNS, RunRow, run_from, run_record
from sayso.store.running import knows, set_going, with_lease
from sayso.store.script import Script, Statement, do, one, p, rows, word

_r, _i = tables.run.c, tables.interaction.c

_CHILDREN = Statement(
    sa.select(*RUN_COLUMNS)
    .where(_r.app_id == p("app"), _r.parent_run_id == p("parent"))
    .order_by(_r.created_at, _r.id)
    .with_for_update()
)
_APPLY = Statement(
    sa.update(tables.run)
    .where(
        _r.app_id == p("app"),
        _r.parent_run_id == p("parent"),
        _r.state.in_([word("completed"), word("failed"), word("cancelled")]),
        _r.applied_fence.is_(None),
    )
    .values(applied_fence=p("by_fence"))
)
_PARENT = Statement(
    sa.select(*RUN_COLUMNS).where(_r.app_id == p("app"), _r.id == p("run_id")).with_for_update()
)
_PENDING = Statement(
    sa.select(sa.func.count().label("pending")).where(
        _i.app_id == p("app"), _i.run_id == p("run_id"), _i.state == word("pending")
    )
)
_OUTPUT = Statement(
    sa.update(tables.run)
    .where(_r.app_id == p("app"), _r.id == p("run_id"))
    .values(output=p("said"))
)
_NEW_CHILD = Statement(sa.insert(tables.run))
_FAMILY = Statement(sa.select(_r.id).where(_r.app_id == p("app"), _r.parent_run_id == p("parent")))


@dataclass(frozen=True, slots=True)
class Child:
    """A child as its parent sees it."""

    row: RunRow

    @property
    def is_open(self) -> bool:
        return not self.row.run.state.is_final

    @property
    def is_news(self) -> bool:
        """It has ended, and no segment of the parent has been told."""
        return self.row.run.state.is_final and self.row.applied_fence is None

    @property
    def end(self) -> ChildEnd:
        run = self.row.run
        return ChildEnd(state=run.state, output=self.row.output or "", error=run.error)


def children_of(row: RunRow) -> Script[list[Child]]:
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
) -> Script[list[Child]]:
    """The children that were asked for and are not there yet; running at once where the lease can
    run them."""
    there = {child.row.run.id for child in known}
    born: list[Child] = []
    for request in requests:
        run = _new_child(log, parent.run, request)
        if run.id in there:
            continue
        if lease is not None and knows(lease, run):
            run = with_lease(run, lease, time)
        row = RunRow(run=run, message_id=None, number=parent.number)
        yield from do(_NEW_CHILD, **run_record(row, task_digest=run.task.content_digest()))
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


def ends_for(parent: RunRow) -> Script[dict[str, ChildEnd]]:
    """How this run's children have ended, by call key; a segment of the parent is now told."""
    found = yield from children_of(parent)
    if any(child.is_news for child in found):
        run = parent.run
        yield from do(_APPLY, app=run.app_id, parent=run.id, by_fence=run.fence)
    return {child.row.run.parent_call_key or "": child.end for child in found if not child.is_open}


def keep_output(run: Run, said: str) -> Script[None]:
    """What a child's parent will be told. Nobody asks it of a run that has none."""
    if run.parent_run_id is not None and said:
        yield from do(_OUTPUT, app=run.app_id, run_id=run.id, said=said)


def go_on_with(log: ChatLog, child: Run, lease: Lease | None, time: int) -> Script[RunRow | None]:
    """A child has ended: its parent goes on, if that was all it waited for.

    The parent is locked after its child and its chat: a database of many writers needs it first.
    """
    found = yield from one(_PARENT, app=child.app_id, run_id=child.parent_run_id)
    if found is None:
        return None
    parent = run_from(found)
    if parent.run.state is not RunState.WAITING:
        return None
    if not parent.resume_each:
        others = yield from children_of(parent)
        asked = yield from one(_PENDING, app=child.app_id, run_id=parent.run.id)
        if any(other.is_open for other in others) or (asked is not None and asked["pending"]):
            return None
    return (yield from set_going(log, parent, lease, time))


def family(app_id: str, run_id: str) -> Script[list[str]]:
    """The ids of a run's children, and of theirs."""
    found: list[str] = []
    parents = [run_id]
    while parents:
        below = yield from rows(_FAMILY, app=app_id, parent=parents.pop())
        ids = [str(row["id"]) for row in below]
        found += ids
        parents += ids
    return found
