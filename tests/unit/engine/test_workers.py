"""A worker owns every segment it began until that has ended."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator

from sayso.core.errors import AgentStuck
from sayso.core.segments import (
    Capabilities,
    Failed,
    Recorder,
    ResumePolicy,
    SegmentEnd,
    SegmentStart,
)
from sayso.core.tasks import TaskStreamChunk
from sayso.engine.agent_registry import AgentRegistry
from sayso.engine.effect_writer import EffectWriter
from sayso.engine.segment import SegmentContext
from sayso.engine.text_stream import TextBuffer
from sayso.engine.workers import Worker
from sayso.feed.local import LocalFeed
from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock
from tests.contract.store.story import Story


class Stuck:
    """An agent that waits for something which only it knows of."""

    name = adapter_name = "desk"
    capabilities, tool_names = Capabilities(resume=ResumePolicy.EACH), ()

    def __init__(self) -> None:
        self.tasks: list[weakref.ref[asyncio.Task[object]]] = []
        self.entered = asyncio.Queue[None]()
        self.cancelled = 0

    async def run_segment(
        self, start: SegmentStart, recorder: Recorder
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        task = asyncio.current_task()
        assert task is not None
        self.tasks.append(weakref.ref(task))
        self.entered.put_nowait(None)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        yield Failed(error=AgentStuck("It came to an end."))

    async def finish_late(self) -> None: ...


async def test_a_segment_whose_run_went_on_lives_until_it_ends_and_ends_with_its_worker() -> None:
    """A loop keeps no task alive by itself: one that is forgotten is collected in mid-air."""
    clock, agent = FakeClock(), Stuck()
    store = SqlStore.in_memory(clock=clock)
    await store.open()
    claimed = await Story(store, clock).begin()
    worker = a_worker(store, clock, agent)
    running = asyncio.create_task(worker.run())
    await asyncio.sleep(0)

    worker.start(claimed)
    await agent.entered.get()
    worker.start(claimed)
    await agent.entered.get()
    gc.collect()
    assert all(task() is not None for task in agent.tasks)

    worker.stop()
    await running
    assert agent.cancelled == 2
    await store.close()


def a_worker(store: SqlStore, clock: FakeClock, agent: Stuck) -> Worker:
    context = SegmentContext(
        store=store,
        feed=LocalFeed(),
        clock=clock,
        texts=TextBuffer(store),
        effect_writer=EffectWriter(store, on_commit=lambda app_id, outcome: None),
        on_commit=lambda app_id, outcome: None,
        lease=lambda: None,
        yield_cpu=lambda: None,
        most_takeovers=1,
    )
    agents = AgentRegistry({"desk": agent})
    return Worker(agents, context, trusted_seconds=60, on_segment_end=lambda: None)
