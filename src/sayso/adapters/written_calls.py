"""The calls in a model's reply as it wrote them: arguments as text, and ids that may come twice."""

from __future__ import annotations

import json

from sayso.core.digest import JsonObject


def object_in(written: str | None) -> JsonObject | None:
    """Return the arguments as the model wrote them; None where they are no JSON object."""
    try:
        found = json.loads(written or "{}")
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def free_id(call_id: str, taken: set[str]) -> str:
    """Return an id for a call that no other one has, and take it."""
    number, free = 1, call_id
    while free in taken:
        number += 1
        free = f"{call_id}_{number}"
    taken.add(free)
    return free
