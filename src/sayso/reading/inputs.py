"""What the network is given of a message: its tokens, what is asked and known, and for each field
the values that could be meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from sayso.core.extraction_ops import Doubt, Reading
from sayso.core.requirements import Slot
from sayso.reading.doubts import doubts_in, is_about_past
from sayso.reading.known_words import KNOWN_SIGNS
from sayso.reading.meanings import likeness
from sayso.reading.normalize import even, same_value
from sayso.reading.seen_message import SeenMessage, shared
from sayso.reading.slot_types import IN_WORDS, SlotShape, SlotType
from sayso.reading.tokens import Token, is_sign, tokens_in
from sayso.reading.value_inputs import OptionInput, Signs, ValueInput, options_of, values_of
from sayso.reading.word_forms import Word, WordForms, union, word_forms_of, words_of

#: Signs of a token, of a token as a field sees it, and of a field.
TOKEN_SIGNS, SEEN_SIGNS, FIELD_SIGNS = 26, 14, 29
#: Of a token as a field sees it: whether its question has the word, its label, another's question.
IN_QUESTION, IN_LABEL, IN_OTHERS = 0, 1, 2
#: A name between quotation marks: "Lime Street" to 'Oak and 3rd'. Between single ones it begins
#: with a capital: "pick 'em up at Jess' place" has none.
NAME_IN_MARKS = re.compile(
    r"""(?<!\w)(?:"[^"\n]{1,30}"|'(?=[^\W\d_a-z])[^'\n]{1,30}'|[“„][^“”\n]{1,30}[“”]|«[^«»\n]{1,30}»)(?!\w)"""
)
#: Of what the agent said before: its last signs, and of these the last tokens.
_LONGEST_BEFORE, _MOST_BEFORE = 400, 32
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
    #: Whether it answers an open card, and may give leave.
    is_reply: bool = False


def inputs_of(reading: Reading) -> Inputs | None:
    """Return what the network is given of a message; None where it has no token."""
    text = even(reading.message)
    tokens = tokens_in(text)
    text = text[: tokens[-1].end] if tokens else ""  # a flood costs no more than so many tokens can
    tokens = _without_marks(tokens, text)
    if not tokens:
        return None
    seen = SeenMessage(reading, text, tokens)
    fields = [_field(at, name, seen) for at, name in enumerate(reading.slots)]
    return Inputs(
        text=text,
        tokens=tokens,
        words=seen.words,
        signs=_token_signs(seen),
        fields=fields,
        asked=[at for at, one in enumerate(fields) if one.name in seen.asked],
        before=_said_before(reading),
        is_reply=reading.pending is not None,
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


def _token_signs(seen: SeenMessage) -> Signs:
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


def _field(place: int, name: str, seen: SeenMessage) -> FieldInput:
    slot, shape = seen.reading.slots[name], seen.shapes[name]
    kind = _KINDS.get(shape.type, Kind.VALUE)
    question, label = seen.questions[name], _label(slot)
    signs = np.zeros((len(seen.tokens), SEEN_SIGNS), np.float32)
    signs[:, IN_QUESTION] = seen.own[place]
    signs[:, IN_LABEL] = shared(label, seen.stems)
    signs[:, IN_OTHERS] = seen.others[place]
    signs[:, 5] = 1
    signs[:, 6] = likeness(seen.vectors, question.vectors)
    signs[:, 7] = likeness(seen.vectors, label.vectors)
    signs[:, -KNOWN_SIGNS:] = seen.known.signs(name, seen.touched)
    values: list[ValueInput] = []
    options: list[OptionInput] = []
    if kind is Kind.OPTION:
        options = options_of(shape.choices, name, seen)
        for option in options:
            np.maximum(signs[:, 4], option.named, out=signs[:, 4])
            like = likeness(seen.vectors, word_forms_of(str(option.value)).vectors)
            np.maximum(signs[:, 8], like, out=signs[:, 8])
    elif kind is Kind.VALUE:
        values = values_of(name, seen)
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
    **dict.fromkeys(IN_WORDS, Kind.TEXT),
    SlotType.BOOLEAN: Kind.TRUTH,
    SlotType.CHOICE: Kind.OPTION,
}


def _field_signs(name: str, shape: SlotShape, seen: SeenMessage) -> Signs:
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
        shape.is_end,
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
    return one.type is other.type or (one.type in IN_WORDS and other.type in IN_WORDS)


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
