"""A word of leave in no closed form: "just shut the thing", "he's ready, so yes, get them entered".

It is the first witness of what the network alone hears to be leave (`second_witness`): a yes or an
order that a clause says of itself, where no clause asks, supposes, puts off, quotes or turns to
somebody else.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from sayso.reading.alternatives import edged
from sayso.reading.card_marks import LABEL, ORDER, THING, VALUE, VERB, CardWords, marked
from sayso.reading.clauses import clauses_in
from sayso.reading.closed_forms import closed_forms
from sayso.reading.declined import is_no
from sayso.reading.form_words import any_form, order_verbs
from sayso.reading.forms import Form
from sayso.reading.lexicon import Lexicon
from sayso.reading.moods import Mood
from sayso.reading.normalize import spelled_out

#: In these moods no clause may be.
_NEVER = (
    Mood.ASKED, Mood.REQUESTED, Mood.CONDITIONAL, Mood.LATER, Mood.HYPOTHETICAL, Mood.QUOTED,
    Mood.TO_ANOTHER,
)  # fmt: skip
_GRANTS = frozenset({Form.YES, Form.GO, Form.ORDER, Form.AGREES})
#: What follows a verb that tells of what was done, where nothing parts words: "付过了".
_DONE = re.compile("[了过た済]")
_CARD = re.compile(f"[{THING}{VALUE}{LABEL}]")


def grants_loosely(message: str, lex: Lexicon, card: CardWords) -> bool:
    """Return whether a reply to this card has a word of leave, and nothing that rules it out."""
    clauses = clauses_in(message, lex)
    if any(clause.is_any(*_NEVER) for clause in clauses) or is_no(message, lex):
        return False
    if any(unicodedata.category(sign) == "So" for sign in message):
        return False  # a face may tell anything
    said = [clause.words(message) for clause in clauses]
    ordered = [_is_order(words, lex, card) for words in said]
    if any(ordered) and any(
        clause.is_any(Mood.ORDER) and not own for clause, own in zip(clauses, ordered, strict=True)
    ):
        return False  # "book it, and book me a yacht"
    return any(
        clause.moods <= {Mood.ORDER} and _grants(words, lex, card)
        for clause, words in zip(clauses, said, strict=True)
    )


def _is_order(words: str, lex: Lexicon, card: CardWords) -> bool:
    closed = closed_forms(words.strip(" .!,"), lex, card)
    return closed.is_whole and not {Form.GO, Form.ORDER}.isdisjoint(closed.forms)


def _grants(words: str, lex: Lexicon, card: CardWords) -> bool:
    """Return whether a clause says a yes or an order and nothing else, or a verb of an order with a
    yes before it or what it is to be done to behind it: "go away" is neither."""
    closed = closed_forms(words.strip(" .!,。！，"), lex, card)
    if closed.is_whole and not _GRANTS.isdisjoint(closed.forms):
        return True
    said = marked(spelled_out(words), lex, card)
    verb = _verb(lex).search(said)
    if verb is None or not lex.spaced:
        return verb is not None and _DONE.match(said, verb.end()) is None
    rest = said[verb.end() :].lstrip()
    does_it = any_form(lex, "objects").match(rest) or _CARD.search(rest)
    return bool(does_it or any_form(lex, "yes").search(said, 0, verb.start()))


@cache
def _verb(lex: Lexicon) -> re.Pattern[str]:
    return re.compile(rf"{edged(order_verbs(lex))}|[{ORDER}{VERB}]")
