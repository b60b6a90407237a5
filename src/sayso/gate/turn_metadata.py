"""What each message and card of a turn carries beside its words: where the requirements stand, and
who has read what the person said."""

from __future__ import annotations

from sayso.core.digest import JsonObject
from sayso.core.requirements import RequirementState, TurnTaken
from sayso.gate.actions import Actions
from sayso.gate.messages import panel


def turn_metadata(actions: Actions, state: RequirementState) -> JsonObject:
    """Return the requirements status as metadata. It is told anew with every change of them."""
    known = panel(actions, state)
    turn = state.turn or TurnTaken(message_id="")
    branches = [actions.by_name[name].spec.branch for name in turn.actions] or ["TEXT"]
    return {
        "model": turn.read_by,
        "phase": "complete",
        "branches_executed": list(branches),
        "requirements_status": known["requirements_status"],
        "requirements_detail": known["requirements_detail"],
    }
