"""Slips of typing, set right where only one known word can be meant: "yse" is "yes"."""

from __future__ import annotations

import re
from functools import lru_cache

#: A shorter word with one letter wrong is too many other words.
_LEAST = 5
_LEAST_SWAPPED = 3


def mended(text: str, known: frozenset[str]) -> str:
    """Return the text with each unknown word replaced by the one known word that a single slip
    makes of it."""
    return re.sub(r"[^\W\d_]{3,}", lambda m: _mended(m[0], known), text)


@lru_cache(maxsize=1024)
def _mended(word: str, known: frozenset[str]) -> str:
    if word in known:
        return word
    near = {one for one in _beginning(known).get(word[0], ()) if _is_slip(word, one)}
    return near.pop() if len(near) == 1 else word


@lru_cache(maxsize=64)
def _beginning(known: frozenset[str]) -> dict[str, list[str]]:
    """Return the known words by their first letter, with which a slip begins as well."""
    found: dict[str, list[str]] = {}
    for word in known:
        found.setdefault(word[0], []).append(word)
    return found


def _is_slip(word: str, meant: str) -> bool:
    """Return whether one slip of the fingers lies between: two letters swapped, one doubled, left
    out, put in or wrong. An ending ("booked" for "book") is no slip."""
    if word[0] != meant[0] or abs(len(word) - len(meant)) > 1 or len(meant) < 2:
        return False
    at = next((i for i, (a, b) in enumerate(zip(word, meant, strict=False)) if a != b), None)
    if at is None:  # the one begins with the other
        return len(word) > len(meant) and word[-1] == word[-2]
    if len(word) == len(meant):
        swapped = (
            word[at : at + 2] == meant[at : at + 2][::-1] and word[at + 2 :] == meant[at + 2 :]
        )
        wrong = word[at + 1 :] == meant[at + 1 :] and at < len(word) - 1
        return (swapped and len(word) >= _LEAST_SWAPPED) or (wrong and len(word) >= _LEAST)
    longer, shorter = (word, meant) if len(word) > len(meant) else (meant, word)
    return longer[at + 1 :] == shorter[at:] and len(shorter) >= _LEAST - 1
