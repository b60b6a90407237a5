"""The grammar of closed forms: a pattern for each kind of utterance, in each language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from sayso.reading.alternatives import edged
from sayso.reading.card_marks import LABEL, ORDER, THING, VALUE, VERB
from sayso.reading.form_words import FORM_OF_LIST, any_form, form_words, one_of, order_verbs
from sayso.reading.forms import Form
from sayso.reading.lexicon import Lexicon
from sayso.reading.normalize import spelled_out

#: Words before a value that say which part it plays: "from", "until".
_ROLES = ("origin", "goal", "place", "start", "end")
#: Other small words before a value.
_SMALL = ("times.at", "dates.the", "orders.the", "values.and", "values.with")
#: How long what somebody is thanked for may be, in characters.
_LONGEST_REASON = 40


@cache
def form_patterns(lex: Lexicon) -> tuple[tuple[Form, re.Pattern[str]], ...]:
    """Return the forms with their patterns, for words that are spelled out and in which the card is
    marked. Words of the card have a group `agrees` where they are said to be right."""
    made = [(form, any_form(lex, name)) for name, form in FORM_OF_LIST.items()]
    made += [(Form.AGREES, re.compile(one)) for one in _agreeing(lex)]
    made.append((Form.LIKES, re.compile(_liking(lex))))
    made.append((Form.PRAISE, re.compile(_praising(lex))))
    made.append((Form.THANKS, re.compile(_thanking(lex))))
    made.append((Form.TAIL, re.compile(edged(lex.words("orders", "both")))))
    made.append((Form.ORDER, re.compile(_order(lex))))
    made.append((Form.CARD, re.compile(_said_on_card(lex))))
    made.append((Form.STATED, re.compile(_setting(lex))))
    return tuple(made)


def _agreeing(lex: Lexicon) -> Iterator[str]:
    """Yield the agreeing clauses: "that is correct", "everything looks good", "das stimmt so"."""
    subject, agree, gap = one_of(lex, "subjects"), one_of(lex, "agree"), _gap(lex)
    adverbs = _adverbs(lex)
    yield rf"{subject}{gap}{one_of(lex, 'copulas')}{gap}{adverbs}{agree}"
    rest = rf"(?:{gap}{one_of(lex, 'adverbs')})*(?:{gap}{adverbs}{agree})?"
    yield rf"(?:{subject}{gap})?{adverbs}{one_of(lex, 'looks')}{rest}"
    # "All of them work", and never "good work".
    yield rf"{subject}{gap}{adverbs}{one_of(lex, 'several_look')}{rest}"
    yield rf"{_sounds(lex)}{agree}"


def _liking(lex: Lexicon) -> str:
    """ "That sounds great"."""
    return rf"{_sounds(lex)}{one_of(lex, 'praise')}"


def _sounds(lex: Lexicon) -> str:
    subject, gap = one_of(lex, "subjects"), _gap(lex)
    return rf"(?:{subject}{gap})?{one_of(lex, 'sounds', 'would_be')}{gap}{_adverbs(lex)}"


def _praising(lex: Lexicon) -> str:
    """ "That is great"."""
    subject, copula, gap = one_of(lex, "subjects"), one_of(lex, "copulas"), _gap(lex)
    return rf"{subject}{gap}{copula}{gap}{_adverbs(lex)}{one_of(lex, 'praise')}"


def _thanking(lex: Lexicon) -> str:
    """ "Thanks for …", whatever it is for."""
    thanks = rf"{one_of(lex, 'thanks')}{_gap(lex)}{one_of(lex, 'thanks_for')}"
    return rf"{thanks}[^.,!?;。，！？]{{0,{_LONGEST_REASON}}}"


def _order(lex: Lexicon) -> str:
    """An order to do it: "create it", "please book", or what the card itself stands for, in
    whatever form its verb has: "buch die Reise" for "die Reise buchen"."""
    gap = _gap(lex)
    lead = rf"(?:{one_of(lex, 'lets')}{gap}[,，]?\s*)"
    thing = rf"(?:{one_of(lex, 'glue')}{gap})*{THING}"
    verb = rf"(?:{edged(order_verbs(lex))}|{VERB})"
    it, small = one_of(lex, "objects"), rf"(?:{gap}{one_of(lex, 'tails')})"
    particle = rf"(?:{gap}{one_of(lex, 'particles', 'separable')})"
    forms = [
        rf"{lead}*{verb}(?:{gap}{it})?{small}?{gap}{thing}(?:{gap}{thing})*{small}?{particle}?",
        rf"{lead}*{verb}(?:{gap}{it}){{1,2}}{small}?{particle}?",
        rf"{it}{gap}{verb}",
        rf"{lead}*{_verb_with_it(lex)}(?:{gap}{thing})*{small}?",
        rf"{lead}+{verb}",
        rf"{lead}*{ORDER}",
        rf"{thing}{gap}(?:{one_of(lex, 'tails')}{gap})?{verb}",
        rf"{lead}*{VERB}{small}?{particle}?",
        rf"{lead}*{VERB}{gap}{_row(lex)}",
    ]
    if not lex.spaced:
        ends = one_of(lex, "go", "endings")
        forms.append(rf"(?:{thing}を?)?(?:{thing}|{VERB}){ends}")
    return "|".join(f"(?:{one})" for one in forms)


def _verb_with_it(lex: Lexicon) -> str:
    """A verb and its "it" in one word: "crealo"."""
    verbs, clitics = (
        "|".join(sorted(map(re.escape, row), key=len, reverse=True))
        for row in (order_verbs(lex), form_words(lex, "clitics"))
    )
    return rf"(?<!\w)(?:{verbs})(?:{clitics})(?!\w)" if clitics else r"(?!)"


def _setting(lex: Lexicon) -> str:
    """Values after a verb that is not the card's own: "set 4", "start Friday"."""
    lead = rf"(?:{one_of(lex, 'lets')}{_gap(lex)})*"
    return rf"{lead}{edged(order_verbs(lex))}{_gap(lex)}(?=[^,;.]*{VALUE}){_row(lex)}"


def _said_on_card(lex: Lexicon) -> str:
    gap = _gap(lex)
    agrees = rf"{gap}(?:{one_of(lex, 'copulas')}{gap}{one_of(lex, 'agree')}|{one_of(lex, 'looks')})"
    return rf"{_row(lex)}(?P<agrees>{agrees})?"


def _row(lex: Lexicon) -> str:
    """What the card says, one after the other: "for 4 people on Friday"."""
    roles = (word for name in _ROLES for word in map(spelled_out, lex.words("roles", name)))
    small = (spelled_out(word) for name in _SMALL for word in lex.words(*name.split(".")))
    gap = _gap(lex)
    glue = rf"(?:{edged([*form_words(lex, 'glue'), *roles, *small])}{gap})*"
    said = f"[{VALUE}{LABEL}{THING}{VERB}]"
    return rf"{glue}{said}(?:(?:{gap}|[\s,，、]*){glue}{said})*"


def _adverbs(lex: Lexicon) -> str:
    return rf"(?:{one_of(lex, 'adverbs')}{_gap(lex)})*"


def _gap(lex: Lexicon) -> str:
    return r"(?:\s+|(?<=')|(?=-))" if lex.spaced else r"\s*"
