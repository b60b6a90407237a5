"""What the toolbox asks before a body runs: is the call behind a gate, is there leave for it?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sayso.core.digest import JsonObject
from sayso.core.effects import GrantUse


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave:
    """The call may run, under this grant and with these arguments: the ones a person agreed to."""

    grant: GrantUse
    arguments: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class NotMet:
    """The call may not run; the agent is told what is missing."""

    result: JsonObject


class Gatekeeper(Protocol):
    def leave(
        self, tool_name: str, arguments: JsonObject, kept: JsonObject | None
    ) -> Leave | NotMet | None:
        """Judge a call by what the chat's row says; None for a tool that no gate holds."""


class OpenGate:
    """Where no action is declared: nothing is held."""

    def leave(
        self, tool_name: str, arguments: JsonObject, kept: JsonObject | None
    ) -> Leave | NotMet | None:
        return None
