"""What a message makes of a known value: each amount more and less, and its differences."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pydantic import JsonValue

from sayso.reading.candidate import SIGNS, Candidate, Found, FoundSpans
from sayso.reading.differences import (
    CHANGEABLE,
    COUNTED,
    OF_CALENDAR,
    Difference,
    differences_in,
    is_named,
)
from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.durations import lengths_in
from sayso.reading.parsers.numbers import numbers_in
from sayso.reading.reckoning import moved
from sayso.reading.slot_types import SlotShape, SlotType
from sayso.reading.span import Span


def changed_candidates(text: str, shape: SlotShape, lex: Lexicon, known: JsonValue) -> FoundSpans:
    """Yield the known value and each amount more, and less."""
    if known is None or shape.type not in CHANGEABLE:
        return
    counted = shape.type in COUNTED
    for amount in numbers_in(text, lex) if counted else lengths_in(text, lex):
        for how, sign in SIGNS.items():
            value = moved(known, amount, sign)
            if value is not None and value != known:
                yield how, replace(amount, value=value)


def as_differences(
    row: Iterable[Candidate], text: str, shape: SlotShape, lex: Lexicon, base: JsonValue
) -> list[Candidate]:
    """Return the candidates with each amount of a difference as what it makes of the known value:
    the amount itself is never meant. One that makes nothing of it is none."""
    differences = differences_in(text, lex)
    if not differences:
        return [*row]
    found: dict[tuple[int, int, str, Found], Candidate] = {}
    for one in row:
        difference = next((each for each in differences if each.covers(one.span)), None)
        kept: Candidate | None = one
        if difference is not None:
            kept = _of_base(one, difference, shape, lex, base, text=text)
        if kept is not None:
            found.setdefault((kept.span.start, kept.span.end, repr(kept.value), kept.how), kept)
    for each in differences:
        tells = is_named(each, text, shape, lex) or (
            each.is_beside
            and shape.type not in OF_CALENDAR
            and (each.is_length or shape.type in COUNTED)
            and each.may_be_of(shape, lex)
        )
        if tells and (value := each.of(base, each.counted(shape, lex))) is not None:
            whole = Span(value=_as_base(value, shape), start=each.start, end=each.end)
            key = (each.start, each.end, repr(whole.value), Found.OF_KNOWN)
            found.setdefault(key, Candidate(whole, Found.OF_KNOWN))
    return [*found.values()]


def _of_base(
    one: Candidate,
    difference: Difference,
    shape: SlotShape,
    lex: Lexicon,
    base: JsonValue,
    *,
    text: str,
) -> Candidate | None:
    moves = SIGNS.get(one.how)
    if shape.type in OF_CALENDAR and moves is None:
        # Of "three days later" a reader of days makes a day; a bare 10 of "10% more" is no hour.
        return one if one.how is Found.BY_FORM else None
    if not difference.may_be_of(shape, lex) or moves not in (None, difference.sign):
        return None
    if shape.type in OF_CALENDAR:
        return one if difference.amount is not None else None
    is_percent = difference.factor is not None and difference.sign != 0
    if difference.factor is not None and not (is_percent or is_named(difference, text, shape, lex)):
        return None
    is_whole = moves is not None or shape.type is SlotType.DURATION
    said = difference.counted(shape, lex) if is_whole else one.span
    value = difference.of(base, said)
    if value is None:
        return None
    return Candidate(replace(one.span, value=_as_base(value, shape)), one.how)


def _as_base(value: JsonValue, shape: SlotShape) -> JsonValue:
    return str(value) if shape.json_type == "string" and isinstance(value, int | float) else value
