"""Transactions by themselves: what they say to any database, and what they do when rows moved."""

import importlib
import os
import pkgutil
import tomllib
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.postgresql import asyncpg
from sqlalchemy.schema import CreateIndex, CreateTable

import sayso.store
from sayso.core.chat_view import Head
from sayso.core.decisions import Settle
from sayso.core.errors import LeaseLost, StoreBusy, VersionConflict
from sayso.core.interactions import InteractionState
from sayso.core.sessions import RunState
from sayso.store import tables
from sayso.store.chat_log import ChatLog
from sayso.store.codec import micros
from sayso.store.mapping import ChatRow, RunRow
from sayso.store.moves.cards import settle
from sayso.store.moves.runs import move
from sayso.store.store import SqlStore
from sayso.store.transaction import Statement, Transaction, execute
from sayso.store.verbs import answers
from sayso.testing.clock import FakeClock
from tests.contract.store.story import (
    APP,
    Story,
    form,
    in_time,
)
from tests.unit.store.tour import RecordingDriver, tour

POSTGRESQL = asyncpg.dialect()
#: What each statement of a file that decides says, to be read in review: `UPDATE=1` writes it anew.
SAID = Path(__file__).with_name("statements.sql")
DECIDING = Path(__file__).parents[2] / "mutants/table.toml"

#: What locks rows, and of which tables: it is written by what was read under this lock.
LOCKS = {
    "moves.cards.OF_RUN": "interaction",
    "moves.cards.PENDING_OF_RUN": "interaction",
    "moves.cards._PENDING_IN_CHAT": "interaction",
    "moves.chats._CHAT": "chat",
    "moves.child_runs._CHILDREN": "run",
    "moves.run_end._NEXT_QUEUED": "run",
    "moves.run_end._OPEN_CHILDREN": "run",
    "moves.runs.RUN_AND_CHAT": "run, chat",
    "moves.runs._RUN": "run",
    "moves.runs._FENCED": "run, chat",
    "verbs.answers._WHOLE": "run, interaction, chat",
    "verbs.asks._LOCK_CARD": "run, interaction, chat",
    "verbs.asks._LOCK_RUN": "run, interaction, chat",
    "verbs.effect_end._ATTEMPT": "effect",
    "verbs.effect_end._UNCERTAIN_CARD": "interaction",
    "verbs.messages._OPEN_RUN": "run",
    "verbs.webhooks._CHAT": "chat",
    "verbs.webhooks._DUE": "webhook",
}


def statements() -> dict[str, Statement]:
    """Every statement that is built at import, by the module that builds it."""
    found: dict[Statement, str] = {}
    for module in pkgutil.walk_packages(sayso.store.__path__, "sayso.store."):
        if ".migrations" in module.name:
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, Statement):
                place = f"{module.name.removeprefix('sayso.store.')}.{name}"
                found[value] = min(found.get(value, place), place)  # imported by verbs from moves
    return {name: statement for statement, name in found.items()}


def in_postgresql(statement: Statement) -> str:
    return str(
        statement.core.compile(dialect=POSTGRESQL, compile_kwargs={"render_postcompile": True})
    )


def locked_by(statement: Statement) -> str:
    """The tables whose rows this locks."""
    select, locks, named = in_postgresql(statement).partition("FOR UPDATE")
    if not locks:
        return ""
    return named.removeprefix(" OF ") or select.partition("FROM ")[2].split()[0]


@pytest.fixture
async def store(tmp_path: Path, clock: FakeClock) -> AsyncIterator[SqlStore]:
    driver = RecordingDriver(tmp_path / "sayso.db", time=lambda: micros(clock.now()))
    store = SqlStore(driver, clock)
    await store.open()
    yield store
    await store.close()


async def test_every_statement_can_be_said_to_postgresql(
    story: Story, store: SqlStore, clock: FakeClock
):
    """It has no driver yet; the statements must not have to change for it."""
    await tour(story, store, clock)
    assert isinstance(store.driver, RecordingDriver)
    on_demand = {statement for _, found in store.driver.said for statement in found}
    for statement in on_demand | set(statements().values()):
        said = in_postgresql(statement)
        assert "sayso_now" not in said
        assert "PRAGMA" not in said


def test_a_statement_that_decides_changes_only_in_the_open():
    """One condition less reads as well, and takes another call's row on the day there is one."""
    files = tomllib.loads(DECIDING.read_text())
    modules = [file.removeprefix("store/").removesuffix(".py").replace("/", ".") for file in files]
    told = "\n\n".join(
        f"-- {name}\n{_in_words(statement)}"
        for name, statement in sorted(statements().items())
        if name.rpartition(".")[0] in modules
    )
    if os.environ.get("UPDATE"):
        SAID.write_text(f"{told}\n")
    assert SAID.read_text() == f"{told}\n"


def _in_words(statement: Statement) -> str:
    said = statement.core.compile(
        dialect=postgresql.dialect(paramstyle="named"),
        compile_kwargs={"render_postcompile": True},
    )
    constants = {name: value for name, value in said.params.items() if value is not None}
    return f"{said} -- {constants}" if constants else str(said)


def test_every_statement_that_takes_or_moves_rows_locks_them():
    locking = {name: locked_by(statement) for name, statement in statements().items()}
    assert {name: locked for name, locked in locking.items() if locked} == LOCKS


@pytest.mark.parametrize("table", ["run", "interaction", "chat"])
async def test_what_a_transaction_writes_it_has_locked(
    story: Story, store: SqlStore, clock: FakeClock, table: str
):
    await tour(story, store, clock)
    assert isinstance(store.driver, RecordingDriver)
    wrote: set[str] = set()
    for verb, said in store.driver.said:
        locked: set[str] = set()
        for statement in said:
            locked |= set(locked_by(statement).split(", "))
            core = statement.core
            if isinstance(core, sa.Update) and core.table.description == table:
                wrote.add(verb)
                assert table in locked, (verb, in_postgresql(statement))
    assert wrote


def test_every_table_can_be_made_in_postgresql():
    for table in tables.metadata.sorted_tables:
        assert str(CreateTable(table).compile(dialect=POSTGRESQL))
        for index in table.indexes:
            assert str(CreateIndex(index).compile(dialect=POSTGRESQL))


def test_every_key_begins_with_the_tenant():
    for table in tables.metadata.sorted_tables:
        if table.name not in {"audit", "boot", "sign_in"}:
            assert next(iter(table.primary_key.columns)).name == "app_id", table.name
        for index in table.indexes:
            first = index.columns[0].name
            across_tenants = index.name in {
                *("run_due", "interaction_due", "webhook_due", "seal_by_position")
            }
            assert across_tenants or first == "app_id", index.name


# ── the database confirms ──


def replied(script: Transaction[Any], *replies: list[dict[str, object]]) -> Any:
    """Run a script against a database that replies this; more questions are an error."""
    rest = iter(replies)
    next(script)
    try:
        while True:
            script.send(next(rest))
    except StopIteration as done:
        return done.value


def new_log(clock: FakeClock) -> ChatLog:
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
        replied(settle(new_log(clock), it, to, by="ada"), [])
    row: dict[str, object] = {c.name: None for c in tables.interaction.c} | {"id": it.id}
    assert replied(settle(new_log(clock), it, to, by="ada"), [row]).state is to.state


async def test_a_run_that_moved_under_the_decision_is_not_moved(story: Story, clock: FakeClock):
    claimed = await story.begin()
    row = RunRow(run=claimed.start.run, message_id=None, number=1)
    with pytest.raises(LeaseLost):
        replied(move(new_log(clock), row, replace(row.run, state=RunState.READY)), [])


async def test_settling_says_again_that_the_card_must_be_pending(story: Story, store: SqlStore):
    """Two who decided on the same pending row: the second's write finds none."""
    _, waited = await story.waiting(form())
    it = waited.interactions[0]
    log_of_chat = new_log(story.clock)

    def twice() -> Transaction[None]:
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
    script = answers.extend(story.clock, APP, it.id, seconds=60, seen=it.expires_at, by="ada")
    earlier = Statement(sa.update(tables.interaction).values(expires_at=1))

    def someone_was_faster() -> Transaction[Any]:
        statement, params = next(script)
        while True:
            if isinstance(statement.core, sa.Update):
                yield from execute(earlier)
            found = yield statement, params
            try:
                statement, params = script.send(found)
            except StopIteration as done:
                return done.value

    with pytest.raises(VersionConflict):
        await store.driver.write(someone_was_faster())
