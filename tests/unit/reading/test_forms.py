"""A form of many fields with terse labels: each value goes to the field that it is meant for, and
to no other that could hold it."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Literal

import pytest
from pydantic import JsonValue

from sayso.core.extraction_ops import Reading, Set
from sayso.reading.hearing import heard_in
from sayso.reading.network import Network
from tests.unit.reading.readers import NOW, read, slot, values

FORM = [
    slot(str, "Customer name", name="customer"),
    slot(Literal["Mark", "Ella", "Dave", "Alex"], "Driver name", name="driver"),
    slot(Literal["Honda", "Toyota", "BMW"], "Car model", name="car"),
    slot(str, "Pickup location", name="pickup"),
    slot(str, "Drop-off location", name="dropoff"),
    slot(date, "Day", name="day"),
    slot(time, "Start time", name="start"),
    slot(int, "Number of guests", name="guests"),
    slot(str, "Special requests", name="wish"),
]
ID = slot(str, "Id", name="id")


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (
            "Hi, I am John and need a ride from 5th and Main to Forbes and Murray, please.",
            {"customer": "John", "pickup": "5th and Main", "dropoff": "Forbes and Murray"},
        ),
        (
            "I need a ride from Oak Street to the stadium. My name is Mark",
            {"customer": "Mark", "pickup": "Oak Street", "dropoff": "the stadium"},
        ),
        (
            "on Friday from 7 pm, I'm expecting about 75 people",
            {"day": "2026-11-27", "start": "19:00:00", "guests": 75},
        ),
        (
            "from 'Oak and 3rd' to 'Pine and Main'",
            {"pickup": "Oak and 3rd", "dropoff": "Pine and Main"},
        ),
    ],
)
def test_each_value_goes_to_the_field_that_it_is_meant_for(
    said: str, found: dict[str, JsonValue]
) -> None:
    assert values(said, *FORM) == found


@pytest.mark.parametrize("said", ["My name is Mark", "Mark", "It's Mark. Like the evangelist."])
def test_who_says_their_name_does_not_choose_a_driver(said: str) -> None:
    assert values(said, *FORM, asked=["customer"]) == {"customer": "Mark"}


def test_a_choice_stands_in_its_fullest_mention() -> None:
    doctor = slot(Literal["Dr. Alexis", "Dr. Morgan"], "Doctor name", name="doctor")
    patient = slot(str, "Patient name", name="patient")
    found = values("my name is Alexis, I would like to see Dr. Alexis", doctor, patient)
    assert found == {"doctor": "Dr. Alexis", "patient": "Alexis"}


@pytest.mark.parametrize("said", ["the ID 107 please", "ID 107", "107"])
def test_the_label_is_no_part_of_an_id(said: str) -> None:
    assert values(said, ID, asked=["id"]) == {"id": "107"}


def test_a_day_to_come_puts_nothing_off_where_it_is_the_answer() -> None:
    start = slot(datetime, "When should it start?", name="start")
    [op] = read("Tomorrow at 06:00.", start, asked=["start"])
    assert isinstance(op, Set)
    assert op.value == "2026-11-23T06:00:00"


@pytest.mark.parametrize(
    "before",
    [
        "Hello, how can I help?",
        "Hi there! What can I do for you today?",
        "Your ride is booked. Is there anything else?",
        "Sorry, that did not work.",
    ],
)
def test_an_agents_small_talk_takes_nothing_from_what_is_said_next(before: str) -> None:
    said = "I need to travel to the University from the Airport"
    found = values(said, *FORM, tail=[("assistant", before)])
    assert found == {"pickup": "the Airport", "dropoff": "the University"}


def test_fields_compete_for_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever says their name chooses no driver of that name, by the claims of the fields alone."""
    with_claims = _share_of("driver", "My name is Mark")
    monkeypatch.setattr(Network, "_claimed", lambda _, z: z)
    assert with_claims < _share_of("driver", "My name is Mark")


def _share_of(field: str, said: str) -> float:
    form = {one.name: one for one in FORM}
    heard = heard_in(Reading(message=said, slots=form, actions=[], today=NOW))
    assert heard is not None
    return heard.share_of(field, "Mark")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "a room from May 3rd to the 5th"),
        ("en", "a room, 3-5 May"),
        ("de", "ein Zimmer vom 3. bis 5. Mai"),
        ("fr", "une chambre du 3 au 5 mai"),
        ("es", "una habitación del 3 al 5 de mayo"),
        ("it", "una camera dal 3 al 5 maggio"),
        ("nl", "een kamer van 3 tot 5 mei"),
        ("pt", "um quarto de 3 a 5 de maio"),
        ("ja", "5月3日から5日まで一部屋お願いします"),
        ("zh", "订一间房，5月3日到5日"),
    ],
)
def test_a_range_states_the_day_it_begins_and_the_day_it_ends(language: str, said: str) -> None:
    stay = [
        slot(date, "When do you arrive?", name="arrival"),
        slot(date, "When do you leave?", name="departure"),
    ]
    found = values(said, *stay, language=language)
    assert found == {"arrival": "2027-05-03", "departure": "2027-05-05"}


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "from 3 to 5 pm"),
        ("en", "3-5pm"),
        ("de", "von 15 bis 17 Uhr"),
        ("fr", "de 15h à 17h"),
        ("es", "de 3 a 5 de la tarde"),
        ("it", "dalle 15 alle 17"),
        ("nl", "van 15 tot 17 uur"),
        ("pt", "das 15 às 17 horas"),
        ("ja", "午後3時から5時まで"),
        ("zh", "下午3点到5点"),
    ],
)
def test_a_range_states_the_time_it_begins_and_the_time_it_ends(language: str, said: str) -> None:
    hours = [
        slot(time, "When does it begin?", name="start"),
        slot(time, "When does it end?", name="end"),
    ]
    found = values(said, *hours, language=language)
    assert found == {"start": "15:00:00", "end": "17:00:00"}
