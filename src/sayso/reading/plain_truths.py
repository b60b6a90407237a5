"""A plain answer to a question of yes or no, and nothing else: "of course not", "we're good"."""

from __future__ import annotations

import re
from functools import lru_cache

from sayso.reading.form_words import any_form
from sayso.reading.lexicon import LANGUAGES, Lexicon, lexicon
from sayso.reading.normalize import spelled_out

_BETWEEN = re.compile(r"[\s,.!;…、，。！-]*")
_TRUE, _FALSE, _NEITHER = ("yes", "truths"), ("not_wanted",), ("thanks", "content")


@lru_cache(maxsize=64)
def plain_truth(text: str, lex: Lexicon) -> bool | None:
    """Return what a message answers that says yes or no alone; None where it says more, or both."""
    told = _told_alone(text, lex)
    return next(iter(told)) if told is not None and len(told) == 1 else None


@lru_cache(maxsize=64)
def says_neither(text: str, lex: Lexicon) -> bool:
    """Return whether a message of such words alone leaves it open: "yes no", "thanks"."""
    told = _told_alone(text, lex)
    return told is not None and len(told) != 1


def _told_alone(text: str, lex: Lexicon) -> frozenset[bool] | None:
    """Return what the words say that such an answer is made of; None where others stand among them.
    A short answer is understood in any language, if all that know it agree."""
    own = _told(text, lex)
    if own is not None:
        return own
    told = {_told(text, lexicon(code)) for code in LANGUAGES if code != lex.code} - {None}
    return told.pop() if len(told) == 1 else None


def _told(text: str, lex: Lexicon) -> frozenset[bool] | None:
    said = spelled_out(text)
    every = any_form(lex, *_TRUE, *_FALSE, *_NEITHER, "tails")
    at, parts = _after(0, said), list[str]()
    while at < len(said):
        part = every.match(said, at)
        if part is None:
            return None
        parts.append(part[0])
        at = _after(part.end(), said)
    no = [one for one in parts if any_form(lex, *_FALSE).fullmatch(one)]
    yes = [one for one in parts if one not in no and any_form(lex, *_TRUE).fullmatch(one)]
    beside = [one for one in parts if any_form(lex, *_NEITHER).fullmatch(one)]
    told = frozenset(truth for truth, row in ((True, yes), (False, no)) if row)
    return told if told or beside else None  # "please" alone may be anything


def _after(at: int, said: str) -> int:
    found = _BETWEEN.match(said, at)
    return found.end() if found else at
