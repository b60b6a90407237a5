"""One message on its way to values: its words, what its slots hold, what is found, and which words
are used up by it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from functools import cache

from pydantic import JsonValue

from sayso.core.operations import Reading
from sayso.gate.kinds import Kind, Shape, shape_of
from sayso.gate.lexicon import Lexicon, lexicon_for
from sayso.gate.parsers.mention import Mention
from sayso.gate.parsers.names import entries_in, names_after, names_in
from sayso.gate.replies import after_polite
from sayso.gate.text import even

_SENTENCE = re.compile(r"[^.!?;\n]+[.!?;\n]*")


@cache
def _refusing(lex: Lexicon) -> re.Pattern[str]:
    words, the = lex.any_of("values.not_this").pattern, lex.any_of("orders.the").pattern
    return re.compile(rf"{words}\s*(?:{the}\s*)?$", re.IGNORECASE)


def _mark(signs: bytearray, start: int, end: int) -> None:
    signs[start:end] = b"\x01" * (end - start)


@dataclass
class Search:
    reading: Reading
    text: str = ""
    lex: Lexicon = field(init=False)
    shapes: dict[str, Shape] = field(init=False)
    found: dict[str, list[Mention]] = field(default_factory=dict)
    #: Values that stand as they were offered, not as the words say them.
    offered: dict[str, JsonValue] = field(default_factory=dict)
    cleared: list[str] = field(default_factory=list)
    #: A sign for each sign of the text: 1 where its word is used up.
    used: bytearray = field(init=False)
    #: 1 where a sentence stands that gives no values: "What's the weather in Rome?", "That's all".
    idle: bytearray = field(init=False)

    def __post_init__(self) -> None:
        self.text = even(self.reading.message)
        self.lex = lexicon_for(self.text, self.reading.language)
        self.shapes = {name: shape_of(slot) for name, slot in self.reading.slots.items()}
        self.used, self.idle = bytearray(len(self.text)), bytearray(len(self.text))
        for one in _SENTENCE.finditer(self.text):
            if self._is_idle(one[0]):
                _mark(self.idle, *one.span())

    @property
    def today(self) -> date | None:
        return self.reading.today.date() if self.reading.today else None

    def open(self, *kinds: Kind) -> list[str]:
        """The slots of these kinds that still lack a value."""
        return [
            name
            for name, shape in self.shapes.items()
            if shape.kind in kinds and name not in self.found and name not in self.cleared
        ]

    def take(self, name: str, mentions: list[Mention]) -> None:
        self.found[name] = mentions
        for one in mentions:
            _mark(self.used, one.start, one.end)

    def is_free(self, mention: Mention) -> bool:
        """Whether its words are still there to be taken, and are not said not to be so."""
        if any(self.idle[mention.start : mention.start + 1]) or self.is_used(mention):
            return False
        return not self.is_refused(mention)

    def is_used(self, mention: Mention) -> bool:
        return any(self.used[mention.start : mention.end])

    def is_refused(self, mention: Mention) -> bool:
        """ "not Rome"."""
        lead = self.text[max(0, mention.start - 24) : mention.start]
        return _refusing(self.lex).search(lead) is not None

    def is_anew(self) -> bool:
        return self.lex.any_of("orders.anew").search(self.text) is not None

    def is_correction_of(self, name: str) -> bool:
        return name in self.reading.known and self.is_anew()

    def names(self) -> list[Mention]:
        return [name for name in names_in(self.text, self.lex) if self.is_free(name)]

    def names_after(self, *lists: str) -> list[Mention]:
        return [m for m in names_after(self.text, self.lex, *lists) if self.is_free(m)]

    def entries(self, whole: Mention) -> list[Mention]:
        """The entries of a list that stands in these words."""
        return [
            Mention(value=None, start=whole.start + m.start, end=whole.start + m.end)
            for m in entries_in(whole.words(self.text), self.lex)
        ]

    def with_those_joined(self, first: Mention) -> list[Mention]:
        """A name and those joined to it: "Rome, Florence and Venice"."""
        row = [first]
        joint = re.compile(rf"\s*(?:,|,?\s*{self.lex.any_of('values.and').pattern})\s*", re.I)
        for name in self.names():
            if name.start >= row[-1].end:
                if not joint.fullmatch(self.text[row[-1].end : name.start]):
                    break
                row.append(name)
        return row

    def _is_idle(self, sentence: str) -> bool:
        bare = sentence.strip()
        if self.lex.any_of("values.farewells").search(bare):
            return True
        facts = self.lex.any_of("values.facts")
        return bool(facts.match(bare) or facts.match(after_polite(bare, self.lex)))
