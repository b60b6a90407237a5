"""A message as the fields see it: its tokens and words, what could be meant, what is asked and
known."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from datetime import date

import numpy as np

from sayso.core.extraction_ops import Reading
from sayso.core.requirements import Slot
from sayso.reading.calendar_candidates import day_of
from sayso.reading.candidates import candidates_in
from sayso.reading.known_words import KnownWords
from sayso.reading.lexicon import lexicon_for
from sayso.reading.meanings import unit_vectors
from sayso.reading.slot_types import IN_WORDS, SlotType, shape_of
from sayso.reading.tokens import Token
from sayso.reading.word_forms import WordForms, stems_of, word_forms_of, words_of

_MOST_VALUES = 24


class SeenMessage:
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
        self.own = np.array([shared(one, self.stems) for one in self.questions.values()])
        self.others = self.own.sum(0) > self.own
        lex = self.lex = lexicon_for(text, reading.language)
        today = reading.today.date() if reading.today else None
        in_words = [name for name, shape in self.shapes.items() if shape.type in IN_WORDS]
        self.known = KnownWords(text, tokens, self.vectors, reading.known, in_words)
        self.found = {
            name: candidates_in(
                text,
                self.shapes[name],
                lex,
                today=today,
                asked=name in reading.asked,
                known=reading.known.get(name, reading.begun.get(name)),
                assumed=reading.assumed.get(name),
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


def shared(known: WordForms, stems: Sequence[frozenset[str]]) -> list[bool]:
    """Return of each token whether it has a stem of these words."""
    return [not known.stems.isdisjoint(stem) for stem in stems]


def _asked_by(slot: Slot) -> str:
    """Return what a field is known by: a field that is never asked for has no question."""
    return slot.question or slot.why or slot.label or slot.name.replace("_", " ")
