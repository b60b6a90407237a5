"""Picks by degree: "the cheapest", "el más rápido". Which option that is nobody has said; only one
whose name is nearest in meaning may be meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sayso.reading.heard_message import HeardMessage
from sayso.reading.lexicon import Lexicon
from sayso.reading.normalize import folded
from sayso.reading.plain_picks import ranked

if TYPE_CHECKING:
    from sayso.reading.hearing import HeardValue

#: How near, at least, an option's name lies to a word of the message.
_NEAR = 0.1
_LETTERS = re.compile(r"\W*\w{1,3}\W*")
_WORD = re.compile(r"\w+")


def is_a_guess(name: str, one: HeardValue, message: HeardMessage) -> bool:
    """Return whether no word names the option that is heard, and another is as near."""
    hearing, options = message.hearing, message.shape(name).choices
    if hearing is None or not options:
        return False
    by_degree = _degree(message.lex).search(message.text) is not None
    if not by_degree and (one.in_words or not _LETTERS.fullmatch(message.text)):
        return False
    if by_degree and _is_another(str(one.value), message, options):
        return True
    if by_degree and _is_named_by_degree(str(one.value), message.lex):
        return True  # "plus" is a plan, and says which plan in "le plus cher"
    if one.in_words:
        return False
    near = hearing.likeness_of_options(name)
    own = near.pop(str(one.value), 0.0)
    return own < _NEAR or own < max(near.values(), default=0.0)


def _degree(lex: Lexicon) -> re.Pattern[str]:
    endings = "|".join(lex.words("values", "degree_endings"))
    by_ending = rf"|\w{{2,}}(?:{endings})(?!\w)" if endings else ""
    return re.compile(
        lex.any_of("values.degrees", "values.middle").pattern + by_ending, re.IGNORECASE
    )


def _is_another(option: str, message: HeardMessage, options: Sequence[str]) -> bool:
    """Return whether the prices or sizes in the names of the options say that another is meant."""
    meant = ranked(message.text, options, message.lex)
    return meant is not None and meant != option


def _is_named_by_degree(option: str, lex: Lexicon) -> bool:
    words = {folded(word) for word in _WORD.findall(option)}
    more = {
        folded(word)
        for word in (*lex.words("values", "degrees"), *lex.words("values", "middle"), "plus", "max")
    }
    return bool(words) and words <= more
