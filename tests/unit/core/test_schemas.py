"""A card's schema: compiled before anybody is asked, bounded, and kind to what people write."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from pydantic import BaseModel, Field

from sayso.core.cards import ApprovalCard, Card, ConfirmationCard, FormCard
from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput, SchemaInvalid
from sayso.core.fitting import check_answer, check_request
from sayso.core.interactions import (
    CardRequest,
    InteractionResponse,
    OnExpiry,
    ResponseData,
)
from sayso.core.schemas import MOST_BYTES, MOST_WORK, argument_errors, compiled, schema_errors


class Person(BaseModel):
    name: str = Field(pattern=r"^\p{L}+$")
    age: int = Field(ge=0)


def test_every_mistake_is_named_at_its_place() -> None:
    errors = schema_errors(Person.model_json_schema(), {"name": "7", "age": "old"}, at="values")
    assert [e["path"] for e in errors] == ["values/age", "values/name"]
    assert errors[0]["message"] == '"old" is not of type "integer"'


@pytest.mark.parametrize(
    ("form", "value", "fits"),
    [
        ("date-time", "2026-11-22T10:00", True),
        ("date-time", "2026-11-22T10:00:00+01:00", True),
        ("date-time", "tomorrow", False),
        ("time", "10:00", True),
        ("time", "noon", False),
        ("date", "2026-02-30", False),
        ("e-mail of ours", "anything", True),
    ],
)
def test_formats_are_those_that_a_page_writes(form: str, value: str, fits: bool) -> None:
    assert (schema_errors({"format": form}, value, at="v") == []) is fits


def test_a_large_answer_to_a_wide_schema_is_refused_and_not_worked_at() -> None:
    wide: JsonObject = {"items": {"allOf": [{"type": "integer"}] * 1000}}
    assert schema_errors(wide, list(range(10)), at="v") == []
    [error] = schema_errors(wide, list(range(100_000)), at="v")
    assert error["path"] == "v"
    assert error["message"] == "is too large to be checked"


def test_a_tools_own_schema_may_lead_back_to_itself_and_look_around() -> None:
    tree: JsonObject = {
        "properties": {"name": {"pattern": "^(?=a).*$"}, "children": {"items": {"$ref": "#"}}}
    }
    assert argument_errors(tree, {"name": "ab", "children": [{"name": "a"}]}) == []
    [error] = argument_errors(tree, {"children": [{"name": "b"}]})
    assert error["path"] == "children/0/name"
    with pytest.raises(SchemaInvalid):
        compiled(tree)


def test_a_default_answer_has_to_fit_when_it_is_asked() -> None:
    schema: JsonObject = {"properties": {"n": {"type": "integer"}}}

    def asked(answer: JsonObject | None) -> CardRequest:
        return CardRequest(
            call_key="k",
            card=FormCard(title="How many?", response_schema=schema),
            ui_tool_id="form",
            on_expiry=OnExpiry(action="answer", answer=answer),
        )

    with pytest.raises(InvalidInput, match="is not stated"):
        check_request(asked(None))
    check_request(asked({"response_data": {"values": {"n": 3}}}))
    with pytest.raises(InvalidInput, match="values/n") as refused:
        check_request(asked({"response_data": {"values": {"n": "three"}}}))
    errors = refused.value.context["errors"]
    assert isinstance(errors, list)
    assert len(errors) == 1
    with pytest.raises(InvalidInput, match="default answer"):
        check_request(asked({"response_data": {"approved_rows": ["1"]}}))


def test_a_default_answer_is_a_yes_only_where_it_says_so() -> None:
    def opened(card: Card, answer: JsonObject) -> None:
        default = OnExpiry(action="answer", answer=answer)
        check_request(CardRequest(call_key="k", card=card, ui_tool_id="card", on_expiry=default))

    approval = ApprovalCard(title="Pay", tool_name="pay", tool_params={})
    silences: list[JsonObject] = [{}, {"user_message": "Fine."}, {"response_data": {}}]
    for card in (approval, ConfirmationCard(title="Sure?")):
        for silent in silences:
            with pytest.raises(InvalidInput, match="is not stated"):
                opened(card, silent)
        opened(card, {"approved": False})
        opened(card, {"approved": True})


def test_an_approval_whose_edits_could_not_be_checked_is_never_opened() -> None:
    wrong: JsonObject = {"properties": {"a": {"pattern": "["}}}
    card = ApprovalCard(title="Pay", tool_name="pay", tool_params={"a": 1}, edit_schema=wrong)
    with pytest.raises(SchemaInvalid):
        check_request(CardRequest(call_key="k", card=card, ui_tool_id="card"))


def test_what_an_older_version_opened_says_why_it_cannot_be_answered() -> None:
    said = InteractionResponse(
        interaction_id="i", approved=True, response_data=ResponseData(values={"a": "x"})
    )
    card = FormCard(title="Old", response_schema={"type": "strin"})
    [error] = check_answer(card, said, reason_required=True)
    assert error["path"] == "values"
    assert "can be dismissed" in str(error["message"])


def test_an_old_approval_whose_edits_cannot_be_checked_can_still_be_given() -> None:
    card = ApprovalCard(
        title="Old",
        tool_name="pay",
        tool_params={"a": 1},
        edit_schema={"properties": {"a": {"pattern": "["}}},
    )

    def edited(edits: JsonObject) -> InteractionResponse:
        data = ResponseData(edits=edits)
        return InteractionResponse(interaction_id="i", approved=True, response_data=data)

    assert check_answer(card, edited({}), reason_required=True) == []
    [error] = check_answer(card, edited({"a": "x"}), reason_required=True)
    assert "cannot be checked" in str(error["message"])


def test_other_keys_of_a_response_are_values() -> None:
    data = ResponseData.model_validate({"to": "x", "values": {"cc": "y"}})
    assert data.values == {"to": "x", "cc": "y"}
    response = InteractionResponse(
        interaction_id="i",
        approved=True,
        response_data={"to": "x"},  # type: ignore[arg-type]  # any dict is taken
    )
    assert response.response_data.values == {"to": "x"}


def in_a_circle(place: JsonObject) -> JsonObject:
    return {"$defs": {"a": {"properties": {"b": {"$ref": "#/$defs/a"}}}}, **place}


def test_a_reference_that_leads_back_to_itself_is_named() -> None:
    with pytest.raises(SchemaInvalid, match="'#' leads back to itself"):
        compiled({"properties": {"a": {"$ref": "#"}}})


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"$ref": "#"}}},
        {"patternProperties": {"a": {"$ref": "#"}}},
        {"items": {"$ref": "#"}},
        {"anyOf": [True, {"$ref": "#"}]},
        {"not": {"items": {"$ref": "#"}}},
        {"dependentSchemas": {"a": {"$ref": "#"}}},
        {"$dynamicRef": "#"},
        in_a_circle({"$ref": "#/$defs/a"}),
        in_a_circle({"items": {"$ref": "#/$defs/a"}}),
        {"properties": {"a": {"$ref": "#/$defs/none"}}},
        {"allOf": [{}], "$ref": "#/allOf/1"},
        {"allOf": [{}], "$ref": "#/allOf/first"},
        {"$ref": "#/title/0", "title": "x"},
        {"$anchor": "here", "items": {"$ref": "#here"}},
        {"items": {"$id": "https://example.org/a"}},
        {"pattern": "(?=a)b"},
        {"pattern": "(" * 20 + "a{1,50}" + "){1,50}" * 20},
        {"description": "x" * (256 * 1024)},
        {"const": float("nan")},
        {"const": {1, 2}},
    ],
)
def test_what_has_no_end_or_leads_nowhere_or_is_too_much_is_not_compiled(
    schema: JsonObject,
) -> None:
    with pytest.raises(SchemaInvalid):
        compiled(schema)


@pytest.mark.parametrize(
    ("schema", "value", "fits"),
    [
        ({"properties": {"a": True, "b": False}}, {"a": 1}, True),
        ({"properties": {"a": True, "b": False}}, {"b": 1}, False),
        ({"allOf": [{"type": "integer"}, {"minimum": 2}], "$ref": "#/allOf/0"}, 2, True),
        ({"$defs": {"a/b~c d": {"type": "integer"}}, "$ref": "#/$defs/a~1b~0c%20d"}, "x", False),
        (
            {
                "properties": {"a": {"$ref": "#/$defs/n"}, "b": {"$ref": "#/$defs/n"}},
                "$defs": {"n": {}},
            },
            {},
            True,
        ),
        ({"$id": "https://example.org/a", "items": {"type": "string"}}, [1], False),
        ({"enum": [{"$ref": "#"}, 1]}, 1, True),
        ({"default": {"$ref": "#"}, "const": 1}, 1, True),
        ({"$defs": {"unused": {"items": {"$ref": "#/$defs/unused"}}}}, 1, True),
        ({"prefixItems": [{"type": "integer"}]}, ["x"], False),
        ({}, {1, 2}, False),
    ],
)
def test_what_has_an_end_is_checked(schema: JsonObject, value: object, fits: bool) -> None:
    assert (schema_errors(schema, value, at="v") == []) is fits


def test_a_place_is_named_as_one() -> None:
    with pytest.raises(SchemaInvalid, match="is not written as a place"):
        compiled({"$anchor": "here", "items": {"$ref": "#here"}})


def test_so_many_bytes_and_no_more() -> None:
    room = MOST_BYTES - len('{"description": ""}')
    assert compiled({"description": "x" * room}).errors(1, at="v") == []
    with pytest.raises(SchemaInvalid, match="bytes"):
        compiled({"description": "x" * (room + 1)})


def test_so_many_parts_and_no_more() -> None:
    schema = replace(compiled({}), _places=MOST_WORK // 3)
    assert schema.errors([1, 2], at="v") == []
    [error] = schema.errors([1, 2, 3], at="v")
    assert error["message"] == "is too large to be checked"


@pytest.mark.parametrize("check", [compiled, lambda schema: argument_errors(schema, "a")])
def test_a_pattern_takes_so_much_and_no_more(check: Callable[[JsonObject], object]) -> None:
    check({"pattern": r"^\p{L}{1,30}$"})
    for length in (60, 180):
        with pytest.raises(SchemaInvalid):
            check({"pattern": rf"^\p{{L}}{{1,{length}}}$"})


def test_a_pattern_of_a_tool_tries_so_much_and_no_more() -> None:
    schema: JsonObject = {"pattern": "^(?=a)(?:a|a)+(?!b)b?$|^(?=a)a+b$"}
    assert argument_errors(schema, "a" * 4 + "b") == []
    [error] = argument_errors(schema, "a" * 14 + "b")
    assert "backtracking" in str(error["message"])


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"properties": {"a": {"type": "strin"}}}, "^SchemaInvalid: At properties/a/type: "),
        ({"$ref": "#/$defs/a"}, "^SchemaInvalid: Pointer '/\\$defs/a' does not exist\\."),
    ],
)
def test_what_is_wrong_with_a_schema_is_said_in_one_line(schema: JsonObject, said: str) -> None:
    with pytest.raises(SchemaInvalid) as refused:
        compiled(schema)
    assert re.match(said, f"SchemaInvalid: {refused.value.detail}")


def test_what_json_cannot_say_is_told() -> None:
    [error] = schema_errors({}, {1, 2}, at="v")
    assert error["path"] == "v"
    assert str(error["message"]).startswith("cannot be read as JSON: ")


def test_words_in_a_schema_are_no_places_of_it() -> None:
    compiled({"required": [str(n) for n in range(6_000)]})


def test_so_many_places_and_no_more() -> None:
    def wide(count: int) -> JsonObject:
        return {"properties": {str(n): {} for n in range(count)}}

    compiled(wide(4_999))
    with pytest.raises(SchemaInvalid, match="5,000"):
        compiled(wide(5_000))


def test_the_first_fifty_mistakes_are_told() -> None:
    told = schema_errors({"items": {"type": "string"}}, list(range(60)), at="")
    assert len(told) == 50
    assert "0" in [error["path"] for error in told]


def test_a_wide_value_of_every_kind_is_counted() -> None:
    wide: JsonObject = {"allOf": [{"type": "object"}] * 4_000}
    for value in ({str(n): n for n in range(6_000)}, {"a": tuple(range(6_000))}):
        [error] = schema_errors(wide, value, at="v")
        assert error["message"] == "is too large to be checked"
    assert schema_errors(wide, {"a": list(range(4_000))}, at="v") == []


@pytest.mark.parametrize("check", [schema_errors, argument_errors])
def test_nothing_is_fetched_for_a_schema(check: Callable[..., object]) -> None:
    far: JsonObject = {"$ref": "https://example.org/elsewhere.json"}
    at = {"at": "v"} if check is schema_errors else {}
    with pytest.raises(SchemaInvalid, match="nothing is fetched"):
        check(far, 1, **at)


def test_a_schema_that_nests_too_deeply_is_refused_in_words() -> None:
    schema: JsonObject = {"type": "object"}
    for _ in range(200):
        schema = {"type": "object", "properties": {"in": schema}}
    with pytest.raises(SchemaInvalid, match="nests too deeply"):
        compiled(schema)


@pytest.mark.parametrize(
    ("schema", "value", "code", "params"),
    [
        ({"type": ["string", "null"]}, 1, "field.of_type", {"types": ["null", "string"]}),
        ({"enum": ["a", 2]}, "b", "field.one_of", {"options": ["a", "2"]}),
        ({"required": ["n"]}, {}, "field.required", {"name": "n"}),
        ({"format": "date"}, "x", "field.of_format", {"format": "date"}),
        ({"pattern": "^a$"}, "b", "field.of_pattern", {"pattern": "^a$"}),
        ({"maxItems": 1}, [1, 2], "field.too_many", {"limit": 1}),
        ({"const": 1}, 2, None, None),
    ],
)
def test_a_mistake_can_be_said_in_other_languages(
    schema: JsonObject, value: object, code: str | None, params: JsonObject | None
) -> None:
    [error] = schema_errors(schema, value, at="v")
    assert (error.get("code"), error.get("params")) == (code, params)
    assert error["message"]
