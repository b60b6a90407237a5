"""`trigger="auto"` runs on what the person said, and asks where anything else fills a field."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

import pytest

from sayso import App, ToolContext
from sayso.gate import Ask, Requirements
from sayso.testing.recorder import MemoryRun
from tests.unit.gate.test_hostile import Conversation


class Trip(Requirements):
    destination: Annotated[str, Ask("Where to?")]


class TripWithDefault(Trip):
    nights: Annotated[int, Ask("How many nights?")] = 3


@pytest.mark.parametrize(
    ("requires", "words", "runs"),
    [
        (Trip, "We go to Rome.", ["Rome"]),
        (TripWithDefault, "We go to Rome.", []),
        (TripWithDefault, "We go to Rome for 4 nights.", ["Rome"]),
        (Trip, "We do not go to Rome.", []),
    ],
)
async def test_it_runs_where_the_person_has_said_it_all(
    requires: type[Trip], words: str, runs: list[str]
) -> None:
    ran: list[str] = []
    app = App(name="desk")

    @app.action("trip", requires=requires, trigger="auto", phrases=["book it"])
    async def book(req: Trip, ctx: object) -> str:
        ran.append(req.destination)
        return "booked"

    run = MemoryRun(text=words)
    await run.go(app.programs()["desk"])
    assert ran == runs
    # Where nothing is missing but the person's word, the card asks for it.
    waits_for_a_word = requires is TripWithDefault and words == "We go to Rome."
    assert bool(run.pending) is waits_for_a_word


class Table(Requirements):
    city: Annotated[str, Ask("In which city?")]
    guests: Annotated[int, Ask("For how many people?")]
    day: Annotated[date, Ask("On which day?")]


class Deployment(Requirements):
    region: Annotated[Literal["EU", "US"], Ask("Which region?")]
    version: Annotated[int, Ask("Which version?")]
    backup: Annotated[bool, Ask("Is there a backup?")]


class Flight(Requirements):
    city_from: Annotated[str, Ask("From where?")]
    city_to: Annotated[str, Ask("To which city?")]


@pytest.mark.parametrize(
    ("requires", "said"),
    [
        (Table, ["Should I book the table in Rome for 4 on 12 December"]),
        (Table, ["Is there a table in Rome for 4 on 12 December?"]),
        (Table, ["Book the table in Rome for 4 on 12 December, but only if it rains"]),
        (Table, ["I was thinking about Rome for 4 on 12 December"]),
        (Table, ["My sister books a table in Rome for 4 on 12 December"]),
        (Deployment, ["deploy version 4 to the EU tomorrow, there is a backup"]),
        (Deployment, ["when version 4 is out, deploy it to the EU, there is a backup"]),
        (Deployment, ["deploy version 4 to the EU", "I hope so"]),
        (Flight, ["Is there a flight to Paris?", "From London"]),
        (Flight, ["Can I fly to Paris?", "From London"]),
        (Flight, ["Gibt es einen Flug nach Paris?", "Von London"]),
    ],
)
async def test_what_is_asked_supposed_or_put_off_does_not_run_by_itself(
    requires: type[Requirements], said: list[str]
) -> None:
    ran: list[str] = []
    chat = Conversation(_runs_by_itself(requires, ran).programs()["desk"], "c")
    for words in said:
        await chat.say(words)
    assert ran == []


@pytest.mark.parametrize(
    ("requires", "said"),
    [
        (Table, ["Book the table in Rome for 4 on 12 December"]),
        (Table, ["Could you book a table in Rome for 4 people on 12 December?"]),
        (Deployment, ["deploy version 4 to the EU, there is a backup"]),
        (Flight, ["I want to fly to Paris", "From London"]),
    ],
)
async def test_what_is_plainly_said_does(requires: type[Requirements], said: list[str]) -> None:
    ran: list[str] = []
    chat = Conversation(_runs_by_itself(requires, ran).programs()["desk"], "c")
    for words in said:
        await chat.say(words)
    assert ran == ["done"]


def _runs_by_itself(requires: type[Requirements], ran: list[str]) -> App:
    app = App(name="desk")

    @app.action("it", requires=requires, trigger="auto")
    async def it(req: Requirements, ctx: ToolContext) -> str:
        ran.append("done")
        return "Done."

    return app
