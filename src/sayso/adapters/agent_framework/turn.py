"""What the runs of agents of one segment share: what calls change in a session, and the thread that
they may wait in."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import ClassVar

from agent_framework import AgentSession, MiddlewareFailure, RawAgent, Workflow

from sayso.adapters.agent_framework.state import (
    AgentFrameworkState,
    fields_of,
    histories,
    put_into,
)
from sayso.adapters.contract import Segment
from sayso.adapters.turn import Enclosing, Turn
from sayso.core.digest import JsonObject
from sayso.core.errors import ModelUnavailable, NotSupportedError
from sayso.core.segments import Failed, SegmentEnd
from sayso.core.sessions import SavedState


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
