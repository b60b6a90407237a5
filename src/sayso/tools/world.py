"""The world of one segment's tools: what the segment started from, and the only ways to leave
something behind."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field

from sayso.clock import SystemClock
from sayso.core.children import ChildEnd
from sayso.core.digest import JsonObject
from sayso.core.effects import Effect, EffectEnd, EffectStart
from sayso.core.errors import GrantVoid, VersionConflict
from sayso.core.events import EventData
from sayso.core.ids import derived_id
from sayso.core.interactions import Interaction
from sayso.core.ports import Clock
from sayso.core.requirements import used_up
from sayso.core.segments import Recorder, SegmentStart
from sayso.core.sessions import Run, SavedState
from sayso.tools.journal import Journal
from sayso.tools.masking import Secrets

log = logging.getLogger("sayso.tools")


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
    #: A body has changed what `checkpoint` gives; it is saved with the body's end.
    changed: bool = False
    #: Waits until the text said so far has left the adapter, so that events keep their order.
    drain: Callable[[], Awaitable[None]] = _nothing
    say: Callable[[str], Awaitable[None]] = _no_text
    #: Effects as they stand now: those of the start, then what this segment did.
    effects: dict[str, Effect] = field(default_factory=dict)
    #: What this segment's calls were given of secrets.
    secrets: Secrets = field(default_factory=Secrets)
    #: What the chat's row says of its requirements, as far as this segment knows.
    kept: JsonObject | None = None

    def __post_init__(self) -> None:
        self.effects = dict(self.start.effects)
        self.kept = self.start.requirements

    @property
    def run(self) -> Run:
        return self.start.run

    def answer(self, call_key: str) -> Interaction | None:
        """The settled interaction of this moment, if there is one."""
        return self.start.answers.get(call_key)

    def child(self, call_key: str) -> ChildEnd | None:
        """How the child run of this call ended; None before it has."""
        return self.start.children.get(call_key)

    def call_id(self, call_key: str) -> str:
        """The id under which a chat shows this call: unique even where a model repeats its own
        ids."""
        return derived_id(self.run.id, call_key)

    async def show(self, *events: EventData) -> None:
        await self.drain()
        await self.recorder.show(*events)

    async def change_requirements(self, changed: JsonObject) -> None:
        """Write their next version. Raises VersionConflict; `kept` is then what is there now."""
        await self.drain()
        try:
            await self.recorder.change_requirements(changed)
        except VersionConflict:
            self.kept = await self.recorder.requirements()
            raise
        self.kept = changed

    async def start_effect(self, start: EffectStart) -> None:
        await self.drain()
        try:
            await self.recorder.start_effect(start, self._to_save())
        except GrantVoid:
            self.kept = await self.recorder.requirements()
            raise
        if start.grant is not None:
            self.kept = used_up(self.kept, start.grant.grant_id, start.grant.value_hash)
        self.effects[start.key] = Effect.started(start, at=self.clock.now())

    async def end_effect(self, effect: Effect, end: EffectEnd, *events: EventData) -> None:
        saved = self._to_save() if self.changed else None
        await self.recorder.end_effect(effect.key, effect.attempt, end, *events, saved=saved)
        self.effects[effect.key] = effect.ended(end, at=self.clock.now())

    def _to_save(self) -> SavedState | None:
        self.changed = False
        return self.checkpoint()
