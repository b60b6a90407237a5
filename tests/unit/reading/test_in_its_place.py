"""A known value that is denied gives its place to the one that is said beside it."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from pydantic import JsonValue

from tests.unit.reading.readers import slot, values

DAY, NAME, PEOPLE = (date, "Which day?"), (str, "What is the name?"), (int, "How many people?")
#: A Friday.
FRIDAY = "2026-11-27"


def changed(asked: tuple[Any, str], known: JsonValue, said: str, language: str) -> object:
    field = slot(*asked, name="field")
    return values(said, field, known={"field": known}, language=language)


@pytest.mark.parametrize(
    ("asked", "known", "language", "said", "value"),
    [
        (DAY, FRIDAY, "en", "sorry, we come on Thursday, not Friday", "2026-11-26"),
        (DAY, FRIDAY, "pt", "desculpe, chegamos na quinta e não na sexta", "2026-11-26"),
        (DAY, FRIDAY, "zh", "不好意思说错了，是周四不是周五", "2026-11-26"),
        (DAY, FRIDAY, "ja", "すみません金曜じゃなくて木曜でした", "2026-11-26"),
        (DAY, "2026-12-06", "en", "we leave the 7th not the 6th", "2026-12-07"),
        (DAY, "2027-01-06", "en", "we leave the 7th not the 6th", "2027-01-07"),
        (DAY, "2027-01-06", "de", "am 7., nicht am 6.", "2027-01-07"),
        (NAME, "Ann", "en", "no, Bob not Ann", "Bob"),
        (NAME, "Paul Girard", "fr", "c'est pas Paul c'est Pauline Girard", "Pauline Girard"),
        (NAME, "Rui Costa", "pt", "enganei-me, não é pro Rui Costa é pro Rui Castro", "Rui Castro"),
        (NAME, "5th and Main", "en", "at Broadway and Main, not 5th and Main", "Broadway and Main"),
        (PEOPLE, 3, "de", "wir sind vier, nicht drei", 4),
    ],
)
def test_it_is_changed(
    asked: tuple[Any, str], known: JsonValue, language: str, said: str, value: JsonValue
) -> None:
    assert changed(asked, known, said, language) == {"field": value}


@pytest.mark.parametrize(
    ("asked", "known", "said"),
    [
        (DAY, FRIDAY, "should it be Thursday, not Friday?"),
        (NAME, "Ann", "my sister said Bob, not Ann"),
    ],
)
def test_but_not_in_doubt(asked: tuple[Any, str], known: JsonValue, said: str) -> None:
    assert changed(asked, known, said, "en") in ({}, {"field": None})
