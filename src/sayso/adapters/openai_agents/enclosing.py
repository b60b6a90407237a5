"""What encloses a run of an agent: the segment, or the body of a call that runs another agent."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field

from sayso.adapters.openai_agents.turn import Turn


class Paused(Exception):
    """Ends a run of an agent: a call of it waits for a person, or something ended the segment."""


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


ENCLOSING: ContextVar[Enclosing] = ContextVar("sayso_openai_agents_enclosing")
