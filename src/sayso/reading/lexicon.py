"""Which language a message is in, and the words that the rules look for in it.

The words are data: `words/<language>.toml`, and the closed classes of its grammar (pronouns, verbs
of a question, negators) in `grammar/<language>.toml`. What one list holds of another is told once
for all languages (`shared.toml`).

`orders` are the words of yes, no and not yet; `values`, `roles`, `dates`, `times` and `money` are
how values are said; `doubts` tell what is not stated; `kinds` are the words by which a slot tells
what it holds. Months, weekdays, units and currencies have their names from CLDR (reading/cldr.py)
and numbers theirs from text2num; `months`, `weekdays`, `units` and `numbers` hold what people say
besides.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from itertools import chain
from typing import TypeVar

from sayso.reading import cldr
from sayso.reading.alternatives import alternatives
from sayso.reading.normalize import folded

_T = TypeVar("_T")

#: The language of applications that do not say another.
SOURCE = "en"
LANGUAGES = ("en", "de", "fr", "es", "pt", "it", "nl", "zh", "ja")

#: Beside its grammar, what a language is known by.
_SMALL_WORDS = [
    ("yes", "yes"),
    ("yes", "no"),
    ("yes", "glue"),
    ("orders", "the"),
    ("orders", "make"),
    ("kinds", "who"),
    ("values", "leads"),
    ("values", "and"),
    ("values", "with"),
    ("values", "people"),
    ("values", "sizes"),
]
#: Whose longer words may be typed without their accents; a shorter one may be another word.
_TYPED_BARE, _LONG = ("dates", "times", "units"), 4
_SPELLED = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
#: By how many of its small words another language than the one before is clearly heard.
_CLEARLY = 2
#: So many words are a sentence.
_SENTENCE = 4
_KANA = re.compile(r"[\u3040-\u30ff]")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_LISTS = re.compile(r"<(\w+\.\w+(?:\|\w+\.\w+)*)>")
_HAN = re.compile(r"[\u4e00-\u9fff]")


class Lexicon:
    """The words of one language. A list that its file does not have is empty."""

    def __init__(self, code: str, data: dict[str, object]) -> None:
        self.code = code
        self.spaced = bool(data.get("spaced", True))
        self._data = data
        self._patterns: dict[tuple[str, ...], re.Pattern[str]] = {}
        self._lists: dict[tuple[str, str], tuple[str, ...]] = {}

    def words(self, section: str, name: str) -> tuple[str, ...]:
        """Return the words of a list, and then those of the lists that it holds."""
        found = self._lists.get((section, name))
        if found is None:
            held = (self.words(*each.split(".")) for each in _held(section, name))
            row = (*self._own(section, name), *chain.from_iterable(held))
            if section in _TYPED_BARE:
                row = (*row, *(bare for word in row for bare in _typed_bare(word)))
            found = self._lists[section, name] = tuple(dict.fromkeys(row))
        return found

    @cached_property
    def numbers(self) -> dict[str, int | float]:
        return {
            **_table(self._data.get("numbers"), int),
            **_table(self._data.get("numbers"), float),
        }

    @cached_property
    def number_endings(self) -> dict[str, float]:
        """Map the endings of numbers to what they add: "dreimal", "siebeneinhalb"."""
        return _table(self._data.get("number_endings"), float)

    @cached_property
    def measures(self) -> dict[str, int]:
        """Map the names of measures to how many of a smaller one they are: metres to 100."""
        return {**cldr.measures(self.code), **_table(self._data.get("measures"), int)}

    @cached_property
    def parties(self) -> dict[str, int]:
        """Map each phrase for so many people to their number: "zu fünft" is 5."""
        return _table(self._data.get("parties"), int)

    @cached_property
    def feasts(self) -> dict[str, str]:
        """Map the names of feasts to their day, as `parsers.feasts` reads it."""
        return _table(self._data.get("feasts"), str)

    @cached_property
    def months(self) -> dict[str, int]:
        names = {**cldr.names(self.code).months, **_table(self._data.get("months"), int)}
        return {bare: month for name, month in names.items() for bare in (name, *_typed_bare(name))}

    @cached_property
    def weekdays(self) -> dict[str, int]:
        return {**cldr.names(self.code).weekdays, **_table(self._data.get("weekdays"), int)}

    @cached_property
    def units(self) -> dict[str, str]:
        """Map every word of a unit of time to the unit: "nights" is "day"."""
        of = cldr.names(self.code).units
        return {
            word: unit
            for unit in (*cldr.UNITS, "fortnight", "quarter")
            for word in self._with_endings((*of.get(unit, ()), *self.words("units", unit)))
        }

    def _with_endings(self, words: Iterable[str]) -> Iterable[str]:
        """Return the words, and what is said of them fondly: "uurtje", "horita"."""
        for word in words:
            yield word
            for end in self.words("units", "endings"):
                yield from (stem + end + s for stem in (word, word[:-1]) for s in ("", "s"))

    @cached_property
    def currencies(self) -> dict[str, str]:
        table = self._data.get("money")
        own = _table(table.get("words") if isinstance(table, dict) else None, str)
        return {**cldr.currencies(self.code), **own}

    def _own(self, section: str, name: str) -> list[str]:
        table = self._data.get(section)
        found = table.get(name) if isinstance(table, dict) else None
        return found if isinstance(found, list) else []

    def lists(self, section: str) -> list[tuple[str, str]]:
        """Return the names of the lists of a section."""
        table = self._data.get(section)
        return [(section, name) for name in table] if isinstance(table, dict) else []

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

    def form(self, template: str) -> re.Pattern[str]:
        """Compile a pattern once, in which `<orders.the>` or `<values.me|yes.objects>` stands for
        any word of these lists."""
        return _form(self, template)

    def alternatives(self, words: Iterable[str]) -> str:
        """Return a pattern for any of these words or phrases, the longest first."""
        return alternatives(words, spaced=self.spaced)


def _typed_bare(word: str) -> Iterable[str]:
    """Yield a word as it is typed on a keyboard that has not its letters: "amanha", "Maerz"."""
    spelled = word.translate(_SPELLED)
    yield from (one for one in (folded(word), spelled) if one != word and len(word) >= _LONG)


@lru_cache(maxsize=4096)
def _form(lex: Lexicon, template: str) -> re.Pattern[str]:
    written = _LISTS.sub(lambda named: lex.any_of(*named[1].split("|")).pattern, template)
    return re.compile(written, re.IGNORECASE)


@cache
def lexicon(code: str) -> Lexicon:
    merged: dict[str, object] = {}
    for folder in ("words", "grammar"):
        text = (files(__package__) / folder / f"{code}.toml").read_text(encoding="utf-8")
        merged |= tomllib.loads(text)
    return Lexicon(code, merged)


def _held(section: str, name: str) -> Iterable[str]:
    return _shared().get(section, {}).get(name, ())


@cache
def _shared() -> dict[str, dict[str, list[str]]]:
    """Return which lists hold the words of others, in every language."""
    return tomllib.loads((files(__package__) / "shared.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=64)
def lexicon_for(text: str, tag: str = "") -> Lexicon:
    """Return the most likely language of a message: the reader's own, unless the words say
    otherwise; English where nothing tells."""
    own = base(tag)
    if _KANA.search(text):
        return lexicon("ja")
    if _HAN.search(text):
        return lexicon("ja" if own == "ja" else "zh")
    said = _small_words_in(text)
    order = [own, *LANGUAGES] if own in LANGUAGES else list(LANGUAGES)
    best, most = order[0], 0
    for code in order:
        score = said[code] + (code == own)
        if score > most:
            best, most = code, score
    return lexicon(best)


def likely_lexicons(text: str) -> list[Lexicon]:
    """Return the languages that a text is as likely to be in: "Wie vervangt je?"."""
    said = _small_words_in(text)
    most = max(said.values(), default=0)
    likely = [code for code, score in said.items() if score == most]
    return [lexicon(code) for code in likely] or [lexicon_for(text)]


@lru_cache(maxsize=4096)
def is_in_any(word: str, *lists: str) -> bool:
    """Return whether a list of any language has the word: what an application calls its actions and
    its options is in no language that we are told."""
    return any(lexicon(code).any_of(*lists).fullmatch(word) for code in LANGUAGES)


def language_heard(
    text: str, before: str, *, asked_in: str = SOURCE, also: Collection[str] = ()
) -> str:
    """Return the language that a person writes in: the one before, unless the words clearly say
    another; "" where nothing has told it yet.

    At first it is the language that they are asked in, or one of those (`also`) in which something
    is asked. One borrowed word ("van", "EU") tells no other.
    """
    if _KANA.search(text):
        return "ja"
    if _HAN.search(text):
        return "ja" if before == "ja" else "zh"
    scores = _small_words_in(text)
    own = before if before in LANGUAGES else asked_in
    best = max(LANGUAGES, key=lambda code: (scores[code], code == own))
    lead = scores[best] - scores[own]
    if own == before:
        return best if lead >= _CLEARLY else before
    is_asked_in = best in also and len(_WORD.findall(text)) > 1
    is_more = lead > 0 and (is_asked_in or _is_said_in(text, best, own))
    if lead >= _CLEARLY or is_more or (best == own and scores[own] > 0):
        return best
    return before if own == SOURCE else own


def _is_said_in(text: str, code: str, own: str) -> bool:
    """Return whether a text is in this language, of which it has a small word: that has a letter
    that English lacks ("für"), or it stands in a sentence without a word of the other language."""
    words = _WORD.findall(text.casefold())
    small = {word: _signatures().get(word, ()) for word in words}
    if any(code in codes and not word.isascii() for word, codes in small.items()):
        return True
    is_owns = any(own in codes and code not in codes for codes in small.values())
    return len(words) >= _SENTENCE and not is_owns


def _small_words_in(text: str) -> Counter[str]:
    """Count the small words of a text in each language."""
    known = _signatures()
    return Counter(code for word in _WORD.findall(text.casefold()) for code in known.get(word, ()))


def can_read_yes(tag: str) -> bool:
    """Return whether a yes in this language can be understood; "" stands for one that can."""
    return tag == "" or base(tag) in LANGUAGES


def base(tag: str) -> str:
    return re.split(r"[-_]", tag.strip().casefold(), maxsplit=1)[0]


@cache
def _signatures() -> dict[str, list[str]]:
    """Return the languages of each small word by which one is known: those that hold its sentences
    together, and its units and days."""
    found: dict[str, list[str]] = {}
    whole = ("clauses", "roles", "doubts", "dates", "times", "units")
    for lex in map(lexicon, LANGUAGES):
        lists = [one for names in (*map(lex.lists, whole), _SMALL_WORDS) for one in names]
        words = (
            part for one in lists for word in lex.words(*one) for part in re.split(r"[\s|]+", word)
        )
        for part in {*words, *lex.units, *lex.weekdays, *lex.months}:
            found.setdefault(part, []).append(lex.code)
    return found


def _table(table: object, kind: type[_T]) -> dict[str, _T]:
    if not isinstance(table, dict):
        return {}
    return {str(key): value for key, value in table.items() if isinstance(value, kind)}
