"""Quarters, halves and dozens, weeks from a weekday, numbers in the signs of another script."""

from __future__ import annotations

from datetime import date

import pytest

from sayso.reading.lexicon import lexicon
from sayso.reading.parsers.dates import dates_in
from sayso.reading.parsers.durations import durations_in
from sayso.reading.parsers.numbers import numbers_in
from sayso.reading.parsers.times import times_in

MONDAY = date(2026, 11, 23)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "a week on Thursday"),
        ("de", "Donnerstag in einer Woche"),
        ("fr", "jeudi en huit"),
        ("es", "el jueves de la semana que viene"),
        ("it", "giovedì della settimana prossima"),
        ("nl", "donderdag over een week"),
        ("pt", "quinta-feira da próxima semana"),
        ("zh", "下周四"),
    ],
)
def test_a_weekday_is_moved_by_weeks(language: str, said: str) -> None:
    assert [one.value for one in dates_in(said, lexicon(language), MONDAY)] == ["2026-12-03"]


def test_a_stay_of_a_week_moves_no_day() -> None:
    for said in ("for a week on Thursday", "Thursday for a week", "周四下午"):
        lex = lexicon("en" if said.isascii() else "zh")
        assert [one.value for one in dates_in(said, lex, MONDAY)] == ["2026-11-26"], said


def test_a_year_of_two_digits_lies_where_the_day_does() -> None:
    found = dates_in("17/06/91", lexicon("pt"), MONDAY, "past")
    assert [one.value for one in found] == ["1991-06-17"]


@pytest.mark.parametrize(
    ("language", "said", "time"),
    [
        ("fr", "neuf heures moins le quart", "08:45"),
        ("es", "a las nueve menos cuarto", "08:45"),
        ("it", "alle nove meno un quarto", "08:45"),
        ("pt", "às nove menos um quarto", "08:45"),
        ("ja", "9時15分前", "08:45"),
        ("zh", "差一刻九点", "08:45"),
        ("zh", "九点一刻", "09:15"),
        ("fr", "midi et quart", "12:15"),
    ],
)
def test_a_quarter_before_or_past(language: str, said: str, time: str) -> None:
    found = times_in(said, lexicon(language))
    assert [one.value for one in found] == [f"{time}:00"]


@pytest.mark.parametrize(
    ("language", "said", "length"),
    [
        ("en", "three quarters of an hour", "PT45M"),
        ("de", "eine Dreiviertelstunde", "PT45M"),
        ("de", "ne Viertelstunde", "PT15M"),
        ("de", "anderthalb Tage", "P1DT12H"),
        ("en", "half a year", "P180D"),
        ("pt", "um ano e meio", "P1Y180D"),
        ("en", "two and a half months", "P75D"),
        ("fr", "trois quarts d'heure", "PT45M"),
        ("es", "tres cuartos de hora", "PT45M"),
        ("es", "día y medio", "P1DT12H"),
        ("it", "tre quarti d'ora", "PT45M"),
        ("nl", "drie kwartier", "PT45M"),
        ("pt", "três quartos de hora", "PT45M"),
    ],
)
def test_a_length_in_parts_of_a_unit(language: str, said: str, length: str) -> None:
    assert [one.value for one in durations_in(said, lexicon(language))] == [length]


@pytest.mark.parametrize(
    ("language", "said", "number"),
    [
        ("en", "84k", 84_000),
        ("de", "84 tausend", 84_000),
        ("ja", "8万4千", 84_000),
        ("ja", "1万8000", 18_000),
        ("zh", "八万四千", 84_000),
        ("ja", "百億", 10_000_000_000),
        ("fr", "une douzaine", 12),
        ("zh", "二十五", 25),
        ("zh", "一九八四", 1984),
    ],
)
def test_large_numbers_and_dozens(language: str, said: str, number: int) -> None:
    assert [one.value for one in numbers_in(said, lexicon(language))] == [number]
