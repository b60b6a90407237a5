"""A value that is taken back in the same breath: what stands is the one said last."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any, Literal

import pytest
from pydantic import JsonValue

from sayso.core.extraction_ops import Correct, Later, Set
from sayso.core.requirements import Pending
from tests.unit.reading.readers import read, slot

Fare = Literal["Standard", "Premium", "Economy"]
#: Of each kind what asks for it, and per language what is said and what stands.
DAYS = (date, "When do you arrive?")
TIMES = (time, "What time?")
MOMENTS = (datetime, "When is it?")
LENGTHS = (timedelta, "How long?")
GUESTS = (int, "How many people?")
CITIES = (str, "Which city?")
FARES = (Fare, "Which fare?")
SAID: list[tuple[tuple[Any, str], str, str, JsonValue]] = [
    (DAYS, "en", "Friday, no wait, Saturday", "2026-11-28"),
    (DAYS, "en", "Tuesday I mean Wednesday", "2026-11-25"),
    (DAYS, "de", "am 5., Quatsch, am 6.", "2026-12-06"),
    (DAYS, "de", "am Dienstag, ich meine Mittwoch", "2026-11-25"),
    (DAYS, "fr", "mardi, enfin mercredi", "2026-11-25"),
    (DAYS, "es", "el martes, digo el miércoles", "2026-11-25"),
    (DAYS, "it", "martedì, anzi mercoledì", "2026-11-25"),
    (DAYS, "nl", "dinsdag, ik bedoel woensdag", "2026-11-25"),
    (DAYS, "pt", "terça, quer dizer quarta", "2026-11-25"),
    (DAYS, "ja", "金曜、いや土曜", "2026-11-28"),
    (DAYS, "zh", "周五，不，周六", "2026-11-28"),
    (TIMES, "en", "ten thirty... wait no, eleven", "11:00:00"),
    (TIMES, "fr", "19h, non 20h", "20:00:00"),
    (TIMES, "ja", "9時、やっぱり9時半で", "09:30:00"),
    # The half of the day stays, unless another is said.
    (TIMES, "en", "7pm, no, 8", "20:00:00"),
    (TIMES, "en", "seven in the evening, no, eight", "20:00:00"),
    (TIMES, "en", "seven in the evening, no, eight in the morning", "08:00:00"),
    (TIMES, "de", "abends um sieben, nein, acht", "20:00:00"),
    (TIMES, "es", "a las siete de la tarde, no, a las ocho", "20:00:00"),
    (TIMES, "zh", "晚上七点，不对，八点", "20:00:00"),
    # Of a moment what is not said anew stays.
    (MOMENTS, "en", "Friday at 7pm, no, at 8pm", "2026-11-27T20:00:00"),
    (MOMENTS, "en", "Friday at 7pm, no, 8", "2026-11-27T20:00:00"),
    (MOMENTS, "en", "Friday at 7pm, no, Saturday", "2026-11-28T19:00:00"),
    # So does the unit of a length.
    (LENGTHS, "en", "two days, no three", "P3D"),
    (LENGTHS, "en", "3 hours, actually 4", "PT4H"),
    (LENGTHS, "en", "a week, scratch that, ten days", "P10D"),
    (LENGTHS, "de", "zwei Tage, nein drei", "P3D"),
    (LENGTHS, "fr", "cinq heures, enfin non, six heures avec le rangement", "PT6H"),
    (LENGTHS, "es", "dos días, no, tres", "P3D"),
    (LENGTHS, "it", "tre giorni, anzi quattro", "P4D"),
    (LENGTHS, "nl", "twee dagen, nee drie", "P3D"),
    (LENGTHS, "pt", "dois dias, não, três", "P3D"),
    (GUESTS, "en", "four, no five", 5),
    (GUESTS, "en", "two, I mean three of us", 3),
    (GUESTS, "de", "vier, nein fünf", 5),
    (GUESTS, "fr", "quatre, non cinq", 5),
    (GUESTS, "es", "dos, digo tres", 3),
    (GUESTS, "it", "12, anzi 13", 13),
    (GUESTS, "nl", "vier, nee vijf", 5),
    (GUESTS, "pt", "12, aliás 13", 13),
    (GUESTS, "ja", "12人、間違えた、13人です", 13),
    (GUESTS, "zh", "12，哦不，13", 13),
    (CITIES, "en", "Porto, I mean Faro", "Faro"),
    (CITIES, "de", "Köln, Quatsch, Bonn", "Bonn"),
    (CITIES, "fr", "Porto, je veux dire Faro", "Faro"),
    (CITIES, "es", "Oporto, digo Faro", "Faro"),
    (CITIES, "nl", "Porto, ik bedoel Faro", "Faro"),
    (CITIES, "pt", "Porto, aliás Faro", "Faro"),
    (CITIES, "zh", "上海，我是说杭州", "杭州"),
    (FARES, "en", "economy - sorry, standard", "Standard"),
]


@pytest.mark.parametrize(("asked", "language", "said", "stands"), SAID)
def test_what_is_said_last_stands(
    asked: tuple[Any, str], language: str, said: str, stands: JsonValue
) -> None:
    kind, question = asked
    names = {int: "guests", str: "city"}
    field = slot(kind, question, name=names.get(kind, "value"))
    ops = read(said, field, asked=(field.name,), language=language)
    assert [(type(op), op.value) for op in ops if isinstance(op, Set | Correct)] == [(Set, stands)]
    for op in ops:
        if isinstance(op, Set):
            assert op.span is not None
            assert op.quote == said[slice(*op.span)]


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        ("I want to go to Rome, no wait, Naples from London", ("Naples", "London")),
        ("a trip from London to Rome, sorry, Naples", ("Naples", "London")),
        ("to Porto, I mean Faro", ("Faro", None)),
    ],
)
def test_a_name_in_a_sentence_takes_the_place_of_one(
    said: str, stands: tuple[str, str | None]
) -> None:
    ops = read(said)
    found = {op.slot: op.value for op in ops if isinstance(op, Set)}
    assert (found.get("destination"), found.get("current_location")) == stands
    assert not any(isinstance(op, Later) for op in ops), "nothing has to wait"


def test_the_words_of_a_length_say_no_other_value() -> None:
    found = {op.slot: op.value for op in read("3 nights, no, 4, to Rome") if isinstance(op, Set)}
    assert found == {"trip_duration": "P4D", "destination": "Rome"}


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        ("make it 8 travelers, no wait, 9", {"num_travelers": 9}),
        ("change it to Naples, no, Florence", {"destination": "Florence"}),
    ],
)
def test_a_change_on_the_open_card(said: str, stands: dict[str, JsonValue]) -> None:
    known: dict[str, JsonValue] = {"destination": "Rome", "num_travelers": 2}
    card = Pending(id="p", kind="card", hashes={"checklist": "h"})
    ops = read(said, known=known, pending=card)
    assert {op.slot: op.value for op in ops if isinstance(op, Set | Correct)} == stands


@pytest.mark.parametrize(
    ("kind", "name", "language", "said", "stands"),
    [
        # "no" is "not" there, and what it denies is what comes after it.
        (int, "guests", "es", "cuatro personas, no cinco", 4),
        (int, "guests", "pt", "quatro pessoas, não cinco", 4),
        (int, "guests", "en", "not 3, sorry, 4 people", 4),
        (int, "guests", "en", "two adults, no children", 2),
        (timedelta, "stay", "en", "3 days, no more", "P3D"),
    ],
)
def test_what_is_said_last_may_take_nothing_back(
    kind: type, name: str, language: str, said: str, stands: JsonValue
) -> None:
    ops = read(said, slot(kind, name=name), asked=(name,), language=language)
    assert {op.value for op in ops if isinstance(op, Set)} <= {stands}


def test_who_names_the_known_value_changes_that() -> None:
    known: dict[str, JsonValue] = {"destination": "ローマ"}
    ops = read("ローマじゃなくてナポリで", known=known, asked=("current_location",), language="ja")
    assert {op.slot for op in ops if isinstance(op, Set | Correct)} <= {"destination"}


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        ("3 days, sorry, 4 people", {"stay": "P3D"}),
        ("10 days, no, 4 people", {"stay": "P10D"}),
        ("3 days, no 2nd bed", {"stay": "P3D"}),
        ("3 nights, sorry, 4 people", {"nights": 3}),
        ("drei Nächte, nein, vier Personen", {"nights": 3}),
        ("4 nights, no, 5", {"nights": 5}),
        ("3 nights, no, 4 nights", {"nights": 4}),
        ("Friday at 7 pm, no parking needed on Saturday", {"when": "2026-11-27T19:00:00"}),
        ("Friday at 7pm, sorry I was away until Saturday", {"when": "2026-11-27T19:00:00"}),
    ],
)
def test_another_thing_that_is_counted_or_told_takes_no_place(
    said: str, stands: dict[str, JsonValue]
) -> None:
    kinds = {"stay": timedelta, "nights": int, "when": datetime}
    [(name, value)] = stands.items()
    fields = [slot(kinds[name], name=name), slot(int, "How many people?", name="guests")]
    ops = read(said, *fields, asked=(name,))
    assert [op.value for op in ops if isinstance(op, Set) and op.slot == name] in ([value], [])
