"""A change at the open card that is half heard is asked about: the old value does not run, and
neither does the new one before the person has said so."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import pytest

from sayso import App, ToolContext
from sayso.gate import Ask, Requirements
from tests.unit.gate.test_hostile import Conversation


class Plan(Requirements):
    destination: Annotated[str, Ask("Where are you going?")]
    origin: Annotated[str, Ask("Where are you leaving from?")]
    days: Annotated[timedelta, Ask("How long is the trip?")]
    travelers: Annotated[int, Ask("How many people?")]


@pytest.mark.parametrize("said", ["actually let's do Naples", "no, Naples"])
@pytest.mark.parametrize(
    ("answers", "runs"),
    [(["yes", "yes"], ["Naples"]), (["no", "Rome", "yes"], ["Rome"]), (["Bari", "yes"], ["Bari"])],
)
async def test_it_is_asked_about(said: str, answers: list[str], runs: list[str]) -> None:
    ran: list[str] = []
    app = App(name="desk")

    @app.action("plan", requires=Plan, verb="plan the trip")
    async def plan(req: Plan, ctx: ToolContext) -> str:
        ran.append(req.destination)
        return "Planned."

    chat = Conversation(app.programs()["desk"], "c")
    await chat.say("Plan a trip from Berlin to Rome, four days, two people")
    await chat.say(said)
    assert "Naples" in chat.run.said
    assert ran == []
    for answer in answers:
        assert ran == []
        await chat.say(answer)
    assert ran == runs
    assert chat.state.values["origin"].value == "Berlin"
