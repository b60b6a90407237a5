"""What all runs of agents of one segment share, and what encloses each of them: the segment, or the
body of a call that runs another agent."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field

from agent_framework import AgentSession, MiddlewareFailure, RawAgent

from sayso.adapters.agent_framework.state import (
    AgentFrameworkState,
    fields_of,
    histories,
    put_into,
)
from sayso.adapters.contract import Segment
from sayso.core.children import Request
from sayso.core.digest import JsonObject


class Paused(MiddlewareFailure):
    """Ends a run of an agent: a call of it waits for a person, or something ended the segment.
    Everything else that a tool raises the framework would make a result of."""


class Turn:
    def __init__(self, segment: Segment, state: AgentFrameworkState, agent: RawAgent) -> None:
        self.segment, self.state, self.root = segment, state, agent.name
        self.toolbox = segment.toolbox
        self.ours = {tool.name: tool for tool in self.toolbox.tools}
        #: The cards that calls of this segment asked for, by the keys of the calls.
        self.requests: dict[str, Request] = {}
        #: What ended the segment; the framework would make a tool's error of it.
        self.fatal: BaseException | None = None
        self.session: AgentSession | None = None
        self._histories = histories(agent.context_providers)

    def name_of(self, speaker: str | None) -> str:
        return self.segment.agent_name if speaker in (None, self.root) else str(speaker)

    def shared(self, session: AgentSession | None) -> JsonObject:
        """Return what calls may change in the session of the segment."""
        if session is None or session is not self.session:
            return {}
        return fields_of(session, self._histories)

    def keep_changes(self, key: str, session: AgentSession | None, before: JsonObject) -> None:
        """Keep what the body of a call has changed in the session, to be saved with its end."""
        now = self.shared(session)
        changed = {n: value for n, value in now.items() if before.get(n, ...) != value}
        if changed:
            self.state.changes[key] = changed
            self.segment.env.changed = True

    def restore_changes(self, key: str) -> None:
        """Change the session as the body of this call did in an earlier segment."""
        if self.session is not None and key in self.state.changes:
            put_into(self.session, self.state.changes[key])


@dataclass
class Enclosing:
    turn: Turn
    #: The call whose body it is; empty for the segment.
    key: str = ""
    #: A call in here waits for a person: no model is asked any more.
    pending: bool = False
    _runs: dict[str, int] = field(default_factory=dict)

    def path(self, agent: str) -> str:
        """Return where the next run of this agent stands; the same when the body runs again."""
        number = self._runs[agent] = self._runs.get(agent, -1) + 1
        return f"{self.key}>{agent}" + (f".{number}" if number else "")


#: What encloses the code that runs now.
ENCLOSING: ContextVar[Enclosing] = ContextVar("sayso_agent_framework_enclosing")
