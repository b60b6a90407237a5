""" "Create both": everything that was spoken of runs, and neither a question nor another sentence
with a "both" in it orders anything."""

from __future__ import annotations

from typing import Annotated

import pytest

from sayso import App, ToolContext
from sayso.gate import Ask, Requirements
from tests.unit.gate.test_hostile import Conversation


class Hotel(Requirements):
    city: Annotated[str, Ask("Which city?")]
    nights: Annotated[int, Ask("How many nights?")]


class Guide(Requirements):
    city: Annotated[str, Ask("Which city?")]
    hours: Annotated[int, Ask("For how many hours?")]


class Boat(Requirements):
    city: Annotated[str, Ask("Which city?")]
    seats: Annotated[int, Ask("How many seats?")]


def _chat(done: list[str]) -> Conversation:
    app = App(name="desk")

    @app.action("hotel", requires=Hotel, verb="book the hotel", trigger="explicit")
    async def hotel(req: Hotel, ctx: ToolContext) -> str:
        done.append("hotel")
        return "Booked."

    @app.action("guide", requires=Guide, verb="hire the guide", trigger="explicit")
    async def guide(req: Guide, ctx: ToolContext) -> str:
        done.append("guide")
        return "Hired."

    @app.action("boat", requires=Boat, verb="rent the boat", trigger="explicit")
    async def boat(req: Boat, ctx: ToolContext) -> str:
        done.append("boat")
        return "Rented."

    return Conversation(app.programs()["desk"], "c")


@pytest.mark.parametrize(
    ("said", "runs"),
    [
        ("Start both", ["hotel"]),
        ("Create everything, please.", ["hotel"]),
        ("Both?", []),
        ("Everything?", []),
        ("Start both?", []),
        ("Plan everything?", []),
        ("Both of us drive. Please start.", []),
        ("We both like Rome. Please plan.", []),
        ("Everything is new to me. Please start.", []),
    ],
)
async def test_of_those_that_were_asked_for_what_is_ready_runs_by_an_order(
    said: str, runs: list[str]
) -> None:
    done: list[str] = []
    chat = _chat(done)
    await chat.say("We need a hotel and a guide. We go to Rome for 3 nights.")
    assert (done, chat.state.requested) == ([], ("hotel", "guide"))
    await chat.say(said)
    assert done == runs


@pytest.mark.parametrize(
    "said", ["Create both", "Create both. Make it 3 hours.", "Create both, please. 5 seats."]
)
async def test_both_are_the_two_that_are_offered_and_not_what_has_run(said: str) -> None:
    done: list[str] = []
    chat = _chat(done)
    await chat.say("Book the hotel in Rome for 3 nights.")
    assert done == ["hotel"]
    await chat.say("2 hours with the guide, and 4 seats in the boat")
    assert chat.state.pending is not None
    await chat.say(said)
    assert done == ["hotel", "guide", "boat"]
