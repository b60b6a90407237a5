"""A weekday that is told by another day: "the Monday before Christmas", "クリスマス前の月曜"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise

from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.date_words import date_words
from sayso.reading.span import Span, apart

_SIDES = ((-1, "dates.before_day"), (1, "dates.after_day"))


def with_days_beside(days: Sequence[Span], text: str, lex: Lexicon) -> list[Span]:
    """Return the days; of a weekday and the day that it lies before or after, the one meant."""
    return apart([*days, *_told_by_another(days, text, lex)])


def _told_by_another(days: Sequence[Span], text: str, lex: Lexicon) -> Iterator[Span]:
    names = date_words(lex).weekday
    for one, other in pairwise(sorted(days, key=lambda each: each.start)):
        weekday, day = (one, other) if lex.spaced else (other, one)
        named = names.fullmatch(weekday.words(text))
        if named is None or names.fullmatch(day.words(text)) or not day.value:
            continue
        for sign, side in _SIDES:
            gap = rf"\s*<{side}>\s*(?:<dates.the>\s*)?"
            if lex.form(gap).fullmatch(text, one.end, other.start):
                on = date_words(lex).weekdays[named["name"].casefold()]
                value = _next(date.fromisoformat(str(day.value)), on, sign).isoformat()
                yield Span(value=value, start=one.start, end=other.end)


def _next(day: date, weekday: int, sign: int) -> date:
    """Return the nearest such weekday before a day, or after it."""
    far = sign * (weekday - day.weekday()) % 7 or 7
    return day + timedelta(days=sign * far)
