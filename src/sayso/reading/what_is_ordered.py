"""What an order is for, and whether it has ended: "pay the electrician" is none of the plumber's
card, and "send her the" breaks off."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import takewhile

from sayso.reading.alternatives import edged
from sayso.reading.card_marks import LABEL, ORDER, THING, VALUE, VERB, CardWords, marked
from sayso.reading.clauses import clauses_in
from sayso.reading.form_words import any_form, order_verbs
from sayso.reading.lexicon import Lexicon
from sayso.reading.moods import Mood
from sayso.reading.normalize import plain, spelled_out

_OWN = frozenset((ORDER, THING, VALUE, VERB))
#: The words behind an article, up to a mark of punctuation.
_NAMED = re.compile(rf"(?:[\w'\-{ORDER}{VERB}{THING}{VALUE}{LABEL}]+\s*){{0,3}}")
_SHORTEST = 3
_LEADS = (
    "yes.yes|yes.ok|yes.lets|yes.tails|clauses.leads|clauses.joints|clauses.turns|orders.polite"
    "|values.and"
)
_ENDS = (
    "orders.the|values.and|values.with|roles.goal|roles.origin|roles.near|yes.tails|yes.adverbs"
    "|yes.particles|yes.separable"
)
#: Words that begin with as many letters are of one stem: "plumber", "Plumbing".
_STEM = 5


def is_broken_off(message: str, lex: Lexicon) -> bool:
    """Return whether a message ends on a word that never ends one: "sí, mándale las", and not
    "mande-as"; or on the "but" of a yes, which ends an order in some languages: "ja maar", and not
    "boek maar"."""
    said = plain(message)
    if lex.form(r"\s<clauses.never_last>[\s.…]*$").search(said):
        return True
    yes = r"(?:\W*<yes.yes|yes.ok|yes.praise>)+"
    return lex.form(rf"{yes}\W+<clauses.turns>[\s.…]*").fullmatch(said) is not None


def orders_another_thing(message: str, lex: Lexicon, card: CardWords) -> bool:
    """Return whether a clause begins with an order of something by name, of which the card says
    nothing."""
    if not lex.spaced:
        return False
    lead = lex.form(rf"(?:[\s,]*<{_LEADS}>)*[\s,]*")
    for clause in clauses_in(message, lex):
        said = marked(spelled_out(clause.words(message)), lex, card)
        order = _verb_and_article(lex).search(said)
        if order is not None and clause.moods <= {Mood.ORDER, Mood.NEGATED}:
            begins = lead.fullmatch(said, 0, order.start()) is not None
            if begins and _is_another(said[order.end() :], lex, _stems(card)):
                return True
    return False


def _is_another(rest: str, lex: Lexicon, own: frozenset[str]) -> bool:
    words = _NAMED.match(rest)
    small = lex.form(f"<{_ENDS}>")
    named = [*takewhile(lambda word: not small.fullmatch(word), words[0].split() if words else ())]
    if any(not _OWN.isdisjoint(word) or word[:_STEM] in own for word in named):
        return False
    if any(map(lex.any_of("clauses.no_thing").fullmatch, named)):
        return False
    return any(len(word) >= _SHORTEST and word.isalpha() for word in named)


@lru_cache(maxsize=64)
def _stems(card: CardWords) -> frozenset[str]:
    row = (*card.orders, *card.things, *card.values, *card.labels)
    return frozenset(word[:_STEM] for one in row for word in one.split() if len(word) >= _SHORTEST)


@cache
def _verb_and_article(lex: Lexicon) -> re.Pattern[str]:
    verbs = edged(order_verbs(lex))
    objects = any_form(lex, "objects").pattern
    articles = edged([*lex.words("orders", "the"), *lex.words("dates", "the")])
    return re.compile(rf"(?:{verbs}|{VERB})\s+(?!{objects}(?!\s+\w))(?:{articles})\s+")
