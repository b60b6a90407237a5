"""Tools that block: a call that was cancelled before it began never begins, and one chat's slow
tools keep no other chat waiting."""

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from sayso import AgentContext, App, Prepared, tool
from sayso.engine.engine import Engine
from sayso.store.sqlite import SqliteDriver
from sayso.store.store import SqlStore
from sayso.tools.threads import SLOTS_PER_CHAT
from tests.integration.test_engine import ask, running, until

GUARD_SECONDS = 30


class Blocking:
    """A body that blocks until it is let go, and what the outside world has seen of it."""

    def __init__(self, place: Path) -> None:
        self._file = place / "ledger.txt"
        self.released = threading.Event()

    def run(self, item: object) -> None:
        with self._file.open("a") as file:
            file.write(f"{item}\n")
        assert self.released.wait(GUARD_SECONDS)

    @property
    def begun(self) -> list[str]:
        return self._file.read_text().split() if self._file.exists() else []

    async def until_begun(self, count: int) -> None:
        async with asyncio.timeout(GUARD_SECONDS):
            while len(self.begun) < count:  # noqa: ASYNC110  # another thread's file
                await asyncio.sleep(0.005)


@pytest.fixture
def blocking(tmp_path: Path) -> Iterator[Blocking]:
    made = Blocking(tmp_path)
    yield made
    made.released.set()


def effects(place: Path) -> list[tuple[str, int, str]]:
    with closing(sqlite3.connect(place / "sayso.db")) as db:
        return list(db.execute("SELECT tool_name, attempt, state FROM effect"))


def many(blocking: Blocking, calls: int) -> App:
    @tool
    def slow(item: int) -> str:
        blocking.run(item)
        return "at last"

    @tool
    def quick() -> str:
        return "here"

    async def busy(ctx: AgentContext) -> None:
        await ctx.gather(*(ctx.call(slow, item=number) for number in range(calls)))

    async def passing(ctx: AgentContext) -> None:
        await ctx.say(str(await ctx.call(quick)))

    return App({"busy": busy, "passing": passing}, tools=[slow, quick])


@pytest.mark.parametrize("own_thread", [True, False], ids=["server", "library"])
async def test_slow_tools_of_one_chat_keep_no_other_waiting(
    tmp_path: Path, blocking: Blocking, own_thread: bool
):
    app = many(blocking, SLOTS_PER_CHAT + 4)
    async with running(app, tmp_path, own_thread=own_thread) as engine:
        chats = [await ask(engine, agent="busy") for _ in range(2)]
        await blocking.until_begun(2 * SLOTS_PER_CHAT)
        async with asyncio.timeout(GUARD_SECONDS):
            view = await until(engine, await ask(engine, agent="passing"), "completed")
        assert view.messages[-1].content == "here"
        assert len(blocking.begun) == 2 * SLOTS_PER_CHAT
        blocking.released.set()
        for chat in chats:
            await until(engine, chat, "completed")
    assert len(blocking.begun) == 2 * (SLOTS_PER_CHAT + 4)


async def test_a_call_that_is_cancelled_before_it_began_never_begins(
    tmp_path: Path, blocking: Blocking
):
    async with running(many(blocking, SLOTS_PER_CHAT + 4), tmp_path) as engine:
        chat = await ask(engine, agent="busy")
        await blocking.until_begun(SLOTS_PER_CHAT)
        await engine.cancel("default", chat_id=chat, reason="changed my mind", by="ana")
        blocking.released.set()
        async with asyncio.timeout(GUARD_SECONDS):
            while {state for _, _, state in effects(tmp_path)} != {"done"}:  # noqa: ASYNC110  # a file
                await asyncio.sleep(0.01)
        view = await engine.store.load_view("default", chat)
        assert view is not None
        shown = [call.status.value for call in view.tool_calls]
    assert len(blocking.begun) == SLOTS_PER_CHAT
    assert len(effects(tmp_path)) == SLOTS_PER_CHAT, "what had not begun has left a trace of it"
    assert (shown.count("done"), shown.count("cancelled")) == (SLOTS_PER_CHAT, 4)


async def test_slow_preparations_of_one_chat_keep_no_other_waiting(
    tmp_path: Path, blocking: Blocking
):
    @tool(approval=True)
    async def pay(item: int) -> str:
        return "paid"

    @pay.prepare
    def prepare_pay(item: int) -> Prepared:
        blocking.run(item)
        return Prepared()

    async def busy(ctx: AgentContext) -> None:
        await ctx.gather(*(ctx.call(pay, item=number) for number in range(SLOTS_PER_CHAT + 4)))

    @tool
    def quick() -> str:
        return "here"

    async def passing(ctx: AgentContext) -> None:
        await ctx.say(str(await ctx.call(quick)))

    app = App({"busy": busy, "passing": passing}, tools=[pay, quick])
    async with running(app, tmp_path) as engine:
        chat = await ask(engine, agent="busy")
        await blocking.until_begun(SLOTS_PER_CHAT)
        async with asyncio.timeout(GUARD_SECONDS):
            await until(engine, await ask(engine, agent="passing"), "completed")
        assert len(blocking.begun) == SLOTS_PER_CHAT
        blocking.released.set()
        view = await until(engine, chat, "waiting")
        assert len([m for m in view.messages if "ui_tool" in m.metadata]) == SLOTS_PER_CHAT + 4


async def test_a_call_that_was_stopped_while_its_start_was_committed_is_begun_by_the_next_owner(
    tmp_path: Path, blocking: Blocking
):
    """Nobody is asked what became of it: it is certain that nothing did."""
    blocking.released.set()

    @tool
    def slow(item: int) -> str:
        blocking.run(item)
        return "at last"

    async def agent(ctx: AgentContext) -> None:
        await ctx.say(str(await ctx.call(slow, item=1)))

    async with running(App(agent, tools=[slow]), tmp_path, sweep_seconds=0.05) as engine:
        with _held_up(engine, "INSERT INTO effect") as (reached, go):
            chat = await ask(engine)
            await asyncio.to_thread(reached.wait, GUARD_SECONDS)
            # As a heartbeat does that finds its lease gone.
            worker = engine.runtime._host.worker
            assert worker is not None
            for segment in worker.segments:
                worker.cancel(segment.claimed.fence.run_id)
            async with asyncio.timeout(GUARD_SECONDS):
                while engine.health["segments"]:  # noqa: ASYNC110  # another thread's loop
                    await asyncio.sleep(0.005)
            go.set()
        async with asyncio.timeout(GUARD_SECONDS):
            while [row[2] for row in effects(tmp_path)] != ["not_executed"]:  # noqa: ASYNC110  # a file
                await asyncio.sleep(0.005)
        assert blocking.begun == []
        with closing(sqlite3.connect(tmp_path / "sayso.db", timeout=30)) as db, db:
            db.execute("UPDATE run SET lease_until = 0 WHERE state = 'running'")
        view = await until(engine, chat, "completed", "waiting")
    assert view.messages[-1].content == "at last"
    assert blocking.begun == ["1"]
    assert effects(tmp_path) == [("slow", 1, "not_executed"), ("slow", 2, "done")]


@contextmanager
def _held_up(engine: Engine, words: str) -> Iterator[tuple[threading.Event, threading.Event]]:
    """The database takes its time over the first statement that begins with these words."""
    reached, go = threading.Event(), threading.Event()

    def watch(sql: str) -> None:
        if sql.startswith(words) and not reached.is_set():
            reached.set()
            assert go.wait(GUARD_SECONDS)

    store = engine.store
    assert isinstance(store, SqlStore)
    assert isinstance(store.driver, SqliteDriver)
    store.driver.on_statement(watch)
    try:
        yield reached, go
    finally:
        go.set()
        store.driver.on_statement(None)
