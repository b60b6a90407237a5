"""The words that frame an answer and say nothing of their own: small words, courtesies, the verbs
of having and wanting. All are closed classes that the word lists hold for other reasons."""

from __future__ import annotations

import re
from functools import cache

from sayso.reading.lexicon import Lexicon

_WORD = re.compile(r"[^\W\d_]+")
#: The lists of words that frame an answer and say nothing of their own.
_FRAME = {
    "clauses": "leads joints turns not_wishing not_past not_negating with_me subjects speaker",
    "orders": "no polite make acting the ready wanted both anew",
    "values": "leads tails copula and with people companions partner solo me_and"
    " of_us family_of party_for called trip true false taking generic not_this last"
    " sizes no_objection nearly",
    "roles": "origin goal place start end near",
    "yes": "yes go ok praise thanks tails chatter joy copulas adverbs agree looks lets glue"
    " particles would_be no",
    "doubts": "agreeing proposals",
}
_WHOLE = ("dates", "times", "units", "money")
_NOT_FRAME = ("others", "second_person")


@cache
def frame_words(lex: Lexicon) -> frozenset[str]:
    """Return the single words of the frame."""
    others = {word for name in _NOT_FRAME for word in lex.words("clauses", name) if " " not in word}
    said = {part for phrase in _phrases(lex) for part in _WORD.findall(phrase)}
    polite = {*lex.words("orders", "polite"), *lex.words("clauses", "leads")}
    return frozenset(said - (others - polite))


@cache
def frame_signs(lex: Lexicon) -> re.Pattern[str]:
    return re.compile(lex.alternatives(_phrases(lex)))


@cache
def _phrases(lex: Lexicon) -> frozenset[str]:
    lists = [(section, name) for section, names in _FRAME.items() for name in names.split()]
    lists += [one for section in _WHOLE for one in lex.lists(section)]
    said = {word.casefold() for one in lists for word in lex.words(*one)}
    named = (lex.units, lex.weekdays, lex.months, lex.numbers, lex.currencies)
    return frozenset(said.union(*named))


@cache
def common_words(lex: Lexicon) -> frozenset[str]:
    """Return the words that are no name by themselves, however they are written."""
    lists = (("values", "common"), ("clauses", "leads"), ("clauses", "subjects"))
    said = (word for each in lists for word in lex.words(*each))
    return frozenset([*said, *lex.months, *lex.weekdays, *lex.numbers])
