"""What the hooks of a Graph or a Swarm ask before one of its agents runs.

A team is run again from its start where it goes on, and its hooks with it: each time that they ask,
they find the answer that was given to that time, or a card is opened.
"""

from __future__ import annotations

from typing import Any

from strands.interrupt import Interrupt

from sayso.adapters.strands.interrupts import asked_by
from sayso.adapters.strands.turn import Turn


def questions_of(team: Any, turn: Turn, place: str) -> Any:
    """Return what a copy of this team has in place of its interrupts."""
    state: Any = type(team._interrupt_state)()
    state.interrupts = asked = TeamQuestions(turn, team, place)
    forget = state.deactivate

    def deactivate() -> None:  # a Swarm does after each of its agents
        forget()
        state.interrupts = asked

    state.deactivate = deactivate
    return state


class TeamQuestions(dict[str, Any]):
    """The interrupts of one team, where the framework looks for the answer to one of them."""

    def __init__(self, turn: Turn, team: Any, place: str) -> None:
        super().__init__()
        self._turn, self._team, self._place = turn, team, place
        self._asked: dict[str, int] = {}

    def setdefault(self, id: str, interrupt: Any = None) -> Interrupt:
        number = self._asked[id] = self._asked.get(id, 0) + 1
        key = f"{self._place}:interrupt:{id}" + (f"#{number}" if number > 1 else "")
        asked = asked_by(self._team, interrupt, key, self._turn.segment.agent_name)
        answer = self._turn.segment.answers.get(key)
        if answer is None:
            self._turn.requests[key] = asked.request
        else:
            interrupt.response = asked.read(answer)
        self[id] = interrupt
        found: Interrupt = interrupt
        return found
