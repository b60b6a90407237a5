"""The port of the requirements gate: the toolbox asks it before a body runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from sayso.core.digest import JsonObject
from sayso.core.effects import GrantUse
from sayso.core.record import Allowed
from sayso.tools.answer_messages import error_result
from sayso.tools.calls import Call
from sayso.tools.signature import ArgumentsInvalid


@dataclass(frozen=True, slots=True, kw_only=True)
class Granted:
    """The call may run, under this grant and with these arguments: the ones a person agreed to."""

    grant: GrantUse
    arguments: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked:
    """The call may not run; the agent is told what is missing."""

    result: JsonObject


class Gatekeeper(Protocol):
    def check_call(
        self, tool_name: str, arguments: JsonObject, requirements: JsonObject | None, /
    ) -> Granted | Blocked | None:
        """Judge a call by the requirements in the chat's row; None for a tool that is no gated
        action."""


class NoGate:
    """For applications that declare no action: every call passes."""

    def check_call(
        self, tool_name: str, arguments: JsonObject, requirements: JsonObject | None, /
    ) -> Granted | Blocked | None:
        return None


def grant_for(
    gatekeeper: Gatekeeper, call: Call, requirements: JsonObject | None
) -> Granted | Blocked | None:
    """Ask the requirements gate about a call. A grant holds the arguments that would run, whole."""
    found = gatekeeper.check_call(call.tool.name, call.arguments, requirements)
    if not isinstance(found, Granted):
        return found
    try:
        return replace(found, arguments=call.tool.check(found.arguments))
    except ArgumentsInvalid as exc:
        error = f"What a person agreed to does not fit '{call.tool.name}'."
        return Blocked(result=error_result(error, errors=exc.errors))


def allowed_under(grant: GrantUse, allowed: Allowed) -> Allowed:
    """Return under whose word a gated action runs. A card of its own, where it has one, comes
    first."""
    if allowed.interaction_id is not None:
        return allowed
    return Allowed(
        interaction_id=grant.interaction_id,
        message_id=grant.message_id,
        standing=allowed.standing,
    )
