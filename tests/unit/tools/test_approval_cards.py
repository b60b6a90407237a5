"""The card of an approval: every text in its place, no secret on it, and open only what may be
changed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import JsonValue

from sayso.core.cards import ApprovalCard, Change, Column, Display, ExchangesCard
from sayso.core.digest import JsonObject
from sayso.core.interactions import (
    CardRequest,
    Interaction,
    InteractionResponse,
    OnExpiry,
    Proposal,
    ResponseData,
)
from sayso.core.policy_rules import Decision, Verdict
from sayso.core.shown import content_of
from sayso.tools.approval_cards import (
    approval_request,
    card_again,
    edit_schema,
    refusal_of_edits,
    refusal_of_rows,
)
from sayso.tools.approvals import make_proposal
from sayso.tools.calls import Call
from sayso.tools.masking import Mask
from sayso.tools.tool import Prepared, Tool, tool

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PIN = "12345678"
ARGUMENTS: JsonObject = {"order": 7, "pin": PIN}
ROWS: list[JsonObject] = [{"to": "ann", "n": 1}, {"to": "ben", "n": 2}]
ASK = Decision(Verdict.ASK, "Too much.")


def paying(**traits: Any) -> Tool[..., Any]:
    @tool(approval=True, secrets=["pin"], **traits)
    def pay_out(order: int, pin: str = "", lines: list[dict[str, JsonValue]] | None = None) -> None:
        """Pay it."""

    return pay_out


def asked(
    made: Tool[..., Any], found: Prepared | None = None, arguments: JsonObject = ARGUMENTS,
    changes: list[Change] | None = None, revision: int = 1,
) -> CardRequest:  # fmt: skip
    proposal = make_proposal(made, arguments, found, revision=revision)
    return approval_request(
        made, proposal, found, call_key="k", tool_call_id="c", agent_name="desk", decision=ASK,
        changes=changes,
    )  # fmt: skip


def card_of(request: CardRequest) -> ApprovalCard:
    assert isinstance(request.card, ApprovalCard)
    return request.card


def test_a_card_says_all_that_prepare_found_and_no_secret() -> None:
    found = Prepared(
        summary=f"Pay {PIN}", message=f"Shall {PIN} go?", entity_type="order", action="pay",
        details={"of": PIN, "sum": 5}, impact=f"{PIN} is gone", warnings=[f"Late: {PIN}"],
        context={"from": PIN},
    )  # fmt: skip
    changes = [Change(path="pin", before=PIN, after="x")]
    made = paying(
        title="Payment", requires_reason=False, final_confirmation=True,
        expires_in=timedelta(hours=1), on_expiry="reject", assignees=["ada"],
    )  # fmt: skip
    request = asked(made, found, changes=changes)
    card = card_of(request)
    assert PIN not in card.model_dump_json()
    assert (card.title, card.agent_message, card.message) == (
        "Payment",
        "Shall ••• go?",
        "Shall ••• go?",
    )
    assert (card.tool_name, card.tool_params) == ("pay_out", {"order": 7, "pin": "•••"})
    assert card.tool_description == "Pay it."
    assert (card.entity_type, card.entity_summary, card.action) == ("order", "Pay •••", "pay")
    assert card.entity_details == {"of": "•••", "sum": 5}
    assert (card.impact, card.warnings) == ("••• is gone", ["Late: •••"])
    assert card.context == {"from": "•••", "policy": "Too much."}
    assert (card.requires_reason, card.final_confirmation) == (False, True)
    assert card.changes == [Change(path="pin", before="•••", after="x")]
    assert (request.expires_in, request.on_expiry) == (timedelta(hours=1), made.traits.on_expiry)
    assert (request.assignees, request.ui_tool_id) == (made.traits.assignees, card.card.value)
    assert (request.call_key, request.tool_call_id, request.agent_name) == ("k", "c", "desk")


@pytest.mark.parametrize(
    ("summary", "title", "heads"),
    [("Pay 7", "", "Pay 7"), ("", "", "Pay out"), ("Pay 7", "Payment", "Payment")],
)
def test_what_nobody_said_is_said_by_the_next_best(summary: str, title: str, heads: str) -> None:
    card = card_of(asked(paying(title=title), Prepared(summary=summary)))
    assert card.title == heads
    assert card.agent_message == (summary or heads)
    assert card.entity_summary == (summary or heads)
    assert card.message is None
    assert card.impact is None
    assert card.entity_details == {"order": 7, "pin": "•••"}
    assert card.changes == []


TABLE: JsonObject = {**ARGUMENTS, "lines": list(ROWS)}


def table(found: Prepared | None = None, **traits: Any) -> ExchangesCard:
    card = asked(paying(rows="lines", **traits), found, TABLE).card
    assert isinstance(card, ExchangesCard)
    return card


def test_columns_of_its_own_keep_their_labels_and_open_no_cell_that_is_closed() -> None:
    own = [Column(key="to", label="Whom", editable=True), Column(key="x", label="X", editable=True)]
    card = table(Prepared(columns=[*own, "n"]))
    assert [(c.key, c.label, c.editable) for c in card.columns] == [
        ("to", "Whom", False),
        ("x", "X", False),
        ("n", "N", False),
    ]
    assert card.rows_decidable


class Described(Tool[..., Any]):
    """A tool whose schema is given."""

    given: JsonObject

    @property
    def schema(self) -> JsonObject:
        return self.given


def described(schema: JsonObject, **traits: Any) -> Tool[..., Any]:
    made = paying(rows="lines", **traits)
    it = Described(made.function, name=made.name, description=made.description, traits=made.traits)
    it.given = schema
    return it


LINE: JsonObject = {"properties": {"to": {}, "n": {}}}


@pytest.mark.parametrize(
    ("schema", "cells"),
    [
        ({"properties": {"lines": {"items": LINE}}}, {"to", "n"}),
        (
            {"properties": {"lines": {"items": {"$ref": "#/$defs/L"}}}, "$defs": {"L": LINE}},
            {"to", "n"},
        ),
        ({"properties": {"lines": {"items": {"$ref": "#/$defs/M"}}}, "$defs": {"L": LINE}}, set()),
        ({"properties": {"lines": {"items": True}}}, set()),
        ({"properties": {"order": {}}}, set()),
        ({"properties": True}, set()),
        ({}, set()),
    ],
)
def test_a_cell_is_open_where_the_schema_describes_it(schema: JsonObject, cells: set[str]) -> None:
    own = [Column(key=key, label=key, editable=True) for key in ("to", "n", "x")]
    shut = Column(key="n", label="n", editable=False)
    made = described(schema)
    card = asked(made, Prepared(columns=[*own]), TABLE).card
    assert isinstance(card, ExchangesCard)
    assert {column.key for column in card.columns if column.editable} == cells
    is_described = "lines" in str(schema) and "#/$defs/M" not in str(schema)
    assert card.rows_argument == ("lines" if is_described else None)
    closed = asked(made, Prepared(columns=[shut]), TABLE).card
    assert isinstance(closed, ExchangesCard)
    assert not closed.columns[0].editable


def test_a_row_that_does_not_show_its_entry_is_no_part_of_an_argument() -> None:
    card = table(Prepared(rows=[{"to": "ann"}, {"to": "eve"}]))
    assert (card.rows_argument, card.rows_decidable) == (None, False)
    assert [row.row_id for row in card.rows] == ["1", "2"]


def settled(request: CardRequest, **said: Any) -> Interaction:
    opened = request.opened(
        interaction_id="i1", app_id="app", chat_id="c1", run_id="r1", task_id="t1", batch_id="b1",
        now=NOW, steady=NOW, salt="salt",
    )  # fmt: skip
    data = ResponseData.model_validate(said)
    response = InteractionResponse(interaction_id="i1", approved=True, response_data=data)
    return replace(opened, response=response)


def test_a_card_that_opens_again_says_why_and_keeps_what_was_typed() -> None:
    made = paying(expires_in=timedelta(hours=1), assignees=["ada"])
    request = asked(made, changes=[Change(path="order", before=1, after=7)])
    shown = request.proposal
    assert isinstance(shown, Proposal)
    it = replace(settled(request, edits={"pin": PIN, "order": 8}), display=Display.ARTIFACT)
    call = Call(
        key="k", id="c", tool=made, arguments=ARGUMENTS, agent_name="desk",
        mask=Mask({"pin"}, ARGUMENTS),
    )  # fmt: skip
    wrong: JsonObject = {"path": "order", "message": "No such order."}
    refusal = refusal_of_edits(shown, {"order": 8}, [wrong])
    again = card_again(call, it, shown, refusal, key="k#r2")
    card = card_of(again)
    assert [error.message for error in card.errors or ()] == ["No such order."]
    assert card.typed == {"pin": "•••", "order": 8}
    assert (card.changes, card.bulk) == ([], False)
    assert (again.call_key, again.tool_call_id, again.agent_name) == ("k#r2", "c", "desk")
    assert (again.expires_in, again.on_expiry) == (timedelta(hours=1), OnExpiry())
    assert (again.assignees, again.ui_tool_id) == (it.assignees, it.ui_tool_id)
    assert again.display is Display.ARTIFACT
    assert again.proposal is not None
    plain = card_of(card_again(call, settled(request), shown, refusal_of_rows(shown), key="k"))
    assert plain.typed is None
    assert not hasattr(plain, "rows_decidable")


def test_rows_that_are_no_part_of_what_runs_are_decided_together_from_then_on() -> None:
    made = paying(rows="lines")
    request = asked(made, None, TABLE)
    shown = request.proposal
    assert shown is not None
    call = Call(key="k", id="c", tool=made, arguments=TABLE, agent_name="desk", mask=Mask((), {}))

    def again(proposal: Proposal) -> ExchangesCard:
        card = card_again(call, settled(request), proposal, refusal_of_rows(shown), key="k").card
        assert isinstance(card, ExchangesCard)
        return card

    assert again(shown).rows_decidable
    assert not again(shown.model_copy(update={"rows": shown.rows[:1]})).rows_decidable


@pytest.mark.parametrize(
    ("edits", "path", "place"),
    [
        ({"a": 1, "b": 2}, "a/0/n", "edits/a/0/n"),
        ({"a": 1, "b": 2}, "c", "edits"),
        ({"a": 1}, "c", "edits/a"),
        ({"a": 1}, "a/n", "edits/a/n"),
    ],
)
def test_a_mistake_is_told_at_the_edit_that_it_is_about(
    edits: JsonObject, path: str, place: str
) -> None:
    shown = Proposal(tool_name="pay_out", arguments={}, revision=3)
    refusal = refusal_of_edits(shown, edits, [{"path": path, "message": "no"}])
    assert refusal.revision == 3
    assert [error.path for error in refusal.errors] == [place]


def test_what_cannot_be_checked_as_a_whole_cannot_be_changed() -> None:
    wide: JsonObject = {"properties": {str(n): {} for n in range(3_000)}}
    assert edit_schema(described({"properties": {"order": wide}}), Prepared()) is not None
    both = described({"properties": {"order": wide, "lines": wide}})
    assert edit_schema(both, Prepared()) is None


def test_a_card_says_how_amounts_units_and_dates_are_read_and_nothing_of_a_secret() -> None:
    properties: JsonObject = {
        "order": {"type": "integer"},
        "amount": {"type": "number", "format": "currency", "currency": "EUR"},
        "weight": {"type": "number", "unit": "kg"},
        "on": {"type": "string", "format": "date"},
        "pin": {"type": "string", "format": "date"},
        "odd": True,
    }
    shown = card_of(asked(described({"properties": properties})))
    assert shown.formats is not None
    told = {name: each.model_dump(exclude_none=True) for name, each in shown.formats.items()}
    assert told == {
        "amount": {"format": "currency", "currency": "EUR"},
        "weight": {"unit": "kg"},
        "on": {"format": "date"},
    }
    assert card_of(asked(paying())).formats is None


def test_a_card_says_what_would_be_replaced_under_its_digest_and_no_secret() -> None:
    found = Prepared(before={"order": 6, "pin": PIN})
    shown = card_of(asked(paying(), found))
    assert shown.before is not None
    assert shown.before["order"] == 6
    assert PIN not in str(shown.before)
    plain = card_of(asked(paying()))
    assert plain.before is None
    assert content_of(
        type_="t", ui_tool_id="u", agent_name="a", card=shown, proposal=None
    ) != content_of(type_="t", ui_tool_id="u", agent_name="a", card=plain, proposal=None)
