"""What a guided conversation does at each turn: calls a tool, shows how far it is, and stops where
it cannot go on."""

from __future__ import annotations

from typing import cast

from pydantic import JsonValue

from sayso import AgentContext, StepFailed
from sayso.core.digest import JsonObject

_STAGES = {
    "product": "Product",
    "process": "Process",
    "exchanges": "Exchanges",
    "validation": "Validation",
    "product_system": "Product system",
}


class Stops(Exception):
    """The way to a product system ends here, for this reason."""


async def call(ctx: AgentContext, tool: str, **arguments: JsonValue) -> JsonObject:
    try:
        result = object_of(await ctx.call(tool, **arguments))
    except StepFailed as exc:
        raise Stops(f"I cannot go on: {exc.message}.") from exc
    if result.get("status") in ("dismissed", "expired"):
        raise Stops("All right, I leave everything as it is.")
    if isinstance(result.get("result"), dict):
        return object_of(result["result"])
    return result


def refusal(result: JsonObject) -> str:
    return str(result.get("reason") or result.get("message") or "It was refused.")


async def stage(ctx: AgentContext, current: str) -> None:
    names = list(_STAGES)
    reached = len(names) if current == "done" else names.index(current)
    stages: list[JsonValue] = []
    for number, (name, label) in enumerate(_STAGES.items()):
        state = "done" if number < reached else "current" if number == reached else "todo"
        stages.append({"id": name, "label": label, "state": state})
    await ctx.progress(cast("list[JsonObject]", stages), current=current)


def object_of(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def list_of(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def texts(value: JsonValue) -> list[str]:
    return [str(one) for one in list_of(value)]
