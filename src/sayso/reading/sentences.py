"""Sentences, and what is left of them without small words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sayso.reading.lexicon import Lexicon

QUESTION_MARKS = ("?", "？")
_SENTENCE = re.compile(r"[^.!?。！？;\n]+[.!?。！？;\n]*")


def sentences_of(words: str) -> Iterator[str]:
    """Yield the sentences, each with the sign it ends on."""
    for match in _SENTENCE.finditer(words):
        if re.search(r"\w", match[0]):
            yield match[0].strip()


def after_lead(said: str, lex: Lexicon) -> str:
    """Return the clause without the small words that may stand before it."""
    rest = said.lstrip(" ,.!¡\"'“”(:-")
    lead = lex.any_of("clauses.leads", "clauses.joints", "clauses.turns")
    for _ in range(4):
        match = lead.match(rest)
        if match is None or match.end() == 0:
            break
        rest = rest[match.end() :].lstrip(" ,.!")
    return rest


def after_polite(clause: str, lex: Lexicon) -> str:
    """Return a clause without the small words that may open it: "please", "could you"."""
    polite = lex.form(r"[\s,]*<orders.polite|clauses.leads|yes.lets|yes.yes|yes.ok>[\s,]*")
    at = 0
    while (match := polite.match(clause, at)) and match.end() > at:
        at = match.end()
    return clause[at:].strip(" ,")


def without(words: re.Pattern[str], text: str) -> tuple[str, bool]:
    rest, count = words.subn(" ", text)
    return rest, count > 0


def bare(sentence: str) -> str:
    return sentence.strip(" .!?。！？;\n,，")
