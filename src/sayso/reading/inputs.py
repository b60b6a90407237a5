"""What the network is given of a message: its tokens, what is asked and known, and for each field
the values that could be meant."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from sayso.core.extraction_ops import Reading
from sayso.core.requirements import Slot
from sayso.reading.candidates import Found, candidates_in
from sayso.reading.lexicon import lexicon_for
from sayso.reading.normalize import even, plain, same_value
from sayso.reading.slot_types import SlotShape, SlotType, shape_of
from sayso.reading.tokens import Token, forms_of, is_sign, tokens_in

Signs = NDArray[np.float32]

#: Signs of a token, of a token as a field sees it, of a field, of a value and of an option.
TOKEN_SIGNS, SEEN_SIGNS, FIELD_SIGNS, VALUE_SIGNS, OPTION_SIGNS = 20, 6, 22, 14, 4
_MOST_FORMS_OF_A_QUESTION = 40
_MOST_VALUES = 24
#: How many letters make words alike: "Versicherung" and "versichert".
_STEM = 5
_SHORTEST = 4
_TEXT = (SlotType.TEXT, SlotType.NAME, SlotType.PLACE)
_TYPES = (
    SlotType.DATE, SlotType.TIME, SlotType.MOMENT, SlotType.DURATION, SlotType.MONEY,
    SlotType.PEOPLE, SlotType.COUNT, SlotType.NUMBER, SlotType.BOOLEAN, SlotType.CHOICE,
)  # fmt: skip
_ENDS = ".!?;\n。！？"


class Kind(StrEnum):
    """How a field's value is found."""

    #: As a stretch of the message.
    TEXT = "text"
    #: As yes or no.
    TRUTH = "truth"
    #: As one of its options.
    OPTION = "option"
    #: As one of the values that the parsers have found.
    VALUE = "value"


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
    forms: tuple[tuple[int, ...], ...]
    #: 1 at each token that names it.
    named: Signs
    signs: Signs
    span: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class FieldInput:
    name: str
    kind: Kind
    #: The forms of its question.
    question: tuple[tuple[int, ...], ...]
    signs: Signs
    #: What each token is to it.
    seen: Signs
    values: Sequence[ValueInput] = ()
    options: Sequence[OptionInput] = ()


@dataclass(frozen=True, slots=True)
class Inputs:
    text: str
    tokens: list[Token]
    forms: list[tuple[int, ...]]
    signs: Signs
    fields: list[FieldInput]
    #: Which of the fields were just asked for.
    asked: list[int]


def inputs_of(reading: Reading) -> Inputs | None:
    """Return what the network is given; None where the message has no token."""
    text = even(reading.message)
    tokens = tokens_in(text)
    if not tokens:
        return None
    text = text[: tokens[-1].end]  # a flood of values costs no more than so many tokens can
    seen = _Seen(reading, text, tokens)
    fields = [_field(name, seen) for name in reading.slots]
    return Inputs(
        text=text,
        tokens=tokens,
        forms=forms_of(text, tokens),
        signs=_token_signs(seen),
        fields=fields,
        asked=[at for at, one in enumerate(fields) if one.name in seen.asked],
    )


class _Seen:
    """A message with all that its fields are compared with."""

    def __init__(self, reading: Reading, text: str, tokens: list[Token]) -> None:
        self.reading, self.text, self.tokens = reading, text, tokens
        self.asked = [name for name in reading.asked if name in reading.slots]
        self.stems = _stems_of(text, tokens)
        self.questions = {
            name: _question(even(slot.question)) for name, slot in reading.slots.items()
        }
        lex = lexicon_for(text, reading.language)
        today = reading.today.date() if reading.today else None
        self.found = {
            name: candidates_in(
                text,
                shape_of(slot),
                lex,
                today=today,
                asked=name in reading.asked,
                known=reading.known.get(name),
            )[:_MOST_VALUES]
            for name, slot in reading.slots.items()
        }

    def touched(self, start: int, end: int) -> tuple[int, int]:
        """Return the first and the last token that these positions touch."""
        first = bisect_right(self.tokens, start, key=lambda one: one.end)
        last = bisect_left(self.tokens, end, key=lambda one: one.start) - 1
        return first, last


def _token_signs(seen: _Seen) -> Signs:
    text, tokens, reading = seen.text, seen.tokens, seen.reading
    count = len(tokens)
    signs = np.zeros((count, TOKEN_SIGNS), np.float32)
    for at, (start, end) in enumerate(tokens):
        word = text[start:end]
        shouted = word.isupper() and len(word) > 1
        signs[at, :16] = (
            at == 0,
            at == count - 1,
            shouted,
            word[:1].isupper() and not shouted,
            word.isdigit(),
            not word[0].isalnum(),
            start > 0 and text[start - 1].isspace(),
            at > 0 and text[tokens[at - 1].start] in _ENDS,
            min(at, 20) / 20,
            min(count - at, 20) / 20,
            0,
            "\n" in text[tokens[at - 1].end if at else 0 : start],
            len(word) / 10,
            count / 40,
            is_sign(word),
            word.islower(),
        )
    for name, candidates in seen.found.items():
        known = reading.known.get(name)
        for one in candidates:
            first, last = seen.touched(one.span.start, one.span.end)
            signs[first : last + 1, 10] = 1
            if known is not None:
                signs[first : last + 1, 16 if same_value(known, one.value) else 17] = 1
    for value in reading.known.values():
        for start, end in _places(plain(value), text) if isinstance(value, str) else ():
            first, last = seen.touched(start, end)
            signs[first : last + 1, 16] = 1
    own = _own_stems(reading)
    for at, stem in enumerate(seen.stems):
        signs[at, 18] = not own.isdisjoint(stem)
    signs[:, 19] = reading.pending is not None
    return signs


def _places(words: str, text: str) -> list[tuple[int, int]]:
    small = text.lower()
    if not words or len(small) != len(text):
        return []
    return [match.span() for match in re.finditer(re.escape(words), small)]


def _field(name: str, seen: _Seen) -> FieldInput:
    slot, shape = seen.reading.slots[name], shape_of(seen.reading.slots[name])
    kind = _KINDS.get(shape.type, Kind.VALUE)
    own, label = seen.questions[name].stems, _label_stems(slot)
    others = _union(q.stems for other, q in seen.questions.items() if other != name)
    signs = np.zeros((len(seen.tokens), SEEN_SIGNS), np.float32)
    for at, stem in enumerate(seen.stems):
        if stem:
            signs[at, :3] = [not words.isdisjoint(stem) for words in (own, label, others)]
    signs[:, 5] = 1
    values: list[ValueInput] = []
    options: list[OptionInput] = []
    if kind is Kind.OPTION:
        options = [_option(choice, name, seen) for choice in shape.choices]
        for option in options:
            np.maximum(signs[:, 4], option.named, out=signs[:, 4])
    elif kind is Kind.VALUE:
        values = _values(name, seen)
        for value in values:
            signs[value.first : value.last + 1, 3] = 1
    return FieldInput(
        name,
        kind,
        seen.questions[name].forms,
        _field_signs(name, shape, seen),
        signs,
        values,
        options,
    )


_KINDS = {
    **dict.fromkeys(_TEXT, Kind.TEXT),
    SlotType.BOOLEAN: Kind.TRUTH,
    SlotType.CHOICE: Kind.OPTION,
}


def _field_signs(name: str, shape: SlotShape, seen: _Seen) -> Signs:
    reading, asked = seen.reading, seen.asked
    signs = np.zeros(FIELD_SIGNS, np.float32)
    if shape.type in _TYPES:
        signs[_TYPES.index(shape.type)] = 1
    alike = [n for n, slot in reading.slots.items() if _is_alike(shape_of(slot), shape)]
    signs[len(_TYPES) :] = (
        name in asked,
        asked == [name],
        name in reading.known,
        shape.tense == "past",
        not asked,
        min(len(asked), 3) / 3,
        bool(reading.known),
        reading.pending is not None,
        min(len(reading.slots), 8) / 8,
        len(alike) > 1,
        any(n in asked for n in alike if n != name),
        shape.role in ("end", "goal"),
    )
    return signs


def _is_alike(one: SlotShape, other: SlotShape) -> bool:
    return one.type is other.type or (one.type in _TEXT and other.type in _TEXT)


def _values(name: str, seen: _Seen) -> list[ValueInput]:
    reading, candidates = seen.reading, seen.found[name]
    known = reading.known.get(name)
    others = [
        (one.span, other in seen.asked)
        for other, row in seen.found.items()
        if other != name and not reading.slots[other].choices
        for one in row
    ]
    today = reading.today.date().isoformat() if reading.today else ""
    values = []
    for at, one in enumerate(candidates):
        rivals = [was_asked for span, was_asked in others if span.overlaps(one.span)]
        day = one.value if isinstance(one.value, str) and one.value[4:5] == "-" else ""
        signs = np.zeros(VALUE_SIGNS, np.float32)
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
        )
        first, last = seen.touched(one.span.start, one.span.end)
        if first <= last:
            span = (one.span.start, one.span.end)
            values.append(ValueInput(one.value, span, first, last, signs))
    return values


def _option(choice: str, name: str, seen: _Seen) -> OptionInput:
    found, known = seen.found[name], seen.reading.known.get(name)
    own = [one for one in found if str(one.value) == choice]
    named = np.zeros(len(seen.tokens), np.float32)
    for one in own:
        first, last = seen.touched(one.span.start, one.span.end)
        named[first : last + 1] = 1
    signs = (bool(own), len(own) > 1, str(known) == choice, len(found) > len(own))
    return OptionInput(
        own[0].value if own else choice,
        _question(even(choice)).forms,
        named,
        np.array(signs, np.float32),
        (own[0].span.start, own[0].span.end) if own else None,
    )


# ── words that are alike ──


@dataclass(frozen=True, slots=True)
class _Question:
    forms: tuple[tuple[int, ...], ...]
    stems: frozenset[str]


@lru_cache(maxsize=1024)
def _question(text: str) -> _Question:
    tokens = tokens_in(text)[:_MOST_FORMS_OF_A_QUESTION]
    stems = frozenset[str]().union(*_stems_of(text, tokens))
    return _Question(tuple(forms_of(text, tokens)), stems)


def _stems_of(text: str, tokens: list[Token]) -> list[frozenset[str]]:
    """Return by what each token may be known elsewhere: the beginning of a word, a sign with its
    neighbour."""
    found = []
    for start, end in tokens:
        word = text[start:end]
        if is_sign(word):
            pairs = {text[start : end + 1], text[max(0, start - 1) : end]}
            found.append(frozenset(p for p in pairs if len(p) == 2 and all(map(is_sign, p))))
        else:
            stem = word.casefold()[:_STEM]
            found.append(frozenset({stem}) if len(stem) >= _SHORTEST else frozenset())
    return found


@lru_cache(maxsize=1024)
def _stems(words: str) -> frozenset[str]:
    return _question(even(words)).stems


def _label_stems(slot: Slot) -> frozenset[str]:
    return _stems(f"{slot.name.replace('_', ' ')} {slot.label}")


def _own_stems(reading: Reading) -> frozenset[str]:
    """Return the stems of the words that the pending actions are called by."""
    pending = reading.pending.hashes if reading.pending is not None else ()
    return _union(
        _stems(" ".join((spec.title, spec.verb, *spec.phrases)))
        for spec in reading.actions
        if spec.name in pending
    )


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*sets)
