"""One segment of an agent of AG2: its turn, from its message or from the batch of calls that it
goes on with."""

from __future__ import annotations

from collections.abc import Awaitable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from ag2 import Agent, MemoryStream
from ag2.annotations import Context
from ag2.context import Stream, StreamId
from ag2.events import (
    BaseEvent,
    DataInput,
    DrainedModelRequest,
    ModelMessageChunk,
    ModelRequest,
    ModelResponse,
    ToolCallsEvent,
    ToolNotFoundEvent,
    ToolResultEvent,
)
from ag2.tools.tool import Tool
from pydantic import JsonValue

from sayso.adapters.ag2.copies import copy_of
from sayso.adapters.ag2.gate import (
    BODY,
    Body,
    Gate,
    OurTools,
    Suspended,
    arguments_of,
    ask_person,
)
from sayso.adapters.ag2.saved import (
    Saved,
    Storage,
    as_events,
    dump_event,
    dump_events,
    dump_variables,
    load_body,
    load_event,
    load_events,
    written_by_now,
)
from sayso.adapters.base import Segment
from sayso.adapters.chats import after_turn, before, messages_of_people
from sayso.core.children import Request
from sayso.core.errors import NotSupportedError, ReplayDiverged
from sayso.core.segments import Cancelled, Completed, SegmentEnd, Waiting
from sayso.core.sessions import SavedState
from sayso.tools.call import Returned
from sayso.tools.pause import Pause, Stopped

#: Under this name the state is kept, and the adapter is known.
NAME = "ag2"


class Run:
    """One segment of an agent of AG2."""

    def __init__(self, segment: Segment) -> None:
        assert isinstance(segment.agent, Agent)
        self.segment = segment
        self.name = segment.agent_name
        self.toolbox = segment.toolbox
        self.ours = {tool.name: tool for tool in self.toolbox.tools}
        #: The agent's own tools by name, and those of them that pass tasks on.
        self.native: dict[str, Tool] = {}
        self.delegates: set[str] = set()
        #: The cards that this segment asked for, by their keys.
        self.requests: dict[str, Request] = {}
        #: What ended the segment itself (a lost lease): raised as it is.
        self.fatal: BaseException | None = None
        self.agent = copy_of(segment.agent, self, nested=False)
        self._storage = Storage()
        self._stream = MemoryStream(self._storage)
        self._open: dict[StreamId, int] = {}
        self._saved = Saved([])
        self._written_by = written_by_now()
        self._context: Context | None = None
        self._gate: Gate | None = None
        #: Results of this segment as they came, and so with what JSON cannot say.
        self._fresh: dict[str, ToolResultEvent] = {}
        #: The events that were loaded, with their rows; held, so that no other has their id.
        self._rows: dict[int, tuple[BaseEvent, Any]] = {}
        self._deps: Mapping[Any, Any] = {}
        self._spoke = False
        self._newest: ModelResponse | None = None

    async def to_its_end(self) -> SegmentEnd:
        resumes = self._begin()
        self.segment.world.checkpoint = self._state
        self._stream.where(ModelMessageChunk).subscribe(self._chunk)
        self._stream.where(ToolNotFoundEvent).subscribe(self._missed)
        self._deps = await self.given()
        body = Body("", self.segment.context)
        BODY.set(body)
        try:
            reply = await (self._resumed() if resumes else self._asked())
        except Pause as pause:  # asked outside of any tool: by a middleware of the agent
            self.requests.update({request.call_key: request for request in pause.requests})
            return self._waiting()
        except Exception:
            if isinstance(self.fatal, Stopped):
                return Cancelled(reason=self.fatal.reason)
            if self.fatal is not None:
                raise self.fatal from None
            if self.requests:
                return self._waiting()
            raise
        if body.pending:
            return self._waiting()
        heard = self._newest.content if self._newest is not None else None
        if reply.body and reply.body != heard:  # a tool's own words, which end the turn
            await self._say(reply.body)
        await self.segment.world.drain()
        return Completed(output=reply.body or "", memory=self._memory().dump())

    def _waiting(self) -> Waiting:
        return Waiting(saved=self._state(), requests=list(self.requests.values()))

    # ── from the saved state, and back ──

    def _begin(self) -> bool:
        """Restore the stream; whether a turn goes on."""
        segment, stream = self.segment, self._stream
        if segment.saved is not None:
            self._written_by = segment.saved.version
            self._saved = Saved.load(segment.saved.blob, self._written_by)
        elif segment.agent_state is not None:
            self._written_by = "this agent's memory"
            self._saved = Saved.load(segment.agent_state.blob, self._written_by)
        events = load_events(self._saved.events, self._written_by)
        # Each is written once: a long chat is not written anew at every turn.
        self._rows = {id(e): (e, r) for e, r in zip(events, self._saved.events, strict=True)}
        stream.pending_messages.extend(load_events(self._saved.pending, self._written_by))  # type: ignore[arg-type]
        for kept, told in self._saved.streams.values():
            self._storage.events[UUID(kept)] = load_events(told, self._written_by)
        if segment.saved is None:
            chat = before(segment)
            missed = after_turn(chat, self._saved.people)
            events += [event for message in missed for event in as_events(message)]
            self._saved.people = 1 + messages_of_people(chat)
            self._saved.start = len(events)
        self._storage.events[stream.id] = events
        return segment.saved is not None and len(events) > self._saved.start

    async def _asked(self) -> Any:
        async with self.agent.run(
            self.segment.task.words,
            stream=self._stream,
            variables=self._variables(),
            dependencies=self._dependencies(),
            tools=[OurTools(self.ours.values())],
            hitl_hook=ask_person,
        ) as turn:
            return await turn.result()

    async def _resumed(self) -> Any:
        return await self.agent.resume(
            *self._storage.events[self._stream.id],
            stream=self._stream,
            variables=self._variables(),
            dependencies=self._dependencies(),
            prompt=self._saved.prompt,
            tools=[OurTools(self.ours.values())],
            hitl_hook=ask_person,
        )

    def _variables(self) -> dict[Any, Any]:
        return {
            name: load_body(DataInput, value, self._written_by).data
            for name, value in self._saved.variables.items()
        }

    def _dependencies(self) -> dict[Any, Any]:
        kept = {name: UUID(kept) for name, (kept, _) in self._saved.streams.items()}
        return {**self._deps, **kept}

    async def given(self) -> Mapping[Any, Any]:
        """The application's deps are the dependencies of the framework, by their keys."""
        deps = await self.segment.make_deps()
        if deps is None or isinstance(deps, Mapping):
            return deps or {}
        raise NotSupportedError(
            f"AG2 takes its dependencies by key, and these are one {type(deps).__name__}.",
            fix="Give them as a dict: App(agent, deps={Type_or_name: value}).",
        )

    def _state(self) -> SavedState:
        """The state to go on from: at the newest batch of calls of this turn, or at its message."""
        events = self._storage.events[self._stream.id]
        turn = range(self._saved.start, len(events))
        batches = [n for n in turn if isinstance(events[n], ToolCallsEvent)]
        requests = [n for n in turn if type(events[n]) is ModelRequest]
        last = max(batches or requests or [self._saved.start - 1])
        saved = self._memory(events[: last + 1])
        # What was enqueued and already handed to the call of the model that did not take place.
        drained = [e for e in events[last + 1 :] if isinstance(e, DrainedModelRequest)]
        saved.pending = [*dump_events(ModelRequest(e.parts) for e in drained), *saved.pending]
        saved.start, saved.results = self._saved.start, self._saved.results
        saved.nested, saved.enqueued = self._saved.nested, self._saved.enqueued
        saved.replies = self._gate.replies if self._gate is not None and batches else 0
        if self._context is not None:
            saved.prompt = [str(part) for part in self._context.prompt]
        return self.segment.saved_state(NAME, written_by_now(), saved.dump())

    def _memory(self, events: Sequence[BaseEvent] | None = None) -> Saved:
        if events is None:
            events = self._storage.events[self._stream.id]
        return Saved(
            events=[self._row(event) for event in events],
            variables=dump_variables(self._context) if self._context is not None else {},
            pending=dump_events(self._stream.pending_messages),
            people=self._saved.people,
            streams=self._kept_streams(),
        )

    def _row(self, event: BaseEvent) -> Any:
        known = self._rows.get(id(event))
        return known[1] if known is not None else dump_event(event)

    def _kept_streams(self) -> dict[str, Any]:
        """What agents behind tools remember; a task of theirs that is under way begins anew."""
        found = {}
        for name, kept in (self._context.dependencies if self._context is not None else {}).items():
            if isinstance(name, str) and isinstance(kept, UUID):
                events = self._storage.events.get(kept, [])
                found[name] = [str(kept), dump_events(events[: self._open.get(kept, len(events))])]
        return found

    # ── for the gate ──

    def begun(self, gate: Gate, context: Context) -> int:
        """The turn of the segment itself has begun; how often its model has replied before."""
        self._gate, self._context = gate, context
        return self._saved.replies

    @contextmanager
    def open_turn(self, stream: Stream) -> Iterator[None]:
        """While a turn is open, its stream's history is what was there before it."""
        self._open.setdefault(stream.id, len(self._storage.events.get(stream.id, ())))
        try:
            yield
        finally:
            if not self.requests and self.fatal is None:
                self._open.pop(stream.id, None)

    async def heard(self, reply: Awaitable[ModelResponse]) -> ModelResponse:
        """A reply of the segment's own model: its words are said, as they come or at its end."""
        self._spoke = False
        self._newest = response = await reply
        if not self._spoke:
            await self._say(response.content or "")
        self._saved.results.clear()
        self._fresh.clear()
        return response

    def reply(self, path: str, number: int, shape: int) -> ModelResponse | None:
        """What the model at this place has said before to its question of this number."""
        said = self._saved.nested.get(path, [])
        if number >= len(said):
            return None
        if said[number]["shape"] != shape:
            raise ReplayDiverged(f"The agent at {path!r} asks its model another thing than before.")
        return load_body(ModelResponse, said[number]["reply"], self._written_by)

    def keep_reply(self, path: str, shape: int, reply: ModelResponse) -> None:
        kept = {"shape": shape, "reply": reply.to_dict()}
        self._saved.nested.setdefault(path, []).append(kept)

    def enqueued(self, place: str, found: Sequence[BaseEvent]) -> list[BaseEvent]:
        """Keep what was enqueued for a call of a nested agent's model; else what was, before."""
        if found:
            self._saved.enqueued[place] = dump_events(found)
            return []
        return load_events(self._saved.enqueued.get(place, ()), self._written_by)

    def keep_event(
        self, key: str, event: ToolResultEvent, value: JsonValue, variables: Mapping[str, Any]
    ) -> None:
        self._fresh[key] = event
        self._saved.results[key] = {
            "value": value,
            "event": dump_event(event),
            "variables": variables,
        }
        if variables or self._stream.pending_messages:
            self.segment.world.changed = True

    def kept_event(self, key: str, came: Returned, context: Context) -> ToolResultEvent | None:
        """The framework's own result, where nobody has changed anything about it. A body that does
        not run again has set its variables all the same."""
        kept = self._saved.results.get(key)
        if kept is None:
            return None
        if key not in self._fresh:
            for name, value in kept["variables"].items():
                context.variables[name] = load_body(DataInput, value, self._written_by).data
        if came.notes or came.error is not None or kept["value"] != came.result:
            return None
        event = self._fresh.get(key) or load_event(kept["event"], self._written_by)
        assert isinstance(event, ToolResultEvent)
        return event

    async def _missed(self, event: ToolNotFoundEvent) -> None:
        """A call of a tool that is not there: the chat shows it, and where a person has answered
        it, the run says what is missing. The framework tells the model."""
        assert self._gate is not None
        batches = [
            e for e in self._storage.events[self._stream.id] if isinstance(e, ToolCallsEvent)
        ]
        called = [c for c in batches[-1].calls if c.id == event.parent_id]
        given = arguments_of(called[0]) if called else {}
        key = f"{self._gate.path}:{self._gate.replies}:{event.parent_id}"
        try:
            await self.toolbox.call(key, str(event.name), given, agent_name=self.name)
        except BaseException as exc:
            self.fatal = self.fatal or exc
            raise Suspended from exc

    # ── words ──

    async def _chunk(self, event: ModelMessageChunk) -> None:
        self._spoke = True
        await self._say(event.content)

    async def _say(self, text: str) -> None:
        await self.segment.world.say(text)
