"""The environment of one segment's tools: what the segment started from, and the only ways to leave
something behind."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace

from sayso.clock import SystemClock
from sayso.core.children import ChildEnd
from sayso.core.digest import JsonObject
from sayso.core.effects import Effect, EffectEnd, EffectStart
from sayso.core.errors import GrantVoid, VersionConflict
from sayso.core.events import EventData, ReasoningShown
from sayso.core.ids import derived_id
from sayso.core.interactions import Interaction
from sayso.core.ports import Clock
from sayso.core.requirements import used_up
from sayso.core.segments import Recorder, SegmentStart
from sayso.core.sessions import Run, SavedState
from sayso.core.tasks import UniversalMessage
from sayso.core.usage import ModelCall
from sayso.tools.journal import Journal
from sayso.tools.masking import Secrets
from sayso.tools.threads import DetachedThreads, Threads

#: How much of what a model thinks before one reply is shown: some think for pages.
LONGEST_REASONING = 8_000

log = logging.getLogger("sayso.tools")


async def _nothing() -> None:
    return None


def _never() -> bool:
    return False


async def _no_text(text: str) -> None:
    raise RuntimeError("this tool runs where no text can be said")


@dataclass(slots=True, kw_only=True)
class SegmentEnv:
    start: SegmentStart
    recorder: Recorder
    journal: Journal
    agent_name: str
    clock: Clock = field(default_factory=SystemClock)
    detached_threads: DetachedThreads = field(default_factory=DetachedThreads)
    threads: Threads = field(default_factory=Threads)
    #: The state to go on from at this moment, or None where the adapter has nothing newer.
    checkpoint: Callable[[], SavedState | None] = lambda: None
    #: A body has changed what `checkpoint` gives; it is saved with the body's end.
    changed: bool = False
    #: Waits until the text said so far has left the adapter, so that events keep their order.
    flush_text: Callable[[], Awaitable[None]] = _nothing
    say: Callable[[str], Awaitable[None]] = _no_text
    #: Whether the segment itself is being taken down.
    is_stopping: Callable[[], bool] = _never
    #: Whether the chat tells what models think.
    shows_reasoning: bool = False
    #: The chat before this task, where the adapter has asked for it.
    history: Sequence[UniversalMessage] = ()
    #: How often a model has replied in this segment.
    model_calls: int = 0
    #: Effects as they stand now: those of the start, then what this segment did.
    effects: dict[str, Effect] = field(default_factory=dict)
    #: The secrets in the arguments of this segment's calls.
    secrets: Secrets = field(default_factory=Secrets)
    #: The requirements in the chat's row, as far as this segment knows.
    requirements: JsonObject | None = None

    def __post_init__(self) -> None:
        self.effects = dict(self.start.effects)
        self.requirements = self.start.requirements

    @property
    def run(self) -> Run:
        return self.start.run

    def answer(self, call_key: str) -> Interaction | None:
        """Return the settled interaction of this moment, if there is one."""
        return self.start.answers.get(call_key)

    def child(self, call_key: str) -> ChildEnd | None:
        """Return how the child run of this call ended; None before it has."""
        return self.start.children.get(call_key)

    @property
    def round(self) -> int:
        """How many calls of a model this run has come to, from 1."""
        return max(1, sum(call.calls for call in self.run.model_calls) + self.model_calls)

    def call_id(self, call_key: str) -> str:
        """Return the id under which a chat shows this call: unique even where a model repeats its
        own ids."""
        return derived_id(self.run.id, call_key)

    def thread_slot(self) -> AbstractAsyncContextManager[None]:
        """Hold a slot for a plain function that runs in a thread."""
        return self.threads.slot(self.run.chat_id)

    async def show(self, *events: EventData) -> None:
        await self.flush_text()
        await self.recorder.show(*events)

    async def model_replied(
        self, call: ModelCall | None, reasoning: str = "", agent_name: str | None = None
    ) -> None:
        """Count a call of a model, where its framework tells what it took; and show what the model
        thought, where the application shows that."""
        self.model_calls += 1
        if call is not None:
            self.recorder.used(call)
        words = self.secrets.text(reasoning.strip()) if self.shows_reasoning else ""
        if words:
            await self.show(
                ReasoningShown(
                    run_id=self.run.id,
                    text=words[:LONGEST_REASONING],
                    agent_name=agent_name or self.agent_name,
                    characters=len(words),
                )
            )

    async def change_requirements(self, changed: JsonObject) -> None:
        """Write the next version of the requirements. Raises VersionConflict; `requirements` is
        then what is there now."""
        await self.flush_text()
        try:
            await self.recorder.change_requirements(changed)
        except VersionConflict:
            self.requirements = await self.recorder.requirements()
            raise
        self.requirements = changed

    async def start_effect(self, start: EffectStart) -> None:
        await self.flush_text()
        try:
            await self.recorder.start_effect(start, self._to_save())
        except GrantVoid:
            self.requirements = await self.recorder.requirements()
            raise
        if start.grant is not None:
            self.requirements = used_up(
                self.requirements, start.grant.grant_id, start.grant.value_hash
            )
        self.effects[start.key] = Effect.started(start, at=self.clock.now())

    async def end_effect(self, effect: Effect, end: EffectEnd, *events: EventData) -> None:
        saved = self._to_save() if self.changed else None
        await self.recorder.end_effect(effect.key, effect.attempt, end, *events, saved=saved)
        self.effects[effect.key] = effect.ended(end, at=self.clock.now())

    def forget_within(self, scope: str) -> None:
        """Forget what the steps of this scope were told the last time: the call is run again."""
        for key in [key for key in self.journal.results if key.startswith(scope)]:
            del self.journal.results[key]
        for key, effect in self.effects.items():
            if key.startswith(scope) and effect.is_told:
                self.effects[key] = replace(effect, result=None)

    def _to_save(self) -> SavedState | None:
        self.changed = False
        return self.checkpoint()
