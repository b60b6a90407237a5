"""What the network is given of a message: its tokens, what is asked and known, and for each field
the values that could be meant."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from sayso.core.extraction_ops import Doubt, Reading
from sayso.core.requirements import Slot
from sayso.reading.candidates import Candidate, Found, candidates_in, day_of
from sayso.reading.doubts import doubts_in, is_about_past
from sayso.reading.known_words import KNOWN_SIGNS, KnownWords
from sayso.reading.lexicon import lexicon_for
from sayso.reading.meanings import likeness, unit_vectors
from sayso.reading.normalize import even, same_value
from sayso.reading.parsers.ranges import till
from sayso.reading.slot_types import SlotShape, SlotType, shape_of
from sayso.reading.tokens import Token, is_sign, tokens_in
from sayso.reading.word_forms import Word, WordForms, stems_of, union, word_forms_of, words_of

Signs = NDArray[np.float32]

#: Signs of a token, of a token as a field sees it, of a field, of a value and of an option.
TOKEN_SIGNS, SEEN_SIGNS, FIELD_SIGNS, VALUE_SIGNS, OPTION_SIGNS = 26, 14, 29, 16, 6
#: Of a token as a field sees it: whether its question has the word, and whether another's has.
IN_QUESTION, IN_OTHERS = 0, 2
_MOST_VALUES = 24
#: A name between quotation marks: "Lime Street" to 'Oak and 3rd'. Between single ones it begins
#: with a capital: "pick 'em up at Jess' place" has none.
NAME_IN_MARKS = re.compile(
    r"""(?<!\w)(?:"[^"\n]{1,30}"|'(?=[^\W\d_a-z])[^'\n]{1,30}'|[“„][^“”\n]{1,30}[“”]|«[^«»\n]{1,30}»)(?!\w)"""
)
#: Of what the agent said before: its last signs, and of these the last tokens.
_LONGEST_BEFORE, _MOST_BEFORE = 400, 32
_TEXT = (SlotType.TEXT, SlotType.NAME, SlotType.PLACE)
_TYPES = (
    SlotType.DATE, SlotType.TIME, SlotType.MOMENT, SlotType.DURATION, SlotType.MONEY,
    SlotType.PEOPLE, SlotType.COUNT, SlotType.NUMBER, SlotType.BOOLEAN, SlotType.CHOICE,
)  # fmt: skip
_ENDS = ".!?;\n。！？"
_DOUBTS = (
    Doubt.QUOTED, Doubt.OF_ANOTHER, Doubt.NEGATED, Doubt.SUPPOSED, Doubt.PAST, Doubt.ASKED,
)  # fmt: skip


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
    words: tuple[Word, ...]
    #: 1 at each token that names it.
    named: Signs
    signs: Signs
    span: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class FieldInput:
    name: str
    kind: Kind
    question: tuple[Word, ...]
    signs: Signs
    #: What each token is to it.
    seen: Signs
    values: Sequence[ValueInput] = ()
    options: Sequence[OptionInput] = ()


@dataclass(frozen=True, slots=True)
class Inputs:
    text: str
    tokens: list[Token]
    words: tuple[Word, ...]
    signs: Signs
    fields: list[FieldInput]
    #: Which of the fields were just asked for.
    asked: list[int]
    #: What the agent said just before, where it did not ask for any of them.
    before: tuple[Word, ...] = ()


def inputs_of(reading: Reading) -> Inputs | None:
    """Return what the network is given of a message; None where it has no token."""
    text = even(reading.message)
    tokens = tokens_in(text)
    text = text[: tokens[-1].end] if tokens else ""  # a flood costs no more than so many tokens can
    tokens = _without_marks(tokens, text)
    if not tokens:
        return None
    seen = _Seen(reading, text, tokens)
    fields = [_field(at, name, seen) for at, name in enumerate(reading.slots)]
    return Inputs(
        text=text,
        tokens=tokens,
        words=seen.words,
        signs=_token_signs(seen),
        fields=fields,
        asked=[at for at, one in enumerate(fields) if one.name in seen.asked],
        before=_said_before(reading),
    )


def _without_marks(tokens: list[Token], text: str) -> list[Token]:
    """Return the tokens without quotation marks around names, which say nothing of them."""
    names = [match.span() for match in NAME_IN_MARKS.finditer(text)]
    marks = {at for start, end in names for at in (start, end - 1)}
    return [one for one in tokens if one.start not in marks] if marks else tokens


def words_before(text: str) -> tuple[Word, ...]:
    """Return the end of what the agent said before."""
    text = even(text[-_LONGEST_BEFORE:])
    return words_of(text, tokens_in(text)[-_MOST_BEFORE:])


def _said_before(reading: Reading) -> tuple[Word, ...]:
    """Return it unless the agent asked for one of the fields."""
    role, text = reading.tail[-1] if reading.tail else ("", "")
    if role != "assistant" or reading.asked or reading.pending is not None:
        return ()
    return words_before(text)


class _Seen:
    """A message with all that its fields are compared with."""

    def __init__(self, reading: Reading, text: str, tokens: list[Token]) -> None:
        self.reading, self.text, self.tokens = reading, text, tokens
        self.asked = [name for name in reading.asked if name in reading.slots]
        self.shapes = {name: shape_of(slot) for name, slot in reading.slots.items()}
        self.words = words_of(text, tokens)
        self.stems = stems_of(text, tokens)
        self.vectors = unit_vectors([word.rows for word in self.words])
        self.questions = {n: word_forms_of(_asked_by(slot)) for n, slot in reading.slots.items()}
        #: Of each field, whether its question has the token's stem, and whether another's has.
        self.own = np.array([_shared(one, self.stems) for one in self.questions.values()])
        self.others = self.own.sum(0) > self.own
        lex = self.lex = lexicon_for(text, reading.language)
        today = reading.today.date() if reading.today else None
        in_words = [name for name, shape in self.shapes.items() if shape.type in _TEXT]
        self.known = KnownWords(text, tokens, self.vectors, reading.known, in_words)
        self.found = {
            name: candidates_in(
                text,
                self.shapes[name],
                lex,
                today=today,
                asked=name in reading.asked,
                known=reading.known.get(name),
                since=self._since(name),
            )[:_MOST_VALUES]
            for name in reading.slots
        }

    def _since(self, name: str) -> date | None:
        """Return the known day after which a field's day lies: the first of the form's two days to
        come, if this is the second."""
        days = [
            other
            for other, shape in self.shapes.items()
            if shape.type is SlotType.DATE and shape.tense != "past"
        ]
        first = self.reading.known.get(days[0]) if len(days) == 2 and days[1] == name else None
        return day_of(first)

    def touched(self, start: int, end: int) -> tuple[int, int]:
        """Return the first and the last token that these positions touch."""
        first = bisect_right(self.tokens, start, key=lambda one: one.end)
        last = bisect_left(self.tokens, end, key=lambda one: one.start) - 1
        return first, last


def _token_signs(seen: _Seen) -> Signs:
    text, tokens, reading = seen.text, seen.tokens, seen.reading
    count = len(tokens)
    rows = []
    for at, (start, end) in enumerate(tokens):
        word = text[start:end]
        shouted = word.isupper() and len(word) > 1
        rows.append(
            (
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
        )
    signs = np.zeros((count, TOKEN_SIGNS), np.float32)
    signs[:, :16] = rows
    for name, candidates in seen.found.items():
        known = reading.known.get(name)
        for one in candidates:
            first, last = seen.touched(one.span.start, one.span.end)
            signs[first : last + 1, 10] = 1
            if known is not None:
                signs[first : last + 1, 16 if same_value(known, one.value) else 17] = 1
    for start, end in seen.known.places():
        first, last = seen.touched(start, end)
        signs[first : last + 1, 16] = 1
    if own := _own_stems(reading):
        signs[:, 18] = [not own.isdisjoint(stem) for stem in seen.stems]
    signs[:, 19] = reading.pending is not None
    about_past = is_about_past(reading.slots)
    for clause, doubt in doubts_in(reading.message, seen.lex, about_past=about_past):
        if doubt is not None:
            first, last = seen.touched(clause.start, clause.end)
            signs[first : last + 1, 20 + _DOUBTS.index(doubt)] = 1
    return signs


def _field(place: int, name: str, seen: _Seen) -> FieldInput:
    slot, shape = seen.reading.slots[name], seen.shapes[name]
    kind = _KINDS.get(shape.type, Kind.VALUE)
    question, label = seen.questions[name], _label(slot)
    signs = np.zeros((len(seen.tokens), SEEN_SIGNS), np.float32)
    signs[:, IN_QUESTION] = seen.own[place]
    signs[:, 1] = _shared(label, seen.stems)
    signs[:, IN_OTHERS] = seen.others[place]
    signs[:, 5] = 1
    signs[:, 6] = likeness(seen.vectors, question.vectors)
    signs[:, 7] = likeness(seen.vectors, label.vectors)
    signs[:, -KNOWN_SIGNS:] = seen.known.signs(name, seen.touched)
    values: list[ValueInput] = []
    options: list[OptionInput] = []
    if kind is Kind.OPTION:
        options = _options(shape.choices, name, seen)
        for option in options:
            np.maximum(signs[:, 4], option.named, out=signs[:, 4])
            like = likeness(seen.vectors, word_forms_of(str(option.value)).vectors)
            np.maximum(signs[:, 8], like, out=signs[:, 8])
    elif kind is Kind.VALUE:
        values = _values(name, seen)
        for value in values:
            signs[value.first : value.last + 1, 3] = 1
    return FieldInput(
        name,
        kind,
        question.words,
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
    alike = [n for n, other in seen.shapes.items() if _is_alike(other, shape)]
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
        shape.is_list,
        shape.type is SlotType.NAME,
        shape.type is SlotType.PLACE,
        shape.is_free,
        shape.is_code,
        shape.is_email,
        shape.is_address,
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


def _range_ends(candidates: Sequence[Candidate], seen: _Seen) -> tuple[set[int], set[int]]:
    """Return where the candidates stand that begin a range, and those that end one."""
    starts = {one.span.start for one in candidates}
    begins, ends = set[int](), set[int]()
    for one in candidates if len(starts) > 1 else ():
        between = till(seen.lex).match(seen.text, one.span.end)
        if between is not None and between.end() in starts:
            begins.add(one.span.start)
            ends.add(between.end())
    return begins, ends


def _options(choices: Sequence[str], name: str, seen: _Seen) -> list[OptionInput]:
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


# ── words that are alike ──


def _shared(known: WordForms, stems: Sequence[frozenset[str]]) -> list[bool]:
    return [not known.stems.isdisjoint(stem) for stem in stems]


def _asked_by(slot: Slot) -> str:
    """Return what a field is known by: a field that is never asked for has no question."""
    return slot.question or slot.why or slot.label or slot.name.replace("_", " ")


def _label(slot: Slot) -> WordForms:
    return word_forms_of(f"{slot.name.replace('_', ' ')} {slot.label}")


def _own_stems(reading: Reading) -> frozenset[str]:
    """Return the stems of the words that the pending actions are called by."""
    pending = reading.pending.hashes if reading.pending is not None else ()
    return union(
        word_forms_of(" ".join((spec.title, spec.verb, *spec.phrases))).stems
        for spec in reading.actions
        if spec.name in pending
    )
