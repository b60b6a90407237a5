"""Values that are said of a known one: changed by an amount ("one day longer"), or by a part of it
("at nine" of half past eight in the evening, "at 11 pm" of a day and a time)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime, time

from pydantic import JsonValue, ValidationError

from sayso.reading.lexicon import Lexicon, lexicon
from sayso.reading.parsers.durations import LENGTH, durations_in, iso
from sayso.reading.parsers.numbers import numbers_in
from sayso.reading.parsers.time_ranges import HALVES
from sayso.reading.slot_types import SlotShape, SlotType
from sayso.reading.span import Span

_COUNTED = (SlotType.COUNT, SlotType.PEOPLE, SlotType.MONEY, SlotType.NUMBER)
#: How many characters before an amount may say that it is added.
_LEAD = 16
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
    return in_its_half(span, text, lex, known)


def in_its_half(span: Span, text: str, lex: Lexicon, known: JsonValue) -> Span:
    """Return a time of day in the half of the day that the known one lies in, where it names
    none: "nine" is 21:00 of half past eight in the evening."""
    if not isinstance(known, str) or not isinstance(span.value, str):
        return span
    halves = lex.any_of(*HALVES).search(span.words(text))
    try:
        before, said = time.fromisoformat(known), time.fromisoformat(span.value)
    except ValueError:
        return span
    if halves is not None or said.hour > _HALF or _IN_FULL.search(span.words(text)):
        return span
    hours = (said.hour % _HALF, said.hour % _HALF + _HALF)
    at = before.hour + before.minute / 60
    nearest = min(hours, key=lambda hour: abs(hour + said.minute / 60 - at))
    return replace(span, value=said.replace(hour=nearest).isoformat())


def changed_by(text: str, shape: SlotShape, lex: Lexicon, known: JsonValue) -> Span | None:
    """Return what a known value becomes by these words, if they change it by an amount."""
    sooner = shape.type in (SlotType.DATE, SlotType.TIME)
    more, less = ("later", "earlier") if sooner else ("more", "less")
    for amount in _amounts(text, shape, lex):
        for sign, words in ((1, more), (-1, less)):
            whole = _compared(amount, text, lex, words)
            value = moved(known, amount, sign) if whole is not None else None
            if whole is not None and value is not None:
                return Span(value=value, start=whole[0], end=whole[1], unit=amount.unit)
    return None


def _amounts(text: str, shape: SlotShape, lex: Lexicon) -> Iterator[Span]:
    lengths = durations_in(text, lex)
    if shape.type in (SlotType.DURATION, SlotType.DATE, SlotType.TIME):
        yield from lengths
    elif shape.type in _COUNTED:
        for number in numbers_in(text, lex):
            length = next((one for one in lengths if number.overlaps(one)), None)
            if length is None or length.unit in _units(shape, lex):
                yield number


def _units(shape: SlotShape, lex: Lexicon) -> set[str]:
    """Return the units that a field counts: "how many nights?" counts days."""
    known = {**lexicon("en").units, **lex.units}
    return {known[noun] for noun in shape.nouns if noun in known}


def _compared(amount: Span, text: str, lex: Lexicon, words: str) -> tuple[int, int] | None:
    """Return where the amount and its comparison stand: "2 more days", "a day longer"."""
    said = f"<relative.{words}>"
    after = lex.form(rf"\s*(?:\w+\s+)??{said}(?!\s+(?:than|de|als|que)\b)")
    before = lex.form(rf"{said}{'' if lex.spaced else '.?'}\s*$")  # "多住一天"
    start, end = amount.start, amount.end
    if match := after.match(text, end):
        return start, match.end()
    if lex.spaced and lex.any_of(f"relative.{words}").search(amount.words(text)):
        return start, end
    lead = max(0, start - _LEAD)
    if match := before.search(text[lead:start]):
        return lead + match.start(), end
    return None


def moved(known: JsonValue, amount: Span, sign: int) -> JsonValue:
    """Return the known value with the amount added; None where it cannot be."""
    if isinstance(known, bool):
        return None
    if isinstance(known, str) and re.fullmatch(r"\d+(?:\.\d+)?", known):
        known = float(known)
    if isinstance(known, int | float):
        more = float(str(amount.value)) if not str(amount.value).startswith("P") else 0
        changed = max(0, known + sign * more)
        return int(changed) if changed == int(changed) else changed
    if not isinstance(known, str) or not str(amount.value).startswith("P"):
        return None
    length = LENGTH.validate_python(amount.value) * sign
    try:
        for kind in (date, datetime):
            with suppress(ValueError):
                return (kind.fromisoformat(known) + length).isoformat()
        with suppress(ValueError):
            at = datetime.combine(date(2000, 1, 1), time.fromisoformat(known)) + length
            return at.time().isoformat()
        minutes = (LENGTH.validate_python(known) + length).total_seconds() / 60
    except (ValidationError, OverflowError):
        return None
    return iso(minutes) if minutes > 0 else None
