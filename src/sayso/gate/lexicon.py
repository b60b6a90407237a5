"""The words of a language that the rules go by: `gate/words/<language>.toml`, which is data only.

`orders` are the words of yes, no and not yet; `values`, `roles`, `numbers`, `units`, `dates`,
`times` and `money` are how values are said; `kinds` are the words by which a slot tells what it
holds; `detect` are small words by which the language itself is known.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import TypeVar

_T = TypeVar("_T")

LANGUAGES = ("en", "de", "fr", "es", "pt", "it", "nl", "zh", "ja")

_KANA = re.compile(r"[\u3040-\u30ff]")
_HAN = re.compile(r"[\u4e00-\u9fff]")


class Lexicon:
    """One language. A list that its file does not have is empty."""

    def __init__(self, code: str, data: dict[str, object]) -> None:
        self.code = code
        self.spaced = bool(data.get("spaced", True))
        self._data = data
        self._patterns: dict[tuple[str, ...], re.Pattern[str]] = {}

    def words(self, section: str, name: str) -> tuple[str, ...]:
        table = self._data.get(section)
        found = table.get(name, ()) if isinstance(table, dict) else ()
        return tuple(found) if isinstance(found, list) else ()

    def numbers(self) -> dict[str, int]:
        return _table(self._data.get("numbers"), int)

    def currencies(self) -> dict[str, str]:
        table = self._data.get("money")
        return _table(table.get("words") if isinstance(table, dict) else None, str)

    def flag(self, section: str, name: str) -> bool:
        table = self._data.get(section)
        return bool(table.get(name)) if isinstance(table, dict) else False

    def any_of(self, *lists: str) -> re.Pattern[str]:
        """Any word of these lists ("orders.yes"), as a whole word. Never matches without words."""
        found = self._patterns.get(lists)
        if found is None:
            words = [word for each in lists for word in self.words(*each.split(".", 1))]
            found = re.compile(self.alternatives(words), re.IGNORECASE)
            self._patterns[lists] = found
        return found

    def alternatives(self, words: Iterable[str]) -> str:
        """A pattern for any of these words or phrases, the longest first."""
        return alternatives(words, spaced=self.spaced)


def alternatives(words: Iterable[str], *, spaced: bool = True) -> str:
    ordered = sorted(set(words), key=len, reverse=True)
    if not ordered:
        return r"(?!)"
    joined = "|".join(r"\s+".join(map(re.escape, word.split())) for word in ordered)
    return rf"(?<!\w)(?:{joined})(?!\w)" if spaced else rf"(?:{joined})"


@cache
def lexicon(code: str) -> Lexicon:
    text = (files("sayso.gate") / "words" / f"{code}.toml").read_text(encoding="utf-8")
    return Lexicon(code, tomllib.loads(text))


def lexicon_for(text: str, tag: str = "") -> Lexicon:
    """The language a message is most likely in: the reader's own, unless the words say otherwise.
    English where nothing tells."""
    own = base(tag)
    if _KANA.search(text):
        return lexicon("ja")
    if _HAN.search(text):
        return lexicon("ja" if own == "ja" else "zh")
    words = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", text.casefold())
    order = [own, *LANGUAGES] if own in LANGUAGES else list(LANGUAGES)
    best, most = order[0], 0
    for code in order:
        score = sum(word in _signature(code) for word in words)
        if score > most:
            best, most = code, score
    return lexicon(best)


def readable(tag: str) -> bool:
    """Whether a spoken yes may be heard from a reader of this language; "" is one we can hear."""
    return tag == "" or base(tag) in LANGUAGES


def base(tag: str) -> str:
    return re.split(r"[-_]", tag.strip().casefold(), maxsplit=1)[0]


@cache
def _signature(code: str) -> frozenset[str]:
    return frozenset(lexicon(code).words("detect", "words"))


def _table(table: object, kind: type[_T]) -> dict[str, _T]:
    if not isinstance(table, dict):
        return {}
    return {str(key): value for key, value in table.items() if isinstance(value, kind)}
