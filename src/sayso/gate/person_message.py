"""One message of a person, with everything that helps to read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pydantic import JsonValue

from sayso.core.digest import JsonObject
from sayso.gate.yes_scope import YesScope


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonMessage:
    id: str
    text: str
    at: datetime
    context: JsonObject = field(default_factory=dict)
    tail: Sequence[tuple[str, str]] = ()
    language: str = ""
    #: The values that the agent's last words offered, by slot, and the id of that message.
    offered: Mapping[str, Sequence[JsonValue]] = field(default_factory=dict)
    offered_in: str | None = None
    #: Whether an agent of the application answers what is nothing to the gate.
    agent_answers: bool = False
    #: What a bare yes means to the gate, by what was asked last.
    yes_scope: YesScope = YesScope.GRANTS
    #: The id of the card that such a yes answers.
    card_id: str | None = None
