"""Days that share a month with a day beside them: "from the 3rd to the 7th of May", "vom 3. Mai bis
zum 7.", "arriving May 26th and leaving on the 4th"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from itertools import pairwise

from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.date_words import date_words
from sayso.reading.parsers.numbers import small_number
from sayso.reading.parsers.ranges import LONGEST_GAP, between, ends_here
from sayso.reading.span import Span, outside

_NUMBER = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"
_WEEK = 7
#: In two months there is a day of each number.
_MOST_DAYS = 62


def with_shared_months(days: list[Span], text: str, lex: Lexicon) -> list[Span]:
    """Return the days, and those that stand in one range with a day whose month is said; a day
    without a month that is told later is the next one after it."""
    words = _range_words(lex)
    dated = [one for one in days if one.value and not words.bare.fullmatch(one.words(text))]
    if not dated:
        return days
    found = outside([each for one in dated for each in _other_ends(one, text, words)], dated)
    return [*found, *(_after(one, dated, text, lex) for one in outside(days, found))]


def in_order(days: list[Span], text: str, lex: Lexicon) -> list[Span]:
    """Return the days of the text from the first to the last, the weekdays of a range after one
    another: "Friday to Monday", "Monday to Wednesday next week"."""
    joined, names = re.compile(between(lex), re.IGNORECASE), date_words(lex).weekdays
    days = sorted(days, key=lambda one: one.start)
    for at, (one, other) in enumerate(pairwise(days)):
        if not joined.fullmatch(text, one.end, other.start) or not (one.value and other.value):
            continue
        first, last = (date.fromisoformat(str(each.value)) for each in (one, other))
        begins, ends = (names.get(each.words(text).casefold()) for each in (one, other))
        if ends is not None and last <= first:
            days[at + 1] = replace(other, value=_weekday_after(ends, first).isoformat())
        elif begins is not None and ends is None and not 0 < (last - first).days < _WEEK:
            first = last - timedelta(days=(last.weekday() - begins - 1) % _WEEK + 1)
            days[at] = replace(one, value=first.isoformat())
    return days


def next_after(said: str, first: date, lex: Lexicon) -> date | None:
    """Return the first day after another that "the 7th" or "Friday" may be; None where the words
    say more."""
    weekday = date_words(lex).weekdays.get(said.casefold())
    if weekday is not None:
        return _weekday_after(weekday, first)
    if _range_words(lex).bare.fullmatch(said) is None:
        return None
    return _nearest(said, first, timedelta(days=1))


def _weekday_after(weekday: int, first: date) -> date:
    days = (weekday - first.weekday() - 1) % _WEEK + 1
    return min(first, date.max - timedelta(days=days)) + timedelta(days=days)


def _other_ends(dated: Span, text: str, words: _RangeWords) -> Iterator[Span]:
    """Yield the days of no month with which a day makes a range."""
    day = date.fromisoformat(str(dated.value))
    if (till := words.till.match(text, dated.end)) is not None:
        yield from _day(till, day, timedelta(days=1))
    if words.bare.match(dated.words(text)) is None:
        return  # "3 to May 19" leaves the month open
    start = max(0, dated.start - LONGEST_GAP)
    if (since := words.since.search(text, start, dated.start)) is not None:
        yield from _day(since, day, timedelta(days=-1))


def _day(match: re.Match[str], beside: date, step: timedelta) -> Iterator[Span]:
    group = str(match.lastgroup)
    if (day := _nearest(match[group], beside, step)) is not None:
        yield Span(value=day.isoformat(), start=match.start(group), end=match.end(group))


def _after(one: Span, dated: list[Span], text: str, lex: Lexicon) -> Span:
    before = [day for day in dated if day.end <= one.start]
    first = date.fromisoformat(str(before[-1].value)) if before else None
    day = next_after(one.words(text), first, lex) if first else None
    return replace(one, value=day.isoformat()) if day else one


def _nearest(said: str, beside: date, step: timedelta) -> date | None:
    number = re.search(_NUMBER, said)
    wanted = small_number(number[0]) if number else 0
    try:
        each = (beside + step * n for n in range(1, _MOST_DAYS))
        return next((day for day in each if day.day == wanted), None)
    except OverflowError:  # the year 9999 ends
        return None


@dataclass(frozen=True)
class _RangeWords:
    #: A day of no month.
    bare: re.Pattern[str]
    #: The other end of a range, behind a day and before one.
    till: re.Pattern[str]
    since: re.Pattern[str]


@cache
def _range_words(lex: Lexicon) -> _RangeWords:
    joined = between(lex)
    and_ = rf"\s*{lex.any_of('values.and').pattern}\s*"
    the = rf"(?:{lex.alternatives(lex.words('dates', 'the'))}\s*)?"
    ordinal = "|".join((*map(re.escape, lex.words("dates", "ordinals")), "[日号]"))
    nth, number = rf"{the}{_NUMBER}\s?(?:{ordinal})", rf"{the}{_NUMBER}"
    return _RangeWords(
        bare=re.compile(rf"{number}\s?(?:{ordinal})?", re.IGNORECASE),
        till=re.compile(
            rf"(?:{joined}|{and_})(?P<nth>{nth})(?![\w:/])|{joined}(?P<number>{number}){ends_here(lex)}",
            re.IGNORECASE,
        ),
        since=re.compile(
            rf"(?<![\w:/.,-])(?:(?P<nth>{nth})|(?P<number>{number}))(?:{joined}|{and_}){the}$",
            re.IGNORECASE,
        ),
    )
