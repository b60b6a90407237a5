"""One message of a person: what was said, and all that may be read beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pydantic import JsonValue

from sayso.core.digest import JsonObject
from sayso.gate.spoken import Yes


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    id: str
    text: str
    at: datetime
    context: JsonObject = field(default_factory=dict)
    tail: Sequence[tuple[str, str]] = ()
    language: str = ""
    #: What the agent's last words offered, by slot, and the message that they are.
    offered: Mapping[str, Sequence[JsonValue]] = field(default_factory=dict)
    offered_in: str | None = None
    #: What a bare yes is to the gate, by what was asked last.
    yes: Yes = Yes.LEAVE
