"""A text by the words that it is known by elsewhere: their rows in the tables of the network, their
stems and what they mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sayso.reading.meanings import rows_of, unit_vectors
from sayso.reading.normalize import even
from sayso.reading.tokens import Token, forms_of, is_sign, tokens_in

_MOST_FORMS_OF_A_QUESTION = 40
#: How many letters make words alike: "Versicherung" and "versichert".
_STEM = 5
_SHORTEST = 4
_NO_STEM = frozenset[str]()


class Word(NamedTuple):
    """How the network knows a token: by rows of its own table and of the words' vectors."""

    forms: tuple[int, ...]
    rows: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WordForms:
    words: tuple[Word, ...]
    stems: frozenset[str]
    #: Of the words that mean something, the vectors of length 1.
    vectors: NDArray[np.float32]


@lru_cache(maxsize=1024)
def word_forms_of(text: str) -> WordForms:
    """Return how a question, a label or an option is known: they are the same in every message."""
    text = even(text)
    tokens = tokens_in(text)[:_MOST_FORMS_OF_A_QUESTION]
    words = words_of(text, tokens)
    telling = [
        word.rows
        for word, (start, end) in zip(words, tokens, strict=True)
        if end - start >= _SHORTEST or is_sign(text[start:end])
    ]
    return WordForms(words, union(stems_of(text, tokens)), unit_vectors(telling))


def words_of(text: str, tokens: list[Token]) -> tuple[Word, ...]:
    return tuple(map(Word, forms_of(text, tokens), rows_of(text, tokens)))


def stems_of(text: str, tokens: list[Token]) -> list[frozenset[str]]:
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
            found.append(frozenset({stem}) if len(stem) >= _SHORTEST else _NO_STEM)
    return found


def union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return _NO_STEM.union(*sets)
