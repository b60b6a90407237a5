"""The real ones: a disk that is full when a tool has ended, and another program that holds the
database. The agent catches every exception, as the frameworks of models do."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from sayso import AgentContext, App, tool
from sayso.core.chat_view import ChatView
from sayso.engine.engine import Engine
from sayso.engine.runtime import EngineSettings

#: Nothing here takes this long; it only ends a test that hangs.
GUARD_SECONDS = 60


class World:
    """What a tool does outside, what comes back of it, and what happens just before it ends."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.result = "done"
        self.before_the_end: Callable[[], object] = lambda: None

    @property
    def ledger(self) -> list[str]:
        file = self.place / "ledger.txt"
        return file.read_text().split() if file.exists() else []

    def app(self) -> App:
        @tool(approval=True, secrets=["password"])
        async def send(item: str, password: str) -> str:
            with (self.place / "ledger.txt").open("a") as file:
                file.write(f"{item}\n")
            self.before_the_end()
            return self.result

        async def agent(ctx: AgentContext) -> None:
            try:
                said = await ctx.call(send, item="one", password="hunter2secret")
                await ctx.say(f"It came back with {len(str(said))} characters.")
            except Exception as exc:
                await ctx.say(f"Never mind: {exc}")

        return App(agent, tools=[send])


@asynccontextmanager
async def running(world: World, data: Path) -> AsyncIterator[Engine]:
    engine = world.app().engine(data, EngineSettings(sweep_seconds=0.1, grace_seconds=0.0))
    await engine.start()
    try:
        yield engine
    finally:
        await engine.stop()


async def approved(engine: Engine) -> str:
    """A chat whose call a person has approved."""
    chat = (await engine.create_chat("default")).id
    await engine.post_message("default", chat, content="go", client_message_id="m1")
    view = await until(engine, chat, lambda view: bool(cards(view)))
    await engine.answer("default", cards(view)[0], {"decision": "approve"}, key="k", by="ana")
    return chat


def cards(view: ChatView) -> list[str]:
    return [m.event_id for m in view.messages if m.is_pending]


async def until(engine: Engine, chat: str, wanted: Callable[[ChatView], bool]) -> ChatView:
    async with asyncio.timeout(GUARD_SECONDS):
        while True:
            view = await engine.store.load_view("default", chat)
            assert view is not None
            if wanted(view):
                return view
            await asyncio.sleep(0.01)


def is_final(view: ChatView) -> bool:
    return view.run is not None and view.run.status in ("completed", "failed", "cancelled")


def effects(data: Path) -> list[str]:
    with closing(sqlite3.connect(data / "sayso.db", timeout=30)) as db:
        return [state for (state,) in db.execute("SELECT state FROM effect")]


def end_lease(data: Path) -> None:
    """Whoever gave the run up has it no longer."""
    with closing(sqlite3.connect(data / "sayso.db", timeout=30)) as db, db:
        db.execute("UPDATE run SET lease_until = 0 WHERE state = 'running'")


def _told(view: ChatView) -> list[str]:
    return [message.content for message in view.messages if message.role == "assistant"]


async def test_another_program_holds_the_database_while_a_tool_ends(tmp_path: Path):
    world = World(tmp_path)
    holder = sqlite3.connect(tmp_path / "sayso.db", isolation_level=None, check_same_thread=False)
    world.before_the_end = lambda: holder.execute("BEGIN IMMEDIATE")
    with closing(holder):
        async with running(world, tmp_path) as engine:
            chat = await approved(engine)
            async with asyncio.timeout(GUARD_SECONDS):
                # Until the store has said that it cannot: five seconds, or what they become.
                while not engine.runtime.effect_writer.unwritten:  # noqa: ASYNC110  # another thread's
                    await asyncio.sleep(0.02)
            view = await engine.store.load_view("default", chat)
            assert view is not None
            assert not is_final(view), "a run may not end before how its call ended is written"
            holder.execute("ROLLBACK")
            async with asyncio.timeout(GUARD_SECONDS):
                while engine.runtime.effect_writer.unwritten:  # noqa: ASYNC110  # another thread's
                    await asyncio.sleep(0.02)
            assert effects(tmp_path) == ["done"]
            end_lease(tmp_path)
            view = await until(engine, chat, is_final)
    assert view.run is not None
    assert view.run.status == "completed"
    assert _told(view)[-1] == "It came back with 4 characters.", (
        "no error of ours came to the agent"
    )
    assert world.ledger == ["one"]
    assert [call.status.value for call in view.tool_calls] == ["done"]


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A disk of a few megabytes, in memory."""
    place = tempfile.mkdtemp()
    mount = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", place]
    try:
        made = subprocess.run(mount, capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount here")
    if made.returncode:
        pytest.skip(f"no disk of its own may be mounted here: {made.stderr.decode().strip()}")
    try:
        yield Path(place)
    finally:
        subprocess.run(["umount", "-l", place], capture_output=True, check=True)
        os.rmdir(place)


def fill(disk: Path, leave_bytes: int) -> None:
    """A file that leaves only this much."""
    free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_bsize
    (disk / "ballast").write_bytes(b"x" * max(free - leave_bytes, 0))


async def test_the_disk_is_full_when_a_tool_ends(small_disk: Path, tmp_path: Path):
    world = World(tmp_path)
    world.result = "x" * 400_000
    world.before_the_end = lambda: fill(small_disk, 64_000)
    async with running(world, small_disk) as engine:
        chat = await approved(engine)
        async with asyncio.timeout(GUARD_SECONDS):
            while not engine.runtime.effect_writer.unwritten:  # noqa: ASYNC110  # another thread's
                await asyncio.sleep(0.02)
        view = await engine.store.load_view("default", chat)
        assert view is not None
        assert not is_final(view), "a run may not end before how its call ended is written"
        (small_disk / "ballast").unlink()
        async with asyncio.timeout(GUARD_SECONDS):
            while engine.runtime.effect_writer.unwritten:  # noqa: ASYNC110  # another thread's
                await asyncio.sleep(0.02)
        assert effects(small_disk) == ["done"]
        end_lease(small_disk)
        view = await until(engine, chat, is_final)
    assert _told(view)[-1] == "It came back with 400000 characters."
    assert world.ledger == ["one"]


async def test_a_disk_that_stays_full_is_asked_about_and_told_at_the_end(
    small_disk: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    """What fits is written: that nobody knows. What does not fit is told where it can be told."""
    world = World(tmp_path)
    world.result = "hunter2secret and " + "x" * 900_000
    world.before_the_end = lambda: fill(small_disk, 400_000)
    async with running(world, small_disk) as engine:
        chat = await approved(engine)
        async with asyncio.timeout(GUARD_SECONDS):
            while not engine.runtime.effect_writer.unwritten:  # noqa: ASYNC110  # another thread's
                await asyncio.sleep(0.02)
        end_lease(small_disk)
        view = await until(engine, chat, lambda view: is_final(view) or bool(cards(view)))
        assert not is_final(view)
        card = await engine.store.interaction("default", cards(view)[0])
        assert card is not None
        assert card.card.card.value == "uncertain_effect"
    lines = capfd.readouterr().err.splitlines()
    told = [json.loads(line) for line in lines if line.startswith('{"app_id"')]
    assert [(each["tool_name"], each["state"], each["chat_id"]) for each in told] == [
        ("send", "done", chat)
    ]
    assert str(told[0]["result"]).endswith("x" * 900_000), "told in full"
    assert "hunter2secret" not in "\n".join(lines)
    (small_disk / "ballast").unlink()
    assert effects(small_disk) == ["uncertain"]
