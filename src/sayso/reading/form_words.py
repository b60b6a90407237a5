"""The words that closed forms are made of: those of a language, and English beside them."""

from __future__ import annotations

import re
from functools import cache

from sayso.reading.alternatives import edged
from sayso.reading.forms import Form
from sayso.reading.lexicon import Lexicon, lexicon
from sayso.reading.normalize import spelled_out

#: The lists of [yes] whose words are forms as they stand.
FORM_OF_LIST = {
    "holding": Form.HOLDS,
    "yes": Form.YES,
    "go": Form.GO,
    "ok": Form.OK,
    "praise": Form.PRAISE,
    "thanks": Form.THANKS,
    "joy": Form.CHATTER,
    "tails": Form.TAIL,
    "goodbyes": Form.TAIL,
    "courtesies": Form.TAIL,
    "chatter": Form.CHATTER,
}
#: No slip of typing is meant for these: "by" is no "bye".
_NEVER_MEANT = ("goodbyes", "courtesies")
_FIRST = re.compile(r"\w+")


@cache
def any_form(lex: Lexicon, *lists: str) -> re.Pattern[str]:
    """Return a pattern for the words of these lists of [yes], for words that are spelled out."""
    return re.compile(one_of(lex, *lists))


def one_of(lex: Lexicon, *lists: str) -> str:
    """Return the same as a part of a longer pattern."""
    return edged([word for name in lists for word in form_words(lex, name)])


def form_words(lex: Lexicon, name: str) -> tuple[str, ...]:
    """Return a list of the language; English is understood beside each."""
    own = lex.words("yes", name) or lex.words("clauses", name)
    beside = name in FORM_OF_LIST and name != "holding" and lex.code != "en"
    shared = lexicon("en").words("yes", name) if beside else ()
    return tuple(dict.fromkeys(spelled_out(word) for word in (*own, *shared)))


def order_verbs(lex: Lexicon) -> tuple[str, ...]:
    """Return the verbs of an order: to make something, to act, and those that only end an order."""
    told = (*lex.words("orders", "make"), *lex.words("orders", "acting"))
    return (*form_words(lex, "verbs"), *map(spelled_out, told))


@cache
def known_words(lex: Lexicon) -> frozenset[str]:
    """Return every single word that the forms of a language are made of, and those of its no."""
    lists = ("lets", "objects", "verbs", "subjects", "copulas", "adverbs", "agree", "looks", "no")
    names = (*FORM_OF_LIST.keys() - set(_NEVER_MEANT), *lists, "later", "glue")
    words = [word for name in names for word in form_words(lex, name)]
    return frozenset(part for word in words for part in word.split())


def may_be_closed(words: str, lex: Lexicon) -> bool:
    """Return whether some form may begin with the first of these words: most languages part there
    from one that is not theirs."""
    first = _FIRST.match(spelled_out(words))
    return not (lex.spaced and first) or first[0] in _openers(lex)


@cache
def _openers(lex: Lexicon) -> frozenset[str]:
    """Return the words that forms begin with; what follows a mark of the card is left out."""
    lists = ("glue", "sounds", "would_be", "several_look", "separable", "particles", *_NEVER_MEANT)
    words = {*known_words(lex), *order_verbs(lex), *lex.words("orders", "both")}
    words |= {word for name in lists for word in form_words(lex, name)}
    words |= {verb + end for verb in order_verbs(lex) for end in form_words(lex, "clitics")}
    return frozenset(first[0] for word in words if (first := _FIRST.match(word)))
