"""Months and years, of which a day may be the first or the last: "in July", "the end of August",
"今月末"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

from sayso.core.requirements import Tense
from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.days_of_months import EACH_TOLD_MONTH, TOLD_MONTHS
from sayso.reading.parsers.numbers import small_number
from sayso.reading.parsers.relative_days import Distance
from sayso.reading.span import Span

_YEAR = r"(?<!\d)(?P<year>(?:1[5-9]|20)\d\d)(?!\d)"
_MONTHS_OF_A_YEAR = 12


@dataclass(frozen=True, slots=True)
class Period:
    """A month or a year. Of the end of one only the last day may be meant."""

    first: Span
    last: Span
    is_its_end: bool

    @property
    def days(self) -> tuple[Span, ...]:
        return (self.last,) if self.is_its_end else (self.first, self.last)


def periods_in(text: str, lex: Lexicon, today: date | None, tense: Tense) -> Iterator[Period]:
    """Yield the months and years that a text names whole, or by their end; none by their middle,
    which is no day."""
    for match in _periods(lex).finditer(text):
        of_its_end = match["end"] is not None
        if match["within"] or (match["told"] and not of_its_end):
            continue  # "next month" says no day of it
        begins = [*_beginnings(match, lex, today, tense)]
        months = Distance(months=_MONTHS_OF_A_YEAR if _is_a_year(match) else 1, days=-1)
        ends = [months.day_from(day) for day in begins]
        if begins:
            first, last = (_nearest(days, today, tense) for days in (begins, ends))
            yield Period(_span(match, first), _span(match, last), of_its_end)


def _beginnings(
    match: re.Match[str], lex: Lexicon, today: date | None, tense: Tense
) -> Iterator[date]:
    """Yield the first days of what may be meant, the nearest first."""
    month, year = _month_of(match, lex), match["year"] or match["year2"]
    if year:
        yield date(int(year), month or 1, 1)
    elif today is not None:
        told = next((months for name, months in TOLD_MONTHS.items() if match[name]), None)
        if told is not None:
            yield Distance(months=told).day_from(today.replace(day=1))
        if month is not None:
            yield date(today.year, month, 1)
            yield date(today.year + (-1 if tense == "past" else 1), month, 1)


def _nearest(days: Sequence[date], today: date | None, tense: Tense) -> date:
    """Return the first of these days on its side of today, or the last of them."""
    fitting = (
        day for day in days if today is None or (day <= today if tense == "past" else day >= today)
    )
    return next(fitting, days[-1])


def _is_a_year(match: re.Match[str]) -> bool:
    return match["year2"] is not None


def _month_of(match: re.Match[str], lex: Lexicon) -> int | None:
    if match["month"]:
        return lex.months[match["month"].casefold()]
    return small_number(match["n"]) if match["n"] else None


def _span(match: re.Match[str], day: date) -> Span:
    return Span(value=day.isoformat(), start=match.start(), end=match.end())


@cache
def _periods(lex: Lexicon) -> re.Pattern[str]:
    month = rf"(?:(?P<month>{lex.alternatives(lex.months)})|(?<!\d)(?P<n>1[0-2]|[1-9])月)"
    told = f"(?P<told>{EACH_TOLD_MONTH})"
    named = rf"(?:(?:{month}(?:\W*{_YEAR})?)|{told}|{_YEAR.replace('year', 'year2')})"
    part = "(?:(?P<end><dates.end_of>)|(?P<within><dates.within>))"
    if not lex.spaced:
        return lex.form(f"{named}の?{part}?")
    return lex.form(rf"(?:{part}[\s-]*)?{named}")
