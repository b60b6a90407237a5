"""A day that is told by another one: "the Monday before Christmas", "two weeks after the 5th",
"クリスマスの翌日"."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import TypeAlias

from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.date_words import date_words
from sayso.reading.parsers.durations import durations_in
from sayso.reading.parsers.relative_days import Distance, distance_of
from sayso.reading.span import Span, apart

_SIDES = ((-1, "dates.before_day"), (1, "dates.after_day"))
#: The side of an amount where words follow each other without spaces: "20日の1週間前".
_BEHIND = ((-1, "dates.ago"), (1, "dates.from_now"))
#: What may stand between both days.
_AND_THE = r"[の的\s]*(?:<dates.the>\s*)?"
#: "Any day before the 5th" is no day.
_LEAD = r"(?:^\s*|[^\w\s]\s*|(?:<dates.the>|<dates.on>)\s+)"
_NEXT_DAYS = ((-1, "dates.day_before"), (1, "dates.day_after"))

_Beside: TypeAlias = tuple[Span, Span]


def with_days_beside(days: Sequence[Span], text: str, lex: Lexicon) -> list[Span]:
    """Return the days; of a day and what is told by it, the one meant."""
    told = [
        *_weekdays_beside(days, text, lex),
        *_counted_from(days, text, lex),
        *_next_to(days, text, lex),
    ]
    return apart([*days, *told])


def _weekdays_beside(days: Sequence[Span], text: str, lex: Lexicon) -> Iterator[Span]:
    names = date_words(lex).weekday
    for one, other in pairwise(sorted(days, key=lambda each: each.start)):
        weekday, day = (one, other) if lex.spaced else (other, one)
        named = names.fullmatch(weekday.words(text))
        if named is None or names.fullmatch(day.words(text)) or not day.value:
            continue
        for sign, side in _SIDES:
            if lex.form(_gap(side)).fullmatch(text, one.end, other.start):
                on = date_words(lex).weekdays[named["name"].casefold()]
                value = _nearest(date.fromisoformat(str(day.value)), on, sign).isoformat()
                yield Span(value=value, start=one.start, end=other.end)


def _counted_from(days: Sequence[Span], text: str, lex: Lexicon) -> Iterator[Span]:
    """Yield "two weeks after the 5th", "3 Tage vor Weihnachten", "圣诞节后两天"."""
    amounts = [one for one in durations_in(text, lex) if one.unit not in ("minute", "hour")]
    for amount, day in _beside(amounts, days, lex):
        first, last = (amount, day) if lex.spaced else (day, amount)
        for sign, side in _SIDES:
            if lex.form(_gap(side)).fullmatch(text, first.end, last.start):
                yield _from(day, distance_of(amount, sign), first.start, last.end)
        if not lex.spaced and lex.form(r"[の的]?").fullmatch(text, first.end, last.start):
            for sign, side in _BEHIND:
                if behind := lex.form(f"<{side}>").match(text, last.end):
                    yield _from(day, distance_of(amount, sign), first.start, behind.end())


def _next_to(days: Sequence[Span], text: str, lex: Lexicon) -> Iterator[Span]:
    """Yield "the day before Christmas", "der Tag nach dem 5.", "クリスマスの翌日"."""
    for sign, name in _NEXT_DAYS:
        led = lex.form(rf"{_LEAD if lex.spaced else ''}<{name}>")
        words = [Span(value=None, start=m.start(), end=m.end()) for m in led.finditer(text)]
        for word, day in _beside(words, days, lex):
            first, last = (word, day) if lex.spaced else (day, word)
            if lex.form(_AND_THE).fullmatch(text, first.end, last.start):
                yield _from(day, Distance(days=sign), first.start, last.end)


def _beside(words: Sequence[Span], days: Sequence[Span], lex: Lexicon) -> Iterator[_Beside]:
    """Yield words that tell of a day with the next day behind them, or, where words follow each
    other without spaces, with the last one before them."""
    if lex.spaced:
        in_order = sorted(days, key=lambda each: each.start)
        starts = [one.start for one in in_order]
        for word in words:
            if (at := bisect_left(starts, word.end)) < len(in_order):
                yield word, in_order[at]
        return
    in_order = sorted(days, key=lambda each: each.end)
    ends = [one.end for one in in_order]
    for word in words:
        if (at := bisect_right(ends, word.start)) > 0:
            yield word, in_order[at - 1]


def _gap(side: str) -> str:
    return rf"\s*<{side}>{_AND_THE}"


def _from(day: Span, far: Distance, start: int, end: int) -> Span:
    told = far.day_from(date.fromisoformat(str(day.value))) if day.value else None
    return Span(value=told.isoformat() if told else None, start=start, end=end)


def _nearest(day: date, weekday: int, sign: int) -> date:
    """Return the nearest such weekday before a day, or after it."""
    far = sign * (weekday - day.weekday()) % 7 or 7
    return day + timedelta(days=sign * far)
