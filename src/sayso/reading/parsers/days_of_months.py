"""Days told by their place in a month: "the last Friday of December", "the first of next month",
"先月の20日"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date, timedelta
from functools import cache

from sayso.core.requirements import Tense
from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.numbers import small_number
from sayso.reading.parsers.relative_days import Distance
from sayso.reading.span import Span

#: How far a month lies that is told by this one.
TOLD_MONTHS = {"last_month": -1, "this_month": 0, "next_month": 1}
EACH_TOLD_MONTH = "|".join(f"(?P<{name}><dates.{name}>)" for name in TOLD_MONTHS)
_SIGNS = "一二三四五六七八九十"
_YEAR = r"(?:\W{1,2}(?:de\s+|del\s+)?(?P<year>20\d\d)(?!\d))?"
_DAYS_OF_A_WEEK, _DECEMBER = 7, 12


def tells_a_month(text: str, lex: Lexicon) -> bool:
    return lex.form(EACH_TOLD_MONTH).search(text) is not None


def days_of_months(text: str, lex: Lexicon, today: date | None, tense: Tense) -> Iterator[Span]:
    """Yield days of a month that is told by this one, and weekdays that are counted in a month. A
    weekday of a month that is not counted is no day, nor is one of another month on the wrong side
    of today."""
    for pattern in _days(lex):
        for match in pattern.finditer(text):
            yield _span(match, _day_at(small_number(match["day"])), lex, today, tense)
    for match in _weekdays(lex).finditer(text):
        on = lex.weekdays[match["weekday"].casefold()]
        if match["final"]:
            yield _span(match, _last(on), lex, today, tense)
        elif match["nth"]:
            yield _span(match, _nth(on, small_number(match["nth"])), lex, today, tense)
        else:
            yield Span(value=None, start=match.start(), end=match.end())


#: Finds a day in the month of which this is the first one.
_InMonth = Callable[[date], date | None]


def _span(
    match: re.Match[str], find: _InMonth, lex: Lexicon, today: date | None, tense: Tense
) -> Span:
    day = _found(match, find, lex, today, tense) if today else None
    return Span(value=day.isoformat() if day else None, start=match.start(), end=match.end())


def _found(
    match: re.Match[str], find: _InMonth, lex: Lexicon, today: date, tense: Tense
) -> date | None:
    is_exact = match["year"] or match["this_month"]
    days = filter(None, map(find, _months(match, lex, today, tense)))
    return next((day for day in days if is_exact or _is_on_its_side(day, today, tense)), None)


def _months(match: re.Match[str], lex: Lexicon, today: date, tense: Tense) -> Iterable[date]:
    """Return the first days of the months that may be meant, the nearest first."""
    for name, months in TOLD_MONTHS.items():
        if match[name]:
            return [Distance(months=months).day_from(today.replace(day=1))]
    month = _number_of(match["month"], lex)
    if not 1 <= month <= _DECEMBER:
        return []
    if match["year"]:
        return [date(int(match["year"]), month, 1)]
    return [date(today.year + at, month, 1) for at in (0, -1 if tense == "past" else 1)]


def _number_of(month: str, lex: Lexicon) -> int:
    word = month.casefold().rstrip(".")
    return lex.months[word] if word in lex.months else small_number(word.rstrip("月"))


def _is_on_its_side(day: date, today: date, tense: Tense) -> bool:
    return day <= today if tense == "past" else day >= today


def _day_at(number: int) -> _InMonth:
    def find(first: date) -> date | None:
        day = first + timedelta(days=number - 1)
        return day if number and day.month == first.month else None

    return find


def _nth(weekday: int, number: int) -> _InMonth:
    def find(first: date) -> date | None:
        ahead = (weekday - first.weekday()) % _DAYS_OF_A_WEEK
        return _day_at(1 + ahead + _DAYS_OF_A_WEEK * (number - 1))(first)

    return find


def _last(weekday: int) -> _InMonth:
    def find(first: date) -> date | None:
        last = Distance(days=-1, months=1).day_from(first)
        return last - timedelta(days=(last.weekday() - weekday) % _DAYS_OF_A_WEEK)

    return find


@cache
def _days(lex: Lexicon) -> list[re.Pattern[str]]:
    told = f"(?:{EACH_TOLD_MONTH})(?P<month>)(?P<year>)"
    if not lex.spaced:
        day = rf"(?P<day>\d{{1,2}}|[{_SIGNS}]{{1,3}})[日号](?![间間])"
        return [lex.form(rf"{told}[の的]?{day}")]
    day = rf"(?:<dates.the>\s+)?(?<![\d:.,])(?P<day>\d{{1,2}})(?:{_ordinals(lex)})?(?![\d:])\.?"
    beside = r"[\s,]+(?:<dates.on>\s+)?"
    return [lex.form(rf"{day}\s+{told}"), lex.form(rf"{told}{beside}{day}")]


@cache
def _weekdays(lex: Lexicon) -> re.Pattern[str]:
    weekday = f"(?P<weekday>{lex.alternatives(lex.weekdays)})"
    final = "(?P<final><dates.last|dates.final>)"
    if not lex.spaced:
        month = rf"(?:{EACH_TOLD_MONTH}|(?P<month>(?:\d{{1,2}}|[{_SIGNS}]{{1,3}})月))(?P<year>)"
        nth = r"第?(?P<nth>[1-5一二三四五])[个個]?的?"
        return lex.form(rf"{month}[の的]?(?:{final}|{nth})?{weekday}")
    nth = rf"(?<![\d:.,])(?P<nth>[1-5])(?:{_ordinals(lex)})?"
    month = rf"(?:(?:<dates.of>|<dates.in>)\s*|d')(?P<month>{lex.alternatives(lex.months)}){_YEAR}"
    counted = rf"(?:<dates.the>\s*)?(?:{final}|{nth})"
    return lex.form(rf"(?:{counted}\s+)?{weekday}\s+(?:{month}|{EACH_TOLD_MONTH})")


def _ordinals(lex: Lexicon) -> str:
    return "|".join(map(re.escape, lex.words("dates", "ordinals"))) or "(?!)"
