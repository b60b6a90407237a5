"""What is saved of a run of Microsoft Agent Framework: the session before it, and what its models
have said."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import orjson
from agent_framework import AgentSession, ContextProvider, HistoryProvider, InMemoryHistoryProvider
from pydantic_core import to_jsonable_python

from sayso.adapters.state_codec import SavedFields, StateCodec
from sayso.core.digest import JsonObject

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
