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


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "we have two stoves and a fireplace"),
        ("en", "phew, 30 degrees in here"),
        ("pt", "a conta veio 180 esse mês"),
    ],
)
def test_a_number_of_something_else_counts_nothing(language: str, said: str) -> None:
    days = slot(int, "How many days?", name="days")
    assert values(said, days, language=language, asked=["days"]) == {}


def test_an_order_may_end_like_a_question() -> None:
    assert values("make it 88, please?", COPIES, asked=["copies"]) == {"copies": 88}


def test_the_day_on_which_one_sets_off_is_the_day() -> None:
    assert values("we set off on Friday", VISIT, asked=["visit"]) == {"visit": "2026-11-27"}


def test_what_somebody_has_on_a_day_gives_no_day() -> None:
    assert values("I have a meeting on Friday", VISIT, asked=["visit"]) == {}
    dia = slot(date, "¿Qué día?", name="visit")
    assert values("tengo reunión el viernes", dia, language="es", asked=["visit"]) == {}
    assert values("el viernes es imposible", dia, language="es", asked=["visit"]) == {}


def test_when_it_was_is_told_beside_one_verb() -> None:
    last_read = slot(date, "¿Cuándo lo leyó?", name="read", tense="past")
    assert values("lo miré el viernes", last_read, language="es", asked=["read"]) == {
        "read": "2026-11-20"
    }
    assert values("mi hermano lo miró el viernes", last_read, language="es", asked=["read"]) == {}


def test_an_order_may_hold_its_pronoun() -> None:
    metros = slot(int, "¿Cuántos metros?", name="metros")
    assert values("échame dos metros", metros, language="es", asked=["metros"]) == {"metros": 2}
    nom = slot(str, "Quel serveur ?", name="hostname")
    assert values("appelle-le colibri", nom, language="fr", asked=["hostname"]) == {
        "hostname": "colibri"
    }


def test_how_much_it_may_be_is_said_with_a_not() -> None:
    budget = slot(float, "Wie viel darf es höchstens kosten?", name="budget")
    said = "mehr als 400 hab ich nicht"
    assert values(said, budget, language="de", asked=["budget"]) == {"budget": 400}
    assert values("400 sind es nicht", budget, language="de", asked=["budget"]) == {}
