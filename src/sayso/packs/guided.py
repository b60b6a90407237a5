"""What the agents that go by rules have in common: how far they are, and what tools told them."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from sayso import AgentContext
from sayso.core.digest import JsonObject


async def show_stage(ctx: AgentContext, stages: Mapping[str, str], current: str) -> None:
    """Show the labels of these stages, those before the current one as done; all, when that is
    "done"."""
    names = list(stages)
    reached = len(names) if current == "done" else names.index(current)
    shown: list[JsonObject] = []
    for number, (name, label) in enumerate(stages.items()):
        state = "done" if number < reached else "current" if number == reached else "todo"
        shown.append({"id": name, "label": label, "state": state})
    await ctx.progress(shown, current=current)


def object_of(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def list_of(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def objects(value: JsonValue) -> list[JsonObject]:
    """Return the objects of a list; what else stands in it is left out."""
    return [one for one in list_of(value) if isinstance(one, dict)]
