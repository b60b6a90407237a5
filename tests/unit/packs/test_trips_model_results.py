"""With a model, the results of the trips pack are its own, in the same typed shape."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from sayso import ToolMistake
from sayso.packs.trips.needs import ChecklistNeeds
from sayso.packs.trips.results import Checklist, by_model

pytest.importorskip("pydantic_ai")

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

NEEDS = ChecklistNeeds(
    destination="Tokyo", current_location="New York", trip_duration=timedelta(days=10)
)


def packs_for_what_it_was_told(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Gives a wrong shape at first; then a list that names the trip it was told of."""
    [asked] = [p for m in messages for p in m.parts if isinstance(p, UserPromptPart)]
    told = json.loads(str(asked.content))
    item = {"text": f"Guide to {told['destination']}"}
    body: dict[str, object] = {"categories": [{"name": "Books", "items": [item]}]}
    if len(messages) == 1:
        body = {"categories": "many"}
    return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, body)])


async def test_a_model_makes_the_checklist_and_is_named():
    made = await by_model(FunctionModel(packs_for_what_it_was_told), "list", NEEDS, Checklist)
    assert made.categories[0].items[0].text == "Guide to Tokyo"
    assert made.categories[0].items[0].done is False
    assert made.note.startswith("Made by a model (function:")


async def test_a_model_that_keeps_talking_gives_nothing():
    def talks(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[TextPart("Have a nice trip!")])

    with pytest.raises(ToolMistake, match="gave no list"):
        await by_model(FunctionModel(talks), "list", NEEDS, Checklist)
