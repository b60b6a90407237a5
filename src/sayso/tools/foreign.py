"""A foreign tool's result that asks a person: a card, whose answer the model gets in its place."""

from __future__ import annotations

from pydantic import JsonValue

from sayso.core.detect import Asks, detect
from sayso.core.interactions import CardRequest
from sayso.tools.call import Call


def result_key(call_key: str) -> str:
    """The call key of the card that a result is."""
    return f"{call_key}!result"


def card_in(call: Call, result: JsonValue) -> CardRequest | None:
    """The card that this result is; None where it asks nothing, or where the tool is ours."""
    found = detect(call.tool.name, result) if not call.tool.is_ours else None
    if not isinstance(found, Asks):
        return None
    traits = call.tool.traits
    return CardRequest(
        call_key=result_key(call.key),
        card=found.card,
        ui_tool_id=found.card.card.value,
        agent_name=call.agent_name,
        tool_call_id=call.id,
        expires_in=traits.expires_in,
        on_expiry=traits.on_expiry,
        assignees=traits.assignees,
    )
