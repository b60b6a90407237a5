"""What may stand right beside a value that was asked for: the noun it counts, a word of the
question, another answer; and what shows that none is given."""

from __future__ import annotations

from datetime import date, time
from typing import Literal

import pytest

from tests.unit.reading.readers import slot, values

COPIES = slot(int, "How many copies?", name="copies")
STICK = slot(int, "Combien de touches coincent ?", name="keys")
TOPIC = slot(str, "What is the meeting called?", name="topic")
SEATS = slot(int, "How many seats do you need?", name="seats")
PHONE = slot(str, "What is your phone number?", name="phone")
START = slot(time, "When does it begin?", name="start")
TUNED = slot(date, "When was it last tuned?", name="tuned", tense="past")
VISIT = slot(date, "When may we come?", name="visit")
ITEM = slot(str, "What shall we print?", name="item")
LAYOUT = slot(Literal["Circle", "Rows"], "Circle or rows?", name="layout")


def test_the_noun_behind_a_count_explains_itself() -> None:
    assert values("200 flyers", COPIES, asked=["copies"]) == {"copies": 200}
    assert values("100 cards, matt please", COPIES, asked=["copies"]) == {"copies": 100}
    # What is counted beside other talk, or in a unit, is something else.
    assert values("my sister printed 200 flyers", COPIES, asked=["copies"]) == {}
    assert values("give me 5 minutes", COPIES, asked=["copies"]) == {}


def test_a_telephone_number_counts_nothing() -> None:
    found = values("020 7946 0018", PHONE, SEATS, asked=["phone", "seats"])
    assert found == {"phone": "020 7946 0018"}


def test_a_name_may_be_a_whole_part_of_the_answer() -> None:
    found = values("Quarterly review, we are fourteen", TOPIC, SEATS, asked=["topic", "seats"])
    assert found == {"topic": "Quarterly review", "seats": 14}
    assert values("posters for the school fair", ITEM, asked=["item"]) == {
        "item": "posters for the school fair"
    }


@pytest.mark.parametrize("message", ["that is 88, right?", "sind es 88, oder?"])
def test_one_word_asks_for_the_clause_before_it(message: str) -> None:
    assert values(message, COPIES, asked=["copies"]) == {}
    assert values("make it 88, please?", COPIES, asked=["copies"]) == {"copies": 88}


def test_what_is_still_so_answers_nothing() -> None:
    assert values("at eight suits", START, asked=["start"]) == {"start": "08:00:00"}
    beginn = slot(time, "Wann beginnt sie?", name="start")
    assert values("um acht schlafen wir noch", beginn, asked=["start"]) == {}
    comienzo = slot(time, "¿A qué hora empieza?", name="start")
    assert values("a las ocho todavía duermo", comienzo, asked=["start"]) == {}


def test_a_field_that_looks_back_takes_no_day_to_come() -> None:
    assert values("tomorrow", TUNED, asked=["tuned"]) == {}
    assert values("tomorrow", TUNED, VISIT, asked=["visit"]) == {"visit": "2026-11-23"}
    # "Last year" is another time, but for what is dated.
    assert values("on 3 May last year", TUNED, asked=["tuned"]).keys() == {"tuned"}


def test_who_speaks_of_themselves_names_a_choice() -> None:
    assert values("we sit in rows", LAYOUT, asked=["layout"]) == {"layout": "Rows"}
    doubted = values("we sit in rows, but well", LAYOUT, asked=["layout"])
    assert doubted == {}
