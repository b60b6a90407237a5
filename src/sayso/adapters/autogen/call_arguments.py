"""The calls in a model's reply as their arguments stand there: as text."""

from __future__ import annotations

import json

from autogen_core import FunctionCall
from autogen_core.models import CreateResult

from sayso.core.digest import JsonObject


def is_json(call: FunctionCall) -> bool:
    """Tell whether AutoGen can read a call's arguments: else no workbench hears of the call."""
    try:
        json.loads(call.arguments)
    except (ValueError, RecursionError):
        return False
    return True


def arguments_of(call: FunctionCall) -> JsonObject | None:
    """Return the arguments of a call; None where they are no JSON object."""
    found = json.loads(call.arguments) if is_json(call) else None
    return found if isinstance(found, dict) else None


def tell_apart(result: CreateResult) -> None:
    """Give two calls of one reply under the same id an id each."""
    seen: set[str] = set()
    for call in result.content if isinstance(result.content, list) else ():
        while call.id in seen:
            call.id += "_"
        seen.add(call.id)
