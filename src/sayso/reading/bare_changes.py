"""A number alone in place of a known one: "no, make it 120"."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache

from pydantic import JsonValue

from sayso.reading.alternatives import edged
from sayso.reading.form_words import order_verbs
from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.numbers import numbers_in
from sayso.reading.slot_types import SlotShape, SlotType
from sayso.reading.span import Span, without_spans

NUMBERS = (SlotType.COUNT, SlotType.PEOPLE, SlotType.NUMBER, SlotType.MONEY)
_BESIDE = (
    "orders.amending|orders.make|orders.acting|yes.no|yes.ok|yes.lets|yes.objects|yes.tails"
    "|yes.thanks|yes.particles|values.rather"
)
#: The largest number that may be one of these.
_CALENDAR = {SlotType.TIME: 24, SlotType.DATE: 31, SlotType.MOMENT: 31, SlotType.DURATION: 60}
#: Of the known number's size, and so far from another that it is none of it.
_MOST_TIMES, _FAR = 3, 10


def bare_change(text: str, lex: Lexicon) -> Span | None:
    """Return the number of a message that says it, and to make it that, and nothing else."""
    found = numbers_in(text, lex)
    if len(found) != 1 or re.search(r"[?？\"“”„]", text):
        return None
    if found[0].value == 1 and "1" not in found[0].words(text):
        return None  # "book this one"
    rest = without_spans(text, [(found[0].start, found[0].end)])
    rest = lex.form(f"<{_BESIDE}>").sub(" ", _verbs(lex).sub(" ", rest))
    return found[0] if re.search(r"\w", rest) is None else None


@cache
def _verbs(lex: Lexicon) -> re.Pattern[str]:
    return re.compile(edged(order_verbs(lex)), re.IGNORECASE)


def nearest_to(
    value: JsonValue, known: Mapping[str, JsonValue], shapes: Mapping[str, SlotShape]
) -> str | None:
    """Return the one field whose known number is of the size of this one, where no other's is near
    and it is no hour or day: of 4 guests in 1 room at 8 o'clock, 5 may be any."""
    said = float(str(value))
    if any(said <= _CALENDAR.get(shape.type, 0) for shape in shapes.values()):
        return None
    apart = {
        name: _times(value, known.get(name))
        for name, shape in shapes.items()
        if shape.type in NUMBERS and name in known
    }
    near = [name for name, times in apart.items() if 1 < times <= _MOST_TIMES]
    others = [times for name, times in apart.items() if name not in near]
    return near[0] if len(near) == 1 and all(times >= _FAR for times in others) else None


def _times(value: JsonValue, known: JsonValue) -> float:
    """Return how many times the one number is the other, at least 1."""
    try:
        one, other = float(str(value)), float(str(known))
    except ValueError:
        return math.inf
    return max(one / other, other / one) if one > 0 and other > 0 else math.inf
