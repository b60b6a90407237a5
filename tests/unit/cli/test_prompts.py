"""The answers that come of questions at the terminal, each of which its card has to accept."""

import io
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
import typer
from rich.console import Console

from sayso.cli import prompts
from sayso.core.cards import (
    ApprovalCard,
    Card,
    Column,
    ConfirmationCard,
    ExchangesCard,
    FormCard,
    HoldCard,
    OptionsCard,
    Row,
    UncertainEffectCard,
)
from sayso.core.fitting import check_answer
from sayso.core.interactions import InteractionResponse

EXCHANGES = ExchangesCard(
    title="Add 2 exchanges",
    tool_name="add",
    tool_params={},
    columns=[Column(key="flow", label="Flow")],
    rows=[
        Row(row_id="r1", values={"flow": "Concrete"}),
        Row(row_id="r2", values={"flow": "Steel"}),
    ],
)
CONFIRM = ConfirmationCard(title="Go?")
FORM = FormCard(
    title="Delivery",
    response_schema={
        "type": "object",
        "properties": {
            "street": {"type": "string"},
            "floors": {"type": "integer", "default": 0},
            "when": {"enum": ["today", "tomorrow"]},
            "lift": {"type": "boolean"},
            "note": {"type": "string"},
        },
        "required": ["street", "floors", "when", "lift"],
    },
)
UNCERTAIN = UncertainEffectCard(
    title="Did it run?",
    tool_name="pay",
    tool_params={},
    started_at=datetime(2026, 1, 1, tzinfo=UTC),
    attempt=1,
)


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Someone who gives these answers to prompts and confirmations, in this order."""

    def answers(*given: Any) -> None:
        left = list(given)

        def take(*_: Any, default: Any = None, **__: Any) -> Any:
            said = left.pop(0)
            return default if said is ... else said

        monkeypatch.setattr(typer, "prompt", take)
        monkeypatch.setattr(typer, "confirm", take)

    return answers


def asked(card: Card, digest: str | None = None) -> InteractionResponse:
    """The answer that the questions give for this card, once the card has accepted it."""
    payload = card.model_dump(mode="json", exclude={"card"})
    payload["sayso"] = {"card": card.card.value, **({"digest": digest} if digest else {})}
    it: Any = {"card": card.card.value, "payload": payload}
    body: dict[str, Any] = prompts.ask(Console(file=io.StringIO()), it)
    response = InteractionResponse.model_validate({**body, "interaction_id": "i"})
    assert check_answer(card, response, reason_required=True) == []
    return response


@pytest.mark.parametrize(
    ("card", "given", "expected"),
    [
        (CONFIRM, [True], {"approved": True}),
        (CONFIRM, [False, "", ""], {"approved": False}),
        (HoldCard(title="Pay", tool_name="pay"), [True], {"approved": False}),
        (HoldCard(title="Pay", tool_name="pay"), [False], {"approved": True}),
        (EXCHANGES, ["a"], {"approved_rows": ["r1", "r2"]}),
        (EXCHANGES, ["n", "wrong", ""], {"approved": False, "user_message": "wrong"}),
        (
            EXCHANGES,
            ["r", True, False, "no steel"],
            {"approved_rows": ["r1"], "rejected_rows": {"r2": "no steel"}},
        ),
        (
            EXCHANGES,
            ["r", False, "x", False, "y", "none of it", "start over"],
            {"approved": False, "user_message": "none of it", "suggestions": ["start over"]},
        ),
        (OptionsCard(title="?", question="Why?"), ["Since."], {"additional_notes": "Since."}),
        (
            OptionsCard(title="?", question="Which?", options=["a", "b"]),  # type: ignore[list-item]
            ["0", "x", "2", "because"],
            {"selected_option": "b", "additional_notes": "because"},
        ),
        (UNCERTAIN, ["2", "paid"], {"selected_option": "mark_done", "values": {"result": "paid"}}),
        (UNCERTAIN, ["3"], {"selected_option": "skip"}),
        (
            FORM,
            ["Main St", ..., "today", True, ""],
            {"values": {"street": "Main St", "floors": 0, "when": "today", "lift": True}},
        ),
        (
            FORM,
            ["Main St", "two", "never", True, "", ..., "2", "tomorrow", ..., "late"],
            {
                "values": {
                    "street": "Main St",
                    "floors": 2,
                    "when": "tomorrow",
                    "lift": True,
                    "note": "late",
                }
            },
        ),
    ],
)
def test_answers(
    person: Callable[..., None], card: Card, given: list[Any], expected: dict[str, Any]
):
    person(*given)
    response = asked(card)
    flat = response.model_dump() | response.response_data.model_dump()
    assert {name: flat[name] for name in expected} == expected


def test_the_answer_is_bound_to_what_was_shown(person: Callable[..., None]):
    person(True)
    card = ApprovalCard(title="Refund", tool_name="refund", tool_params={})
    assert asked(card, digest="sha256:x").metadata == {"digest": "sha256:x"}


def test_what_cannot_be_undone_is_approved_twice_or_not_at_all(person: Callable[..., None]):
    card = ApprovalCard(title="Delete", tool_name="rm", tool_params={}, final_confirmation=True)
    person(True, False)
    with pytest.raises(typer.Abort):
        asked(card)
    person(True, True)
    assert asked(card).approved


@pytest.mark.parametrize("choice", [["a"], ["r", True, False, "Too much"]])
def test_a_table_that_cannot_be_undone_is_approved_twice_or_not_at_all(
    person: Callable[..., None], choice: list[object]
):
    final = EXCHANGES.model_copy(update={"final_confirmation": True})
    person(*choice, True)
    assert asked(final).approved
    person(*choice, False)
    with pytest.raises(typer.Abort):
        asked(final)


def test_only_what_was_changed_is_an_edit(person: Callable[..., None]):
    card = ApprovalCard(
        title="Refund",
        tool_name="refund",
        tool_params={"order": "1001", "amount": 20, "reason": "broken"},
        edit_schema={
            "type": "object",
            "properties": {"amount": {"type": "number"}, "reason": {"type": "string"}},
        },
    )
    person(True, True, "15", ...)
    assert asked(card).response_data.edits == {"amount": 15}
    person(True, False)
    assert asked(card).response_data.edits == {}
