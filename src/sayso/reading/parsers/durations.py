"""Lengths of time: "10 days", "two and a half weeks", "3 Tage", as ISO 8601."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from functools import cache, lru_cache
from typing import TypeAlias

from pydantic import TypeAdapter

from sayso.reading import cldr
from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.amending import amending
from sayso.reading.parsers.estimates import estimates_in
from sayso.reading.parsers.numbers import numbers_in
from sayso.reading.span import Span, apart, outside, read_once

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
LENGTH = TypeAdapter(timedelta)
#: From where to where, how many minutes, and in which unit.
Part: TypeAlias = tuple[int, int, float, str]
_LEAST_SECONDS = 5
#: "Ten days, no, exactly nine".
_A_WORD = re.compile(r"(?:[^\W\d]+\s+)?")
_ENDS = re.compile(r"\s*(?:$|[.,!;…、。，！])")
#: In minutes: more is no length that a person means, nor one that a day can be moved by.
LONGEST = 10**9
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
    found: list[Span] = []
    before: Part | None = None
    between = lex.form(r"[\s,]*(?:<values.and>|零)?[\s,]*")
    for part in sorted(_parts(text, lex), key=lambda one: (one[0], -one[1])):
        if before is not None and part[0] < before[1]:
            continue
        joined = part
        if before is not None and between.fullmatch(text, before[1], part[0]):
            found.pop()
            joined = _joined(before, part)
        start, end, minutes, unit = before = joined
        found.append(Span(value=iso(minutes), start=start, end=end, unit=unit))
    return apart(found)


def _joined(one: Part, other: Part) -> Part:
    """Return the sum of two parts; of two in one unit the longer one: "3 days, 2 nights"."""
    is_one_unit = one[3] == other[3]
    minutes = max(one[2], other[2]) if is_one_unit else one[2] + other[2]
    return one[0], other[1], minutes, other[3]


@lru_cache(maxsize=32)
def _parts(text: str, lex: Lexicon) -> list[Part]:
    parts: list[Part] = []
    for number in numbers_in(text, lex):
        assert isinstance(number.value, int | float)
        if lex.any_of("values.few").match(text, number.start):
            continue  # "ein paar Tage" are no day
        match = _after_number(lex).match(text, number.end)
        if match is not None:
            count = number.value + (0.5 if _is_half(match) else 0)
            unit = _unit_of(match["unit"] or match["sign"], lex)
            if (unit == "second" and count < _LEAST_SECONDS) or count * MINUTES[unit] > LONGEST:
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
    shares = {(start, end) for start, end, minutes, unit in parts if minutes < MINUTES[unit]}
    parts = [
        one for one in parts if one[2] < MINUTES[one[3]] or (one[0], one[1]) not in shares
    ]  # "een half uur" is no hour
    parts = [*_estimated(parts, text, lex)]
    for match in lex.any_of("units.weekend").finditer(text):
        parts.append((match.start(), match.end(), 2880, "day"))
    amended = [*_amended(parts, text, lex)]
    taken_back = {start for start, *_ in amended}
    parts = [one for one in parts if one[0] not in taken_back]
    return [*parts, *_with_minutes(parts, text, lex), *amended]


@read_once
def lengths_in(text: str, lex: Lexicon) -> list[Span]:
    """Find lengths, their parts, and units alone: "weekje", "the day after"."""
    found = durations_in(text, lex)
    units = re.compile(lex.alternatives(lex.units), re.IGNORECASE).finditer(text)
    named = [(match.start(), match.end(), _unit_of(match[0], lex)) for match in units]
    alone = [Span(value=iso(_minutes(1, u)), start=a, end=b, unit=u) for a, b, u in named]
    parts = [Span(value=iso(n), start=a, end=b, unit=u) for a, b, n, u in _parts(text, lex)]
    return [*dict.fromkeys((*found, *parts, *outside(alone, found)))]


def _with_minutes(parts: list[Part], text: str, lex: Lexicon) -> Iterator[Part]:
    """Add the minutes that follow hours: "an hour and twenty", "due ore e un quarto"."""
    for start, end, minutes, unit in parts:
        if unit != "hour":
            continue
        joint = lex.form(r"\s+(?:<values.and>\s+)?")
        quarter = lex.form(r"\s*<times.and_quarter>").match(text, end)
        if quarter is not None:
            yield start, quarter.end(), minutes + 15, unit
        for one in numbers_in(text, lex):
            if not isinstance(one.value, int) or one.value >= 60:
                continue
            has_unit = _after_number(lex).match(text, one.end)
            if joint.fullmatch(text, end, one.start) and not has_unit:
                yield start, one.end, minutes + one.value, unit


def _estimated(parts: list[Part], text: str, lex: Lexicon) -> Iterator[Part]:
    """Yield the parts; what is one of two lengths is the longer one, in all the words that say so:
    "an hour or two", "two or three days"."""
    estimates = estimates_in(text, lex)
    for start, end, minutes, unit in parts:
        around = [one for one in estimates if one.start < end and start < one.end]
        if not any(one.unit for one in around):
            yield min([start, *(one.start for one in around)]), end, minutes, unit
    for one in estimates:
        if one.unit:
            unit = _unit_of(one.unit, lex)
            yield one.start, one.end, _minutes(float(str(one.value)), unit), unit


def _amended(parts: list[Part], text: str, lex: Lexicon) -> Iterator[Part]:
    """Add what takes the place of a length in the same unit: "two days, no, three"."""
    for start, end, _, unit in parts:
        amends = amending(lex).match(text, end)
        for one in numbers_in(text, lex) if amends is not None else ():
            assert isinstance(one.value, int | float)
            follows = amends is not None and _A_WORD.fullmatch(text, amends.end(), one.start)
            if follows and _ENDS.match(text, one.end):  # "3 days, sorry, 4 people" is three
                yield start, one.end, _minutes(one.value, unit), unit


def _minutes(count: float, unit: str) -> float:
    """Return the length in minutes; parts of months are whole days, those of years whole months."""
    if unit == "year" and count % 1:
        return int(count) * MINUTES["year"] + round(count % 1 * 12) * MINUTES["month"]
    minutes = count * MINUTES[unit]
    return minutes - minutes % 1440 if unit in ("month", "year") else minutes


def _is_half(match: re.Match[str]) -> bool:
    return any(match.groupdict().get(name) for name in ("half", "half_in", "half_after"))


def iso(minutes: float) -> str:
    """Return a length as pydantic writes it, so that the same length is the same value: in years of
    365 days, days, hours."""
    found: str = LENGTH.dump_python(timedelta(minutes=minutes), mode="json")
    return found


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
        # "three full days", "une vingtaine de minutes", "un'ora"
        units = rf"(?:d?['’]|\w{{2,}}\s+)??(?P<unit>{units})|(?P<sign>{signs})(?!\w)"
    return re.compile(
        rf"(?:(?:\s*(?P<half>{half}))?[\s-]*(?:{units}))(?:\s*(?P<half_after>{half}))?",
        re.IGNORECASE,
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
