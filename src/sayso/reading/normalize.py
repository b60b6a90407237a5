"""Text made comparable: the same signs for the same thing, and for whole texts the same case; and
things made keys of a cache."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Generic, TypeVar

from pydantic import JsonValue

T = TypeVar("T")

#: Characters of a message that are read for values. A longer message gives no order.
LONGEST_READ = 2000


def even(text: str) -> str:
    """Return the text with ASCII apostrophes, spaces and dashes, one character for one, so that
    positions in it stay valid."""
    # Most messages are ASCII, in which there is one such sign.
    return text.replace("`", "'") if text.isascii() else text.translate(_EVEN)


@lru_cache(maxsize=256)
def plain(text: str) -> str:
    """Return the text in lower case, with single spaces and ASCII apostrophes: for comparing.
    Positions in it are not those of the original."""
    return re.sub(r"\s+", " ", even(unicodedata.normalize("NFKC", text))).strip().casefold()


@lru_cache(maxsize=4096)
def folded(word: str) -> str:
    """Return a word in lower case and without accents: "Réplicas" is "replicas"."""
    return _ACCENT.sub("", unicodedata.normalize("NFD", word.casefold()))


@lru_cache(maxsize=1024)
def spelled_out(words: str) -> str:
    """Return words as the forms of a yes have them: plain, and without contractions, accents,
    smileys and drawn out letters."""
    text = _SMILEY.sub(" ", _INVISIBLE.sub("", plain(words)))
    text = _CONTRACTED.sub(lambda m: _WHOLE[m[1] or m[2]], text.replace("let's", "lets"))
    text = unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFD", text)))
    return re.sub(r"([^\W\d])\1{2,}", r"\1", text).strip()


def spaced(name: str) -> str:
    """Return what code calls something as a person writes it: "bookTrip" is "book Trip"."""
    return " ".join(part for part in _APART.split(name) if part)


def same_value(one: JsonValue, other: JsonValue) -> bool:
    """Return whether two values are equal as JSON; a decimal written as text equals its number."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return all(
            same_value(one[key], other[key]) for key in one if key in other and one[key] is not None
        )
    if isinstance(one, str) and isinstance(other, int | float):
        return re.fullmatch(r"-?\d+(?:\.\d+)?", one) is not None and float(one) == other
    return one == other


class Itself(Generic[T]):
    """A thing as the key of a cache, whatever it holds: a mapping can be none."""

    __slots__ = ("it",)

    def __init__(self, it: T) -> None:
        self.it = it

    def __hash__(self) -> int:
        return id(self.it)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itself) and other.it is self.it


_APART = re.compile(r"(?<=[a-z])(?=[A-Z])|[_\s-]+")
#: Accents, and none of the marks that other scripts spell with.
_ACCENT = re.compile("[\u0300-\u036f]")
_INVISIBLE = re.compile("[\ufe0e\ufe0f\u200d\U0001f3fb-\U0001f3ff]")
_SMILEY = re.compile(r"(?<!\w)[:;=][-']?[)DPp](?!\w)|<3|\^\^")
_CONTRACTED = re.compile(r"(?<=[a-z])'(s|re|ll|d|ve|m)(?!\w)|(?<=\bthat)(s)\b")
_WHOLE = {"s": " is", "re": " are", "ll": " will", "d": " would", "ve": " have", "m": " am"}
_EVEN = str.maketrans(
    {"’": "'", "‘": "'", "´": "'", "`": "'", "\u00a0": " ", "\u202f": " ", "–": "-"}
)
