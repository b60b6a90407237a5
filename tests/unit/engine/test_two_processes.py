"""Two processes on one file: who leads when one ends, and what each hears of the other's work."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from sayso import AgentContext, App
from sayso.core.sessions import RunState
from sayso.core.store_results import Lease
from sayso.engine.background import WrittenElsewhere
from sayso.engine.chat_cursor import ChatCursor
from sayso.engine.engine import Engine
from sayso.engine.runtime import EngineSettings
from sayso.feed import LocalFeed
from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock
from tests.contract.store.story import APP, Story, text

#: Nothing here takes this long; it only ends a test that hangs.
GUARD_SECONDS = 120


async def greet(ctx: AgentContext) -> None:
    await ctx.say("Hello.")


@pytest.fixture
async def other(tmp_path: Path) -> AsyncIterator[SqlStore]:
    """The store of another process, on the same file."""
    store = SqlStore.sqlite(tmp_path / "sayso.db")
    await store.open()
    yield store
    await store.close()


async def test_a_server_that_started_beside_another_leads_once_that_one_has_ended(
    tmp_path: Path, other: SqlStore
):
    """As in a deploy: what the old one leaves is not left to lie until its lease is over."""
    assert other.hold_worker_role()
    story = Story(other, FakeClock())
    left = await story.begin(lease=Lease("lock:old", 3600.0, frozenset({"desk"})))
    app = App({"desk": greet})
    engine = app.engine(tmp_path, EngineSettings(own_thread=False, sweep_seconds=0.01))
    await engine.start()
    try:
        assert engine.health["leads"] is False
        await other.close()
        with ChatCursor(engine, APP, left.fence.chat_id) as cursor:
            async with asyncio.timeout(GUARD_SECONDS):
                while await state_of(engine, left.fence.run_id) is not RunState.COMPLETED:
                    await cursor.next()
        assert engine.health["leads"] is True
    finally:
        await engine.stop()


async def state_of(engine: Engine, run_id: str) -> RunState | None:
    run = await engine.store.run(APP, run_id)
    return run.state if run is not None else None


async def test_a_renewal_names_the_owner_that_its_process_has_become(other: SqlStore):
    """What it had claimed before it led goes over to the next leader at once, like the rest."""
    before = Lease("lease:one", 30.0, frozenset({"desk"}))
    fence = (await Story(other, FakeClock()).begin(lease=before)).fence
    heir = replace(before, owner="lock:two")
    assert await other.claim_due(heir, limit=9, not_mine=[], at_once=True) == []
    assert other.renew_blocking("lock:one", [fence], 30.0) == {fence.run_id}
    taken = await other.claim_due(heir, limit=9, not_mine=[], at_once=True)
    assert [claimed.fence.run_id for claimed in taken] == [fence.run_id]


@pytest.mark.parametrize("set_by", [0, 3, -3])
async def test_what_another_process_writes_is_told_once_whatever_the_clock_is_set_to(
    tmp_path: Path, set_by: int
):
    clock, feed = FakeClock(), LocalFeed()
    here, there = (SqlStore.sqlite(tmp_path / "sayso.db", clock=clock) for _ in range(2))
    await here.open()
    await there.open()
    try:
        story = Story(there, clock)
        quiet, chat = await story.begin(), await story.begin()
        watch = WrittenElsewhere(here, clock, feed=feed)
        await watch.run_once()
        everything = feed.subscribe(APP)
        clock.advance(minutes=5)
        await watch.run_once()
        assert everything.drain() == []

        await Story(here, clock).begin()
        await watch.run_once()
        assert everything.drain() == [], "its own commits are told by who made them"

        clock.set_by(hours=set_by)
        clock.advance(seconds=1)
        await there.record(chat.fence, [text(f"t{n}", "Hello", chat.fence.run_id) for n in "ab"])
        clock.advance(seconds=1)
        await watch.run_once()
        last = (await there.events_after(APP, chat.fence.chat_id, 0))[-1]
        told = [frame for frame in everything.drain() if frame.chat_id == chat.fence.chat_id]
        assert told == [last]
        await there.record(quiet.fence, [text("t", "Hello", quiet.fence.run_id)])
        await watch.run_once()
        assert [frame.chat_id for frame in everything.drain()] == [quiet.fence.chat_id]
    finally:
        await here.close()
        await there.close()


async def test_a_store_in_memory_has_no_others():
    store = SqlStore.in_memory()
    await store.open()
    await Story(store, FakeClock()).begin()
    assert not await store.others_wrote()
    await store.close()
