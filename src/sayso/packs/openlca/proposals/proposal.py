"""What all proposals have in common: the approval payload, and what is said of namesakes."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from sayso import Prepared, ToolMistake
from sayso.core.digest import JsonObject
from sayso.packs.openlca.backend import Backend
from sayso.packs.openlca.model import Entity

_IDS = uuid.UUID("1f0d6e5c-60a0-5d0e-8a71-0f7a2f3f8f2b")


def proposal(  # noqa: PLR0917  # the parts of the payload
    database: Backend, what: str, entity_type: str, summary: str, details: JsonObject, will: str
) -> Prepared:
    """Return the proposal to create `what`; its rows, warnings and look-ups are added to it."""
    return Prepared(
        message=f"Ready to {what}",
        entity_type=entity_type,
        summary=summary,
        details=details,
        action="create",
        impact=f"Will {will} in the database",
        context={"database": database.label},
    )


def as_result(proposed: Prepared) -> JsonObject:
    """Return what a tool returns that asks by itself, in any framework."""
    return {
        "status": "approval_required",
        "message": proposed.message,
        "approval_request": {
            "entity_type": proposed.entity_type,
            "entity_summary": proposed.summary,
            "entity_details": proposed.details,
            "action": proposed.action,
            "impact": proposed.impact,
        },
    }


def new_id(kind: str, key: str) -> str:
    """Return the id of what a call is going to create: the same for the same call."""
    return str(uuid.uuid5(_IDS, f"{kind}/{key}"))


def already(what: str, same: Sequence[Entity]) -> list[str]:
    """Say that something of this name is there."""
    if not same:
        return []
    if len(same) == 1:
        return [f"A {what} named '{same[0].name}' is there already ({same[0].id})."]
    return [f"{len(same)} {what}s named '{same[0].name}' are there already."]


def duplicates(same: Sequence[Entity]) -> list[str]:
    """Return what a person may choose because of them."""
    return ["when_exists"] if same else []


def first_id(same: Sequence[Entity]) -> str:
    return same[0].id if same else ""


def words(given: str, what: str) -> str:
    """Return a name with single spaces. Raises ToolMistake where there is none."""
    found = " ".join(given.split())
    if not found:
        raise ToolMistake(f"{what} has no name", suggestion="Give it a name.")
    return found


def only_said(**given: str) -> JsonObject:
    return {key: value for key, value in given.items() if value}
