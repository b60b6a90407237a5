"""A number alone takes the place of the one known number that it may be."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
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


def test_a_question_for_a_field_that_is_gone_breaks_nothing() -> None:
    said = {"known": KNOWN, "asked": ["gone"], "language": "en"}
    assert values("make it 120", BUDGET, GUESTS, **said) == {"budget": 120}
    assert values("hello there", BUDGET, GUESTS, asked=["gone"], language="en") == {}


def test_what_answers_when_changes_no_number() -> None:
    hour = slot(time, "At what time?", name="hour")
    found = values("3", BUDGET, GUESTS, hour, known=KNOWN, asked=["hour"], language="en")
    assert "guests" not in found


@pytest.mark.parametrize(
    ("said", "known", "field"),
    [
        (3, {"budget": "100", "guests": 1}, "guests"),
        (4, {"budget": "100", "guests": 1}, None),  # four times as many is no change of one
        (29, {"budget": "60", "guests": 3}, None),  # not yet ten times the other
        (30, {"budget": "60", "guests": 3}, "budget"),
        (120, {"budget": "100", "guests": 13}, None),
        (120, {"budget": "100", "guests": 12}, "budget"),
        (120, {"budget": "120", "guests": 2}, None),  # it stands so
        (2, {"budget": "no limit", "guests": 3}, "guests"),
        (0, {"guests": 3}, None),
        (3, {"guests": 0}, None),
    ],
)
def test_the_size_tells_whose_it_is(
    said: int, known: dict[str, JsonValue], field: str | None
) -> None:
    shapes = {one.name: shape_of(one) for one in (BUDGET, GUESTS)}
    assert nearest_to(said, known, shapes) == field


def test_words_are_near_to_no_number() -> None:
    room = slot(str, "Which room?", name="room")
    shapes = {one.name: shape_of(one) for one in (GUESTS, room)}
    assert nearest_to(3, {"guests": 2, "room": "3"}, shapes) == "guests"


@pytest.mark.parametrize(
    ("kind", "last"), [(time, 24), (date, 31), (datetime, 31), (timedelta, 60)]
)
def test_up_to_here_it_may_be_of_the_calendar(kind: type, last: int) -> None:
    amount = slot(Decimal, "How much?", name="amount")
    shapes = {one.name: shape_of(one) for one in (amount, slot(kind, "Which?", name="other"))}
    assert nearest_to(last, {"amount": last - 1}, shapes) is None
    assert nearest_to(last + 1, {"amount": last}, shapes) == "amount"
