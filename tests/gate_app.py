"""The trips' three actions over nothing but the rules; their bodies write a line in GATE_LEDGER.

sayso serve tests.gate_app:confirm      (or :explicit, :auto)
"""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Annotated

from pydantic import Field

from sayso import App
from sayso.gate import Ask, Requirements
from sayso.tools.context import ToolContext


class Checklist(Requirements):
    destination: Annotated[str, Ask("Where are you going?", precedence=10)]
    current_location: Annotated[str, Ask("Where will you be traveling from?", precedence=40)]
    trip_duration: Annotated[timedelta, Ask("How long is the trip?", precedence=20)]
    num_travelers: Annotated[
        int, Field(ge=1), Ask("Are you traveling alone or with others?", precedence=30)
    ] = 1
    accommodation: str | None = None
    interests: list[str] = Field(default=[])
    dietary_restrictions: str | None = None


class Itinerary(Requirements):
    destinations: Annotated[
        list[str], Ask("Where are you going?", slot="destination", precedence=10)
    ]
    interests: Annotated[
        list[str],
        Field(min_length=2),
        Ask("Name at least two things you like to do.", precedence=50),
    ]
    trip_duration: Annotated[timedelta, Ask("How long is the trip?", precedence=20)]


class Budget(Requirements):
    total_budget: Annotated[float, Field(gt=0), Ask("What is your total budget?", precedence=60)]
    destinations: Annotated[
        list[str], Ask("Where are you going?", slot="destination", precedence=10)
    ]
    current_location: Annotated[str, Ask("Where will you be traveling from?", precedence=40)]


def trips(trigger: str) -> App:
    app = App()

    @app.action(
        "checklist",
        requires=Checklist,
        trigger=trigger,
        verb="create the checklist",
        phrases=["create the checklist", "generate my checklist", "make the checklist"],
    )
    async def create_checklist(req: Checklist, ctx: ToolContext) -> str:
        did(f"checklist {req.destination} {req.trip_duration.days} {req.num_travelers}")
        return f"Here's your {req.destination} travel checklist!"

    @app.action(
        "itinerary",
        requires=Itinerary,
        trigger=trigger,
        verb="create the itinerary",
        phrases=["create the itinerary", "plan my days", "generate my itinerary"],
    )
    async def create_itinerary(req: Itinerary, ctx: ToolContext) -> str:
        did(f"itinerary {'+'.join(req.destinations)} {req.trip_duration.days}")
        return f"Here's your {req.destinations[0]} itinerary!"

    @app.action(
        "budget",
        requires=Budget,
        trigger=trigger,
        verb="create the budget",
        phrases=["create the budget", "show me the budget", "breakdown the budget"],
    )
    async def create_budget(req: Budget, ctx: ToolContext) -> str:
        did(f"budget {req.total_budget:g}")
        return f"Here's your budget of {req.total_budget:g}!"

    return app


def did(what: str) -> None:
    ledger = os.environ.get("GATE_LEDGER")
    if ledger:
        with Path(ledger).open("a") as file:
            file.write(what + "\n")


confirm, explicit, auto = trips("confirm"), trips("explicit"), trips("auto")
