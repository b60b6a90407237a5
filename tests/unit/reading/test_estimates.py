"""An amount that is one of two is offered as the larger, and never taken as a third."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest
from pydantic import JsonValue

from sayso.core.extraction_ops import Correct, Reading, Set, Suggest
from sayso.core.requirements import Pending, Slot
from sayso.reading.estimated import offered_if_estimated
from sayso.reading.heard_message import HeardMessage
from sayso.reading.lexicon import LANGUAGES, lexicon
from sayso.reading.parsers.estimates import estimates_in
from tests.unit.reading.readers import NOW, read, slot, values

LENGTH, PEOPLE = (
    slot(timedelta, "How long?", name="length"),
    slot(int, "How many people?", name="people"),
)
LEAST = slot(int, "How many people at least?", name="least")
BUDGET = slot(Decimal, "What is the budget in euros?", name="budget")


@pytest.mark.parametrize(
    ("language", "said", "asked", "larger"),
    [
        ("en", "an hour or two", LENGTH, "PT2H"),
        ("en", "a day or two", LENGTH, "P2D"),
        ("en", "two or three days", LENGTH, "P3D"),
        ("en", "two or three", PEOPLE, 3),
        ("en", "100 to 200 euros", BUDGET, 200),
        ("de", "ein bis zwei Stunden", LENGTH, "PT2H"),
        ("de", "eine Stunde oder zwei", LENGTH, "PT2H"),
        ("fr", "une heure ou deux", LENGTH, "PT2H"),
        ("fr", "deux à trois jours", LENGTH, "P3D"),
        ("es", "una hora o dos", LENGTH, "PT2H"),
        ("it", "un'ora o due", LENGTH, "PT2H"),
        ("nl", "een uur of twee", LENGTH, "PT2H"),
        ("nl", "een dag of drie", LENGTH, "P3D"),
        ("pt", "uma hora ou duas", LENGTH, "PT2H"),
        ("ja", "二、三日", LENGTH, "P3D"),
        ("zh", "一两个小时", LENGTH, "PT2H"),
        ("zh", "两三天", LENGTH, "P3D"),
    ],
)
def test_it_is_offered(language: str, said: str, asked: Slot, larger: JsonValue) -> None:
    ops = read(said, asked, asked=[asked.name], language=language)
    assert [(type(op), op.value) for op in ops if isinstance(op, Set | Suggest)] == [
        (Suggest, larger)
    ]


@pytest.mark.parametrize(
    ("language", "said", "asked", "value"),
    [
        ("en", "an hour and twenty", LENGTH, "PT1H20M"),
        ("en", "3 days or so", LENGTH, "P3D"),
        ("en", "a couple of hours", LENGTH, "PT2H"),
        ("es", "una hora y media", LENGTH, "PT1H30M"),
        ("it", "un'ora e venti", LENGTH, "PT1H20M"),
        ("zh", "二十三天", LENGTH, "P23D"),
        ("en", "twenty-three", PEOPLE, 23),
    ],
)
def test_one_amount_is_stated(language: str, said: str, asked: Slot, value: JsonValue) -> None:
    assert values(said, asked, asked=[asked.name], language=language) == {asked.name: value}


def test_a_change_from_one_to_another_is_none() -> None:
    message = HeardMessage(_reading("change 2 to 4 people", PEOPLE))
    told = Correct(slot="people", value=4, quote="4 people", span=(12, 20))
    assert offered_if_estimated(told, [told], message) is told


def test_what_two_fields_take_as_the_ends_of_a_range_is_none() -> None:
    message = HeardMessage(_reading("3 to 5 people", PEOPLE, LEAST))
    least = Set(slot="least", value=3, quote="3", span=(0, 1))
    most = Set(slot="people", value=5, quote="5 people", span=(5, 13))
    assert offered_if_estimated(most, [least, most], message) is most
    assert isinstance(offered_if_estimated(most, [most], message), Suggest)


def test_a_length_that_is_extended_from_one_to_another_is_the_other() -> None:
    card = Pending(id="p", kind="card", hashes={"do": "h"})
    ops = read("extend it from 3 to 4 days", LENGTH, known={"length": "P3D"}, pending=card)
    assert [op.value for op in ops if isinstance(op, Correct)] == ["P4D"]


def test_what_another_field_was_is_no_day() -> None:
    day = slot(date, "From which day?", name="day")
    known: dict[str, JsonValue] = {"people": 4, "day": "2026-12-05"}
    card = Pending(id="p", kind="card", hashes={"do": "h"})
    ops = read("make it from 4 to 5 people", PEOPLE, day, known=known, pending=card)
    assert [(op.slot, op.value) for op in ops if isinstance(op, Set | Correct)] == [("people", 5)]


def test_two_things_that_are_counted_are_no_estimate() -> None:
    assert estimates_in("3 nights or 4 people", lexicon("en")) == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_larger_number_first_is_no_estimate(code: str) -> None:
    either = lexicon(code).words("values", "either")[0]
    assert estimates_in(f"5 {either} 3", lexicon(code)) == []


def _reading(said: str, *slots: Slot) -> Reading:
    return Reading(message=said, slots={one.name: one for one in slots}, actions=[], today=NOW)
