"""A form of many fields with terse labels: each value goes to the field that it is meant for, and
to no other that could hold it."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Literal

import pytest
from pydantic import JsonValue

from sayso.core.extraction_ops import Set
from tests.unit.reading.readers import read, slot, values

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
