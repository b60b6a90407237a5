"""A no, and a not yet."""

from __future__ import annotations

import re
from functools import lru_cache

from sayso.reading.clauses import clauses_in
from sayso.reading.closed_forms import closed_forms
from sayso.reading.form_words import any_form
from sayso.reading.lexicon import Lexicon
from sayso.reading.moods import Mood
from sayso.reading.normalize import spelled_out
from sayso.reading.questions_beside import after_small_words

_REFUSING = frozenset("👎❌🚫✋🛑⛔")


def may_decline(message: str, lex: Lexicon) -> bool:
    """Return whether it can be a no or a not yet."""
    return is_later(message, lex) or is_no(message, lex)


def is_no(words: str, lex: Lexicon) -> bool:
    """Return whether the reply begins with a no."""
    text = spelled_out(words)
    if any(sign in _REFUSING for sign in text[:1]):
        return True
    rest = after_small_words(text, lex)
    match = any_form(lex, "no").match(rest)
    idiom = any_form(lex, "yes").match(rest)
    return match is not None and (idiom is None or idiom.end() < match.end())


@lru_cache(maxsize=64)
def is_later(words: str, lex: Lexicon) -> bool:
    """Return whether the reply says not yet, by itself or after a yes."""
    text = any_form(lex, "joy", "goodbyes").sub(" ", spelled_out(words))
    later, yet = any_form(lex, "later"), lex.any_of("orders.yet")
    if later.search(text) is None and yet.search(text) is None:
        return False
    for clause in clauses_in(text, lex):
        said = clause.words(text)
        last = re.search(rf"{later.pattern}\W*$", said)
        if last is not None and not _is_denied(said[: last.start()], lex):
            return True
        for start in (said, closed_forms(said, lex).rest):
            if later.match(after_small_words(start, lex)):
                return True
        if clause.is_any(Mood.NEGATED) and yet.search(said):
            return True
    return False


def _is_denied(before: str, lex: Lexicon) -> bool:
    """Return whether a "don't" stands right before: "don't wait", and not "no wait"."""
    denial = lex.form(r"<clauses.negation>\s*$").search(before)
    return denial is not None and lex.any_of("orders.amending").fullmatch(denial[0].strip()) is None
