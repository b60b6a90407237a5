"""The world of one segment's tools: what the segment started from, and the only ways to leave
something behind."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from datetime import UTC, datetime

from sayso.core.effects import Effect, EffectEnd, EffectState
from sayso.core.events import EventData
from sayso.core.ids import derived_id, uuid7
from sayso.core.interactions import Interaction
from sayso.core.ports import Clock
from sayso.core.segments import EffectStart, Recorder, SegmentStart
from sayso.core.sessions import Run, SavedState
from sayso.tools.journal import Journal

log = logging.getLogger("sayso.tools")


class SystemClock:
    """The time of this machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def new_id(self) -> str:
        return uuid7(self.now(), os.urandom(10))


class Stragglers:
    """Owns the threads of cancelled segments until their true results are recorded."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def adopt(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    async def wait(self) -> None:
        """Until all of them have ended (for shutdown, and for tests)."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("a result came too late and was lost", exc_info=task.exception())


async def _nothing() -> None:
    return None


async def _no_text(text: str) -> None:
    raise RuntimeError("this tool runs where no text can be said")


@dataclass(slots=True, kw_only=True)
class World:
    start: SegmentStart
    recorder: Recorder
    journal: Journal
    agent_name: str
    clock: Clock = field(default_factory=SystemClock)
    stragglers: Stragglers = field(default_factory=Stragglers)
    #: The state to go on from at this moment, or None where the adapter has nothing newer.
    checkpoint: Callable[[], SavedState | None] = lambda: None
    #: Waits until the text said so far has left the adapter, so that events keep their order.
    drain: Callable[[], Awaitable[None]] = _nothing
    say: Callable[[str], Awaitable[None]] = _no_text
    #: Effects as they stand now: those of the start, then what this segment did.
    effects: dict[str, Effect] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.effects = dict(self.start.effects)

    @property
    def run(self) -> Run:
        return self.start.run

    def answer(self, call_key: str) -> Interaction | None:
        """The settled interaction of this moment, if there is one."""
        return self.start.answers.get(call_key)

    def call_id(self, call_key: str) -> str:
        """The id under which a chat shows this call: unique even where a model repeats its own
        ids."""
        return derived_id(self.run.id, call_key)

    async def show(self, *events: EventData) -> None:
        await self.drain()
        await self.recorder.show(*events)

    async def start_effect(self, start: EffectStart) -> None:
        await self.drain()
        await self.recorder.start_effect(start, self.checkpoint())
        self.effects[start.key] = Effect(
            key=start.key,
            attempt=start.attempt,
            state=EffectState.STARTED,
            tool_name=start.tool_name,
            arguments=start.arguments,
            started_at=self.clock.now(),
            shown_digest=start.shown_digest,
            executed_digest=start.executed_digest,
        )

    async def end_effect(self, effect: Effect, end: EffectEnd, *events: EventData) -> None:
        await self.recorder.end_effect(effect.key, effect.attempt, end, *events)
        self.effects[effect.key] = Effect(
            key=effect.key,
            attempt=effect.attempt,
            state=end.state,
            tool_name=effect.tool_name,
            arguments=effect.arguments,
            started_at=effect.started_at,
            ended_at=self.clock.now(),
            result=end.result,
            error=end.error,
            shown_digest=effect.shown_digest,
            executed_digest=effect.executed_digest,
        )
