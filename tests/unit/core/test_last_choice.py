"""What a person chose last: suggested for the same question alone, of what it still offers."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from sayso.core.cards import ApprovalCard, Asker, Card, Display, FormCard, Option, OptionsCard
from sayso.core.interactions import (
    Interaction,
    InteractionResponse,
    InteractionState,
    InteractionType,
    ResponseData,
)
from sayso.core.last_choice import FORGOTTEN_AT, forgotten_at, last_choice, last_choices

METHOD = OptionsCard(
    title="Method",
    question="Which method?",
    options=[Option(id="mass", label="By mass"), Option(id="price", label="By price")],
)
#: As pydantic writes an optional enumeration, and one of constants.
SCHEMA: Any = {
    "type": "object",
    "properties": {
        "unit": {"anyOf": [{"$ref": "#/$defs/Unit"}, {"type": "null"}]},
        "grade": {"oneOf": [{"const": 1, "title": "Low"}, {"const": 2, "title": "High"}]},
        "name": {"type": "string"},
        "pin": {"enum": ["0000", "1234"], "writeOnly": True},
        "flag": {"enum": [1, 0]},
    },
    "$defs": {"Unit": {"enum": ["kg", "t"]}},
}
FORM = FormCard(title="Amount", response_schema=SCHEMA)


def asked(card: Card, **more: Any) -> Interaction:
    given: dict[str, Any] = {
        "type": InteractionType.USER_INPUT,
        "state": InteractionState.PENDING,
        "ui_tool_id": card.card.value,
        "agent_name": "modeller",
        **more,
    }
    return Interaction(
        id="i",
        app_id="default",
        chat_id="c",
        run_id="r",
        task_id="t",
        call_key="k",
        batch_id="b",
        card=card,
        display=Display.INLINE,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        **given,
    )


def answered(card: Card, data: dict[str, Any], **more: Any) -> Interaction:
    response = InteractionResponse(
        interaction_id="i", approved=True, response_data=ResponseData.model_validate(data)
    )
    done = {"state": InteractionState.COMPLETED, "response": response, "settled_by": "ada"}
    return asked(card, **done, **more)


BY_PRICE = answered(METHOD, {"selected_option": "price"})


def test_the_newest_answer_to_the_same_question_counts():
    older = answered(METHOD, {"selected_option": "mass"})
    other = answered(METHOD.model_copy(update={"question": "Which one?"}), {"selected_option": "a"})
    assert last_choice(asked(METHOD), [other, BY_PRICE, older]) == {"selected_option": "price"}
    assert last_choice(asked(METHOD), [other]) == {}


def test_what_is_no_longer_offered_is_not_suggested():
    fewer = METHOD.model_copy(update={"options": METHOD.options[:1]})
    assert last_choice(asked(fewer), [BY_PRICE]) == {}


@pytest.mark.parametrize(
    "other",
    [
        {"agent_name": "buyer"},
        {"ui_tool_id": "pick_method"},
        {"card": METHOD.model_copy(update={"asker": Asker(client="ci")})},
        {"card": METHOD.model_copy(update={"question": "Which method, then?"})},
        {"card": METHOD.model_copy(update={"is_notice": True})},
        {"state": InteractionState.EXPIRED},
        {"type": InteractionType.CONFIRMATION},
        {"type": InteractionType.CANCELLATION},
    ],
)
def test_nothing_is_suggested_to_another_asker_or_question(other: dict[str, Any]):
    assert last_choice(asked(METHOD), [BY_PRICE]) != {}
    assert last_choice(replace(asked(METHOD), **other), [BY_PRICE]) == {}


def test_an_approval_has_no_suggestion_whatever_its_arguments_offer():
    card = ApprovalCard(
        title="Which method?",
        tool_name="allocate",
        tool_params={"method": "mass"},
        edit_schema={"type": "object", "properties": {"method": {"enum": ["mass", "price"]}}},
    )
    before = answered(card, {"edits": {"method": "price"}}, type=InteractionType.TOOL_APPROVAL)
    again = asked(card, type=InteractionType.TOOL_APPROVAL)
    assert last_choice(again, [before]) == {}
    assert last_choice(replace(again, type=InteractionType.USER_INPUT), [before]) == {}
    assert last_choices([before]) == []


def test_of_a_form_only_what_is_chosen_from_a_list_is_remembered():
    values = {"unit": "t", "grade": 2, "name": "ore", "pin": "1234", "flag": True}
    before = answered(FORM, {"values": values})
    assert last_choice(asked(FORM), [before]) == {"unit": "t", "grade": 2}
    for_gate = FORM.model_copy(update={"for_gate": True})
    assert last_choice(asked(for_gate), [replace(before, card=for_gate)]) == {}


def test_they_are_listed_in_the_words_of_their_options():
    forms = answered(FORM, {"values": {"unit": "t", "grade": 2, "name": "ore"}})
    nothing = answered(FormCard(title="Name", response_schema=SCHEMA), {"values": {"name": "ore"}})
    older = answered(METHOD, {"selected_option": "mass"})
    found = [(it.question, it.chosen) for it in last_choices([BY_PRICE, forms, nothing, older])]
    assert found == [("Which method?", "By price"), ("Amount", "t, High")]


@pytest.mark.parametrize("kept", [None, 7, "soon", "2026-01-01T00:00:00"])
def test_a_time_that_is_none_forgets_nothing(kept: Any):
    assert forgotten_at({FORGOTTEN_AT: kept}) is None
    assert forgotten_at({FORGOTTEN_AT: "2026-01-01T00:00:00+00:00"}) is not None
