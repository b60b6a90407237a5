"""What each message and card of a turn carries beside its words: where the requirements stand."""

from __future__ import annotations

from sayso.core.digest import JsonObject
from sayso.core.requirements import RequirementState
from sayso.gate.actions import Actions
from sayso.gate.messages import panel


def turn_metadata(actions: Actions, state: RequirementState) -> JsonObject:
    """Return the requirements status as metadata. It is told anew with every change of them."""
    known = panel(actions, state)
    acted = state.turn.actions if state.turn is not None else ()
    branches = [actions.by_name[name].spec.branch for name in acted] or ["TEXT"]
    return {
        "phase": "complete",
        "branches_executed": list(branches),
        "requirements_status": known["requirements_status"],
        "requirements_detail": known["requirements_detail"],
    }
