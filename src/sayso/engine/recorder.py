"""Records what a running segment does: every line fenced, in order, published after its commit.

What the store does not take ends the segment: its error is nothing that an agent's code could
handle, and nothing may be written after what is missing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from sayso.clock import elapsed
from sayso.core.digest import JsonObject
from sayso.core.effects import NEVER_BEGAN, Effect, EffectEnd, EffectStart, EffectState
from sayso.core.errors import Critical, LeaseLost, StoreBusy
from sayso.core.events import EventData, ProgressMade, ToolCallStatus, ToolReturned
from sayso.core.feed import Frame
from sayso.core.ports import Store
from sayso.core.requirements import SpokenYes
from sayso.core.segments import GivenUp
from sayso.core.sessions import SavedState
from sayso.core.standing_rules import StandingRule
from sayso.core.store_results import Fence, Settled
from sayso.core.tasks import TaskChunkType, TaskStreamChunk, UniversalMessage
from sayso.core.usage import ModelCall
from sayso.engine.effect_writer import CallEnd, EffectWriter
from sayso.engine.text_stream import TextWriter

#: How a store says that it cannot write now. Other errors are about what was to be written.
STORE_REFUSALS = (StoreBusy, Critical)


class StoreRecorder:
    """The engine's Recorder: closes the open text before any other event, and checks the lease
    before each effect.

    `on_commit` publishes what was committed; `deadline` is the moment of `elapsed()` after which
    this process no longer trusts its own lease.
    """

    def __init__(
        self,
        store: Store,
        fence: Fence,
        writer: TextWriter,
        effect_writer: EffectWriter,
        *,
        on_commit: Callable[[Settled | Sequence[Frame]], None],
        deadline: Callable[[], float],
    ) -> None:
        self._store, self._fence, self._writer = store, fence, writer
        self._effect_writer = effect_writer
        self._on_commit, self._deadline = on_commit, deadline
        self._refused: Exception | None = None
        self._names: dict[str, str] = {}
        #: Whether the segment has left anything in its chat but text that is still open.
        self.got_further = False
        #: What the models of the segment were asked for.
        self.usage: list[ModelCall] = []

    def raise_refused(self) -> None:
        """Raise GivenUp if the store has refused something of this segment, whatever its agent has
        made of that."""
        if self._refused is not None:
            raise GivenUp(self._refused)

    async def take(self, chunk: TaskStreamChunk) -> None:
        """Record one chunk of the adapter's stream: text and progress. The rest comes as events."""
        if chunk.chunk_type is TaskChunkType.RESPONSE and isinstance(chunk.content, str):
            speaker = chunk.metadata.get("agent_name")
            agent = speaker if isinstance(speaker, str) else None
            if not self._writer.continues(agent):
                await self.show()  # what another agent says is a message of its own
            self._writer.say(chunk.content, agent)
        elif chunk.chunk_type is TaskChunkType.PROGRESS and isinstance(chunk.content, dict):
            await self.show(ProgressMade.model_validate(chunk.content))

    async def show(self, *events: EventData) -> None:
        with self._writing(), self.closing() as closing:
            lines = [*closing, *events]
            if lines:
                self.got_further = True
                self._on_commit(await self._store.record(self._fence, lines))

    async def keep(self, content: bytes) -> str:
        with self._writing():
            return await self._store.keep_content(self._fence.app_id, content)

    async def history(self, at: int) -> Sequence[UniversalMessage]:
        fence = self._fence
        return await self._store.history(fence.app_id, fence.chat_id, fence.run_id, at)

    async def start_effect(self, start: EffectStart, saved: SavedState | None) -> None:
        await self.show()
        self._check_lease()
        self._names[start.key] = start.tool_name
        starting = asyncio.ensure_future(self._store.start_effect(self._fence, start, saved))
        try:
            with self._writing():
                self._on_commit(await asyncio.shield(starting))
        except asyncio.CancelledError:
            starting.add_done_callback(lambda done: self._on_start_cancelled(start, done))
            raise
        try:
            # A process that was stopped during the commit must not act on a lease that is over.
            self._check_lease()
        except LeaseLost:
            self._effect_writer.keep(self._never_began(start))
            raise

    async def effect_under(self, business_key: str) -> Effect | None:
        return await self._store.effect_under(self._fence.app_id, business_key)

    async def standing_rules(self) -> Sequence[StandingRule]:
        return await self._store.rules_in_force(self._fence.app_id)

    def used(self, call: ModelCall) -> None:
        self.usage.append(call)

    def describe(self, metadata: JsonObject) -> None:
        merged = {**self._writer.metadata, **metadata}
        self._writer.metadata = {name: it for name, it in merged.items() if it is not None}

    @property
    def metadata(self) -> JsonObject:
        """What a card carries of it: all but what was said in words of its own."""
        return {name: value for name, value in self._writer.metadata.items() if name != "said"}

    async def requirements(self) -> JsonObject | None:
        with self._writing():
            return await self._store.requirements(self._fence.app_id, self._fence.chat_id)

    async def change_requirements(
        self, requirements: JsonObject, yes: SpokenYes | None = None
    ) -> None:
        await self.show()
        fence = self._fence
        with self._writing():
            self._on_commit(
                await self._store.change_requirements(
                    fence.app_id, fence.chat_id, requirements, by=None, fence=fence, yes=yes
                )
            )

    async def end_effect(
        self,
        key: str,
        attempt: int,
        end: EffectEnd,
        *events: EventData,
        saved: SavedState | None = None,
    ) -> None:
        ended = CallEnd(
            fence=self._fence,
            key=key,
            attempt=attempt,
            end=end,
            events=events,
            saved=saved,
            tool_name=self._names.get(key),
        )
        if self._refused is not None:
            self._effect_writer.keep(ended)
            raise GivenUp(self._refused)
        try:
            await self._effect_writer.write(ended)
        except Exception as exc:
            # The tool has done what it has done: what the store says to that is not the agent's.
            self._refused = exc
            raise GivenUp(exc) from exc

    def _on_start_cancelled(
        self, start: EffectStart, starting: asyncio.Future[Sequence[Frame]]
    ) -> None:
        """Record that the call never began, if its start was committed although its segment was
        cancelled."""
        if not starting.cancelled() and starting.exception() is None:
            self._on_commit(starting.result())
            self._effect_writer.keep(self._never_began(start))

    def _never_began(self, start: EffectStart) -> CallEnd:
        events: list[EventData] = []
        if start.tool_call_id is not None:
            status = ToolCallStatus.NOT_EXECUTED
            events = [
                ToolReturned(tool_call_id=start.tool_call_id, status=status, error=NEVER_BEGAN)
            ]
        return CallEnd(
            fence=self._fence,
            key=start.key,
            attempt=start.attempt,
            end=EffectEnd(state=EffectState.NOT_EXECUTED, error=NEVER_BEGAN),
            events=events,
            tool_name=start.tool_name,
        )

    @contextmanager
    def closing(self) -> Iterator[list[EventData]]:
        """Yield the open text as the message that closes it. The block writes it, with the event
        that comes next."""
        with self._writer.closing() as messages:
            yield [*messages]

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self.raise_refused()
        try:
            yield
        except STORE_REFUSALS as exc:
            self._refused = exc
            raise GivenUp(exc) from exc

    def _check_lease(self) -> None:
        if elapsed() >= self._deadline():
            raise LeaseLost(
                f"The lease on run '{self._fence.run_id}' may be over; nothing was done."
            )
