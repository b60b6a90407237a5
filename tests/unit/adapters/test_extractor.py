"""A model as an extractor: what it says without the person's words never counts."""

from __future__ import annotations

import json

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from sayso.adapters.extractor import ModelExtractor
from sayso.core.requirements import RequirementState
from sayso.gate.extraction import ExtractorChain
from sayso.gate.person_message import PersonMessage
from sayso.gate.turn import take_turn
from sayso.reading.rule_extractor import RuleExtractor
from tests.unit.reading.readers import NOW, trips


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
    chain = ExtractorChain(RuleExtractor(), ModelExtractor(FunctionModel(_inventive)))
    message = PersonMessage(id="m", text="to Lisbon for a while", at=NOW)
    state = await take_turn(message, RequirementState(), actions, chain)
    assert {name: given.value for name, given in state.values.items()} == {"destination": "Lisbon"}
    assert set(state.suggested) == {"trip_duration", "total_budget"}
    assert state.requested == ("checklist",)
    assert state.grants == ()
