"""Scripts by themselves: what they say to any database, and what they do when rows have moved."""

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import asyncpg
from sqlalchemy.schema import CreateIndex, CreateTable

import sayso.store
from sayso.core.decisions import Settle
from sayso.core.errors import LeaseLost, StoreBusy, VersionConflict
from sayso.core.inbox import InteractionOrder
from sayso.core.interactions import InteractionState
from sayso.core.sessions import RunState
from sayso.core.view import Head
from sayso.store import (
    log,
    queries_chats,
    queries_interactions,
    queries_runs,
    queries_waiting,
    tables,
)
from sayso.store.log import ChatLog
from sayso.store.queries_inbox import _listed as listed_interactions
from sayso.store.rows import ChatRow, RunRow, run_record
from sayso.store.running import move
from sayso.store.script import Script, Statement, do
from sayso.store.settling import settle
from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock
from tests.contract.store.story import (
    APP,
    LEASE,
    SAVED,
    Story,
    approval,
    form,
    in_time,
    says,
    types,
)

POSTGRESQL = asyncpg.dialect()


def _modules() -> Iterator[ModuleType]:
    for module in pkgutil.iter_modules(sayso.store.__path__):
        if module.name != "migrations":
            yield importlib.import_module(f"sayso.store.{module.name}")


def _statements() -> dict[str, Statement]:
    """Every statement that is built at import, and one of each kind that is built on demand."""
    found = {
        f"{module.__name__}.{name}": value
        for module in _modules()
        for name, value in vars(module).items()
        if isinstance(value, Statement)
    }
    return found | {
        "items": log._items_by_id(2),
        "events": log._insert_events(2),
        "upserted items": log._upsert_items(2),
        "audit lines": log._insert_audit(2),
        "cards": queries_waiting._open_cards(2),
        "due": queries_runs._due(2),
        "chats": queries_chats._listed(True, True, False),
        **{
            f"interactions {order}": listed_interactions(
                frozenset({"before", "assignee", "words", "since", "until", "expiring"}),
                order is not InteractionOrder.SETTLED,
                order,
            )
            for order in InteractionOrder
        },
    }


@pytest.mark.parametrize("name", sorted(_statements()))
def test_every_statement_can_be_said_to_postgresql(name: str):
    """It has no driver yet; the statements must not have to change for it."""
    compiled = _statements()[name].core.compile(
        dialect=POSTGRESQL, compile_kwargs={"render_postcompile": True}
    )
    assert "sayso_now" not in str(compiled)
    assert "PRAGMA" not in str(compiled)


def test_every_table_can_be_made_in_postgresql():
    for table in tables.metadata.sorted_tables:
        assert str(CreateTable(table).compile(dialect=POSTGRESQL))
        for index in table.indexes:
            assert str(CreateIndex(index).compile(dialect=POSTGRESQL))


def test_every_key_begins_with_the_tenant():
    for table in tables.metadata.sorted_tables:
        if table.name != "audit":
            assert next(iter(table.primary_key.columns)).name == "app_id", table.name
        for index in table.indexes:
            first = index.columns[0].name
            across_tenants = index.name in {"run_due", "interaction_due"}
            assert across_tenants or first == "app_id", index.name


def test_every_statement_that_takes_or_moves_rows_locks_them():
    locking = [
        name
        for name, statement in _statements().items()
        if "FOR UPDATE" in str(statement.core.compile(dialect=POSTGRESQL))
    ]
    assert len(locking) >= 8


# ── the database confirms ──


def answers(script: Script[Any], *replies: list[dict[str, object]]) -> Any:
    """Run a script against a database that replies this; more questions are an error."""
    rest = iter(replies)
    next(script)
    try:
        while True:
            script.send(next(rest))
    except StopIteration as done:
        return done.value


def chat_log(clock: FakeClock) -> ChatLog:
    head = Head(id="c", app_id=APP)
    chat = ChatRow(app_id=APP, id="c", head=head, audit_number=0, audit_hash="")
    return ChatLog(chat, clock.now())


async def test_a_card_that_moved_under_the_decision_is_not_settled_twice(
    story: Story, clock: FakeClock
):
    _, waited = await story.waiting(form())
    it = waited.interactions[0]
    to = Settle(InteractionState.DISMISSED, None)
    with pytest.raises(StoreBusy):
        answers(settle(chat_log(clock), it, to, by="ada"), [])
    assert answers(settle(chat_log(clock), it, to, by="ada"), [{"id": it.id}]).state is to.state


async def test_a_run_that_moved_under_the_decision_is_not_moved(story: Story, clock: FakeClock):
    claimed = await story.begin()
    row = RunRow(run=claimed.start.run, message_id=None, number=1)
    with pytest.raises(LeaseLost):
        answers(move(chat_log(clock), row, replace(row.run, state=RunState.READY)), [])


async def test_settling_says_again_that_the_card_must_be_pending(story: Story, store: SqlStore):
    """Two who decided on the same pending row: the second's write finds none."""
    _, waited = await story.waiting(form())
    it = waited.interactions[0]
    log_of_chat = chat_log(story.clock)

    def twice() -> Script[None]:
        yield from settle(log_of_chat, it, Settle(InteractionState.COMPLETED, None), by="ada")
        yield from settle(log_of_chat, it, Settle(InteractionState.DISMISSED, None), by="bob")

    with pytest.raises(StoreBusy):
        await store.driver.write(twice())
    after = await store.interaction(APP, it.id)
    assert after is not None
    assert after.state is InteractionState.PENDING, "and nothing of it was kept"


async def test_more_time_is_not_given_on_a_time_that_has_changed(story: Story, store: SqlStore):
    _, waited = await story.waiting(form(**in_time(60)))
    it = waited.interactions[0]
    script = queries_interactions.extend(
        story.clock, APP, it.id, seconds=60, seen=it.expires_at, by="ada"
    )
    earlier = Statement(sa.update(tables.interaction).values(expires_at=1))

    def someone_was_faster() -> Script[Any]:
        statement, params = next(script)
        while True:
            if statement is queries_interactions._EXTEND:
                yield from do(earlier)
            found = yield statement, params
            try:
                statement, params = script.send(found)
            except StopIteration as done:
                return done.value

    with pytest.raises(VersionConflict):
        await store.driver.write(someone_was_faster())


# ── children, which no verb makes yet ──


async def test_cancelling_goes_down_to_the_children(story: Story, store: SqlStore):
    fence, waited = await story.waiting(approval())
    parent = await store.run(APP, fence.run_id)
    assert parent is not None
    task = says("part", "child").task
    child = replace(
        parent,
        id="child",
        task=task,
        state=RunState.READY,
        fence=0,
        saved=None,
        parent_run_id=parent.id,
        parent_call_key="part",
    )

    def born() -> Script[None]:
        record = run_record(RunRow(run=child, message_id=None, number=0), task_digest="")
        yield from do(Statement(tables.run.insert()), **record)

    await store.driver.write(born())
    claimed = await store.claim(APP, "child", LEASE)
    assert claimed is not None
    assert types(claimed.frames) == [], "its moves are its parent's business"
    asked = await store.wait(claimed.fence, SAVED, [form("child's")], resume_each=False)
    assert types(asked.frames) == ["ui_tool"], "its cards show in the parent's chat"
    cancelled = await store.cancel_run(APP, reason="stop", by="ada", run_id=parent.id)
    assert types(cancelled.frames) == [
        "ui_tool_complete:cancelled",
        "ui_tool_complete:cancelled",
        "run:cancelled",
    ]
    assert await story.state("child") is RunState.CANCELLED
    assert waited.interactions[0].run_id == parent.id
