"""A value is taken from an answer or a wish, and from no clause about something else: each frame
with each value, in nine languages."""

from __future__ import annotations

import itertools

import pytest

from tests.unit.reading.readers import slot, values

#: By language: a question for a number of people, numbers as people say them, frames that give one,
#: frames that only name one.
_SPOKEN = {
    "en": (
        "How many people?",
        ["4", "four"],
        ["{}", "{} please", "we are {}", "I'd like {} people"],
        ["Lin has {} of them", "my neighbour's choir brought {}", "the lift holds {}"],
    ),
    "de": (
        "Wie viele Personen?",
        ["4", "vier"],
        ["{}", "{} bitte", "wir sind {}"],
        ["Jonas hat {} davon", "im Aufzug stehen {}"],
    ),
    "fr": (
        "Combien de personnes ?",
        ["4", "quatre"],
        ["{}", "{} merci", "nous sommes {}"],
        ["Luc garde {} chaises", "la voisine en promène {}"],
    ),
    "es": (
        "¿Cuántas personas?",
        ["4", "cuatro"],
        ["{}", "{} por favor", "somos {}"],
        ["Ana guarda {} sillas", "el ascensor aguanta {}"],
    ),
    "it": (
        "Quante persone?",
        ["4", "quattro"],
        ["{}", "{} grazie", "siamo {}"],
        ["Luca custodisce {} sedie", "l'ascensore regge {}"],
    ),
    "nl": (
        "Hoeveel personen?",
        ["4", "vier"],
        ["{}", "{} graag", "we zijn met {}"],
        ["Sanne bewaart {} stoelen", "de lift draagt {}"],
    ),
    "pt": (
        "Quantas pessoas?",
        ["4", "quatro"],
        ["{}", "{} por favor", "somos {}"],
        ["João guarda {} cadeiras", "o elevador aguenta {}"],
    ),
    "zh": ("几位？", ["4", "四"], ["{}位", "{}个人"], ["电梯能装{}", "小李养着{}"]),
    "ja": (
        "何名様ですか？",
        ["4", "四"],
        ["{}人です", "{}名でお願いします"],
        ["エレベーターには{}", "田中さんが飼う{}"],
    ),
}


def _each(which: int) -> list[tuple[str, str, str]]:
    return [
        (language, spoken[0], frame.format(value))
        for language, spoken in _SPOKEN.items()
        for value, frame in itertools.product(spoken[1], spoken[which])
    ]


@pytest.mark.parametrize(("language", "question", "said"), _each(2))
def test_an_answer_gives_its_value(language: str, question: str, said: str) -> None:
    party = slot(int, question, name="party")
    assert values(said, party, asked=["party"], language=language) == {"party": 4}


@pytest.mark.parametrize(("language", "question", "said"), _each(3))
def test_a_clause_about_something_else_gives_none(language: str, question: str, said: str) -> None:
    party = slot(int, question, name="party")
    assert values(said, party, asked=["party"], language=language) == {}
