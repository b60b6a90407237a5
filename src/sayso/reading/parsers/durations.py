"""Lengths of time: "10 days", "two and a half weeks", "3 Tage", as ISO 8601."""

from __future__ import annotations

import re
from functools import cache

from sayso.reading import cldr
from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.numbers import numbers_in
from sayso.reading.span import Span, apart, read_once

MINUTES = {
    "second": 1 / 60,
    "minute": 1,
    "quarter": 15,
    "hour": 60,
    "day": 1440,
    "week": 10080,
    "fortnight": 20160,
    "month": 43200,
    "year": 525600,
}
_LEAST_SECONDS = 5
#: Parts of a unit, and more than one of it: "half an hour", "anderthalb Tage".
_SHARES = (
    ("half_a", 0.5),
    ("quarter_of", 0.25),
    ("three_quarters_of", 0.75),
    ("one_and_half", 1.5),
)


@read_once
def durations_in(text: str, lex: Lexicon) -> list[Span]:
    """Find lengths of time, each with its unit ("day", "hour"); adjoining parts are one length."""
    parts: list[tuple[int, int, float, str]] = []
    for number in numbers_in(text, lex):
        assert isinstance(number.value, int | float)
        match = _after_number(lex).match(text, number.end)
        if match is not None:
            count = number.value + (0.5 if _is_half(match) else 0)
            unit = _unit_of(match["unit"] or match["sign"], lex)
            if unit == "second" and count < _LEAST_SECONDS:
                continue  # "one second" asks to wait
            parts.append((number.start, match.end(), _minutes(count, unit), unit))
    for match in _one_of(lex).finditer(text):
        count = 1.5 if match["half"] or match["half2"] else 1
        unit = _unit_of(match["unit"] or match["unit2"], lex)
        if unit == "second":
            continue
        parts.append((match.start(), match.end(), _minutes(count, unit), unit))
    for name, share in _SHARES:
        for match in _share_of(lex, name).finditer(text):
            unit = _unit_of(match["unit"], lex)
            parts.append((match.start(), match.end(), _minutes(share, unit), unit))
    for match in lex.any_of("units.weekend").finditer(text):
        parts.append((match.start(), match.end(), 2880, "day"))
    found: list[Span] = []
    before: tuple[int, int, float, str] | None = None
    for part in sorted(parts):
        if before is not None and part[0] < before[1]:
            continue
        joined = part
        if before is not None and re.fullmatch(
            r"[\s,]*(?:and|und|et|y|e|en)?[\s,]*", text[before[1] : part[0]]
        ):
            found.pop()
            joined = (before[0], part[1], before[2] + part[2], part[3])
        start, end, minutes, unit = before = joined
        found.append(Span(value=iso(minutes), start=start, end=end, unit=unit))
    return apart(found)


def _minutes(count: float, unit: str) -> float:
    """Return the length in minutes; parts of months and years are whole days."""
    minutes = count * MINUTES[unit]
    return minutes - minutes % 1440 if unit in ("month", "year") else minutes


def _is_half(match: re.Match[str]) -> bool:
    return any(match.groupdict().get(name) for name in ("half", "half_in", "half_after"))


def iso(minutes: float) -> str:
    days, rest = divmod(minutes, 1440)
    hours, left = divmod(round(rest, 4), 60)
    whole, seconds = divmod(round(left * 60), 60)
    time = (f"{hours:g}H" if hours else "") + (f"{whole}M" if whole else "")
    time += f"{seconds}S" if seconds else ""
    date = f"{days:g}D" if days else ""
    return f"P{date}" + (f"T{time}" if time else "") if date or time else "PT0S"


def _unit_of(word: str, lex: Lexicon) -> str:
    said = " ".join(word.casefold().split())
    return lex.units.get(said) or cldr.names(lex.code).signs[said]


@cache
def _after_number(lex: Lexicon) -> re.Pattern[str]:
    units, half = lex.alternatives(lex.units), lex.alternatives(lex.words("units", "half"))
    signs = "|".join(map(re.escape, cldr.names(lex.code).signs)) or "(?!)"
    if not lex.spaced:
        units = rf"(?:个|か|ヶ)?(?P<half_in>半)?(?P<unit>{units})(?:间|間)?|(?P<sign>{signs})"
    else:
        units = rf"(?P<unit>{units})|(?P<sign>{signs})(?!\w)"
    return re.compile(
        rf"(?:(?:\s*(?P<half>{half}))?[\s-]*{units})(?:\s*(?P<half_after>{half}))?", re.IGNORECASE
    )


@cache
def _share_of(lex: Lexicon, name: str) -> re.Pattern[str]:
    """Return a pattern for a part of a unit: "half an hour", "un cuarto de hora"."""
    gap = r"[\s-]*" if lex.spaced else "个?"
    of = lex.any_of(f"units.{name}").pattern.removesuffix(r"(?!\w)")
    unit = lex.alternatives(lex.units).removeprefix(r"(?<!\w)")
    return re.compile(rf"{of}{gap}(?P<unit>{unit})", re.IGNORECASE)


@cache
def _one_of(lex: Lexicon) -> re.Pattern[str]:
    one = lex.alternatives(lex.words("units", "one"))
    units, half = lex.alternatives(lex.units), lex.alternatives(lex.words("units", "half"))
    return re.compile(
        rf"(?:{one}\s*(?P<unit>{units})(?:\s*(?P<half>{half}))?|(?P<unit2>{units})\s+(?P<half2>{half}))",
        re.IGNORECASE,
    )
