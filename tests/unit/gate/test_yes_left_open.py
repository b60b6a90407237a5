"""A yes at the card that leaves something open: a part of it, more to come, a question with a
number. It runs nothing, and the same yes without that runs."""

from __future__ import annotations

from typing import Annotated

import pytest

from sayso import App, ToolContext
from sayso.gate import Ask, Requirements
from tests.unit.gate.test_hostile import Conversation


class Room(Requirements):
    hotel: Annotated[str, Ask("Which hotel?")]
    nights: Annotated[int, Ask("How many nights?")]


class Transfer(Requirements):
    amount: Annotated[int, Ask("How much?")]
    payee: Annotated[str, Ask("Who gets it?")]


ROOM = "Please book the room in the Hotel Roma for 3 nights."
TRANSFER = "Please wire the money. 400 goes to Anna Berg."


async def _ran_at_the_card(said: str, order: str = ROOM) -> list[str]:
    done: list[str] = []
    app = App(name="desk")

    @app.action("room", requires=Room, verb="book the room")
    async def room(req: Room, ctx: ToolContext) -> str:
        done.append(f"{req.hotel} {req.nights}")
        return "Booked."

    @app.action("transfer", requires=Transfer, verb="wire the money")
    async def transfer(req: Transfer, ctx: ToolContext) -> str:
        done.append(f"{req.payee} {req.amount}")
        return "Sent."

    chat = Conversation(app.programs()["desk"], "c")
    await chat.say(order)
    assert chat.card is not None
    assert done == []
    await chat.say(said)
    return done


@pytest.mark.parametrize(
    "said",
    [
        "yes",
        "do it",
        "Yes. What's the address?",
        "Yes please. Find out whether they have parking.",
        "book it and then tell me the address",
        "go ahead and then tell me what the address is",
        "Yes, book it. The nights are right.",
    ],
)
async def test_a_yes_to_all_of_it_runs(said: str) -> None:
    assert await _ran_at_the_card(said) == ["Hotel Roma 3"]


@pytest.mark.parametrize(
    "said",
    [
        "Yes, the hotel is correct. What's the address?",
        "Yes. The hotel is right. What is the phone number there?",
        "yes, the hotel is correct. What time do they close?",
    ],
)
async def test_a_yes_to_a_part_does_not_run_for_the_question_after_it(said: str) -> None:
    assert await _ran_at_the_card(said) == []


@pytest.mark.parametrize(
    "said", ["Yes, the amount. What's the address?", "Yes, the payee. Where is it?"]
)
async def test_a_part_that_is_only_named_does_not_run_for_the_question_after_it(said: str) -> None:
    assert await _ran_at_the_card(said, TRANSFER) == []


@pytest.mark.parametrize(
    "said",
    [
        "Yes. What's the address? And",
        "yes. what is the address? well",
        "yes... where is it again? um",
        "ja. Wie ist die Adresse? Und",
        "Yes, do it and",
        "do it and then",
        "yes, and also",
        "go ahead, and also",
        "ja mach das und",
        "oui, fais-le et",
        "sí, hazlo y",
        "sí, adelante y también",
        "ja, doe het en",
        "sim, faz isso e",
        "お願いします、それと",
    ],
)
async def test_a_yes_that_is_not_finished_runs_nothing(said: str) -> None:
    assert await _ran_at_the_card(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "Yes please. Find out whether they have two beds.",
        "Yes please. Find out whether they have 2 beds.",
        "Yes please. Find out if they have the B2 suite.",
        "Yes please. Check whether they have one.",
    ],
)
async def test_a_number_in_the_request_beside_a_yes_may_be_a_change(said: str) -> None:
    assert await _ran_at_the_card(said) == []
