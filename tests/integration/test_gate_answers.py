"""What is nothing to the gate at its open card: the application's agent answers it, and then the
card stands last again, in one turn."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.waiting import until
from tests.integration.test_gate import Talk, in_modes, metadata
from tests.integration.test_gate_talk import DONE, cards, gate, know, talk
from tests.loopback import client_of

__all__ = ["gate", "talk"]  # fixtures

ASKS_OUTRIGHT = "That sounds like a yes, and I want to be sure: shall I go ahead?"


@pytest.fixture
async def at_the_card(talk: Talk) -> Talk:
    await know(talk)
    await talk.say("create the booking")
    assert len(await cards(talk, "requirements")) == 1
    return talk


def spoken(turn: dict[str, Any]) -> list[str]:
    """What was said beside the cards."""
    messages = [m for m in turn["messages"] if m["role"] == "assistant"]
    return [m["content"] for m in messages if "ui_tool" not in m["metadata"]]


def translatable(turn: dict[str, Any]) -> list[str | None]:
    """What each of these messages shows instead in another language of the console's."""
    messages = [m["metadata"] for m in turn["messages"] if m["role"] == "assistant"]
    said = [m.get("said") for m in messages if "ui_tool" not in m]
    return [
        "\n\n".join(one["text"] for one in paragraphs) if paragraphs else None
        for paragraphs in said
    ]


async def last_of(talk: Talk) -> dict[str, Any]:
    message: dict[str, Any] = (await talk.view())["messages"][-1]
    return message


async def answer(talk: Talk, card: dict[str, Any], option: str) -> None:
    body = {"approved": True, "response_data": {"selected_option": option}}
    await talk.server.post(f"/api/interactions/{card['interaction_id']}/response", body)
    await until(talk.rests)


@in_modes("confirm")
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Who will be at the desk?", ["Maria will."]),
        ("are you sure?", ["Very well."]),
        ("it rains", ["Very well."]),
        (
            "yes, when I am back from lunch",
            [
                "Very well.",
                "Your yes is for later, so I have not done it. Shall I go ahead now?",
            ],
        ),
    ],
)
async def test_the_agent_answers_and_the_card_comes_again(
    at_the_card: Talk, asked: str, said: list[str]
) -> None:
    first = await at_the_card.card()
    turn = await at_the_card.say(asked)
    assert spoken(turn) == said
    again = await at_the_card.card()
    assert again["interaction_id"] != first["interaction_id"]
    assert again["payload"]["known"] == first["payload"]["known"]
    assert (await last_of(at_the_card))["event_id"] == again["interaction_id"]
    assert metadata(turn)["requirements_status"]["booking"]["ready"] is True
    assert at_the_card.done == []
    await at_the_card.say("yes")
    assert at_the_card.done == [DONE]


@in_modes("confirm")
async def test_a_click_on_the_card_that_came_again_runs_it(at_the_card: Talk) -> None:
    await at_the_card.say("Who will be at the desk?")
    await at_the_card.approve(guests=2)
    await at_the_card.approve()
    assert at_the_card.done == [DONE.replace("none 1", "none 2")]
    view = await at_the_card.view()
    assert view["run"]["status"] == "completed"
    assert spoken(view).count("Maria will.") == 1
    assert (await last_of(at_the_card))["content"] == "Booked: Plaza."


@in_modes("confirm")
async def test_what_the_agent_did_for_its_answer_is_done_once(at_the_card: Talk) -> None:
    turn = await at_the_card.say("Shall I bring a coat?")
    assert spoken(turn) == ["Bring one: it snows."]
    await at_the_card.approve()
    assert at_the_card.done == ["window", DONE]


@in_modes("confirm")
async def test_a_yes_may_be_meant_for_what_the_agent_has_asked(at_the_card: Talk) -> None:
    await at_the_card.say("Is there a better hotel?")
    assert len(await cards(at_the_card, "requirements")) == 1
    turn = await at_the_card.say("yes")
    assert at_the_card.done == []
    assert spoken(turn) == [ASKS_OUTRIGHT]
    await at_the_card.say("yes")
    assert at_the_card.done == [DONE]


@in_modes("confirm")
async def test_a_yes_with_a_question_runs_it_and_the_agent_answers(at_the_card: Talk) -> None:
    turn = await at_the_card.say("Yes. Who will be at the desk?")
    assert at_the_card.done == [DONE]
    assert spoken(turn) == ["Booked: Plaza.", "Maria will."]
    assert translatable(turn) == ["Booked: Plaza.", None]
    assert metadata(turn)["branches_executed"] == ["BOOKING"]
    assert await cards(at_the_card, "requirements") == []


@in_modes("confirm")
async def test_what_the_gate_took_beside_is_a_message_of_its_own(at_the_card: Talk) -> None:
    turn = await at_the_card.say("make it the Ritz. Who will be at the desk?")
    assert spoken(turn) == ["Maria will.", "Noted: Ritz."]
    assert translatable(turn) == [None, "Noted: Ritz."]
    turn = await at_the_card.say("sounds good. What does it cost?")
    assert spoken(turn) == ["Very well.", ASKS_OUTRIGHT]
    await at_the_card.say("yes")
    assert at_the_card.done == [DONE.replace("Plaza", "Ritz")]


@in_modes("confirm")
async def test_a_no_takes_the_card_away_whoever_it_was_meant_for(at_the_card: Talk) -> None:
    await at_the_card.say("Is there a better hotel?")
    turn = await at_the_card.say("no")
    assert spoken(turn) == ["Very well."]
    assert await cards(at_the_card, "requirements") == []
    await at_the_card.say("yes")
    assert at_the_card.done == []


@in_modes("confirm")
async def test_what_the_agent_asks_in_turn_goes_before_the_card(at_the_card: Talk) -> None:
    await at_the_card.say("May I bring a dog?")
    assert await cards(at_the_card, "requirements") == []
    [options] = await cards(at_the_card, "options")
    await answer(at_the_card, options, "small")
    assert spoken(await at_the_card.view())[-1] == "A small one may come."
    await at_the_card.approve()
    assert at_the_card.done == [DONE]


@in_modes("confirm")
async def test_what_is_not_known_any_more_gets_no_card(at_the_card: Talk) -> None:
    await at_the_card.say("May I bring a dog?")
    async with client_of(at_the_card.server.url) as client:
        where = f"/api/chats/{at_the_card.chat_id}/requirements"
        cleared = await client.patch(where, json={"field": "hotel", "value": None})
        assert cleared.status_code == 200
    [options] = await cards(at_the_card, "options")
    await answer(at_the_card, options, "large")
    assert await cards(at_the_card, "requirements") == []
    assert (await at_the_card.view())["run"]["status"] == "completed"
    assert at_the_card.done == []


@in_modes("confirm")
async def test_an_agent_that_asks_for_it_itself_is_enough(at_the_card: Talk) -> None:
    await at_the_card.say("Ask for it?")
    await at_the_card.approve()
    assert at_the_card.done == [DONE]
    assert await cards(at_the_card, "requirements") == []
    assert (await at_the_card.view())["run"]["status"] == "completed"


@in_modes("confirm")
async def test_what_is_taken_needs_no_answer_of_the_agent(at_the_card: Talk) -> None:
    assert spoken(await at_the_card.say("make it the Ritz")) == ["Noted: Ritz."]
    turn = await at_the_card.say("great")
    assert spoken(turn) == [ASKS_OUTRIGHT]
    assert at_the_card.done == []
