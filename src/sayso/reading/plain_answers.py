"""An answer that is all that is said, and needs nothing else to be heard."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import pairwise

from pydantic import JsonValue

from sayso.reading.lexicon import Lexicon
from sayso.reading.normalize import even
from sayso.reading.parsers.dates import dates_in
from sayso.reading.parsers.durations import durations_in
from sayso.reading.parsers.estimates import estimates_in
from sayso.reading.parsers.numbers import MANY, numbers_in
from sayso.reading.parsers.people import people_in
from sayso.reading.plain_picks import plain_pick
from sayso.reading.plain_truths import plain_truth
from sayso.reading.slot_types import IN_WORDS, SlotShape, SlotType
from sayso.reading.span import Span, apart, without_spans

_COUNTS = (SlotType.COUNT, SlotType.PEOPLE, SlotType.NUMBER)
_AMOUNTS = (*_COUNTS, SlotType.MONEY, SlotType.DURATION, SlotType.TIME)
_NUMBERS = ("integer", "number")
#: No quotes, and no question: "20?" asks.
_MARKS = re.compile(r"[\s.,!;…。，！-]*")
_BESIDE = "values.roughly|yes.tails|yes.thanks|orders.the|dates.the"
_BESIDE_A_DAY = f"{_BESIDE}|dates.on|times.am|times.pm"


def plain_answer(text: str, shape: SlotShape, lex: Lexicon, today: date | None) -> JsonValue:
    """Return the value that a message gives which was just asked for, and says nothing else; None
    where it says more, or less."""
    if shape.is_list:
        return None
    if shape.type is SlotType.BOOLEAN:
        return plain_truth(text, lex)
    if shape.type is SlotType.CHOICE and shape.json_type == "string":
        return plain_pick(text, shape.choices, lex)
    if shape.type is SlotType.DATE and today is not None and shape.tense == "future":
        day = _alone(even(text), dates_in(even(text), lex, today), shape, lex, _BESIDE_A_DAY)
        return day if day is not None and str(day) >= today.isoformat() else None
    if shape.type is SlotType.DURATION:
        return _alone(even(text), durations_in(even(text), lex), shape, lex)
    if shape.type in _COUNTS and shape.json_type in _NUMBERS:
        said = even(text)
        found = [*_dozens(said, lex), *estimates_in(said, lex), *numbers_in(said, lex)]
        found += people_in(said, lex) if shape.type is SlotType.PEOPLE else []
        return _alone(said, found, shape, lex)
    return None


def could_tell_apart(asked: Sequence[SlotShape]) -> bool:
    """Return whether an answer to one of these questions could not answer another as well: "no" is
    a yes or no and may be a text, "3" may be any number."""
    if len(asked) == 1:
        return True
    types = [shape.type for shape in asked]
    numbers = sum(one in _AMOUNTS for one in types)
    return len({*types}) == len(types) and numbers < 2 and not {*types}.intersection(IN_WORDS)


def _dozens(text: str, lex: Lexicon) -> Iterator[Span]:
    """Yield two numbers of which the second counts the first: "two dozen"."""
    for one, many in pairwise(numbers_in(text, lex)):
        if many.value in MANY and text[one.end : many.start].isspace():
            value = int(str(one.value)) * int(str(many.value))
            yield Span(value=value, start=one.start, end=many.end)


def _alone(
    text: str, found: Sequence[Span], shape: SlotShape, lex: Lexicon, beside: str = _BESIDE
) -> JsonValue:
    """Return the one value of a text that says nothing else: "around twenty, please"."""
    found = apart([*found])
    if len(found) != 1:
        return None
    rest = without_spans(text, [(one.start, one.end) for one in found])
    rest = re.sub(lex.alternatives(shape.nouns), " ", rest, flags=re.IGNORECASE)
    left = lex.form(f"<{beside}>").sub(" ", rest)
    return found[0].value if _MARKS.fullmatch(left) else None
