"""What all runs of agents of one segment share, and what encloses each of them: the segment, or the
body of a call that runs another agent."""

from __future__ import annotations

import threading
from contextvars import ContextVar
from dataclasses import dataclass, field

from agent_framework import AgentSession, MiddlewareFailure, RawAgent, Workflow

from sayso.adapters.agent_framework.state import (
    AgentFrameworkState,
    fields_of,
    histories,
    put_into,
)
from sayso.adapters.contract import Segment
from sayso.core.children import Request
from sayso.core.digest import JsonObject
from sayso.core.errors import NotSupportedError


class Paused(MiddlewareFailure):
    """Ends a run of an agent: a call of it waits for a person, or something ended the segment.
    Everything else that a tool raises the framework would make a result of."""


class Turn:
    def __init__(
        self, segment: Segment, state: AgentFrameworkState, agent: RawAgent | Workflow
    ) -> None:
        self.segment, self.state, self.root = segment, state, agent.name
        self.toolbox = segment.toolbox
        self.ours = {tool.name: tool for tool in self.toolbox.tools}
        #: The cards that calls of this segment asked for, by the keys of the calls.
        self.requests: dict[str, Request] = {}
        #: What ended the segment; the framework would make a tool's error of it.
        self.fatal: BaseException | None = None
        self.thread = threading.get_ident()
        self._histories = histories(getattr(agent, "context_providers", ()))

    def name_of(self, speaker: str | None) -> str:
        return self.segment.agent_name if speaker in (None, self.root) else str(speaker)

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


@dataclass
class Enclosing:
    turn: Turn
    #: The call whose body it is; empty for the segment.
    key: str = ""
    #: A call in here waits for a person: no model is asked any more.
    pending: bool = False
    _runs: dict[str, int] = field(default_factory=dict)

    def stop(self, why: BaseException) -> Paused:
        """End the segment for this; what runs in here has not come to its end."""
        self.turn.fatal, self.pending = self.turn.fatal or why, True
        return Paused("The segment is over.")

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

    def path(self, agent: str) -> str:
        """Return where the next run of this agent stands; the same when the body runs again."""
        number = self._runs[agent] = self._runs.get(agent, -1) + 1
        return f"{self.key}>{agent}" + (f".{number}" if number else "")


#: What encloses the code that runs now.
ENCLOSING: ContextVar[Enclosing] = ContextVar("sayso_agent_framework_enclosing")
