"""What a reply at the open card changes: the field that its words name or that alone fits, and
never by a run."""

from __future__ import annotations

from datetime import datetime, time
from typing import Any

import pytest
from pydantic import JsonValue

from sayso.core.extraction_ops import Confirm
from sayso.core.requirements import Pending
from tests.unit.reading.readers import read, slot, values

GUESTS = slot(int, "Wie viele Gäste?", name="guests")
AT = slot(time, "What time?", name="at")
CHAIR = slot(bool, "Do you need a high chair?", name="seat")
COVER = slot(bool, "Möchten Sie eine Reiseversicherung?", name="cover")
START = slot(datetime, "When does it start?", name="start")
CARD: dict[str, Any] = {
    "pending": Pending(id="c", kind="card", hashes={"do": "h"}),
    "known": {
        "guests": 2,
        "at": "20:30:00",
        "seat": False,
        "cover": True,
        "start": "2026-11-23T22:00:00",
    },
}
TABLE = (GUESTS, AT, CHAIR, COVER)


@pytest.mark.parametrize(
    ("said", "changes"),
    [
        ("yes, but make it 5", {"guests": 5}),
        ("book for three then", {"guests": 3}),
        ("yes 4", {"guests": 4}),
        ("yes, but at nine", {"at": "21:00:00"}),
        ("sim, só que às nove", {"at": "21:00:00"}),
        ("yes please, and add a high chair", {"seat": True}),
        ("passt, nur ohne Versicherung bitte", {"cover": False}),
    ],
)
def test_what_alone_fits_is_changed_and_nothing_runs(
    said: str, changes: dict[str, JsonValue]
) -> None:
    assert values(said, *TABLE, **CARD) == changes
    assert not any(isinstance(op, Confirm) for op in read(said, *TABLE, **CARD))


@pytest.mark.parametrize("said", ["yes 4", "yes, 4 of them", "ok 9"])
def test_a_number_that_names_nothing_runs_nothing(said: str) -> None:
    known = {"pending": CARD["pending"], "known": {"cover": True}}
    assert not any(isinstance(op, Confirm) for op in read(said, COVER, **known))


def test_a_time_alone_changes_the_time_of_a_known_day() -> None:
    assert values("ship it at 11pm", START, **CARD) == {"start": "2026-11-23T23:00:00"}


def test_a_number_that_could_be_two_things_changes_neither() -> None:
    rooms = slot(int, "How many rooms?", name="rooms")
    known = {**CARD, "known": {"guests": 2, "rooms": 1}}
    assert values("make it 5", GUESTS, rooms, **known) == {}


@pytest.mark.parametrize(
    "said", ["not sure, 5 maybe", "5 would be too many", "5 or 6", "5 something"]
)
def test_what_is_unsure_or_too_much_is_not_taken(said: str) -> None:
    assert values(said, GUESTS, asked=("guests",)) == {}


def test_one_name_left_in_an_answer_is_its_value() -> None:
    place = slot(str, "Which restaurant?", name="restaurant")
    said = "can I get a table for two at Osteria Nove on Saturday"
    assert values(said, place, GUESTS, asked=("restaurant",))["restaurant"] == "Osteria Nove"


def test_what_sums_up_counts_more_than_its_parts() -> None:
    people = slot(int, "How many people are travelling?", name="travelers")
    said = "me, my wife, two kids and both grandparents so 6"
    assert values(said, people, asked=("travelers",)) == {"travelers": 6}
