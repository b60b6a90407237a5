"""Which field the words of a message go to, where several hear a value in them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from sayso.reading.clauses import clauses_in
from sayso.reading.heard_message import HeardMessage

if TYPE_CHECKING:
    from sayso.reading.hearing import HeardValue, Hearing

#: The share of another open question's hearing from which words are that one's as well.
_ASKED_TOO = 0.3
#: How far a known value leads that is corrected, and a field whose question is taken up.
_CORRECTED, _NAMED = 0.1, 0.2
#: How far the longer words lead, up to a number of letters.
_BY_LETTER, _LONG = 0.001, 20


def heard_by_field(message: HeardMessage) -> dict[str, HeardValue]:
    """Return what is heard of each field. No words say two things: they go to the field that
    hears them more surely. What two open questions could take is less sure by as much."""
    hearing = message.hearing
    if hearing is None:
        return {}
    each = _by_label(message, hearing)
    weights = {name: _weight(message, hearing, name, one) for name, one in each.items()}
    found: dict[str, HeardValue] = {}
    for name in sorted(each, key=lambda name: -weights[name]):
        one = each[name]
        surer = [other for other in found if one.shares_words_with(found[other])]
        if not surer:
            found[name] = one
        for other in surer:
            both_asked = message.asks_for(name) and message.asks_for(other)
            if both_asked and one.share > _ASKED_TOO * found[other].share:
                found[other] = replace(found[other], rival=one.share)
    return found


def _by_label(message: HeardMessage, hearing: Hearing) -> dict[str, HeardValue]:
    """Return what is heard of each field; what the clause says for one by its label is that one's,
    whoever else hears it: "set the origin to Hamburg"."""
    found = hearing.values()
    for name, one in [*found.items()]:
        if not one.in_words:
            continue
        clauses = [c for c in clauses_in(message.text, message.lex) if c.start < one.end <= c.end]
        if not any(hearing.is_labelled(name, c.start, c.end) for c in clauses):
            continue
        others = [n for n in found if n != name and one.shares_words_with(found[n])]
        if others and not any(
            hearing.is_labelled(other, c.start, c.end) for other in others for c in clauses
        ):
            share = min(1.0, one.share + max(found[other].share for other in others))
            found = {n: each for n, each in found.items() if n not in others}
            found[name] = replace(one, share=share)
    return found


def _weight(message: HeardMessage, hearing: Hearing, name: str, one: HeardValue) -> float:
    """Return how much speaks for a field's hearing; of two that are as sure, the one of more words
    leads: "5th and Main" is no day."""
    length = one.end - one.start if one.in_words else 0
    lead = _lead_of(name, message, hearing)
    return one.share * (1 + min(length, _LONG) * _BY_LETTER) + lead


def _lead_of(name: str, message: HeardMessage, hearing: Hearing) -> float:
    """Return how far a field leads whose question the message takes up, and a known value where
    the message corrects, or says it again."""
    lead = _NAMED if hearing.is_named(name) else 0.0
    if name not in message.known:
        return lead
    return lead + (_CORRECTED if message.is_anew or _says_again(name, message) else 0.0)


def _says_again(name: str, message: HeardMessage) -> bool:
    known = message.known[name]
    if not isinstance(known, str):
        return False
    return re.search(rf"(?<!\w){re.escape(known)}(?!\w)", message.text) is not None
