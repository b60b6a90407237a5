"""The nouns of a field's own question: by them a message in any language refers to the field."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from sayso.reading.frame_words import frame_signs, frame_words
from sayso.reading.lexicon import Lexicon, lexicon_for
from sayso.reading.normalize import folded, plain

#: A shorter word is a small word.
_SHORTEST = 4
#: Within a compound, a shorter part is that of many: "Reiseversicherung".
_SHORTEST_PART = 5
_WORD = re.compile(r"[^\W\d_]+")
_SIGNS = re.compile(r"[\u30a0-\u30ff]{2,}|[\u4e00-\u9fff]{2,}")
_PLURAL = re.compile(r"(?<=\w{3})(?:e?s|en?|n|i)$")


def nouns_said(text: str, question: str, lex: Lexicon) -> tuple[str, ...]:
    """Return the words of a text that the question asks about, as they stand in the text."""
    nouns = _nouns(question, lex.spaced)
    if not nouns:
        return ()
    if not lex.spaced:
        said = (part for word in nouns for part in _parts(word) if part in text)
        return tuple(sorted(dict.fromkeys(said), key=len, reverse=True))
    small = _small(lex)
    said = (word for word in _WORD.findall(text) if word.casefold() not in small)
    return tuple(dict.fromkeys(word for word in said if _is_one(word, nouns)))


@cache
def _small(lex: Lexicon) -> frozenset[str]:
    return frame_words(lex) - {*lex.words("yes", "yes")}


@lru_cache(maxsize=4096)
def _is_one(word: str, nouns: frozenset[str]) -> bool:
    said = _stem(word)
    if len(said) < _SHORTEST - 1:
        return False
    return said in nouns or any(
        min(len(said), len(noun)) >= _SHORTEST_PART and (noun.endswith(said) or said.endswith(noun))
        for noun in nouns
    )


@lru_cache(maxsize=512)
def _nouns(question: str, spaced: bool) -> frozenset[str]:
    words = plain(question)
    lex = lexicon_for(words)
    if not spaced:
        return frozenset(_SIGNS.findall(frame_signs(lex).sub(";", words)))
    asking = (*lex.words("clauses", "asking"), *lex.words("clauses", "second_person"))
    small = _small(lex) | {
        part for one in (*asking, *lex.words("clauses", "inverting")) for part in one.split()
    }
    said = (word for word in _WORD.findall(words) if len(word) >= _SHORTEST and word not in small)
    return frozenset(map(_stem, said))


def _stem(word: str) -> str:
    return _PLURAL.sub("", folded(word))


@lru_cache(maxsize=512)
def _parts(word: str) -> tuple[str, ...]:
    """Return a noun of signs and every two or more of them: "旅行保険" is spoken of as "保険"."""
    ends = range(2, len(word) + 1)
    return tuple(word[at : at + n] for n in reversed(ends) for at in range(len(word) - n + 1))
