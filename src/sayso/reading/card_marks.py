"""What the open card says, marked in a reply: its order, its verb, its things and values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sayso.reading.alternatives import edged
from sayso.reading.form_words import order_verbs
from sayso.reading.lexicon import Lexicon
from sayso.reading.normalize import spelled_out

#: Stand for what the card says, in a reply: its whole order, its verb, its things, its values, and
#: what these are called.
ORDER, VERB, THING, VALUE, LABEL = "\ue000", "\ue001", "\ue002", "\ue003", "\ue004"
#: A shorter stem is that of many words.
_LEAST_STEM = 5
#: The endings of an infinitive, and those of an order.
_ORDERS = {
    "fr": ("(?:er|ir|re)", "e|es|ez|ons"),
    "es": ("(?:ar|er|ir)", "a|e|en|emos|amos"),
    "pt": ("(?:ar|er|ir)", "a|e|em|emos|amos"),
    "it": ("(?:are|ere|ire)", "a|i|e|iamo"),
    "nl": ("en", "t?"),
    "de": ("e?n", "e?"),
}
_LEAST_ROOT = 3
#: How nouns of deeds end, without their accents.
_NOUN_ENDINGS = "ung|ungen|zione|zioni|cion|ciones|tion|tions|sion|cao|coes|ing|ings|mento"


@dataclass(frozen=True, slots=True)
class CardWords:
    """What an open card says: its orders ("wire the money"), what they do and to what, its
    values. All of them as `spelled_out` has them."""

    orders: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    things: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()


def marked(text: str, lex: Lexicon, card: CardWords) -> str:
    """Return a reply, spelled out, with marks for what the card says."""
    for mark, pattern in _marks(lex, card):
        text = pattern.sub(mark, text)
    return text


def says_verb(words: str, lex: Lexicon, card: CardWords | None) -> bool:
    """Return whether these words hold the verb of what the card stands for."""
    return card is not None and not {ORDER, VERB}.isdisjoint(marked(spelled_out(words), lex, card))


def tells_who(words: str, lex: Lexicon, card: CardWords | None) -> bool:
    """Return whether a subject stands right before the card's verb, so that it tells and orders
    nothing: "vous réservez", "you book"."""
    if card is None or not lex.spaced:
        return False
    subjects = {*lex.words("clauses", "subjects"), *lex.words("clauses", "pronouns")}
    who = [word for word in lex.words("clauses", "second_person") if word in subjects]
    told = rf"{edged(who)}\s+[{ORDER}{VERB}]"
    return re.search(told, marked(spelled_out(words), lex, card)) is not None


def says_any(card: CardWords, said: str, lex: Lexicon) -> bool:
    """Return whether any of these words of a card is said, in whatever form."""
    return any(pattern.search(said) for _, pattern in _marks(lex, card))


@lru_cache(maxsize=256)
def _marks(lex: Lexicon, card: CardWords) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the marks with the words they stand for. There are few words, so that a new card costs
    little."""
    words = (
        (ORDER, edged(card.orders)),
        (VALUE, edged(card.values)),
        (THING, _deeds(card.verbs, lex)),
        (VERB, _stems(card.verbs, lex)),
        (THING, _stems(card.things, lex)),
        (LABEL, edged(card.labels)),
    )
    return tuple((mark, _compiled(pattern)) for mark, pattern in words)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern once for all cards of an application: only their values differ."""
    return re.compile(pattern)


def _stems(words: Sequence[str], lex: Lexicon) -> str:
    """Return a pattern for these words in any of their forms, but a past one: "booking", not
    "booked". The verb of "einreichen" may stand apart from its "ein"."""
    if not lex.spaced or not words:
        return edged(words)
    if lex.code == "en":
        return edged(word + end for word in words for end in ("", "s", "ing"))
    apart = "|".join(lex.words("yes", "separable"))
    roots = [re.sub(rf"^(?:{apart})(?=\w{{4}})", "", word) if apart else word for word in words]
    stems = {word[: max(_LEAST_STEM, len(word) - 4)] for word in words}
    stems |= {root[: max(3, len(root) - 3)] for root in roots if root not in words}
    stems |= {form for form in order_verbs(lex) if any(form[:4] == word[:4] for word in words)}
    joined = "|".join(re.escape(stem) for stem in sorted(stems, key=len, reverse=True))
    told = "|".join(one for word in words for one in _told(word, lex))
    return rf"(?:(?<!\w)(?:{joined})[a-zà-ÿ]{{0,7}}(?!\w)|(?<!\w)(?:{told or '(?!)'})(?!\w))"


def _deeds(verbs: Sequence[str], lex: Lexicon) -> str:
    """Return a pattern for what these verbs are called as things: "booking", "prenotazione"."""
    roots = [re.escape(verb[: max(3, len(verb) - 3)]) for verb in verbs]
    if not lex.spaced or not roots:
        return r"(?!)"
    if lex.code == "en":
        return edged([f"{verb}{end}" for verb in verbs for end in ("ing", "ings")])
    return rf"(?<!\w)(?:{'|'.join(roots)})\w{{0,4}}(?:{_NOUN_ENDINGS})(?!\w)"


def _told(word: str, lex: Lexicon) -> Iterator[str]:
    """Yield how a verb too short for a stem is said in an order: "loue" of "louer", "huur" of
    "huren"."""
    infinitive, endings = _ORDERS.get(lex.code, ("(?!)", ""))
    root = re.sub(rf"{infinitive}$", "", word)
    if root != word and len(root) >= _LEAST_ROOT:
        yield rf"{re.escape(root)}(?:{endings})"
        if lex.code == "nl" and re.search(r"[^aeiou][aeou][^aeiou]$", root):
            yield rf"{root[:-1]}{root[-2]}{root[-1]}t?"
