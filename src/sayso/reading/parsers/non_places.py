"""Answers that name no place: "planning a trip", "somewhere warm", "the beach", "I don't know"."""

from __future__ import annotations

import re
from functools import cache

from sayso.reading.lexicon import Lexicon

_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")


def names_no_place(words: str, lex: Lexicon) -> bool:
    """Return whether an answer holds a word that no name has ("a", "somewhere", "my"), or only
    words for sorts of places and trips."""
    if lex.any_of("values.nowhere").search(words):
        return True
    if not lex.spaced:
        leads = lex.any_of("values.leads", "clauses.leads").pattern
        sorts = lex.any_of("values.sorts_of_place", "values.trip").pattern
        return re.fullmatch(f"(?:{leads})?{sorts}", words) is not None
    said = [match[0].casefold() for match in _WORD.finditer(words)]
    return bool(said) and all(word in _sorts(lex) for word in said)


@cache
def _sorts(lex: Lexicon) -> frozenset[str]:
    lists = (("values", "sorts_of_place"), ("values", "trip"), ("orders", "the"))
    return frozenset(word for each in lists for one in lex.words(*each) for word in one.split())
