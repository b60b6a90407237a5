"""A number alone takes the place of the one known number that it may be."""

from __future__ import annotations

from datetime import time
from decimal import Decimal

import pytest
from pydantic import JsonValue

from sayso.reading.bare_changes import nearest_to
from sayso.reading.slot_types import shape_of
from tests.unit.reading.readers import slot, values

BUDGET = slot(Decimal, "What is your budget a night?", name="budget")
GUESTS = slot(int, "How many guests?", name="guests")
KNOWN: dict[str, JsonValue] = {"budget": "100", "guests": 2}


@pytest.mark.parametrize(
    ("language", "said", "changed"),
    [
        ("en", "no do 120", {"budget": 120}),
        ("en", "make it 120", {"budget": 120}),
        ("nl", "nee doe 120", {"budget": 120}),
        ("fr", "non mets 120 plutôt", {"budget": 120}),
        ("zh", "改成120", {"budget": 120}),
        ("en", "do 3", {"guests": 3}),
    ],
)
def test_it_is_the_one_of_its_size(language: str, said: str, changed: dict[str, JsonValue]) -> None:
    found = values(said, BUDGET, GUESTS, known=KNOWN, language=language)
    assert {name: float(str(value)) for name, value in found.items()} == changed


@pytest.mark.parametrize(
    "said",
    [
        "not 120",
        "120?",
        "is it 120",
        "do 15",
        "I paid 120 there",
        "120 or 130",
        "no",
        "book this one",
    ],
)
def test_anything_else_changes_nothing(said: str) -> None:
    assert values(said, BUDGET, GUESTS, known=KNOWN, language="en") in ({}, {"budget": None})


def test_a_number_that_may_be_an_hour_is_nobodys() -> None:
    hour = slot(time, "At what time?", name="hour")
    known = {**KNOWN, "hour": "19:00:00"}
    shapes = {one.name: shape_of(one) for one in (BUDGET, GUESTS, hour)}
    assert nearest_to(3, known, shapes) is None
    assert nearest_to(120, known, shapes) == "budget"


def test_what_is_asked_for_comes_first() -> None:
    nights = slot(int, "How many nights?", name="nights")
    said = {"known": KNOWN, "asked": ["nights"], "language": "en"}
    assert values("3", BUDGET, GUESTS, nights, **said) == {"nights": 3}
