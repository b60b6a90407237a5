"""The state of a run of Microsoft Agent Framework: what is saved of it (the session before it, and
what its models have said), and what its agents share while it runs.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import orjson
from agent_framework import (
    AgentSession,
    ContextProvider,
    HistoryProvider,
    InMemoryHistoryProvider,
    MiddlewareFailure,
    RawAgent,
    Workflow,
)
from pydantic_core import to_jsonable_python

from sayso.adapters.contract import Segment
from sayso.adapters.state_codec import SavedFields, StateCodec
from sayso.adapters.turn import Enclosing, Turn
from sayso.core.digest import JsonObject
from sayso.core.errors import ModelUnavailable, NotSupportedError
from sayso.core.segments import Failed, SegmentEnd
from sayso.core.sessions import SavedState

#: Under this name the state is kept, and the adapter is known.
NAME = "agent_framework"
CODEC = StateCodec(framework=NAME, distribution="agent-framework-core", format=1)

log = logging.getLogger("sayso.adapters")


@dataclass
class AgentFrameworkState(SavedFields):
    """The chat's memory is `session` and `people` alone."""

    codec: ClassVar[StateCodec] = CODEC
    #: The session before the turn; after it, where this is the chat's memory.
    session: JsonObject | None = None
    #: The messages of the turn.
    messages: list[JsonObject] = field(default_factory=list)
    #: How many messages of people the memory has seen; later ones are told from the chat.
    people: int = 0
    #: What the models of this turn have said, for each place that asks one.
    replies: dict[str, list[JsonObject]] = field(default_factory=dict)
    #: What calls have changed in the session's state, by their keys.
    changes: dict[str, JsonObject] = field(default_factory=dict)
    #: The tools that calls have added to their runs, or taken out, by the keys of the calls.
    tools: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    #: Of a workflow: where its last superstep ended, and how many there were.
    checkpoint: JsonObject | None = None
    step: int = 0
    #: Of a workflow: what its executors ask, by the ids of their requests.
    pending: dict[str, JsonObject] = field(default_factory=dict)
    #: What models are told of calls whose result is more than JSON, by their keys.
    told: dict[str, list[JsonObject]] = field(default_factory=dict)

    @classmethod
    def load(cls, blob: bytes, written_by: str) -> Self:
        made = super().load(blob, written_by)
        with CODEC.reading(written_by):
            if made.session is not None:
                AgentSession.from_dict(made.session)
            elif made.checkpoint is None:
                raise ValueError("it has no session")
        return made


def fields_of(session: AgentSession, besides: frozenset[str]) -> JsonObject:
    """Return what of a session's state is JSON, by its names; a connection in it is not."""
    found: JsonObject = {}
    kept = AgentSession(session_id=session.session_id)
    kept.state = {n: value for n, value in session.state.items() if n not in besides}
    for name, value in kept.to_dict()["state"].items():
        try:
            found[name] = orjson.loads(orjson.dumps(value))
        except TypeError:
            log.warning("the session's %r is no JSON, and is not kept", name)
    return found


def put_into(session: AgentSession, changes: Mapping[str, Any]) -> None:
    """Set what a call has changed in the state of a session."""
    body = {"session_id": session.session_id, "state": dict(changes)}
    with CODEC.reading("this agent's session"):
        session.state.update(AgentSession.from_dict(body).state)


def session_body(session: AgentSession) -> JsonObject:
    """Return the whole session as JSON."""
    service: JsonObject = to_jsonable_python({"id": session.service_session_id})
    return {
        "session_id": session.session_id,
        "service_session_id": service["id"],
        "state": fields_of(session, frozenset()),
    }


def histories(providers: Iterable[ContextProvider]) -> frozenset[str]:
    """Return where in a session's state its messages are: no call changes those."""
    found = {one.source_id for one in providers if isinstance(one, HistoryProvider)}
    return frozenset({*found, InMemoryHistoryProvider.DEFAULT_SOURCE_ID})


class Paused(MiddlewareFailure):
    """Ends a run of an agent: a call of it waits for a person, or something ended the segment.
    Everything else that a tool raises the framework would make a result of."""


class AgentFrameworkTurn(Turn[AgentFrameworkState]):
    paused: ClassVar[type[Exception]] = Paused

    def __init__(
        self, segment: Segment, state: AgentFrameworkState, agent: RawAgent | Workflow
    ) -> None:
        super().__init__(segment, state, agent.name)
        self.thread = threading.get_ident()
        self._histories = histories(getattr(agent, "context_providers", ()))

    def end(self, saved: Callable[[], SavedState]) -> SegmentEnd:
        if isinstance(self.fatal, ModelUnavailable):  # what to go on from when the model is back
            self.segment.env.journal.break_off()
            return Failed(error=self.fatal, saved=saved())
        return super().end(saved)

    def shared(self, session: AgentSession | None) -> JsonObject:
        """Return what calls may change in a session."""
        return {} if session is None else fields_of(session, self._histories)

    def keep_changes(self, key: str, session: AgentSession | None, before: JsonObject) -> None:
        """Keep what the body of a call has changed in the session, to be saved with its end."""
        now = self.shared(session)
        changed = {n: value for n, value in now.items() if before.get(n, ...) != value}
        if changed:
            self.state.changes[key] = changed
            self.segment.env.changed = True

    def restore_changes(self, key: str, session: AgentSession | None) -> None:
        """Change the session as the body of this call did in an earlier segment."""
        if session is not None and key in self.state.changes:
            put_into(session, self.state.changes[key])


class AgentFrameworkEnclosing(Enclosing[AgentFrameworkTurn]):
    def check_thread(self, agent: str) -> None:
        """Refuse an agent that runs in a thread: nothing in there can wait."""
        if threading.get_ident() != self.turn.thread:
            raise self.stop(
                NotSupportedError(
                    f"'{agent}' is run in a thread, where its calls cannot wait for people.",
                    fix="Write the tool that runs it as `async def`, and await the agent.",
                )
            )

    def begin(self, key: str) -> None:
        """Begin the next superstep of a workflow."""
        self.key, self.pending = key, False
        self._runs.clear()


#: What encloses the code that runs now.
ENCLOSING: ContextVar[AgentFrameworkEnclosing] = ContextVar("sayso_agent_framework_enclosing")
