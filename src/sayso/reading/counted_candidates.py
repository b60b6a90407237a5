"""Lengths, numbers and counts that a message could mean."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from itertools import combinations, pairwise

from pydantic import JsonValue

from sayso.reading.calendar_candidates import day_candidates, time_candidates
from sayso.reading.candidate import Found, FoundSpans, as_bare, by_form
from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.durations import LENGTH, LONGEST, MINUTES, durations_in, iso, lengths_in
from sayso.reading.parsers.numbers import joined_in, money_in, numbers_in, ordinals_in
from sayso.reading.parsers.people import people_in
from sayso.reading.slot_types import SlotShape, SlotType
from sayso.reading.span import Span, outside

#: "3h" and "1 h 40" as lengths.
_HOURS = re.compile(r"(?<![\d.,:])(\d{1,3})(?:\s?h(?:\s?([0-5]\d))?|:([0-5]\d))(?!\w)", re.I)
_MOST_ENDS = 6
#: More is the number of an account or a phone.
_MOST_PEOPLE = 99_999
_UNIT_OF = {"Y": "year", "D": "day", "H": "hour", "M": "minute"}


def length_candidates(
    text: str, shape: SlotShape, lex: Lexicon, today: date | None, known: JsonValue
) -> FoundSpans:
    """Yield lengths, a unit alone ("weekje"), bare numbers in the unit of the question or of what
    is known, and what lies between two days or times."""
    yield from by_form(durations_in(text, lex))
    yield from as_bare(lengths_in(text, lex))
    for match in _HOURS.finditer(text):
        minutes = int(match[1]) * 60 + int(match[2] or match[3] or 0)
        yield Found.BARE, Span(value=iso(minutes), start=match.start(), end=match.end())
    unit = _unit(shape, lex) or _UNIT_OF.get(str(known)[-1:], "")
    for one in numbers_in(text, lex) if unit in MINUTES else ():
        if isinstance(one.value, int | float) and one.value * MINUTES[unit] <= LONGEST:
            yield Found.BARE, replace(one, value=iso(one.value * MINUTES[unit]))
    days = _days_by_form(text, shape, lex, today)
    yield from _between(days, "")
    times = [one for how, one in time_candidates(text, lex, days) if how < Found.OTHER_WAY]
    yield from _between(times, "2000-01-01T")


def number_candidates(text: str, lex: Lexicon) -> FoundSpans:
    """Yield sums of money, and bare numbers."""
    yield from by_form(money_in(text, lex))
    yield from as_bare([*numbers_in(text, lex), *joined_in(text, lex), *_none(text, lex)])


def count_candidates(text: str, shape: SlotShape, lex: Lexicon, today: date | None) -> FoundSpans:
    people = people_in(text, lex)
    yield from by_form(people)
    said = (*numbers_in(text, lex), *joined_in(text, lex), *ordinals_in(text, lex))
    most = _MOST_PEOPLE if shape.type is SlotType.PEOPLE else math.inf
    numbers = [one for one in said if isinstance(one.value, int) and one.value <= most]
    if shape.type is SlotType.PEOPLE:
        numbers = [
            one
            for one in outside(numbers, _of_nobody(text, lex))
            if not any(one.overlaps(all_) and one.value != all_.value for all_ in people)
        ]
    yield from as_bare([*numbers, *_none(text, lex)])
    # "two adults and a child"
    for one, other in pairwise(numbers):
        if isinstance(one.value, int) and isinstance(other.value, int) and one.end <= other.start:
            both = one.value + other.value
            yield Found.BARE, Span(value=both, start=one.start, end=other.end)
    if shape.type is SlotType.PEOPLE:
        oneself = lex.form(r"(?P<and><values.and>\s*)?<values.me|values.solo>")
        for match in oneself.finditer(text):
            start, end = match.span()
            yield Found.BARE, Span(value=2 if match["and"] else 1, start=start, end=end)
            for one in numbers:
                if isinstance(one.value, int):
                    with_me, first = one.value + 1, min(one.start, start)
                    yield Found.BARE, Span(value=with_me, start=first, end=max(one.end, end))
    if (unit := _unit(shape, lex)) not in MINUTES:
        return
    days = _days_by_form(text, shape, lex, today)
    for how, length in (*as_bare(lengths_in(text, lex)), *_between(days, "")):
        count = LENGTH.validate_python(length.value) / timedelta(minutes=MINUTES[unit])
        if count.is_integer():
            yield how, replace(length, value=int(count))


def _of_nobody(text: str, lex: Lexicon) -> Iterator[Span]:
    """Yield the numbers that count no people: "three nights", and in "quarto" a room is no 4th."""
    yield from (one for one in lengths_in(text, lex) if one.unit)
    yield from ordinals_in(text, lex)


def _days_by_form(text: str, shape: SlotShape, lex: Lexicon, today: date | None) -> list[Span]:
    days = day_candidates(text, shape, lex, today, None)
    return [one for how, one in days if how is Found.BY_FORM]


def _between(ends: list[Span], lead: str) -> FoundSpans:
    for one, other in combinations(sorted(ends, key=lambda one: one.start)[:_MOST_ENDS], 2):
        first, last = (datetime.fromisoformat(f"{lead}{end.value}") for end in (one, other))
        minutes = (last - first) / timedelta(minutes=1)
        if minutes > 0 and not one.overlaps(other):
            yield Found.BY_FORM, Span(value=iso(minutes), start=one.start, end=other.end)


def _unit(shape: SlotShape, lex: Lexicon) -> str:
    return next((lex.units[noun] for noun in shape.nouns if noun in lex.units), "")


def _none(text: str, lex: Lexicon) -> Iterator[Span]:
    for match in lex.any_of("clauses.negation", "yes.no", "values.none").finditer(text):
        yield Span(value=0, start=match.start(), end=match.end())
