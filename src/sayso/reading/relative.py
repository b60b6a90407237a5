"""Values that are said by a part of the known one: "at nine" of half past eight in the evening, "at
11 pm" of a day and a time. What changes it by an amount is read in `differences.py`."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, time

from pydantic import JsonValue

from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.times import names_half
from sayso.reading.span import Span

#: Hours in half a day.
_HALF = 12
#: "08:15" and "0815" mean the morning.
_IN_FULL = re.compile(r"(?<!\d)0\d")


def as_known(span: Span, text: str, lex: Lexicon, known: JsonValue) -> Span:
    """Return a time in the half of the day of the known one, and the known day where only its
    weekday is said."""
    if isinstance(known, str) and lex.weekdays.get(span.words(text).casefold()) is not None:
        try:
            day = date.fromisoformat(known)
        except ValueError:
            return span
        same = day.weekday() == lex.weekdays[span.words(text).casefold()]
        return replace(span, value=known) if same else span
    return _in_its_half(span, text, lex, known)


def _in_its_half(span: Span, text: str, lex: Lexicon, known: JsonValue) -> Span:
    """Return a time of day in the half of the day that the known one lies in, where it names
    none: "nine" is 21:00 of half past eight in the evening."""
    if not isinstance(known, str) or not isinstance(span.value, str):
        return span
    try:
        before, said = time.fromisoformat(known), time.fromisoformat(span.value)
    except ValueError:
        return span
    if names_half(span.words(text), lex) or said.hour > _HALF or _IN_FULL.search(span.words(text)):
        return span
    hours = (said.hour % _HALF, said.hour % _HALF + _HALF)
    at = before.hour + before.minute / 60
    nearest = min(hours, key=lambda hour: abs(hour + said.minute / 60 - at))
    return replace(span, value=said.replace(hour=nearest).isoformat())
