"""A model as an extractor: what it says without the person's words never counts."""

from __future__ import annotations

import json

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from sayso.adapters.extractor import ModelExtractor
from sayso.core.requirements import RequirementState
from sayso.gate.extraction import Chain
from sayso.gate.message import Message
from sayso.gate.rules import RuleExtractor
from sayso.gate.turns import take_turn
from tests.unit.gate.readers import NOW, trips


def _inventive(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Quotes one thing rightly, invents another, and orders a run."""
    told = json.loads(str(messages[-1].parts[-1].content))  # type: ignore[union-attr]
    assert told["today"] == "2026-11-22"
    operations = [
        {"op": "set", "slot": "destination", "value": "Lisbon", "quote": "Lisbon"},
        {"op": "set", "slot": "trip_duration", "value": "P99D", "quote": "a while"},
        {"op": "set", "slot": "total_budget", "value": 900, "quote": "900 dollars"},
        {"op": "confirm"},
        {"op": "request_action", "action": "checklist", "runs": True},
    ]
    return ModelResponse(
        parts=[ToolCallPart(info.output_tools[0].name, {"operations": operations})]
    )


async def test_a_model_fills_only_what_was_said_and_runs_nothing() -> None:
    actions = trips("explicit")
    chain = Chain(RuleExtractor(), ModelExtractor(FunctionModel(_inventive)))
    message = Message(id="m", text="we loved Lisbon and stayed a while", at=NOW)
    state = await take_turn(message, RequirementState(), actions, chain)
    assert {name: given.value for name, given in state.values.items()} == {"destination": "Lisbon"}
    assert set(state.suggested) == {"trip_duration", "total_budget"}
    assert state.requested == ("checklist",)
    assert state.grants == ()
