"""A question that asks who is answered by a person, and by nothing else that is said."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from sayso.reading.slot_types import IN_WORDS, shape_of
from tests.unit.reading.readers import slot, suggested, values

WHO = {
    "en": slot(str, "Who gets the money?", name="payee"),
    "de": slot(str, "Wer bekommt das Geld?", name="payee"),
    "fr": slot(str, "Qui reçoit l'argent ?", name="payee"),
    "es": slot(str, "¿Quién le sustituye?", name="payee"),
    "it": slot(str, "Chi la sostituisce?", name="payee"),
    "nl": slot(str, "Wie vervangt je?", name="payee"),
    "pt": slot(str, "Quem deve cortar o seu cabelo?", name="payee"),
    "zh": slot(str, "钱给谁？", name="payee"),
}
BORN = slot(date, "When was the child born?", name="born", tense="past")
START = slot(date, "From which day?", name="start")


@pytest.mark.parametrize(
    ("language", "said", "payee"),
    [
        ("en", "Marta Weiss please", "Marta Weiss"),
        ("de", "Empfänger ist Elektro Baumann", "Elektro Baumann"),
        ("zh", "钱是给刘建国的", "刘建国"),
        # In full, or last, beside one verb; and what follows the name is none of it.
        ("it", "mi copre Elena Conti", "Elena Conti"),
        ("it", "preferirei Gianni", "Gianni"),
        ("es", "se queda Raúl Ortega", "Raúl Ortega"),
        ("nl", "Bas de Vries neemt het over", "Bas de Vries"),
        ("pt", "a Bia mesmo", "Bia"),
        ("en", "Tom Becker's covering for me", "Tom Becker"),
    ],
)
def test_a_person_is_taken(language: str, said: str, payee: str) -> None:
    assert values(said, WHO[language], language=language, asked=["payee"]) == {"payee": payee}


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Thanks Peter"),
        ("en", "nobody yet"),
        ("de", "Der Preis ist Wahnsinn"),
        ("fr", "pour le loyer"),
        ("fr", "Bonjour Madame"),
        ("de", "ich komme gerade von Dr. Weber, bin noch platt"),
        ("pt", "nossa, o Flamengo perdeu de novo"),
    ],
)
def test_nothing_else_is(language: str, said: str) -> None:
    assert values(said, WHO[language], language=language, asked=["payee"]) == {}


def test_a_birth_is_of_whom_the_talk_is_and_of_nobody_else() -> None:
    asked = ["born"]
    assert values("she was born 9th May 2017", BORN, asked=asked) == {"born": "2017-05-09"}
    assert values("my brother was born on 2 May 1990", BORN, asked=asked) == {}


def test_of_two_days_the_one_that_has_passed_goes_to_the_field_that_looks_back() -> None:
    said = "born on 9 May 2017, from 12 January"
    taken = values(said, BORN, START, asked=["born", "start"])
    offered = suggested(said, BORN, START, asked=["born", "start"])
    found = taken | {name: value for name, (value, _) in offered.items()}
    assert found == {"born": "2017-05-09", "start": "2027-01-12"}


def test_one_second_asks_to_wait() -> None:
    assert values("one second", slot(timedelta, "How long?", name="length"), asked=["length"]) == {}


def test_a_week_that_moves_a_day_is_no_length() -> None:
    length = slot(timedelta, "How long?", name="length")
    assert values("a week on Thursday", length, asked=["length"]) == {}
    assert values("90 seconds", length, asked=["length"]) == {"length": "PT1M30S"}


def test_in_whose_name_counts_nothing() -> None:
    asked = slot(str, "¿A nombre de quién?", name="client")
    assert shape_of(asked).type in IN_WORDS  # "nombre de" counts in French
