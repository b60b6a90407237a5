"""A conversation at the open card: what a difference makes of the values that it shows."""

from __future__ import annotations

from datetime import time, timedelta
from typing import Annotated

import pytest
from pydantic import Field, JsonValue

from sayso import AgentContext, App, ToolContext
from sayso.gate import Ask, Requirements
from tests.unit.gate.test_hostile import Conversation


class Trip(Requirements):
    destination: Annotated[str, Ask("Where are you going?")]
    origin: Annotated[str, Ask("Where do you travel from?")]
    days: Annotated[timedelta, Ask("How many days?")]
    travelers: Annotated[int, Field(ge=1), Ask("How many people?")]


class Room(Requirements):
    room: Annotated[str, Ask("Which room?")]
    at: Annotated[time, Ask("At what time?")]
    budget: Annotated[float, Ask("What is the budget?")]
    duration: Annotated[timedelta, Ask("For how long?")] = timedelta(hours=1)


async def _changed_by(
    said: str, requires: type[Requirements], verb: str, opening: str
) -> dict[str, JsonValue]:
    """Say it at the open card; return what is known otherwise than before."""
    ran: list[str] = []

    async def agent(ctx: AgentContext) -> None:
        await ctx.say("Hm.")

    app = App({"agent": agent})

    @app.action(verb.split(maxsplit=1)[0], requires=requires, verb=verb)
    async def do(req: Requirements, ctx: ToolContext) -> str:
        ran.append(verb)
        return "Done."

    chat = Conversation(app.programs()["agent"], "difference")
    await chat.say(opening)
    assert chat.card is not None
    before = {name: given.value for name, given in chat.state.values.items()}
    await chat.say(said)
    assert not ran
    assert chat.card is not None
    after = {name: given.value for name, given in chat.state.values.items()}
    return {name: value for name, value in after.items() if before.get(name) != value}


@pytest.mark.parametrize(
    ("said", "changed"),
    [
        ("shorten it by a day", {"days": "P3D"}),
        ("extend it by two days", {"days": "P6D"}),
        ("three times as long", {"days": "P12D"}),
        ("half as long", {"days": "P2D"}),
        ("half as many people", {"travelers": 1}),
        ("add a person", {"travelers": 3}),
        ("a few days more", {}),
        ("a few days less", {}),
        ("5 days less", {}),
        ("yes, five days less", {}),
        ("two fewer people", {}),
        ("extend it to 6 days", {"days": "P6D"}),
    ],
)
async def test_of_what_was_said(said: str, changed: dict[str, JsonValue]) -> None:
    opening = "Plan a trip from Berlin to Rome, four days, two people"
    assert await _changed_by(said, Trip, "plan the trip", opening) == changed


@pytest.mark.parametrize(
    ("said", "changed"),
    [
        ("half an hour longer", {"duration": "PT1H30M"}),
        ("half an hour shorter", {"duration": "PT30M"}),
        ("eine halbe Stunde länger", {"duration": "PT1H30M"}),
        ("10% more", {"budget": 550}),
        ("double the budget", {"budget": 1000}),
        ("raise the budget by 100 euros", {"budget": 600}),
        ("half an hour later", {"at": "20:30:00"}),
    ],
)
async def test_of_what_is_assumed_and_of_sums(said: str, changed: dict[str, JsonValue]) -> None:
    opening = "Book the room Borealis at 20:00, budget 500 euros"
    assert await _changed_by(said, Room, "book the room", opening) == changed
