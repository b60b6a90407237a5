"""What a running segment leaves behind: every line fenced, in order, told to the clients after its
commit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from sayso.core.chunks import TaskChunkType, TaskStreamChunk
from sayso.core.digest import JsonObject
from sayso.core.effects import EffectEnd, EffectStart
from sayso.core.errors import LeaseLost
from sayso.core.events import EventData, ProgressMade
from sayso.core.feed import Frame
from sayso.core.ports import Store
from sayso.core.sessions import SavedState
from sayso.core.transactions import Fence, Settled
from sayso.engine.text import TextWriter


class StoreRecorder:
    """The engine's Recorder: closes the open text before any other event, and checks the lease
    before each effect.

    `told` publishes what was committed; `deadline` is the moment of `time.monotonic()` after which
    this process no longer trusts its own lease.
    """

    def __init__(
        self,
        store: Store,
        fence: Fence,
        writer: TextWriter,
        *,
        told: Callable[[Settled | Sequence[Frame]], None],
        deadline: Callable[[], float],
    ) -> None:
        self._store, self._fence, self._writer = store, fence, writer
        self._told, self._deadline = told, deadline

    async def take(self, chunk: TaskStreamChunk) -> None:
        """One chunk of the adapter's stream: text is written, progress is shown, the rest comes as
        events."""
        if chunk.chunk_type is TaskChunkType.RESPONSE and isinstance(chunk.content, str):
            speaker = chunk.metadata.get("agent_name")
            agent = speaker if isinstance(speaker, str) else None
            if not self._writer.goes_on_for(agent):
                await self.show()  # what another agent says is a message of its own
            self._writer.say(chunk.content, agent)
        elif chunk.chunk_type is TaskChunkType.PROGRESS and isinstance(chunk.content, dict):
            await self.show(ProgressMade.model_validate(chunk.content))

    async def show(self, *events: EventData) -> None:
        with self.closing() as closing:
            lines = [*closing, *events]
            if lines:
                self._told(await self._store.record(self._fence, lines))

    async def start_effect(self, start: EffectStart, saved: SavedState | None) -> None:
        await self.show()
        self._trust_lease()
        self._told(await self._store.start_effect(self._fence, start, saved))
        # A process that was stopped during the commit must not act on a lease that is over.
        self._trust_lease()

    def describe(self, metadata: JsonObject) -> None:
        self._writer.metadata = metadata

    async def requirements(self) -> JsonObject | None:
        return await self._store.requirements(self._fence.app_id, self._fence.chat_id)

    async def change_requirements(self, requirements: JsonObject) -> None:
        await self.show()
        fence = self._fence
        self._told(
            await self._store.change_requirements(
                fence.app_id, fence.chat_id, requirements, by=None, fence=fence
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
        fence = self._fence
        self._told(await self._store.end_effect(fence, key, attempt, end, events, saved=saved))

    @contextmanager
    def closing(self) -> Iterator[list[EventData]]:
        """The open text as the message that closes it, for the transaction in the block, which
        writes the next event."""
        with self._writer.closing() as messages:
            yield [*messages]

    def _trust_lease(self) -> None:
        if time.monotonic() >= self._deadline():
            raise LeaseLost(
                f"The lease on run '{self._fence.run_id}' may be over; nothing was done."
            )
