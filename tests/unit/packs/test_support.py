"""The demo's sentences always do the same: each is told to the desk, with its answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from pydantic import JsonValue

from sayso import (
    ExecutionEngine,
    InteractionRequest,
    InteractionResponse,
    TaskRequest,
    TaskResult,
    TaskStatus,
    UniversalMessage,
)
from sayso.core.interactions import ResponseData
from sayso.packs.support import support_app
from sayso.packs.support.orders import BookMoved, NoSuchOrder, OrderBook
from sayso.packs.support.tools import report_on

Answers = Callable[[InteractionRequest], InteractionResponse]
MOST_ROUNDS = 20


class Desk:
    """The support desk with its own order book, and every question it has asked."""

    def __init__(self, directory: Path) -> None:
        self.engine = ExecutionEngine(support_app(directory))
        self.book = OrderBook(directory / "orders.db")
        self.asked: list[InteractionRequest] = []
        self.rounds: list[int] = []

    async def tell(self, words: str, answer: Answers | None = None) -> TaskResult:
        """Say something and answer until the desk is done: one question in each round, the last
        that was asked first, so that no order of answers is taken for granted."""
        message = UniversalMessage(role="user", content=words)
        task = TaskRequest(task_id=words, messages=[message])
        result = await self.engine.execute_task(task)
        while result.status is TaskStatus.WAITING:
            assert len(self.rounds) < MOST_ROUNDS, f"asked again and again: {result.interactions}"
            self.asked += [it for it in result.interactions if it not in self.asked]
            self.rounds.append(len(result.interactions))
            assert answer is not None, f"nobody answers {result.interactions}"
            reply = answer(result.interactions[-1])
            result = await self.engine.execute_task(task, resume=(result.state or b"", [reply]))
        return result

    @property
    def cards(self) -> list[str]:
        return [str(it.metadata["ui_tool_id"]) for it in self.asked]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.delenv("SAYSO_MODEL", raising=False)
    monkeypatch.setenv("SAYSO_DEMO_TOKEN_MS", "0")
    return Desk(tmp_path)


def yes(it: InteractionRequest) -> InteractionResponse:
    return InteractionResponse(interaction_id=it.interaction_id, approved=True)


def no(reason: str) -> Answers:
    def answer(it: InteractionRequest) -> InteractionResponse:
        return InteractionResponse(
            interaction_id=it.interaction_id, approved=False, user_message=reason
        )

    return answer


def edited(**edits: JsonValue) -> Answers:
    def answer(it: InteractionRequest) -> InteractionResponse:
        data = ResponseData(edits=dict(edits))
        return InteractionResponse(
            interaction_id=it.interaction_id, approved=True, response_data=data
        )

    return answer


def in_turn(*answers: Answers) -> Answers:
    """The first answer to the first question, the next to the one that comes after it."""
    left = iter(answers)
    return lambda it: next(left)(it)


def payload(it: InteractionRequest) -> Mapping[str, JsonValue]:
    found = it.metadata["payload"]
    assert isinstance(found, dict)
    return found


async def test_refund_order_1001_asks_for_approval_and_runs_once(desk: Desk) -> None:
    result = await desk.tell("refund order 1001", yes)
    assert desk.cards == ["approval"]
    card = payload(desk.asked[0])
    assert card["title"] == "Refund €42.00 for order 1001"
    assert card["impact"] == "The money goes back to the card ending 4411. This cannot be undone."
    assert isinstance(card["edit_schema"], dict)
    assert list(card["edit_schema"]["properties"]) == ["amount"]  # type: ignore[arg-type]
    assert desk.book.refunds() == [("1001", 4200)]
    assert result.status is TaskStatus.COMPLETED
    assert "Done: €42.00 for order 1001 goes back to the card ending 4411." in result.output


async def test_an_amount_changed_on_the_card_is_what_is_refunded(desk: Desk) -> None:
    result = await desk.tell("refund order 1001", edited(amount=30.5))
    assert desk.cards == ["approval"], "the same card once: nothing but the amount has changed"
    assert desk.book.refunds() == [("1001", 3050)]
    assert "Done: €30.50 for order 1001" in result.output


@pytest.mark.parametrize("amount", [42.01, 0.001], ids=["more than was paid", "half a cent"])
async def test_an_amount_that_cannot_be_paid_pays_nothing_and_the_card_comes_back(
    desk: Desk, amount: float
) -> None:
    reply = in_turn(edited(amount=amount), no("Then leave it."))
    result = await desk.tell("refund order 1001", reply)
    assert desk.book.refunds() == []
    assert desk.rounds == [1, 1], "asked once more"
    again = payload(desk.asked[1])
    assert again["typed"] == {"amount": amount}
    assert "edits/amount" in str(again["errors"])
    assert "Your reason: Then leave it." in result.output


async def test_a_rejection_pays_nothing_and_repeats_the_reason(desk: Desk) -> None:
    result = await desk.tell("refund order 1001", no("She wants another tea instead."))
    assert desk.book.refunds() == []
    assert "Your reason: She wants another tea instead." in result.output


async def test_the_same_sentence_does_the_same_again(desk: Desk) -> None:
    first = await desk.tell("refund order 1001", yes)
    again = await desk.tell("refund order 1001", yes)
    assert desk.cards == ["approval", "approval"]
    assert first.output.replace("no. 1", "no. 2") == again.output
    assert desk.book.refunds() == [("1001", 4200)] * 2


async def test_three_orders_ask_at_once_and_are_answered_in_any_order(desk: Desk) -> None:
    def answer(it: InteractionRequest) -> InteractionResponse:
        content = it.content
        assert isinstance(content, dict)
        return no("Not this one.")(it) if content["tool_params"]["order_id"] == "1002" else yes(it)

    result = await desk.tell("refund orders 1001, 1002 and 1003", answer)
    assert desk.cards == ["approval"] * 3
    assert desk.rounds == [3, 2, 1]
    assert sorted(desk.book.refunds()) == [("1001", 4200), ("1003", 4100)]
    assert "Done: €42.00 for order 1001" in result.output
    assert "I have not refunded order 1002. Your reason: Not this one." in result.output
    assert "Done: €41.00 for order 1003" in result.output


async def test_refund_my_order_asks_which_one(desk: Desk) -> None:
    def answer(it: InteractionRequest) -> InteractionResponse:
        if it.metadata["ui_tool_id"] != "options":
            return yes(it)
        data = ResponseData(selected_option="1009", additional_notes="It scratches.")
        return InteractionResponse(
            interaction_id=it.interaction_id, approved=True, response_data=data
        )

    await desk.tell("refund my order", answer)
    assert desk.cards == ["options", "approval"]
    options = payload(desk.asked[0])["options"]
    assert options == [
        {"id": "1001", "label": "Order 1001: Tea box", "description": "€42.00, delivered"},
        {"id": "1004", "label": "Order 1004: Soap box", "description": "€19.50, on the way"},
        {"id": "1009", "label": "Order 1009: Wool box", "description": "€43.20, delivered"},
    ]
    proposed = desk.asked[1].content
    assert isinstance(proposed, dict)
    assert proposed["tool_params"]["reason"] == "It scratches."
    assert desk.book.refunds() == [("1009", 4320)]


async def test_change_my_delivery_asks_in_a_form_and_confirms(desk: Desk) -> None:
    values: dict[str, JsonValue] = {
        "order_id": "1004",
        "street": "Sandgatan 3",
        "city": "Malmo",
        "postcode": "211 29",
        "date": "2026-04-02",
        "instructions": "The blue door.",
    }

    def answer(it: InteractionRequest) -> InteractionResponse:
        data = ResponseData(values=values if it.metadata["ui_tool_id"] == "form" else {})
        return InteractionResponse(
            interaction_id=it.interaction_id, approved=True, response_data=data
        )

    result = await desk.tell("change my delivery", answer)
    assert desk.cards == ["form", "confirmation"]
    assert payload(desk.asked[0])["values"]["city"] == "Lund"  # type: ignore[index, call-overload]
    order = desk.book.order("1004")
    assert (order.street, order.city, order.postcode) == ("Sandgatan 3", "Malmo", "211 29")
    assert (order.delivery_date, order.instructions) == ("2026-04-02", "The blue door.")
    assert "Done: order 1004 comes to Sandgatan 3, Malmo, on 2 April 2026." in result.output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("check my orders", "I checked all orders"),
        ("write a summary", "Your summary is in the panel."),
        ("fail softly", "Correct the carrier on the card"),
        ("fail badly", "I can’t count the stock"),
        ("refund order 9999", "I know no such order"),
        ("help", "Try one of these"),
        ("good morning", "Try one of these"),
    ],
)
async def test_what_asks_for_nothing(desk: Desk, words: str, told: str) -> None:
    result = await desk.tell(words)
    assert result.status is TaskStatus.COMPLETED
    assert told in result.output
    assert desk.asked == []


async def test_each_next_step_of_the_report_is_something_the_desk_understands(desk: Desk) -> None:
    steps = report_on(desk.book.orders())["next_steps"]
    assert isinstance(steps, list)
    assert len(steps) == 3
    for step in steps:
        assert "Try one of these" not in (await desk.tell(str(step), yes)).output


async def test_the_story_is_long_and_always_the_same(desk: Desk) -> None:
    story = (await desk.tell("tell me a story")).output
    assert 1_800 < len(story.split()) < 2_500
    assert story.startswith("# The clockmaker's ferry")
    assert (await desk.tell("tell me a story")).output == story


async def test_ask_me_something_is_a_free_question(desk: Desk) -> None:
    def answer(it: InteractionRequest) -> InteractionResponse:
        data = ResponseData(additional_notes="The tin.")
        return InteractionResponse(
            interaction_id=it.interaction_id, approved=True, response_data=data
        )

    result = await desk.tell("ask me something", answer)
    assert desk.cards == ["options"]
    assert "You said: The tin." in result.output


# ── the order book ──


def test_a_refund_with_the_same_key_happens_once(tmp_path: Path) -> None:
    book = OrderBook(tmp_path / "orders.db")
    book.refund("key", "1001", 1, 1000, "cold")
    book.refund("key", "1001", 1, 1000, "cold")
    assert book.refunds() == [("1001", 1000)]
    assert book.order("1001").left_cents == 3200


def test_what_was_looked_up_before_another_refund_no_longer_holds(tmp_path: Path) -> None:
    book = OrderBook(tmp_path / "orders.db")
    book.refund("first", "1001", 1, 4200, "cold")
    with pytest.raises(BookMoved):
        book.refund("second", "1001", 1, 4200, "cold")
    assert book.refunds() == [("1001", 4200)]


def test_an_unknown_order_is_said_to_be_unknown(tmp_path: Path) -> None:
    with pytest.raises(NoSuchOrder, match="no order 7"):
        OrderBook(tmp_path / "orders.db").order("7")


def test_the_book_lasts(tmp_path: Path) -> None:
    OrderBook(tmp_path / "orders.db").refund("key", "1002", 1, 500, "stale bread")
    assert OrderBook(tmp_path / "orders.db").order("1002").refunded_cents == 500
