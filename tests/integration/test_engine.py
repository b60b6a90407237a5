"""The engine on a real file: stuck agents, full workers, time limits, cancellation, modes."""

import asyncio
import importlib
import json
import logging
import sqlite3
import sys
import threading
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
import sqlalchemy as sa
from pydantic import JsonValue

from sayso import (
    AgentContext,
    App,
    ExecutionConfig,
    ExecutionMode,
    InteractiveExecutionEngine,
    Prepared,
    Requirements,
    StepFailed,
    TaskChunkType,
    TaskRequest,
    ToolContext,
    UniversalMessage,
    tool,
)
from sayso.core.chat_view import ChatView
from sayso.core.errors import StoreBusy
from sayso.core.events import ChatEvent, RunMoved
from sayso.core.extraction_ops import Operation, Reading
from sayso.engine import text_stream
from sayso.engine.background import Sweep
from sayso.engine.engine import Engine
from sayso.engine.runtime import EngineSettings
from sayso.engine.workers import ThreadHost
from sayso.server.app import create_app
from sayso.server.chat_updates import ChatPosition, ChatUpdates
from sayso.store.sqlite import SqliteDriver
from sayso.store.store import SqlStore
from sayso.store.transaction import Statement, Transaction, execute


@asynccontextmanager
async def running(app: App, place: Path, **settings: object) -> AsyncIterator[Engine]:
    chosen = EngineSettings(**settings)  # type: ignore[arg-type]
    engine = app.engine(place, chosen)
    await engine.start()
    try:
        yield engine
    finally:
        await engine.stop()


async def ask(engine: Engine, words: str = "go", *, agent: str | None = None) -> str:
    """A new chat with one message; the chat's id."""
    chat = await engine.create_chat("default", agent=agent)
    await engine.post_message("default", chat.id, content=words, client_message_id=f"m-{chat.id}")
    return chat.id


async def until(engine: Engine, chat_id: str, *statuses: str) -> ChatView:
    """Wait until the chat's run is in one of these states; the view then."""
    subscription = engine.feed.subscribe("default", chat_id)
    try:
        async with asyncio.timeout(120):
            while True:
                view = await engine.store.load_view("default", chat_id)
                assert view is not None
                if view.run is not None and view.run.status in statuses:
                    return view
                while True:
                    body = (await subscription.get()).body
                    if isinstance(body, ChatEvent) and isinstance(body.data, RunMoved):
                        break
    finally:
        subscription.close()


async def test_an_agent_that_never_yields_stops_nobody_else(tmp_path: Path):
    released = threading.Event()

    async def greedy(ctx: AgentContext) -> None:
        while not released.is_set():
            time.sleep(0.01)  # noqa: ASYNC251  # what it must not do is the point

    async def modest(ctx: AgentContext) -> None:
        await ctx.say("done")

    app = App({"greedy": greedy, "modest": modest})
    try:
        async with running(app, tmp_path, stuck_seconds=2) as engine:
            stuck = await ask(engine, agent="greedy")
            view = await until(engine, stuck, "failed")
            assert view.run is not None
            assert view.run.error is not None
            assert view.run.error["code"] == "agent_stuck"
            assert "def" in str(view.run.error["fix"])
            other = await ask(engine, agent="modest")
            assert (await until(engine, other, "completed")).messages[-1].content == "done"
    finally:
        released.set()


async def test_a_reader_that_blocks_the_loop_is_told_where_its_work_belongs(tmp_path: Path):
    released = threading.Event()

    class Greedy:
        async def extract(self, reading: Reading) -> Sequence[Operation]:
            released.wait(60)  # in the loop: what it must not do is the point
            return []

    app = App(name="desk", extractor=Greedy())

    @app.action("ride", requires=Requirements)
    async def ride(req: Requirements, ctx: ToolContext) -> str:
        return "done"

    try:
        async with running(app, tmp_path, stuck_seconds=2) as engine:
            view = await until(engine, await ask(engine, agent="desk"), "failed")
            assert view.run is not None
            assert view.run.error is not None
            assert view.run.error["code"] == "agent_stuck"
            assert "a reader of messages into a plain `def extract`" in str(view.run.error["fix"])
    finally:
        released.set()


async def test_a_loop_that_loads_code_is_slow_and_not_stuck(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A framework imports hundreds of modules in its first run: seconds on a busy machine."""
    loaded, late, beat = threading.Event(), [], ThreadHost.replace_if_stuck

    def watched(host: ThreadHost) -> None:
        beat(host)
        assert host.worker is not None
        late.append(host.worker.silent_seconds >= 0.2)
        if late.count(True) == 2:
            loaded.set()

    async def agent(ctx: AgentContext) -> None:
        await ctx.say(importlib.import_module("slow_to_load").WORDS)

    gate = SimpleNamespace(loaded=loaded)
    monkeypatch.setitem(sys.modules, "gate_of_the_loading", gate)
    monkeypatch.setattr(ThreadHost, "replace_if_stuck", watched)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "slow_to_load.py").write_text(
        "from gate_of_the_loading import loaded\nassert loaded.wait(60)\nWORDS = 'here'\n"
    )
    try:
        async with running(App(agent), tmp_path, stuck_seconds=0.2) as engine:
            view = await until(engine, await ask(engine), "completed", "failed")
            assert view.messages[-1].content == "here"
    finally:
        loaded.set()
        sys.modules.pop("slow_to_load", None)


async def test_an_exit_in_a_task_of_an_agents_own_ends_that_run_alone(tmp_path: Path):
    """Such an exit goes through the event loop, past every handler of the agent's task."""
    left = asyncio.Event()

    async def leaves(ctx: AgentContext) -> None:
        async def leave() -> None:
            left.set()
            sys.exit(3)

        await asyncio.gather(leave())

    async def stays(ctx: AgentContext) -> str:
        await left.wait()
        return "still here"

    app = App({"leaves": leaves, "stays": stays})
    async with running(app, tmp_path) as engine:
        staying = await ask(engine, agent="stays")
        leaving = await until(engine, await ask(engine, agent="leaves"), "failed")
        assert leaving.run is not None
        assert leaving.run.error is not None
        assert "SystemExit: 3" in str(leaving.run.error["detail"])
        view = await until(engine, staying, "completed")
        assert view.messages[-1].content == "still here"


async def test_a_tool_that_blocks_runs_in_a_thread(tmp_path: Path):
    released = threading.Event()

    @tool(read_only=True)
    def slow() -> str:
        """Wait for a while, blocking."""
        assert released.wait(30)
        return "at last"

    async def patient(ctx: AgentContext) -> None:
        await ctx.say(str(await ctx.call(slow)))

    async def quick(ctx: AgentContext) -> None:
        await ctx.say("here")

    app = App({"patient": patient, "quick": quick}, tools=[slow])
    async with running(app, tmp_path, own_thread=False) as engine:
        waiting = await ask(engine, agent="patient")
        passing = await ask(engine, agent="quick")
        await until(engine, passing, "completed")
        released.set()
        assert (await until(engine, waiting, "completed")).messages[-1].content == "at last"


async def test_a_full_worker_takes_up_what_waits_when_it_has_room(tmp_path: Path):
    gate = asyncio.Event()

    async def agent(ctx: AgentContext) -> None:
        await gate.wait()
        await ctx.say("done")

    settings = {"segments": 1, "own_thread": False, "sweep_seconds": 3600.0}
    async with running(App(agent), tmp_path, **settings) as engine:
        chats = [await ask(engine) for _ in range(4)]
        assert engine.health["segments"] == 1
        gate.set()
        for chat in chats:
            assert (await until(engine, chat, "completed")).messages[-1].content == "done"


async def test_a_run_that_was_taken_over_too_often_fails(tmp_path: Path):
    begun: asyncio.Queue[None] = asyncio.Queue()

    async def agent(ctx: AgentContext) -> None:
        begun.put_nowait(None)
        await asyncio.Event().wait()

    settings = {"own_thread": False, "grace_seconds": 0.0, "most_takeovers": 2}
    async with running(App(agent), tmp_path, **settings) as engine:
        chat = await ask(engine)
        await begun.get()
    for _ in range(2):
        async with running(App(agent), tmp_path, **settings):
            await begun.get()
    async with running(App(agent), tmp_path, **settings) as engine:
        view = await until(engine, chat, "failed")
        assert view.run is not None
        assert view.run.error is not None
        assert "taken over 3 times" in str(view.run.error["detail"])
        assert begun.empty()


async def test_an_agent_that_raises_is_a_failed_run_with_a_card(tmp_path: Path):
    async def agent(ctx: AgentContext) -> None:
        await ctx.say("I begin")
        raise ValueError("no such drawer")

    async with running(App(agent), tmp_path) as engine:
        view = await until(engine, await ask(engine), "failed")
        assert view.messages[1].content == "I begin"
        card = view.messages[-1].metadata["ui_tool"]
        assert isinstance(card, dict)
        assert card["ui_tool_id"] == "critical_failure"
        assert "no such drawer" in str(card["payload"])
        assert "Traceback" not in str(card["payload"])


async def test_cancelling_in_the_middle_of_a_text_keeps_what_was_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(text_stream, "KEEP_SECONDS", 3600)  # what it has said is in memory alone
    speaking = asyncio.Event()

    async def agent(ctx: AgentContext) -> None:
        await ctx.say("Once upon a time")
        speaking.set()
        await asyncio.Event().wait()

    async with running(App(agent), tmp_path, own_thread=False) as engine:
        chat = await ask(engine)
        await speaking.wait()
        await engine.cancel("default", chat_id=chat, reason="enough", by="ana")
        view = await until(engine, chat, "cancelled")
        assert [(m.content, m.status.value) for m in view.messages[1:]] == [
            ("Once upon a time", "interrupted")
        ]
        assert view.live == []
        async with asyncio.timeout(120):
            while engine.health["segments"]:  # noqa: ASYNC110  # the task ends right after its row did
                await asyncio.sleep(0)


@pytest.mark.parametrize("write", ["record", "finish"])
async def test_cancelling_while_a_finished_text_is_on_its_way_to_the_store_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: str
):
    """Its closing message comes too late then, and people have read it."""
    monkeypatch.setattr(text_stream, "KEEP_SECONDS", 3600)
    on_its_way, ended = asyncio.Event(), asyncio.Event()

    async def agent(ctx: AgentContext) -> None:
        await ctx.say("Once upon a time")
        if write == "record":
            await ctx.progress(note="There was")

    async with running(App(agent), tmp_path, own_thread=False) as engine:
        store_it = getattr(engine.store, write)

        async def late(*given: object, **more: object) -> object:
            on_its_way.set()
            await ended.wait()
            return await store_it(*given, **more)

        monkeypatch.setattr(engine.store, write, late)
        chat = await ask(engine)
        await on_its_way.wait()
        await engine.cancel("default", chat_id=chat, reason="enough", by="ana")
        ended.set()
        view = await until(engine, chat, "cancelled")
        assert [(m.content, m.status.value) for m in view.messages[1:]] == [
            ("Once upon a time", "interrupted")
        ]


async def test_a_mode_that_may_not_wait_fails_where_a_person_is_needed(tmp_path: Path):
    async def agent(ctx: AgentContext) -> None:
        await ctx.ask("May I?")

    task = TaskRequest(
        task_id="t",
        messages=[UniversalMessage(role="user", content="go")],
        execution_config=ExecutionConfig(execution_mode=ExecutionMode.ASYNC_STREAM),
    )
    async with InteractiveExecutionEngine(agent, store=tmp_path / "s.db") as live:
        stream, _ = await live.start_interactive_session(task)
        chunks = [chunk async for chunk in stream]
    assert chunks[-1].chunk_type is TaskChunkType.ERROR
    assert chunks[-1].is_final
    assert isinstance(chunks[-1].content, dict)
    assert chunks[-1].content["code"] == "person_needed"


async def test_a_task_has_a_time_limit_of_its_own(tmp_path: Path):
    async def agent(ctx: AgentContext) -> None:
        await asyncio.Event().wait()

    task = TaskRequest(
        task_id="t",
        messages=[UniversalMessage(role="user", content="go")],
        execution_config=ExecutionConfig(timeout_seconds=0.05),
    )
    async with InteractiveExecutionEngine(agent, store=tmp_path / "s.db") as live:
        stream, _ = await live.start_interactive_session(task)
        *_, last = [chunk async for chunk in stream]
    assert last.chunk_type is TaskChunkType.ERROR
    assert "0.05 seconds" in str(last.content)


async def test_who_leaves_while_their_answer_is_written_takes_nothing_with_them(tmp_path: Path):
    async def agent(ctx: AgentContext) -> None:
        await ctx.say(f"Hello {await ctx.ask('Your name?')}.")

    # Nobody else would take it up in the time of this test.
    calm = {"own_thread": False, "lease_seconds": 600.0, "sweep_seconds": 600.0}
    async with running(App(agent), tmp_path, **calm) as engine:
        chat = await ask(engine)
        view = await until(engine, chat, "waiting")
        (card,) = [m.event_id for m in view.messages if "ui_tool" in m.metadata]
        entered, released = threading.Event(), threading.Event()

        def long_write() -> Transaction[None]:
            entered.set()
            assert released.wait(30)
            yield from execute(Statement(sa.text("SELECT 1")))

        assert isinstance(engine.store, SqlStore)
        driver = engine.store.driver
        assert isinstance(driver, SqliteDriver)
        before = asyncio.create_task(driver.write(long_write()))
        await asyncio.to_thread(entered.wait)
        body = {"approved": True, "response_data": {"additional_notes": "Ana"}}
        answering = asyncio.create_task(engine.answer("default", card, body, key="k", by="ana"))
        async with asyncio.timeout(30):
            while driver._writes.empty():  # noqa: ASYNC110  # a thread's queue wakes no loop
                await asyncio.sleep(0)
        answering.cancel()
        await asyncio.wait([answering])
        released.set()
        await before
        view = await until(engine, chat, "completed")
    assert view.messages[-1].content == "Hello Ana."


async def test_the_sweep_and_the_expiry_outlive_what_nobody_expected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async def agent(ctx: AgentContext) -> None:
        await ctx.ask("Well?", expires_in=timedelta(seconds=1))

    failed: list[str] = []

    def once(name: str) -> None:
        real = getattr(SqlStore, name)

        async def broken(*args: object, **options: object) -> object:
            if name not in failed:
                failed.append(name)
                raise sqlite3.ProgrammingError("nobody expected this")
            return await real(*args, **options)

        monkeypatch.setattr(SqlStore, name, broken)

    once("expire_one")
    once("claim_due")
    async with running(App(agent), tmp_path, sweep_seconds=0.05) as engine:
        chat = await ask(engine)
        view = await until(engine, chat, "completed", "failed")
        assert sorted(failed) == ["claim_due", "expire_one"]
        (card,) = [m.metadata["ui_tool"] for m in view.messages if "ui_tool" in m.metadata]
        assert isinstance(card, dict)
        assert card["ui_tool_status"] == "expired"


async def test_a_helper_that_died_does_not_keep_the_store_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async def agent(ctx: AgentContext) -> None:
        return None

    async def dies(self: Sweep) -> None:
        raise ValueError("a helper died")

    monkeypatch.setattr(Sweep, "run", dies)
    engine = App(agent).engine(tmp_path, EngineSettings())
    await engine.start()
    await engine.stop()
    with pytest.raises(StoreBusy):
        await engine.store.load_view("default", "c")


async def test_the_life_of_a_card_is_told_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    async def agent(ctx: AgentContext) -> None:
        await ctx.choose("Which?", ["a", "b"])

    with caplog.at_level(logging.INFO, logger="sayso.card"):
        async with running(App(agent), tmp_path, own_thread=False) as engine:
            chat = (await engine.create_chat("default")).id
            with ChatUpdates(engine, "default", chat, "ana") as updates:
                await updates.begin(None)
                await engine.post_message("default", chat, content="go", client_message_id="1")
                view = await until(engine, chat, "waiting")
                while updates.seq < view.seq:
                    await updates.next()
            (card,) = [m.event_id for m in view.messages if "ui_tool" in m.metadata]
            with ChatUpdates(engine, "default", chat, "ana") as again:
                await again.begin(None)
            await engine.answer("default", card, {"selected_option": "a"}, key="k", by="ana")
            await until(engine, chat, "completed")
            with ChatUpdates(engine, "default", chat, "ana") as again:
                await again.begin(None)
            with ChatUpdates(engine, "default", chat, "ana") as replayed:
                await replayed.begin(ChatPosition(0))  # the card and its end: it is shown to nobody
    life = [
        (line["message"], line.get("status"))
        for line in map(vars, caplog.records)
        if line.get("event_id") == card and line["chat_id"] == chat
    ]
    assert life == [
        ("invoked", None),
        ("shown", None),
        ("restored", "pending"),
        ("completed", "completed"),
        ("restored", "completed"),
    ]


async def test_a_secret_runs_whole_and_is_told_to_nobody(tmp_path: Path):
    ran: list[str] = []

    @tool(approval=True, secrets=["token"])
    async def publish(page: str, token: str) -> str:
        """Publish a page."""
        ran.append(token)
        return "published"

    async def agent(ctx: AgentContext) -> None:
        await ctx.call(publish, page="news", token="s3cret-token")

    async with running(App(agent, tools=[publish]), tmp_path, own_thread=False) as engine:
        chat = await ask(engine)
        view = await until(engine, chat, "waiting")
        (card,) = [m.event_id for m in view.messages if "ui_tool" in m.metadata]
        await engine.answer("default", card, {"decision": "approve"}, key="k", by="ana")
        view = await until(engine, chat, "completed")
        told = [frame.json for frame in await engine.store.events_after("default", chat, 0)]
        lines = await engine.store.audit("default")
    assert ran == ["s3cret-token"]
    assert "s3cret-token" not in view.model_dump_json()
    assert b"s3cret-token" not in b"".join(told)
    assert "s3cret-token" not in repr([line.body for line in lines])
    assert any(line.action == "effect.done" and line.body["arguments"] for line in lines)


async def test_secrets_of_every_type_are_told_nowhere_by_an_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
):
    """What the body says of them, as a number or deep within, stands in no table but the two that
    hold what is to run."""

    @tool(approval=True, secrets=["password", "pin", "cfg"])
    async def connect(password: str, pin: int, cfg: dict[str, JsonValue]) -> str:
        """Connect."""
        raise ValueError(f"refused: {password}, {pin}, {cfg}", {"pin": pin})

    secrets = ("hunter-two", "987654321", "7319", "deep-word")

    async def agent(ctx: AgentContext) -> None:
        deep: JsonValue = {"auth": [{"code": 7319, "word": "deep-word"}]}
        await ctx.call(connect, password="hunter-two", pin=987654321, cfg=deep)

    async with running(App(agent, tools=[connect]), tmp_path, own_thread=False) as engine:
        chat = await ask(engine)
        view = await until(engine, chat, "waiting")
        (card,) = [m.event_id for m in view.messages if "ui_tool" in m.metadata]
        await engine.answer("default", card, {"decision": "approve"}, key="k", by="ana")
        ended = await until(engine, chat, "failed", "waiting")
        listed = await engine.store.audit("default")
    logged = caplog.text + "".join(capfd.readouterr())
    with closing(sqlite3.connect(tmp_path / "sayso.db")) as raw:
        told = {
            table: repr(raw.execute(f"SELECT * FROM {table}").fetchall())
            for table in ("event", "item", "audit", "chat", "run", "open_text")
        }
    assert "•••" in told["event"]
    for secret in secrets:
        assert secret not in ended.model_dump_json()
        assert secret not in repr(listed)
        assert secret not in logged
        for table, rows in told.items():
            if table != "run":  # what the agent goes on from
                assert secret not in rows, table


@pytest.mark.parametrize("levels", [99, 252, 900])
async def test_what_nests_too_deeply_is_not_told_and_breaks_no_page(tmp_path: Path, levels: int):
    """As a result, as arguments and as what a card would show: each is told, none is kept."""

    def deep() -> JsonValue:
        value: JsonValue = 1
        for _ in range(levels):
            value = [value]
        return value

    @tool
    def dig() -> JsonValue:
        return {"found": deep()}

    @tool
    def bury(thing: object) -> str:
        return "buried"

    @tool(approval=True)
    def look(where: str) -> str:
        return "seen"

    @look.prepare
    def shown(where: str) -> Prepared:
        return Prepared(data={"map": deep()})

    said: list[str] = []

    async def agent(ctx: AgentContext) -> None:
        for tried, given in ((dig, {}), (bury, {"thing": {"in": deep()}}), (look, {"where": "x"})):
            try:
                said.append(json.dumps(await ctx.call(tried, **given)))
            except StepFailed as exc:
                said.append(str(exc))
        await ctx.say("Enough.")

    app = App(agent, tools=[dig, bury, look])
    async with running(app, tmp_path, own_thread=False) as engine:
        chat = await ask(engine)
        await until(engine, chat, "completed", "failed")
    assert ["100 levels" in words for words in said[:2]] == [True, True]
    async with running(app, tmp_path, own_thread=False) as engine:
        transport = httpx.ASGITransport(create_app(engine))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
            view = (await http.get(f"/api/chats/{chat}")).json()
            assert (await http.get("/api/history")).status_code == 200
            assert (await http.get("/api/audit")).status_code == 200
    assert [(m["content"], view["run"]["status"]) for m in view["messages"]][-1] == (
        "Enough.",
        "completed",
    )
    # A body that returned has run, though its result cannot be kept.
    assert [call["status"] for call in view["tool_calls"]] == ["done", "failed", "failed"]
    codes = [call["result"].get("code") for call in view["tool_calls"][:2]]
    assert codes == [None, "too_deep"], "the result of the first has a note in its place"
