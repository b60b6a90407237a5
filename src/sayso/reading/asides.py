"""What a message asks of the gate itself: why it asks, what it needs, what it has, to start over.

Only a message that says nothing else is one. Its phrases stand in `asides.toml`.
"""

from __future__ import annotations

import re
import tomllib
from enum import StrEnum
from functools import cache
from importlib.resources import files

from sayso.reading.alternatives import alternatives
from sayso.reading.clauses import clauses_in
from sayso.reading.lexicon import LANGUAGES, Lexicon, lexicon, lexicon_for
from sayso.reading.moods import Mood
from sayso.reading.normalize import plain

#: A longer message asks for more than one of these things.
_MOST_WORDS = 14
_MOST_SIGNS = 60
_NOT_MEANT = (Mood.NEGATED, Mood.PAST, Mood.QUOTED, Mood.TO_ANOTHER)
#: "Before you start over" orders nothing.
_NOT_NOW = (Mood.CONDITIONAL, Mood.LATER)


class Aside(StrEnum):
    WHY = "why"
    NEEDS = "needs"
    KNOWN = "known"
    START_OVER = "start_over"


def aside_in(message: str, language: str) -> Aside | None:
    """Return what a message asks of the gate, if that is all it does."""
    words = plain(message)
    if len(words.split()) > _MOST_WORDS or len(words) > 5 * _MOST_SIGNS:
        return None
    if _phrases_of_any().search(words) is None:
        return None
    # One word hardly tells its language: "wozu?".
    own = lexicon_for(words, language)
    lexicons = [own, *(lexicon(code) for code in LANGUAGES if code != own.code)]
    found = (_aside(message, words, lex) for lex in lexicons)
    return next((aside for aside in found if aside is not None), None)


def _aside(message: str, words: str, lex: Lexicon) -> Aside | None:
    if _starts_over(message, words, lex):
        return Aside.START_OVER
    sentences = [part for part in re.split(r"[.!?。！？\n]+", words) if re.search(r"\w", part)]
    found = _asked(sentences[0], lex) if len(sentences) == 1 else None
    if found is None or any(one.is_any(*_NOT_MEANT) for one in clauses_in(message, lex)):
        return None
    return found


def _asked(said: str, lex: Lexicon) -> Aside | None:
    for aside in (Aside.NEEDS, Aside.KNOWN):
        if _phrases(lex, aside).search(said):
            return aside
    if _asks_what_is_known(said, lex):
        return Aside.KNOWN
    match = _phrases(lex, Aside.WHY).search(said)
    if match is None or not lex.spaced:
        return Aside.WHY if match else None
    lead = r"[\s,¿]*(?:<clauses.leads|clauses.joints|clauses.turns>[\s,]+)*"
    why = rf"{_phrases(lex, Aside.WHY).pattern}(?!\s*<clauses.negation>)"  # "why not" suggests
    begins = lex.form(lead + why).match(said)
    return Aside.WHY if begins else None


def _asks_what_is_known(said: str, lex: Lexicon) -> bool:
    rest, found = _words_of(lex, "known_alone").subn(" ", said)
    small = lex.any_of("clauses.leads", "clauses.joints", "yes.chatter", "yes.tails")
    return found == 1 and not re.search(
        r"\w", small.sub(" ", _words_of(lex, "known_around").sub(" ", rest))
    )


def _starts_over(message: str, words: str, lex: Lexicon) -> bool:
    leads = _leads(lex)
    message, words = leads.sub("", message), leads.sub("", words)
    rest, found = _phrases(lex, Aside.START_OVER).subn(" ", words)
    if not found:
        return False
    small = lex.any_of(
        *("clauses.leads", "clauses.requests", "clauses.pronouns", "clauses.subjects"),
        *("orders.polite", "yes.tails", "yes.yes", "yes.chatter", "yes.go", "yes.glue"),
    )
    if re.search(r"\w", small.sub(" ", _words_of(lex, "around").sub(" ", rest))):
        return False
    return not any(clause.is_any(*_NOT_MEANT, *_NOT_NOW) for clause in clauses_in(message, lex))


@cache
def _leads(lex: Lexicon) -> re.Pattern[str]:
    """What may stand before an order to start over, and stops the talk: "no wait, …"."""
    table = _table()[lex.code]
    leads = alternatives(table["leads"], spaced=lex.spaced)
    apart = alternatives(table.get("leads_apart", ()), spaced=lex.spaced)
    sign = r"\s*[,.!;:…，。！；、—-]"
    return re.compile(rf"^(?:\s*(?:{leads}{sign}?|{apart}{sign}))+", re.IGNORECASE)


@cache
def _words_of(lex: Lexicon, name: str) -> re.Pattern[str]:
    words = map(plain, _table()[lex.code].get(name, ()))
    return re.compile(alternatives(words, spaced=lex.spaced))


@cache
def _phrases_of_any() -> re.Pattern[str]:
    lexicons = [lexicon(code) for code in LANGUAGES]
    each = [
        *(_phrases(lex, aside) for lex in lexicons for aside in Aside),
        *(_words_of(lex, "known_alone") for lex in lexicons),
    ]
    return re.compile("|".join(one.pattern for one in each))


@cache
def _phrases(lex: Lexicon, aside: Aside) -> re.Pattern[str]:
    words = map(plain, _table()[lex.code][aside.value])
    pattern = alternatives(words, spaced=lex.spaced)
    if not lex.spaced:
        return re.compile(pattern + r"(?!す)")  # "なんで" asks why, "なんです" ends a statement
    # One small word may stand between: "was hast du denn bisher".
    return re.compile(pattern.replace(r"\s+", r"\s+(?:\w+\s+)?"))


@cache
def _table() -> dict[str, dict[str, list[str]]]:
    text = (files(__package__) / "asides.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
