"""What a language calls its months, weekdays, units of time and currencies: from CLDR, by Babel."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from babel import Locale

UNITS = ("second", "minute", "hour", "day", "week", "month", "year")
#: How many of the unit that people use below it: centimetres, metres, grams, kilograms.
_BY_THOUSANDS = ("length-kilometer", "mass-kilogram", "mass-tonne")
MEASURES = {"length-meter": 100, **dict.fromkeys(_BY_THOUSANDS, 1000)}
#: A shorter word is more often something else: "di" and "so" are weekdays in two languages.
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class Names:
    #: 1 to 12, by name.
    months: Mapping[str, int]
    #: 0 (Monday) to 6, by name.
    weekdays: Mapping[str, int]
    #: The words of a unit ("days"), by the unit.
    units: Mapping[str, tuple[str, ...]]
    #: The unit of a sign that is written close to its number: "4d".
    signs: Mapping[str, str]


@cache
def names(code: str) -> Names:
    locale = _locale(code)
    months = {word: n for n, word in _each(locale.months, "wide", "abbreviated")}
    days = {word: n for n, word in _each(locale.days, "wide")}
    days |= {word.replace("星期", "礼拜"): n for word, n in days.items()}
    short = {
        word: n
        for n, word in _each(locale.days, "abbreviated")
        if (len(word) >= _SHORTEST or word > "\u3000") and word not in months and "." not in word
    }
    if code == "ja":
        short = {word.removesuffix("日"): n for word, n in days.items()}
    patterns = locale._data["unit_patterns"]  # Babel formats with them, and lists them nowhere else
    long = {
        unit: tuple(
            w
            for w in _unit(patterns, f"duration-{unit}", "long", "short")
            if len(w) > 1 or w > "\u3000"
        )
        for unit in UNITS
    }
    narrow = {unit: _unit(patterns, f"duration-{unit}", "narrow") for unit in ("day", "week")}
    return Names(
        months={word.rstrip("."): n for word, n in months.items() if word[:1].isalpha()},
        # "segunda-feira" is "segunda" for short.
        weekdays=short | days | {word.split("-")[0]: n for word, n in days.items()},
        units=long,
        signs={sign: unit for unit, signs in narrow.items() for sign in signs if len(sign) < 3},
    )


@cache
def currencies(code: str) -> dict[str, str]:
    """Return the ISO codes of currencies by their names in this language ("swiss francs")."""
    locale = _locale(code)
    found = {_plain(name): iso for iso, name in locale.currencies.items()}
    plurals: Mapping[str, Mapping[str, str]] = locale._data["currency_names_plural"]
    found |= {_plain(n): iso for iso, many in plurals.items() for n in many.values()}
    return {name: iso for name, iso in found.items() if not name.endswith(")")}  # "… (1795–1814)"


@cache
def measures(code: str) -> dict[str, int]:
    """Return by each name of a measure how many of a smaller one it is."""
    patterns = _locale(code)._data["unit_patterns"]
    named = {w: n for unit, n in MEASURES.items() for w in _unit(patterns, unit, "long", "short")}
    return {**named, "kilo": 1000, "kilos": 1000}


@cache
def _locale(tag: str) -> Locale:
    from babel import Locale, UnknownLocaleError

    try:
        return Locale.parse(tag, sep="-")
    except (UnknownLocaleError, ValueError):
        return Locale.parse(tag.split("-", maxsplit=1)[0])


def _each(
    table: Mapping[str, Mapping[str, Mapping[int, str]]], *widths: str
) -> Iterator[tuple[int, str]]:
    """Yield every name with its number, with and without its accents."""
    for form in ("format", "stand-alone"):
        for width in widths:
            for number, name in table[form][width].items():
                yield number, _plain(name)
                yield number, _without_accents(_plain(name))


def _unit(
    patterns: Mapping[str, Mapping[str, Mapping[str, str]]], unit: str, *widths: str
) -> tuple[str, ...]:
    forms = [
        _plain(form.replace("{0}", "")).rstrip(".")
        for width in widths
        for count, form in patterns[unit].get(width, {}).items()
        if count != "per"
    ]
    return tuple(dict.fromkeys(form for form in forms if form))


def _plain(name: str) -> str:
    return " ".join(name.split()).casefold()


def _without_accents(name: str) -> str:
    apart = unicodedata.normalize("NFD", name)
    return unicodedata.normalize(
        "NFC", "".join(sign for sign in apart if unicodedata.category(sign) != "Mn")
    )
