"""One segment of an agent of AG2: its turn, from its message or from the batch of calls that it
goes on with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from ag2 import Agent
from ag2.events import (
    BaseEvent,
    DataInput,
    DrainedModelRequest,
    ModelRequest,
    ToolCallsEvent,
    ToolNotFoundEvent,
)

from sayso.adapters.ag2.agent_copy import copy_of
from sayso.adapters.ag2.call_batch import arguments_of
from sayso.adapters.ag2.native_tool import FRAME, CallFrame, ask_person
from sayso.adapters.ag2.segment_turns import Ag2Turns
from sayso.adapters.ag2.state import (
    CODEC,
    Ag2State,
    LoadedRows,
    as_events,
    dump_events,
    dump_variables,
    load_body,
    load_events,
)
from sayso.adapters.ag2.tool_calls import OurTools
from sayso.adapters.contract import Segment
from sayso.core.errors import NotSupportedError
from sayso.core.segments import Completed, SegmentEnd
from sayso.core.sessions import SavedState
from sayso.tools.suspension import Suspend

#: Under this name the state is kept, and the adapter is known.
NAME = "ag2"


class Ag2Run:
    """One segment of an agent of AG2."""

    def __init__(self, segment: Segment) -> None:
        assert isinstance(segment.agent, Agent)
        self._segment = segment
        self.turns = Ag2Turns(segment)
        self.agent = copy_of(segment.agent, self.turns, nested=False)
        #: The events that were loaded, with their rows; held, so that no other has their id.
        self._rows = LoadedRows((), ())
        self._deps: Mapping[Any, Any] = {}

    async def run(self) -> SegmentEnd:
        turns = self.turns
        resumes = self._begin()
        self._segment.env.checkpoint = self._state
        turns.stream.where(ToolNotFoundEvent).subscribe(self._show_missing)
        self._deps = await self.given()
        frame = CallFrame("", self._segment.context)
        FRAME.set(frame)
        try:
            reply = await (self._resumed() if resumes else self._asked())
        except Suspend as pause:  # asked outside of any tool: by a middleware of the agent
            turns.requests.update({request.call_key: request for request in pause.requests})
            return turns.end(self._state)
        except Exception:
            if turns.is_over:
                return turns.end(self._state)
            raise
        if frame.pending:
            return turns.end(self._state)
        heard = turns.newest.content if turns.newest is not None else None
        if reply.body and reply.body != heard:  # a tool's own words, which end the turn
            await turns.say(reply.body)
        await self._segment.env.flush_text()
        return Completed(output=reply.body or "", memory=self._kept_state().dump())

    # ── from the saved state, and back ──

    def _begin(self) -> bool:
        """Restore the stream. Returns whether a turn goes on."""
        turns = self.turns
        segment, stream = self._segment, turns.stream
        if segment.saved is not None:
            turns.written_by = segment.saved.version
            turns.state = Ag2State.load(segment.saved.blob, turns.written_by)
        elif segment.agent_state is not None:
            turns.written_by = "this agent's memory"
            turns.state = Ag2State.load(segment.agent_state.blob, turns.written_by)
        events = load_events(turns.state.events, turns.written_by)
        self._rows = LoadedRows(events, turns.state.events)
        stream.pending_messages.extend(load_events(turns.state.pending, turns.written_by))  # type: ignore[arg-type]
        for kept, told in turns.state.streams.values():
            turns.storage.events[UUID(kept)] = load_events(told, turns.written_by)
        if segment.saved is None:
            missed, turns.state.people = segment.unseen(turns.state.people)
            events += [event for message in missed for event in as_events(message)]
            turns.state.start = len(events)
        turns.storage.events[stream.id] = events
        return segment.saved is not None and len(events) > turns.state.start

    async def _asked(self) -> Any:
        turns = self.turns
        async with self.agent.run(
            self._segment.task.words,
            stream=turns.stream,
            variables=self._variables(),
            dependencies=self._dependencies(),
            tools=[OurTools(turns.ours.values())],
            hitl_hook=ask_person,
        ) as turn:
            return await turn.result()

    async def _resumed(self) -> Any:
        turns = self.turns
        return await self.agent.resume(
            *turns.storage.events[turns.stream.id],
            stream=turns.stream,
            variables=self._variables(),
            dependencies=self._dependencies(),
            prompt=turns.state.prompt,
            tools=[OurTools(turns.ours.values())],
            hitl_hook=ask_person,
        )

    def _variables(self) -> dict[Any, Any]:
        turns = self.turns
        return {
            name: load_body(DataInput, value, turns.written_by).data
            for name, value in turns.state.variables.items()
        }

    def _dependencies(self) -> dict[Any, Any]:
        kept = {name: UUID(kept) for name, (kept, _) in self.turns.state.streams.items()}
        return {**self._deps, **kept}

    async def given(self) -> Mapping[Any, Any]:
        """Return the application's deps as the framework's dependencies, by their keys."""
        deps = await self._segment.make_deps()
        if deps is None or isinstance(deps, Mapping):
            return deps or {}
        raise NotSupportedError(
            f"AG2 takes its dependencies by key, and these are one {type(deps).__name__}.",
            fix="Give them as a dict: App(agent, deps={Type_or_name: value}).",
        )

    def _state(self) -> SavedState:
        """Return the state to go on from: at the newest batch of calls of this turn, or at its
        message."""
        turns = self.turns
        events = turns.storage.events[turns.stream.id]
        turn = range(turns.state.start, len(events))
        batches = [n for n in turn if isinstance(events[n], ToolCallsEvent)]
        requests = [n for n in turn if type(events[n]) is ModelRequest]
        last = max(batches or requests or [turns.state.start - 1])
        saved = self._kept_state(events[: last + 1])
        # What was enqueued and already given to a call of the model that did not take place.
        drained = [e for e in events[last + 1 :] if isinstance(e, DrainedModelRequest)]
        saved.pending = [*dump_events(ModelRequest(e.parts) for e in drained), *saved.pending]
        saved.start, saved.results = turns.state.start, turns.state.results
        saved.nested, saved.enqueued = turns.state.nested, turns.state.enqueued
        saved.replies = turns.own.replies if turns.own is not None and batches else 0
        if turns.context is not None:
            saved.prompt = [str(part) for part in turns.context.prompt]
        return self._segment.saved_state(NAME, CODEC.written_by(), saved.dump())

    def _kept_state(self, events: Sequence[BaseEvent] | None = None) -> Ag2State:
        turns = self.turns
        if events is None:
            events = turns.storage.events[turns.stream.id]
        return Ag2State(
            events=self._rows.of(events),
            variables=dump_variables(turns.context) if turns.context is not None else {},
            pending=dump_events(turns.stream.pending_messages),
            people=turns.state.people,
            streams=self._kept_streams(),
        )

    def _kept_streams(self) -> dict[str, Any]:
        """Return what agents behind tools remember; a task of theirs that is under way begins
        anew."""
        turns = self.turns
        known = turns.context.dependencies if turns.context is not None else {}
        return {
            name: [str(kept), dump_events(turns.ended_history(kept))]
            for name, kept in known.items()
            if isinstance(name, str) and isinstance(kept, UUID)
        }

    async def _show_missing(self, event: ToolNotFoundEvent) -> None:
        """Show a call of a tool that is not there; where a person has answered it, the run says
        what is missing. The framework tells the model."""
        turns = self.turns
        assert turns.own is not None
        called = [c for c in turns.batch_in(turns.stream.id) if c.id == event.parent_id]
        given = (arguments_of(called[0]) if called else None) or {}
        key = turns.own.key(str(event.parent_id))
        await turns.call(key, str(event.name), given, speaker=turns.name)
