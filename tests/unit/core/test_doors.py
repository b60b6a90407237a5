"""The door of every kind of card: what an answer may say there, and where it is refused."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import JsonValue

from sayso.core.answer_parsing import read_answer
from sayso.core.cards import (
    ApprovalCard,
    Card,
    Column,
    ConfirmationCard,
    ExchangesCard,
    FormCard,
    Option,
    OptionsCard,
    Row,
    UiToolCard,
    UncertainEffectCard,
)
from sayso.core.digest import JsonObject
from sayso.core.errors import AnswerInvalid
from sayso.core.fitting import check_answer, place_of
from sayso.core.interactions import CardRequest, Interaction, InteractionResponse

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LARGEST = 9007199254740991
EDITS: JsonObject = {
    "type": "object",
    "properties": {"amount": {"type": "number", "exclusiveMinimum": 0}},
    "required": ["amount", "order"],
}
PAY: dict[str, Any] = {
    "title": "Pay",
    "tool_name": "pay",
    "tool_params": {"amount": 1, "order": 7, "rows": [{"to": "a", "n": 1}, {"to": "b", "n": 2}]},
    "edit_schema": EDITS,
}


def table(**more: object) -> ExchangesCard:
    schema = {"type": "object", "properties": {"rows": {"type": "array"}, "amount": {}}}
    fields = {
        **PAY,
        "edit_schema": schema,
        "columns": [Column(key="to", label="To", editable=True), Column(key="n", label="N")],
        "rows": [Row(row_id="a", values={"to": "a"}), Row(row_id="b", values={"to": "b"})],
        "rows_argument": "rows",
    }
    return ExchangesCard.model_validate({**fields, **more})


APPROVAL = ApprovalCard.model_validate(PAY)
REMEMBERED = APPROVAL.model_copy(update={"may_be_remembered": True})
CONFIRMATION = ConfirmationCard(title="Go?")
FREE = OptionsCard(title="Which?", question="Which?")
COLOURS = OptionsCard(title="Which?", question="Which?", options=[Option(id="red", label="Red")])
NO_NOTES = COLOURS.model_copy(update={"allow_notes": False})
UNCERTAIN = UncertainEffectCard(
    title="Did it?", tool_name="pay", tool_params={}, started_at=NOW, attempt=1
)
FORM = FormCard(
    title="Where?",
    response_schema={"properties": {"street": {"type": "string"}, "approved": {}, "values": {}}},
)
PLACE = FormCard(title="Where?", response_schema={"properties": {"street": {"type": "string"}}})
OWN = UiToolCard(payload={"title": "Mine"})
NAMED = UiToolCard(response_schema={"properties": {"decision": {"type": "string"}}})


def opened(card: Card) -> Interaction:
    return CardRequest(call_key="k", card=card, ui_tool_id="card").opened(
        interaction_id="i1",
        app_id="app",
        chat_id="c1",
        run_id="r1",
        task_id="t1",
        batch_id="b1",
        now=NOW,
        steady=NOW,
        salt="salt",
    )


def read(card: Card, body: JsonObject) -> InteractionResponse:
    return read_answer(opened(card), body, reason_required=True)


def yes(**data: JsonValue) -> JsonObject:
    return {"approved": True, "response_data": data}


def no(reason: str | None = "too much", **data: JsonValue) -> JsonObject:
    return {"approved": False, "user_message": reason, "response_data": data}


def always(body: JsonObject) -> JsonObject:
    return {**body, "metadata": {"always_allow": True}}


REFUSED: list[tuple[str, Card, JsonObject, set[str]]] = [
    ("an edit that its schema refuses", APPROVAL, yes(edits={"amount": "lots"}), {"edits/amount"}),
    ("an edit below its least", APPROVAL, yes(edits={"amount": 0}), {"edits/amount"}),
    ("an edit of what is fixed", APPROVAL, yes(edits={"order": 8}), {"edits/order"}),
    ("an edit of one of two", APPROVAL, yes(edits={"amount": 2, "order": 8}), {"edits/order"}),
    (
        "an edit where nothing can be changed",
        APPROVAL.model_copy(update={"edit_schema": None}),
        yes(edits={"amount": 2}),
        {"edits/amount"},
    ),
    ("an edit in a confirmation", CONFIRMATION, yes(edits={"amount": 2}), {"edits/amount"}),
    ("an edit in a form", FORM, yes(edits={"street": "x"}), {"edits/street"}),
    ("values to an approval", APPROVAL, yes(values={"n": 1}), {"values/n"}),
    ("values to a choice", COLOURS, yes(selected_option="red", values={"n": 1}), {"values/n"}),
    ("rows where there are none", APPROVAL, yes(approved_rows=["a"]), {"rows"}),
    ("no rows where there are none", APPROVAL, no(rejected_rows={"a": "no"}), {"rows"}),
    ("an empty list of rows", CONFIRMATION, yes(approved_rows=[]), {"rows"}),
    ("part of what has no parts", APPROVAL, {"decision": "partial"}, {"decision"}),
    ("no decision", APPROVAL, {}, {"decision"}),
    ("a word that is none", APPROVAL, {"decision": "perhaps"}, {"decision"}),
    ("another card's answer", APPROVAL, {**yes(), "interaction_id": "i2"}, {"interaction_id"}),
    ("another card's form", FORM, {"street": "x", "interaction_id": "i2"}, {"interaction_id"}),
    (
        "a digest that is no text",
        APPROVAL,
        {**yes(), "metadata": {"digest": 5}},
        {"metadata/digest"},
    ),
    ("remembering what asks each time", APPROVAL, always(yes()), {"metadata/always_allow"}),
    ("remembering a no", REMEMBERED, always(no()), {"metadata/always_allow"}),
    ("a rejection without a reason", APPROVAL, no(None), {"reason"}),
    ("a rejection with an empty reason", APPROVAL, no("  "), {"reason"}),
    (
        "a wrapped answer, and another beside it",
        APPROVAL,
        {"tool_response": {"approval_decision": {"decision": "approve"}}, "approved": False},
        {"approved"},
    ),
    ("a wrapper of nothing", APPROVAL, {"tool_response": {}}, {"tool_response"}),
    (
        "another card's wrapped answer",
        APPROVAL,
        {"tool_response": {"approval_decision": {"decision": "approve"}}, "interaction_id": "i2"},
        {"interaction_id"},
    ),
    ("metadata that is none", APPROVAL, {"decision": "approve", "metadata": 5}, {"metadata"}),
    (
        "metadata that is none beside a digest",
        APPROVAL,
        {"decision": "approve", "metadata": 5, "digest": "sha256:seen"},
        {"metadata"},
    ),
    (
        "rows that go together both ways",
        table(rows_decidable=False),
        yes(approved_rows=["a", "b"], rejected_rows={"b": "no"}),
        {"rows/b", "rows"},
    ),
    (
        "part of what has no parts, and an edit of what is fixed",
        APPROVAL,
        {"decision": "partial", "edits": {"order": 8}},
        {"edits/order"},
    ),
    (
        "an object for a row that was none",
        table(tool_params={"rows": [1, {"to": "b"}]}),
        yes(edits={"rows": [{"to": "a"}, {"to": "b"}]}),
        {"edits/rows/0/"},
    ),
    ("a normal form and more", APPROVAL, {"approved": True, "colour": "x"}, {"values/colour"}),
    (
        "values beside decided rows",
        table(),
        yes(approved_rows=["a", "b"], values={"colour": "x"}),
        {"values/colour"},
    ),
    ("a yes and a no", CONFIRMATION, {"approved": True, "decision": "reject"}, {"decision"}),
    ("a yes that is no truth", CONFIRMATION, {"approved": "yes"}, {"approved"}),
    ("no beside a field", PLACE, {"approved": False, "street": "x"}, {"approved"}),
    ("no beside the values", PLACE, {"approved": False, "values": {"street": "x"}}, {"approved"}),
    ("no beside a choice", COLOURS, {"approved": False, "selected_option": "red"}, {"approved"}),
    (
        "no in a word to a question",
        FREE,
        {"decision": "reject", "additional_notes": "x"},
        {"approved"},
    ),
    ("no to a question", FREE, no(additional_notes="x"), {"approved"}),
    ("no to a form", FORM, {"approved": False, "response_data": {}}, {"approved"}),
    ("no answer to a question", FREE, yes(), {"additional_notes"}),
    ("blanks for an answer", FREE, yes(additional_notes=" \n"), {"additional_notes"}),
    ("a choice where there is none", FREE, yes(selected_option="red"), {"selected_option"}),
    ("no choice", COLOURS, yes(additional_notes="blue"), {"selected_option"}),
    ("another choice", COLOURS, yes(selected_option="blue"), {"selected_option"}),
    (
        "notes where none are taken",
        NO_NOTES,
        yes(selected_option="red", additional_notes="dark"),
        {"additional_notes"},
    ),
    (
        "notes on what became of a call",
        UNCERTAIN,
        yes(selected_option="skip", additional_notes="hm"),
        {"additional_notes"},
    ),
    ("another word for it", UNCERTAIN, yes(selected_option="maybe"), {"selected_option"}),
    ("a field that does not fit", FORM, {"street": 5}, {"values/street"}),
    ("an own field that does not fit", NAMED, {"decision": 5}, {"values/decision"}),
    ("a number that JSON cannot say", OWN, {"n": LARGEST + 1}, {"values/n"}),
    ("nor below zero", OWN, {"n": [1, -LARGEST - 1]}, {"values/n/1"}),
    ("no number", OWN, {"n": {"m": float("nan")}}, {"values/n/m"}),
    ("without end", APPROVAL, yes(edits={"amount": float("inf")}), {"edits/amount"}),
    ("half a character", FREE, yes(additional_notes="\ud800"), {"additional_notes"}),
    ("half a reason", APPROVAL, no("\udfff"), {"user_message"}),
    ("a row that is none", table(), yes(approved_rows=["a", "b", "c"]), {"rows/c"}),
    ("an unknown row, rejected", table(), no(rejected_rows={"c": "no"}), {"rows/c"}),
    (
        "a row both ways",
        table(),
        yes(approved_rows=["a", "b"], rejected_rows={"b": "no"}),
        {"rows/b"},
    ),
    ("a row undecided", table(), yes(approved_rows=["a"]), {"rows/b"}),
    ("a row undecided beside a no", table(), yes(rejected_rows={"b": "no"}), {"rows/a"}),
    (
        "a part of rows that go together",
        table(rows_decidable=False),
        yes(approved_rows=["a"], rejected_rows={"b": "no"}),
        {"rows"},
    ),
    (
        "a part of rows with one name",
        table(
            rows=[
                Row(row_id="a", values={}),
                Row(row_id="a", values={}),
                Row(row_id="b", values={}),
            ]
        ),
        yes(approved_rows=["a"], rejected_rows={"b": "no"}),
        {"rows"},
    ),
    ("rows that are no list", table(), yes(edits={"rows": "xy"}), {"edits/rows"}),
    ("a row left out", table(), yes(edits={"rows": [{"to": "a", "n": 1}]}), {"edits/rows"}),
    (
        "rows where none were shown",
        table(tool_params={"rows": "all"}),
        yes(edits={"rows": [1, 2, 3]}),
        {"edits/rows"},
    ),
    (
        "a cell that is closed",
        table(),
        yes(edits={"rows": [{"to": "x", "n": 1}, {"to": "b", "n": 9}]}),
        {"edits/rows/1/n"},
    ),
    (
        "a cell more, and one less",
        table(),
        yes(edits={"rows": [{"to": "a", "n": 1, "m": 0}, {"to": "b"}]}),
        {"edits/rows/0/m", "edits/rows/1/n"},
    ),
    (
        "another thing for a row",
        table(),
        yes(edits={"rows": [{"to": "a", "n": 1}, 5]}),
        {"edits/rows/1/"},
    ),
]


@pytest.mark.parametrize(
    ("card", "body", "places"),
    [(card, body, places) for _, card, body, places in REFUSED],
    ids=[name for name, *_ in REFUSED],
)
def test_what_does_not_fit_is_refused_at_its_place(
    card: Card, body: JsonObject, places: set[str]
) -> None:
    with pytest.raises(AnswerInvalid) as refused:
        read(card, body)
    errors: Any = refused.value.context["errors"]
    assert {error["path"] for error in errors} == places


TAKEN: list[tuple[str, Card, JsonObject]] = [
    ("an edit without the other fields", APPROVAL, yes(edits={"amount": 0.5})),
    ("the largest number", OWN, {"n": [LARGEST, -LARGEST]}),
    ("remembering", REMEMBERED, always(yes())),
    ("not remembering", APPROVAL, {**yes(), "metadata": {"always_allow": False}}),
    ("a no without a reason where none is needed", CONFIRMATION, no(None)),
    ("reasons of the rows", table(), no(None, rejected_rows={"a": "old", "b": "  "})),
    ("all rows", table(), yes(approved_rows=["a", "b"])),
    ("all rows that go together", table(rows_decidable=False), yes(approved_rows=["a", "b"])),
    (
        "a part of which nothing is approved",
        table(),
        {"decision": "partial", "approved_rows": [], "reason": "no"},
    ),
    ("some rows", table(), yes(approved_rows=["a"], rejected_rows={"b": ""})),
    ("a choice with a note", COLOURS, yes(selected_option="red", additional_notes="dark")),
    ("what a person found out", UNCERTAIN, yes(selected_option="mark_done", values={"result": 1})),
    (
        "a cell that is open",
        table(),
        yes(edits={"rows": [{"to": "x", "n": 1}, {"to": "b", "n": 2}]}),
    ),
    (
        "all that a normal form may hold",
        APPROVAL,
        {
            **yes(),
            "user_message": "fine",
            "metadata": {},
            "interaction_id": "i1",
            "digest": "sha256:seen",
        },
    ),
    ("edits on an application's own card", OWN, yes(edits={"n": 1})),
    (
        "a no to each of the rows that go together",
        table(rows_decidable=False),
        yes(rejected_rows={"a": "old", "b": "new"}),
    ),
    ("an argument beside the rows", table(), yes(edits={"amount": 2})),
    (
        "rows as they were, which are no objects",
        table(tool_params={"rows": [1, "b"]}),
        yes(edits={"rows": [1, "b"]}),
    ),
]


@pytest.mark.parametrize(
    ("card", "body"),
    [(card, body) for _, card, body in TAKEN],
    ids=[name for name, *_ in TAKEN],
)
def test_what_fits_is_taken(card: Card, body: JsonObject) -> None:
    assert read(card, body).interaction_id == "i1"


def test_a_digest_beside_the_wrapper_is_the_answers_own() -> None:
    body: JsonObject = {
        "tool_response": {"approval_decision": {"decision": "Approved", "metadata": {"a": 1}}},
        "digest": "sha256:seen",
        "interaction_id": "i1",
    }
    said = read(APPROVAL, body)
    assert (said.approved, said.metadata) == (True, {"a": 1, "digest": "sha256:seen"})
    assert read(FREE, {"tool_response": {"user_input": {"additional_notes": "x"}}}).approved
    assert read(APPROVAL, {"decision": "rejected", "reason": "no"}).metadata == {}


@pytest.mark.parametrize(
    ("body", "values"),
    [
        ({"street": "x", "selected_option": "red"}, {"street": "x", "selected_option": "red"}),
        ({"values": {"street": "x"}}, {"street": "x"}),
        ({"values": {"street": "x", "city": "y"}}, {"values": {"street": "x", "city": "y"}}),
        ({"values": 5}, {"values": 5}),
        ({"approved": "so", "street": "x"}, {"approved": "so", "street": "x"}),
        ({"approved": True, "response_data": {"values": {"street": "x"}}}, {"street": "x"}),
        ({}, {}),
    ],
)
def test_the_own_fields_of_a_form_are_its_values(body: JsonObject, values: JsonObject) -> None:
    response = read(FORM, body)
    assert response.approved
    assert response.response_data.values == values
    assert response.response_data.selected_option is None


@pytest.mark.parametrize("fields", [{"street": "x"}, {"values": {"street": "x"}}])
def test_a_verdict_beside_the_fields_of_a_form_is_none_of_them(fields: JsonObject) -> None:
    said = read(PLACE, {"approved": True, "user_message": "So.", **fields})
    assert (said.approved, said.user_message) == (True, "So.")
    assert said.response_data.values == {"street": "x"}


def test_a_form_that_names_no_fields_takes_what_it_is_given() -> None:
    open_form = FormCard(title="Anything?", response_schema={"type": "object"})
    assert read(open_form, {"colour": "red"}).response_data.values == {"colour": "red"}
    wrapped = read(open_form, {"values": {"colour": "red"}, "additional_notes": "dark"})
    assert wrapped.response_data.values == {"colour": "red"}
    assert wrapped.response_data.additional_notes == "dark"


def test_a_verdict_may_be_said_by_both_of_its_names() -> None:
    assert read(APPROVAL, {"approved": True, "decision": "approve"}).approved
    assert not read(APPROVAL, {"approved": False, "decision": "rejected", "reason": "no"}).approved


def test_what_is_no_metadata_is_refused_though_a_digest_is_there() -> None:
    with pytest.raises(AnswerInvalid, match="metadata"):
        read(APPROVAL, {**yes(), "metadata": "x", "digest": "sha256:seen"})


def test_a_no_to_a_question_gives_the_reason_that_it_asks_for() -> None:
    card = ConfirmationCard(title="Go?", requires_reason=True)
    refusal = InteractionResponse(interaction_id="i1", approved=False)
    [error] = check_answer(card, refusal, reason_required=True)
    assert error["path"] == "reason"


def test_rows_that_go_together_and_are_decided_both_ways_say_both() -> None:
    said = yes(approved_rows=["a"], rejected_rows={"a": "", "b": ""})
    with pytest.raises(AnswerInvalid) as refused:
        read(table(rows_decidable=False), said)
    errors: Any = refused.value.context["errors"]
    assert {error["path"] for error in errors} == {"rows/a", "rows"}


def test_values_beside_what_is_in_no_envelope_are_a_field() -> None:
    said: JsonObject = {"values": {"street": "x"}, "city": "y"}
    assert read(FORM, said).response_data.values == said


def test_values_are_unwrapped_beside_all_that_an_envelope_may_hold() -> None:
    whole: JsonObject = {"user_message": None, "values": {"street": "x"}}
    beside: JsonObject = {
        "interaction_id": "i1",
        "metadata": {},
        "digest": None,
        "decision": "approve",
    }
    said = read(FORM, {**whole, **beside, "reason": "as agreed"})
    assert said.response_data.values == {"street": "x"}
    envelope: JsonObject = {
        "interaction_id": "i1",
        "metadata": {"a": 1},
        "digest": None,
        "decision": "approve",
        "reason": "as agreed",
    }
    said = read(FORM, {"values": {"street": "x"}, **envelope})
    assert said.response_data.values == {"street": "x"}
    assert said.user_message == "as agreed"


def test_so_are_those_of_an_applications_card() -> None:
    assert read(NAMED, {"decision": "reject"}).response_data.values == {"decision": "reject"}
    assert read(NAMED, {"decision": "reject"}).approved


def test_a_no_to_the_rows_stays_as_it_was_said() -> None:
    said = read(table(), no("late", rejected_rows={"a": "", "b": ""}))
    assert (said.decision, said.response_data.approved_rows) == ("reject", None)


def test_a_choice_that_is_none_is_told_what_there_is() -> None:
    with pytest.raises(AnswerInvalid) as refused:
        read(COLOURS, yes(selected_option="blue"))
    errors: Any = refused.value.context["errors"]
    assert errors[0]["params"] == {"options": ["red"]}


def test_values_that_name_every_field_are_unwrapped() -> None:
    whole: JsonObject = {"street": "x", "approved": 1, "values": 2}
    assert read(FORM, {"values": whole}).response_data.values == whole


def test_a_mistake_is_told_in_words_that_go_on() -> None:
    with pytest.raises(AnswerInvalid, match="metadata: input should be"):
        read(APPROVAL, {"decision": "approve", "metadata": 5})


def test_a_place_is_told_in_the_words_of_the_wire() -> None:
    assert place_of(("response_data", "edits", "n")) == "edits/n"
    assert place_of(("user_message",)) == "reason"


def test_a_form_may_have_a_field_called_tool_response() -> None:
    form = FormCard(title="What?", response_schema={"properties": {"tool_response": {}}})
    said = read(form, {"tool_response": {"approval_decision": {"decision": "x"}}})
    assert said.response_data.values == {"tool_response": {"approval_decision": {"decision": "x"}}}
    assert read(NAMED, {"decision": "partial"}).response_data.values == {"decision": "partial"}


def test_a_form_may_have_a_field_called_digest() -> None:
    form = FormCard(title="Which?", response_schema={"properties": {"digest": {}}})
    wrapped = read(form, {"tool_response": {"user_input": {"digest": "mine"}}})
    assert wrapped.response_data.values == {"digest": "mine"}
    assert wrapped.metadata == {}
    without = read(form, {"tool_response": {"user_input": {"colour": "red"}}})
    assert without.response_data.values == {"colour": "red"}


def test_a_field_that_is_said_within_a_wrapper_and_beside_it_is_refused() -> None:
    card = FormCard(title="?", response_schema={"properties": {"digest": {"type": "string"}}})
    body: JsonObject = {"tool_response": {"user_input": {"digest": "mine"}}, "digest": "sha256:a"}
    with pytest.raises(AnswerInvalid):
        read(card, body)


def test_the_reasons_of_the_rows_are_the_reason_of_the_no() -> None:
    said = read(table(), {**yes(rejected_rows={"a": "old ", "b": " "})})
    assert (said.decision, said.user_message) == ("reject", "row a: old")
    assert said.response_data.approved_rows == []
