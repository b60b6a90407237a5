"""A known value that is denied gives its place to the one that is said beside it."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from pydantic import JsonValue

from sayso.reading.in_its_place import in_place_of_the_denied
from sayso.reading.lexicon import lexicon
from tests.unit.reading.readers import NOW, slot, values

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


@pytest.mark.parametrize(
    ("asked", "known", "said", "words"),
    [
        (PEOPLE, 3, "we are 4, not 3", "4"),
        (PEOPLE, 3, "not 3 but 4", "4"),
        (PEOPLE, 3, "4, not 5", None),  # 5 was never known
        (PEOPLE, 3, "4, not today", None),
        (PEOPLE, 3, "4 or 5, not 3", None),
        (PEOPLE, 3, "not 3", None),
        (PEOPLE, None, "4, not 3", None),
        (DAY, "2027-01-31", "the 30th of March, not the 31st", "the 30th of March"),
        (DAY, "2027-02-03", "the 31st not the 3rd", "the 31st"),
        (NAME, "Ann", "Ann not Ann", None),
        (NAME, "Paul Girard", "it's not Paul Girard it's Bob Moss.", "Bob Moss"),
    ],
)
def test_the_one_other_value_is_found_in_its_words(
    asked: tuple[Any, str], known: JsonValue, said: str, words: str | None
) -> None:
    field = slot(*asked, name="field")
    one = in_place_of_the_denied(said, known, field, lexicon("en"), NOW.date())
    assert (one and one.words(said)) == words


def test_a_day_keeps_the_month_that_it_says() -> None:
    field = slot(*DAY, name="field")
    said = "the 30th of March, not the 31st"
    one = in_place_of_the_denied(said, "2027-01-31", field, lexicon("en"), NOW.date())
    assert one is not None
    assert one.value == "2027-03-30"


def test_a_name_is_no_run_of_signs_without_spaces() -> None:
    field = slot(*NAME, name="field")
    said = "不是Ann是Bob"
    assert in_place_of_the_denied(said, "Ann", field, lexicon("zh"), NOW.date()) is None


def test_a_denial_may_stand_behind() -> None:
    field = slot(*DAY, name="field")
    one = in_place_of_the_denied("金曜じゃなくて木曜", FRIDAY, field, lexicon("ja"), NOW.date())
    assert one is not None
    assert one.value == "2026-11-26"


def test_an_entry_of_a_list_is_left_to_the_list() -> None:
    field = slot(list[str], "What do you like?", name="field")
    said = "Bob not Ann"
    assert in_place_of_the_denied(said, "Ann", field, lexicon("en"), NOW.date()) is None
