"""What the network is given of the values that a field could have: those that the parsers found,
and its options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from sayso.reading.candidate import Candidate, Found
from sayso.reading.meanings import likeness
from sayso.reading.normalize import same_value
from sayso.reading.parsers.ranges import till
from sayso.reading.seen_message import SeenMessage
from sayso.reading.word_forms import Word, word_forms_of

Signs = NDArray[np.float32]

VALUE_SIGNS, OPTION_SIGNS = 16, 6
#: Of an option: how near its name lies in meaning to a word of the message.
LIKE = 4


@dataclass(frozen=True, slots=True)
class ValueInput:
    """A value that could be meant: from which token to which, and its signs."""

    value: JsonValue
    span: tuple[int, int]
    first: int
    last: int
    signs: Signs


@dataclass(frozen=True, slots=True)
class OptionInput:
    value: JsonValue
    words: tuple[Word, ...]
    #: 1 at each token that names it.
    named: Signs
    signs: Signs
    span: tuple[int, int] | None


def values_of(name: str, seen: SeenMessage) -> list[ValueInput]:
    reading, candidates = seen.reading, seen.found[name]
    known = reading.known.get(name)
    others = [
        (one.span, other in seen.asked)
        for other, row in seen.found.items()
        if other != name and not reading.slots[other].choices
        for one in row
    ]
    today = reading.today.date().isoformat() if reading.today else ""
    begins, ends = _range_ends(candidates, seen)
    rows = np.zeros((len(candidates), VALUE_SIGNS), np.float32)
    values = []
    for at, (one, signs) in enumerate(zip(candidates, rows, strict=True)):
        rivals = [was_asked for span, was_asked in others if span.overlaps(one.span)]
        day = one.value if isinstance(one.value, str) and one.value[4:5] == "-" else ""
        signs[one.how] = 1
        signs[len(Found) :] = (
            known is not None and same_value(known, one.value),
            at == 0,
            at == len(candidates) - 1,
            min(len(candidates), 4) / 4,
            bool(rivals),
            any(rivals),
            bool(day) and day < today,
            bool(day) and day > today,
            one.span.start in begins,
            one.span.start in ends,
        )
        first, last = seen.touched(one.span.start, one.span.end)
        if first <= last:
            span = (one.span.start, one.span.end)
            values.append(ValueInput(one.value, span, first, last, signs))
    return values


def _range_ends(candidates: Sequence[Candidate], seen: SeenMessage) -> tuple[set[int], set[int]]:
    """Return where the candidates stand that begin a range, and those that end one."""
    starts = {one.span.start for one in candidates}
    begins, ends = set[int](), set[int]()
    for one in candidates if len(starts) > 1 else ():
        between = till(seen.lex).match(seen.text, one.span.end)
        if between is not None and between.end() in starts:
            begins.add(one.span.start)
            ends.add(between.end())
    return begins, ends


def options_of(choices: Sequence[str], name: str, seen: SeenMessage) -> list[OptionInput]:
    found, known = seen.found[name], seen.reading.known.get(name)
    asked = [word_forms_of(choice) for choice in choices]
    like = [likeness(seen.vectors, one.vectors).max(initial=0) for one in asked]
    options = []
    for at, choice in enumerate(choices):
        own = [one for one in found if str(one.value) == choice]
        named = np.zeros(len(seen.tokens), np.float32)
        for one in own:
            first, last = seen.touched(one.span.start, one.span.end)
            named[first : last + 1] = 1
        rivals = max((*like[:at], *like[at + 1 :]), default=0)
        signs = (
            bool(own),
            len(own) > 1,
            str(known) == choice,
            len(found) > len(own),
            like[at],
            like[at] - rivals,
        )
        fullest = max(own, key=lambda one: one.span.end - one.span.start, default=None)
        value = fullest.value if fullest else choice
        span = (fullest.span.start, fullest.span.end) if fullest else None
        row = np.array(signs, np.float32)
        options.append(OptionInput(value, asked[at].words, named, row, span))
    return options
