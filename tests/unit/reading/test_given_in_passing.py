"""Values that are given in passing: codes and addresses by their form, names by what something is
called, numbers that correct one another, what is told in free words."""

from __future__ import annotations

from datetime import date, time, timedelta
from decimal import Decimal
from typing import Annotated

import pytest
from pydantic import Field, JsonValue

from sayso.core.requirements import Pending, Slot
from tests.unit.reading.readers import UNHEARD, slot, values

PHONE = slot(str, "On which number can we call you?", name="contact")
MAIL = slot(str, "What is your e-mail address?", name="email")
DONOR = slot(str, "In whose name?", name="donor")
PET = slot(str, "What is your pet called?", name="pet")
TIER = slot(str, "Wie heißt Ihr Tier?", name="pet")
SINCE = "she hasn't touched her food since yesterday"
REASON = slot(str, "What is the matter?", name="reason")
GUESTS = slot(int, "Quanti sono gli invitati?", name="guests")
NIGHTS = slot(int, "Quantas noites?", name="nights")
AT = slot(time, "What time?", name="at")
DAY = slot(date, "Which day?", name="day")
LENGTH = slot(timedelta, "For how long?", name="length")
COST = slot(Decimal, "How much may it cost?", name="cost")
SUM = slot(Decimal, "损失多少钱？", name="amount")
LASTS = slot(timedelta, "需要用多长时间？", name="length")


@pytest.mark.parametrize(
    ("said", "asked", "value"),
    [
        ("best reached on 07700 900 412 in the evenings", PHONE, "07700 900 412"),
        ("my cousin's old plate, so KL-MN 482 it stays", PHONE, "KL-MN 482"),
        ("just write to b.adler@posteo.net whenever", MAIL, "b.adler@posteo.net"),
        ("Ann", MAIL, None),
        pytest.param("I'm at home after 17:30", PHONE, None, marks=UNHEARD),
        ("She's called Biscuit", PET, "Biscuit"),
        ("er heißt Rex", TIER, "Rex"),
        ("she hasn't touched her food since yesterday", REASON, SINCE),
        ("I don't know", REASON, None),
        ("a quarter to nine suits", AT, "08:45:00"),
        ("half past two", AT, "14:30:00"),
        ("2:30", AT, "14:30:00"),
        ("four hours tops", LENGTH, "PT4H"),
        ("Saturdays they close", DAY, None),
        ("my train gets in at nine", AT, None),
        ("siamo in quaranta, anzi quarantadue", GUESTS, 42),
        ("duas noites, ops, três", NIGHTS, 3),
        ("两千二百五", SUM, 2250),
        pytest.param("修车花了三千六", SUM, 3600, marks=UNHEARD),
        ("一百零五", SUM, 105),
        ("大概四个半小时", LASTS, "PT4H30M"),
    ],
)
def test_what_was_asked_for(said: str, asked: Slot, value: JsonValue) -> None:
    found = values(said, asked, asked=(asked.name,)).get(asked.name)
    assert found == value


def test_an_address_of_mail_goes_to_its_own_field_beside_another() -> None:
    said = "it's for my aunt, Ruth Adler please, and write to b.adler@posteo.net"
    found = values(said, DONOR, MAIL, asked=("donor", "email"))
    assert found["email"] == "b.adler@posteo.net"


@pytest.mark.parametrize(
    ("said", "field", "known", "value"),
    [
        ("yes 100 not 120", COST, "120.00", 100),
        ("the garage says 910 not 840", COST, "840.00", 910),
        ("send three guys rather than two", slot(int, "How many movers?", name="crew"), 2, 3),
        ("scusa, siamo in tre e non in due", GUESTS, 2, 3),
        ("liever om half acht", slot(time, "Hoe laat?", name="at"), "20:00:00", "19:30:00"),
        ("すみません、3泊じゃなくて4泊でした", slot(int, "何泊しますか？", name="nights"), 3, 4),
    ],
)
def test_a_number_that_is_ruled_out_gives_way_to_the_other(
    said: str, field: Slot, known: JsonValue, value: JsonValue
) -> None:
    card = Pending(id="c", kind="card", hashes={"do": "h"})
    found = values(said, field, known={field.name: known}, pending=card)
    assert found == {field.name: value}


@pytest.mark.parametrize("said", ["咳をしています", "熱があります", "昨日から咳が出ました"])
def test_a_sentence_in_free_words_keeps_the_ending_of_its_verb(said: str) -> None:
    symptoms = slot(Annotated[str, Field(max_length=200)], "どんな症状ですか。", name="symptoms")
    assert values(said, symptoms, asked=["symptoms"], language="ja") == {"symptoms": said}
