"""What was heard in one message: for each field the value that it most likely states, and how
surely."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pydantic import JsonValue

from sayso.core.extraction_ops import Reading
from sayso.core.requirements import Slot
from sayso.reading.inputs import (
    IN_LABEL,
    IN_OTHERS,
    IN_QUESTION,
    NAME_IN_MARKS,
    FieldInput,
    Inputs,
    Kind,
    inputs_of,
)
from sayso.reading.network import Array, Shares, network
from sayso.reading.normalize import Itself, even, plain, same_value
from sayso.reading.value_inputs import LIKE, OptionInput, ValueInput

#: Words and numbers that a sign joins; a name in two parts is not meant: "Oslo-Rome".
_WRITTEN_AS_ONE = re.compile(r"[A-Za-z0-9]+(?:(?:[/\\@#&+=._]|-(?=[a-z0-9]))[A-Za-z0-9]+)+")
_QUOTES = "'\"‘’“”«»„ "
#: Marks that end what stands before a value, or the value itself: "I guess. 673," is 673.
_MARKS_BEFORE, _MARKS_AFTER = re.compile(r"[^\w\s]+\s+(?=\S)"), re.compile(r"\s*[,;:、，；：]+$")


@dataclass(frozen=True, slots=True)
class HeardValue:
    """A value, how surely it is stated (0 to 1), and the words that say it."""

    value: JsonValue
    share: float
    start: int
    end: int
    #: Whether just these words say it: a "no" to a question is in all of them.
    in_words: bool = True
    #: How surely another field hears the same words.
    rival: float = 0.0

    @property
    def margin(self) -> float:
        return self.share - self.rival

    def shares_words_with(self, other: HeardValue) -> bool:
        both = self.in_words and other.in_words
        return both and self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class Hearing:
    inputs: Inputs
    shares: Shares
    slots: Mapping[str, Slot]

    def values(self) -> dict[str, HeardValue]:
        """Return the likeliest value of each field that has one; some words may say several."""
        found = ((one.name, self._likeliest(one, shares)) for one, shares in self._fields())
        return {name: value for name, value in found if value is not None}

    def share_of(self, name: str, value: JsonValue) -> float:
        """Return how surely the message states this value of this field."""
        for one, shares in self._fields():
            if one.name == name:
                return float(sum(shares[at] for at in self._targets(one, value)))
        return 0.0

    def is_named(self, name: str) -> bool:
        """Return whether the message says a word of this field's question that no other field's
        has: "it's where it was spent"."""
        one = next(field for field in self.inputs.fields if field.name == name)
        own, others = one.seen[:, IN_QUESTION], one.seen[:, IN_OTHERS]
        return bool(((own > 0) & (others == 0)).any())

    def is_labelled(self, name: str, start: int, end: int) -> bool:
        """Return whether a word that this field alone is called by stands within these positions:
        "set the origin to Hamburg"."""
        within = [start <= one.start and one.end <= end for one in self.inputs.tokens]
        own = next(each.seen[:, IN_LABEL] > 0 for each in self.inputs.fields if each.name == name)
        for each in self.inputs.fields:
            if each.name != name:
                own = own & (each.seen[:, IN_LABEL] == 0) & (each.seen[:, IN_QUESTION] == 0)
        return bool((own & within).any())

    def likeness_of_options(self, name: str) -> dict[str, float]:
        """Return how near the name of each option lies in meaning to a word of the message."""
        one = next(field for field in self.inputs.fields if field.name == name)
        return {str(each.value): float(each.signs[LIKE]) for each in one.options}

    def _fields(self) -> Iterator[tuple[FieldInput, Array]]:
        return zip(self.inputs.fields, self.shares.fields, strict=True)

    def _likeliest(self, one: FieldInput, shares: Array) -> HeardValue | None:
        if len(shares) < 2:
            return None
        at, whole = int(shares[1:].argmax()), (0, len(self.inputs.text))
        if one.kind is Kind.TRUTH:
            return HeardValue(at == 0, float(shares[1 + at]), *whole, in_words=False)
        if one.kind is Kind.TEXT:
            first, last = divmod(at, len(self.inputs.tokens))
            start, end = self.inputs.tokens[first].start, self.inputs.tokens[last].end
            start, end = self._bare(*self._whole(start, end))
            start += self._own_word(one.name, start, end)
            return HeardValue(self.inputs.text[start:end], float(shares[1:].sum()), start, end)
        row: Sequence[ValueInput | OptionInput] = one.values or one.options
        value = row[at].value
        share = float(sum(shares[k] for k in self._targets(one, value)))
        span = row[at].span
        return HeardValue(value, share, *(span or whole), in_words=span is not None)

    def _whole(self, start: int, end: int) -> tuple[int, int]:
        """Return the words with what is written as one with them: "feature/login-page" of "login",
        an address of mail of its last part, a name in quotation marks."""
        for name in NAME_IN_MARKS.finditer(self.inputs.text):
            holds_opening = start <= name.start() < end
            holds_closing = start < name.end() <= end
            if holds_opening != holds_closing:
                start, end = name.start() + 1, name.end() - 1
        for one in _WRITTEN_AS_ONE.finditer(self.inputs.text):
            if one.start() < end and start < one.end():
                start, end = min(start, one.start()), max(end, one.end())
        return start, end

    def _bare(self, start: int, end: int) -> tuple[int, int]:
        """Return the words without quotation marks at their edges ("'Oak and 3rd' to …"), and
        without the marks of the sentence around them."""
        words = self.inputs.text[start:end]
        before = _MARKS_BEFORE.match(words)
        bare = _MARKS_AFTER.sub("", words[before.end() :] if before else words)
        bare = bare.strip(_QUOTES) or words
        start += words.index(bare)
        return start, start + len(bare)

    def _own_word(self, name: str, start: int, end: int) -> int:
        """Return how long the field's own word is where the words begin with it: "project Orion",
        "ID 107". A capital makes it part of a name: "Hotel Roma"."""
        label = re.escape(plain(self.slots[name].label))
        own = re.match(rf"(?:{label}|{label.upper()})\s+(?=[^\W_])", self.inputs.text[start:end])
        return own.end() if own else 0

    def _targets(self, one: FieldInput, value: JsonValue) -> Iterator[int]:
        if one.kind is Kind.TRUTH:
            yield from (at for at, each in ((1, True), (2, False)) if value is each)
            return
        if one.kind is Kind.TEXT:
            yield from self._spans_within(str(value))
            return
        row: Sequence[ValueInput | OptionInput] = one.values or one.options
        for at, each in enumerate(row, 1):
            if same_value(each.value, value):
                yield at

    def _spans_within(self, words: str) -> Iterator[int]:
        """Yield the targets that touch these words where they stand in the message."""
        tokens, count = self.inputs.tokens, len(self.inputs.tokens)
        start = self.inputs.text.find(even(words)) if words else -1
        if start < 0:
            return
        end = start + len(words)
        inside = [at for at, one in enumerate(tokens) if one.start < end and start < one.end]
        for first in range(inside[-1] + 1 if inside else 0):
            yield from (1 + first * count + last for last in range(inside[0], count))


def heard_in(reading: Reading) -> Hearing | None:
    """Return what was heard in a message; None where it says nothing. Whoever asks again about the
    same reading is told the same."""
    return _heard(Itself(reading))


@lru_cache(maxsize=8)
def _heard(key: Itself[Reading]) -> Hearing | None:
    inputs = inputs_of(key.it)
    if inputs is None:
        return None
    return Hearing(inputs, network().shares(inputs), key.it.slots)
