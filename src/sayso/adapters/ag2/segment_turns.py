"""What all turns of one segment share: the agents' tools, the calls that wait, and the record of
what nested agents' models and tools have said."""

from __future__ import annotations

from collections.abc import Awaitable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from ag2 import MemoryStream
from ag2.annotations import Context
from ag2.context import Stream, StreamId
from ag2.events import (
    BaseEvent,
    DataInput,
    ModelMessageChunk,
    ModelReasoning,
    ModelResponse,
    ToolCallEvent,
    ToolCallsEvent,
    ToolResultEvent,
)
from ag2.exceptions import HumanInputError
from ag2.tools.tool import Tool
from pydantic import JsonValue

from sayso.adapters.ag2.call_batch import CallOrder
from sayso.adapters.ag2.state import (
    CODEC,
    Ag2State,
    Storage,
    dump_event,
    dump_events,
    load_body,
    load_event,
    load_events,
)
from sayso.adapters.contract import Segment
from sayso.adapters.turn import Turn
from sayso.core.errors import ReplayDiverged
from sayso.core.usage import ModelCall
from sayso.tools.calls import Returned


class Suspended(HumanInputError):
    """Ends a turn: it waits for a person, or something ended the segment."""


@dataclass
class TurnPlace:
    """Where a turn of an agent stands, and how often its model has replied in it."""

    path: str
    replies: int = 0
    #: A call of it waits for a person, or one waited before it began: its model is asked no more.
    #: Agents that run beside it go on to their own calls.
    waits: bool = False

    def key(self, call_id: str) -> str:
        """Return the key of a call. A model may repeat its own ids ("call_0") from reply to reply:
        the key counts them."""
        return f"{self.path}:{self.replies}:{call_id}"


class Ag2Turns(Turn[Ag2State]):
    """The turns of one segment of an agent of AG2."""

    paused: ClassVar[type[Exception]] = Suspended

    def __init__(self, segment: Segment) -> None:
        super().__init__(segment, Ag2State([]), None, lambda text, _: segment.env.say(text))
        self.name = segment.agent_name
        #: The agents' own tools by name, and those of them that pass tasks on.
        self.native: dict[str, Tool] = {}
        self.delegates: set[str] = set()
        self.written_by = CODEC.written_by()
        self.storage = Storage()
        self.stream = MemoryStream(self.storage)
        self.stream.where(ModelMessageChunk).subscribe(self._say_chunk)
        self.stream.where(ModelReasoning).subscribe(self._hear_thought)
        #: What its model thinks before it replies.
        self._thought: list[str] = []
        #: The turn of the segment's own agent, its context, and the newest reply of its model.
        self.own: TurnPlace | None = None
        self.context: Context | None = None
        self.newest: ModelResponse | None = None
        #: How long the histories of streams were before the turns that are open.
        self._open: dict[StreamId, int] = {}
        #: Results of this segment as they came, and so with what JSON cannot say.
        self._fresh: dict[str, ToolResultEvent] = {}
        self._spoke = False
        #: The order of each batch, beside the calls it is of.
        self._orders: dict[StreamId, tuple[Sequence[ToolCallEvent], CallOrder]] = {}

    def begin(self, turn: TurnPlace, context: Context) -> None:
        """Begin the turn of the segment itself; its model may have replied in earlier segments."""
        turn.replies = self.state.replies
        self.own, self.context = turn, context

    @contextmanager
    def open_turn(self, stream: Stream) -> Iterator[None]:
        """Keep apart, while a turn is open, what its stream's history was before it."""
        self._open.setdefault(stream.id, len(self.storage.events.get(stream.id, ())))
        try:
            yield
        finally:
            if not self.is_over:
                self._open.pop(stream.id, None)

    def ended_history(self, stream_id: StreamId) -> Sequence[BaseEvent]:
        """Return a stream's history without a turn that is open: such a task begins anew."""
        events = self.storage.events.get(stream_id, [])
        return events[: self._open.get(stream_id, len(events))]

    # ── replies of models ──

    async def heard(self, reply: Awaitable[ModelResponse]) -> ModelResponse:
        """Say a reply of the segment's own model: its words as they come, or at its end."""
        self._spoke = False
        self.newest = response = await reply
        if not self._spoke:
            await self.say(response.content or "")
        self.state.results.clear()
        self._fresh.clear()
        return response

    async def replied(self, response: ModelResponse) -> None:
        """Tell what a reply took, and what the model thought before it."""
        used, thought = response.usage, "".join(self._thought)
        self._thought.clear()
        call = ModelCall(
            model=response.model,
            input_tokens=int(used.prompt_tokens or 0),
            output_tokens=int(used.completion_tokens or 0),
            cached_tokens=int(used.cache_read_input_tokens or 0),
            reasoning_tokens=int(used.thinking_tokens or 0),
        )
        await self.segment.env.model_replied(call if used else None, thought)

    async def _hear_thought(self, event: ModelReasoning) -> None:
        self._thought.append(event.content)

    async def _say_chunk(self, event: ModelMessageChunk) -> None:
        self._spoke = True
        await self.say(event.content)

    def recorded_reply(self, turn: TurnPlace, shape: int) -> ModelResponse | None:
        """Return what the model of a nested agent said before to its question of this number."""
        said = self.state.nested.get(turn.path, [])
        if turn.replies >= len(said):
            return None
        if said[turn.replies]["shape"] != shape:
            raise ReplayDiverged(
                f"The agent at {turn.path!r} asks its model another thing than before."
            )
        return load_body(ModelResponse, said[turn.replies]["reply"], self.written_by)

    def keep_reply(self, turn: TurnPlace, shape: int, reply: ModelResponse) -> None:
        kept = {"shape": shape, "reply": reply.to_dict()}
        self.state.nested.setdefault(turn.path, []).append(kept)

    def enqueued(self, turn: TurnPlace, found: Sequence[BaseEvent]) -> list[BaseEvent]:
        """Keep what was enqueued for a call of a nested agent's model; where nothing was, return
        what was kept before."""
        place = f"{turn.path}:{turn.replies}"
        if found:
            self.state.enqueued[place] = dump_events(found)
            return []
        return load_events(self.state.enqueued.get(place, ()), self.written_by)

    # ── batches of calls ──

    def batch_in(self, stream_id: StreamId) -> Sequence[ToolCallEvent]:
        """Return the newest batch of calls in this stream."""
        events = self.storage.events.get(stream_id, [])
        newest = next((e for e in reversed(events) if isinstance(e, ToolCallsEvent)), None)
        return newest.calls if newest is not None else ()

    def order_in(self, stream_id: StreamId) -> CallOrder:
        """Return the order of the newest batch, without calls of tools that are not there."""
        batch = self.batch_in(stream_id)
        known = self._orders.get(stream_id)
        if known is None or known[0] is not batch:
            there = [c.id for c in batch if c.name in self.ours or c.name in self.native]
            known = self._orders[stream_id] = (batch, CallOrder(there))
        return known[1]

    # ── results of tools ──

    def keep_event(
        self, key: str, event: ToolResultEvent, value: JsonValue, variables: Mapping[str, Any]
    ) -> None:
        self._fresh[key] = event
        self.state.results[key] = {
            "value": value,
            "event": dump_event(event),
            "variables": variables,
        }
        if variables or self.stream.pending_messages:
            self.segment.env.changed = True

    def kept_event(self, key: str, came: Returned, context: Context) -> ToolResultEvent | None:
        """Return the framework's own result, where nobody has changed anything about it. A body
        that does not run again has its variables set all the same."""
        kept = self.state.results.get(key)
        if kept is None:
            return None
        if key not in self._fresh:
            for name, value in kept["variables"].items():
                context.variables[name] = load_body(DataInput, value, self.written_by).data
        if came.notes or came.error is not None or kept["value"] != came.result:
            return None
        event = self._fresh.get(key) or load_event(kept["event"], self.written_by)
        assert isinstance(event, ToolResultEvent)
        return event
