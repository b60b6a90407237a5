"""What only a model has heard is offered: nothing takes it, and nothing runs on it, but a yes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Annotated

import pytest
from pydantic import JsonValue

from sayso.core.extraction_ops import Correct, Operation, Reading, Set, Suggest
from sayso.core.requirements import RequirementState
from sayso.gate.actions import Actions
from sayso.gate.extraction import ExtractorChain
from sayso.gate.fields import Ask, Requirements
from sayso.gate.person_message import PersonMessage
from sayso.gate.questions import just_suggested
from sayso.gate.turn import take_turn
from sayso.reading.rule_extractor import RuleExtractor
from tests.unit.reading.readers import NOW

FIRST = "Somewhere warm on the Ligurian coast. My sister lives in Oslo."


class Trip(Requirements):
    destination: Annotated[str, Ask("Where are you going?")]


class Hears:
    """A model that hears a value in the first message."""

    name = "model"

    def __init__(self, operation: Operation) -> None:
        self._operation = operation

    async def extract(self, reading: Reading) -> Sequence[Operation]:
        return [self._operation] if reading.message == FIRST else []


def _trips(trigger: str) -> Actions:
    actions = Actions()
    actions.add("trip", None, requires=Trip, trigger=trigger, phrases=["book the trip"])
    return actions


def _said(words: str, state: RequirementState, actions: Actions, model: Hears) -> RequirementState:
    offered: dict[str, list[JsonValue]] = {
        name: [one.value] for name, one in just_suggested(state).items()
    }
    message = PersonMessage(id=words, text=words, at=NOW, offered=offered)
    chain = ExtractorChain(RuleExtractor(), model)
    return asyncio.run(take_turn(message, state, actions, chain))


@pytest.mark.parametrize("trigger", ["auto", "confirm", "explicit"])
@pytest.mark.parametrize(
    ("heard", "value"),
    [
        (Suggest(slot="destination", value="Genoa", quote="the Ligurian coast"), "Genoa"),
        # Its words say no such thing, or are of somebody else.
        (Set(slot="destination", value="Genoa", quote="the Ligurian coast"), "Genoa"),
        (Correct(slot="destination", value="Genoa", quote="the Ligurian coast"), "Genoa"),
        (Set(slot="destination", value="Oslo", quote="Oslo"), "Oslo"),
        # What it invents is offered least of all.
        (Set(slot="destination", value="Genoa", quote="to Genoa"), "Oslo"),
    ],
)
def test_a_value_of_the_model_is_offered_and_a_yes_takes_it(
    heard: Operation, value: str, trigger: str
) -> None:
    actions, model = _trips(trigger), Hears(heard)
    state = _said(FIRST, RequirementState(), actions, model)
    assert state.values == {}
    assert state.grants == ()
    assert state.turn is not None
    assert value in json.dumps(state.turn.says, ensure_ascii=False)

    refused = _said("no", state, actions, model)
    assert refused.values == {}
    assert refused.grants == ()

    taken = _said("yes", state, actions, model)
    assert taken.values["destination"].value == value
    if trigger == "auto":
        assert [one.action for one in taken.grants] == ["trip"]


def test_a_model_that_doubts_what_the_rules_heard_leaves_it_to_be_asked() -> None:
    actions = _trips("auto")
    model = Hears(Suggest(slot="destination", value="Oslo", quote="Oslo"))
    rules_alone = _said("We go to Oslo.", RequirementState(), actions, model)
    assert [one.action for one in rules_alone.grants] == ["trip"]
    state = _said(FIRST, RequirementState(), actions, model)
    assert state.grants == ()
