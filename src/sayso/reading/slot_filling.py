"""The working state while one message is read: its slots, the spans found so far, and which words
they have used up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from pydantic import JsonValue

from sayso.core.extraction_ops import Doubt, Reading
from sayso.reading.clauses import Clause
from sayso.reading.doubts import blanked, free_part_of, is_about_past, part_of
from sayso.reading.lexicon import Lexicon, lexicon_for
from sayso.reading.normalize import even
from sayso.reading.parsers.codes import codes_in, is_email, is_long
from sayso.reading.parsers.dates import dates_in
from sayso.reading.parsers.names import closed_words, entries_in, names_after, names_in
from sayso.reading.parsers.times import times_in
from sayso.reading.relative import as_known
from sayso.reading.slot_types import SlotShape, SlotType, shape_of
from sayso.reading.span import Span, outside

_SENTENCE = re.compile(r"[^.!?;\n]+[.!?;\n]*")


def _mark(signs: bytearray, start: int, end: int) -> None:
    signs[start:end] = b"\x01" * (end - start)


@dataclass
class SlotFilling:
    reading: Reading
    #: The part of the message that is read. Where it is not given, the part that states values.
    text: str = ""
    #: Clauses that give nothing, whatever they name.
    refused: Sequence[Clause] = ()
    #: The whole message, and the part that also denies.
    whole: str = field(init=False)
    denying: str = field(init=False)
    lex: Lexicon = field(init=False)
    shapes: dict[str, SlotShape] = field(init=False)
    found: dict[str, list[Span]] = field(default_factory=dict)
    #: Values taken as they were offered, not as this message's words say them.
    offered: dict[str, JsonValue] = field(default_factory=dict)
    #: Values that the words name, and that may be meant for another slot or not at all.
    ambiguous: dict[str, list[Span]] = field(default_factory=dict)
    cleared: list[str] = field(default_factory=list)
    #: One byte per character: 1 where its word is used up.
    used: bytearray = field(init=False)
    #: 1 within sentences that give no values: "What's the weather in Rome?", "That's all".
    idle: bytearray = field(init=False)

    def __post_init__(self) -> None:
        message, about_past = self.reading.message, is_about_past(self.reading.slots)
        self.shapes = {name: shape_of(slot) for name, slot in self.reading.slots.items()}
        self.whole = even(message)
        self.lex = lexicon_for(self.whole, self.reading.language)
        if self.text:
            self.denying = self.text
        else:
            both = {None, Doubt.NEGATED}
            asked = [self.shapes[name] for name in self.reading.asked if name in self.shapes]
            if len(asked) == 1 and asked[0].is_free:
                self.text = free_part_of(message, self.lex)
            else:
                self.text = part_of(message, self.lex, {None}, about_past=about_past)
            self.denying = part_of(message, self.lex, both, about_past=about_past)
            for clause in self.refused:
                self.text = blanked(self.text, clause.start, clause.end)
                self.denying = blanked(self.denying, clause.start, clause.end)
        self.used, self.idle = bytearray(len(self.text)), bytearray(len(self.text))
        for one in _SENTENCE.finditer(self.text):
            if self._is_idle(one[0]):
                _mark(self.idle, *one.span())

    @property
    def today(self) -> date | None:
        return self.reading.today.date() if self.reading.today else None

    def open(self, *types: SlotType) -> list[str]:
        """Return the slots of these types that still lack a value."""
        return [
            name
            for name, shape in self.shapes.items()
            if shape.type in types and name not in self.found and name not in self.cleared
        ]

    def take(self, name: str, spans: list[Span]) -> None:
        self.found[name] = spans
        for one in spans:
            self.use_up(one.start, one.end)

    def use_up(self, start: int, end: int) -> None:
        """Mark words that fill no further slot."""
        _mark(self.used, start, end)

    def is_free(self, span: Span) -> bool:
        """Return whether its words are unused, in a sentence that gives values, and not refused."""
        if any(self.idle[span.start : span.start + 1]) or self.is_used(span):
            return False
        return not self.is_refused(span)

    def is_used(self, span: Span) -> bool:
        return any(self.used[span.start : span.end])

    def is_refused(self, span: Span) -> bool:
        """Return whether the words before it reject it: "not Rome"."""
        lead = self.whole[max(0, span.start - 24) : span.start]
        return self.lex.form(r"<values.not_this>\s*(?:<orders.the>\s*)?$").search(lead) is not None

    def as_known(self, name: str, span: Span) -> Span:
        """Return a time or a day as it is said of the known one."""
        if self.shapes[name].type not in (SlotType.TIME, SlotType.DATE):
            return span
        return as_known(span, self.text, self.lex, self.reading.known.get(name))

    def is_anew(self) -> bool:
        return self.lex.any_of("orders.anew").search(self.whole) is not None

    def is_correction_of(self, name: str) -> bool:
        return name in self.reading.known and self.is_anew()

    def names(self) -> list[Span]:
        others = [*dates_in(self.text, self.lex, self.today), *times_in(self.text, self.lex)]
        others += [
            Span(value=None, start=one.start(), end=one.end())
            for one in self.lex.any_of("values.chatter").finditer(self.text)
        ]
        found = outside(names_in(self.text, self.lex), others)
        return [name for name in found if self.is_free(name)]

    def is_named(self, name: str) -> bool:
        """Return whether the message has the slot's own word, or one of its question."""
        question = re.findall(r"[^\W\d_]{4,}", self.reading.slots[name].question.casefold())
        words = [
            *self.shapes[name].about,
            *(w for w in question if w not in closed_words(self.lex)),
        ]
        return re.search(self.lex.alternatives(words), self.whole, re.IGNORECASE) is not None

    def codes(self) -> list[Span]:
        """Return what is written as no word is: "2.4.1", "A-9921", "checkout-api", an address of
        mail; no day and no time."""
        found = codes_in(self.text, spaced=self.lex.spaced)
        return outside(found, times_in(self.text, self.lex))

    def is_by_form(self, name: str, span: Span) -> bool:
        """Return whether it shows by its form alone that it answers a slot that was asked for: an
        address of mail, a number or a code in groups."""
        words = span.words(self.text)
        if self.shapes[name].is_email:
            return is_email(words)
        return name in self.reading.asked and is_long(words)

    def names_after(self, *lists: str) -> list[Span]:
        return [m for m in names_after(self.text, self.lex, *lists) if self.is_free(m)]

    def entries(self, whole: Span) -> list[Span]:
        """Split a list that stands in these words into its entries."""
        return [
            Span(value=None, start=whole.start + m.start, end=whole.start + m.end)
            for m in entries_in(whole.words(self.text), self.lex)
        ]

    def with_those_joined(self, first: Span) -> list[Span]:
        """Return a name and those joined to it: "Rome, Florence and Venice"."""
        row = [first]
        joint = self.lex.form(r"\s*(?:,|,?\s*<values.and>)\s*")
        for name in self.names():
            if name.start >= row[-1].end:
                if not joint.fullmatch(self.text[row[-1].end : name.start]):
                    break
                row.append(name)
        return row

    def _is_idle(self, sentence: str) -> bool:
        return self.lex.any_of("values.farewells").search(sentence.strip()) is not None
