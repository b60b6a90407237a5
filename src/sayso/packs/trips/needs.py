"""What each result needs to know, with its questions in the order in which they are asked."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Literal

from pydantic import Field

from sayso.gate import Ask, Requirements

_WHERE = Ask(
    "Where are you going?",
    slot="destination",
    why="to know what the place asks of you",
    precedence=10,
)
Place = Annotated[str, _WHERE]
Places = Annotated[list[str], Field(min_length=1, title="Destination"), _WHERE]
Length = Annotated[
    timedelta,
    Field(gt=timedelta(0), le=timedelta(days=366), title="Duration"),
    Ask("How long is the trip?", why="to know for how many days", precedence=20),
]
Home = Annotated[
    str,
    Ask("Where will you be traveling from?", why="to know how you get there", precedence=40),
]
StartDate = Annotated[date | None, Field(title="First day")]


class ChecklistNeeds(Requirements):
    """What to pack and to prepare."""

    destination: Place
    current_location: Home
    trip_duration: Length
    num_travelers: Annotated[
        int,
        Field(ge=1, le=50, title="Travelers"),
        Ask("Will you be traveling alone or with others?", precedence=30),
    ] = 1
    accommodation: str | None = None
    interests: list[str] = Field(default=[])
    dietary_restrictions: str | None = None
    start_date: StartDate = None


class ItineraryNeeds(Requirements):
    """What to do on each day."""

    destinations: Places
    interests: Annotated[
        list[str],
        Field(min_length=2),
        Ask(
            "What do you like to do on a trip? Name at least two things.",
            why="to fill the days with it",
            precedence=35,
        ),
    ]
    trip_duration: Length
    travel_preference: Literal["car", "public transport", "walking"] | None = None
    max_radius_km: Annotated[float, Field(gt=0, le=1000)] = 10
    start_date: StartDate = None


class BudgetNeeds(Requirements):
    """What the money goes to."""

    total_budget: Annotated[
        float, Field(gt=0), Ask("What is your total budget for the trip?", precedence=60)
    ]
    destinations: Places
    current_location: Home
    dietary_preference: str | None = None
    specific_places: list[str] = Field(default=[])
