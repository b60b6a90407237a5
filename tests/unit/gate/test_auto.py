"""`trigger="auto"` runs on what the person said, and asks where anything else fills a field."""

from __future__ import annotations

from typing import Annotated

import pytest

from sayso import App
from sayso.gate import Ask, Requirements
from sayso.testing.recorder import MemoryRun


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
