"""Words that answer a question and name no value: "no idea", "you choose"."""

from __future__ import annotations

import re
from functools import lru_cache

from sayso.reading.lexicon import LANGUAGES, Lexicon, lexicon
from sayso.reading.normalize import plain

_WORD = re.compile(r"\w")
_LISTS = ("doubts.unsure", "values.unsaid")


def names_nothing(text: str, start: int, end: int, lex: Lexicon) -> bool:
    """Return whether words of a message belong to saying that one does not know, or does not
    mind: the "idea" of "no idea"."""
    found = [match.span() for match in lex.any_of(*_LISTS).finditer(text)]
    if any(left <= start and end <= right for left, right in found):
        return True
    touched = any(left < end and start < right for left, right in found)
    return is_no_answer(text) or (touched and _says_nothing(text[start:end], lex))


@lru_cache(maxsize=64)
def is_no_answer(text: str) -> bool:
    """Return whether this is all that a message says, in any language: so few words show none."""
    said = plain(text).strip(" .,!?…。！？、")
    each = [lexicon(code) for code in LANGUAGES]
    return any(lex.any_of(*_LISTS).search(said) and _says_nothing(said, lex) for lex in each)


def _says_nothing(said: str, lex: Lexicon) -> bool:
    small = lex.any_of(
        "clauses.leads", "clauses.subjects", "yes.adverbs", "yes.tails", "yes.chatter"
    )
    return _WORD.search(small.sub(" ", lex.any_of(*_LISTS).sub(" ", said))) is None
