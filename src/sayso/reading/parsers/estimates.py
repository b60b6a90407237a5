"""Amounts that leave open which of two they are: "an hour or two", "two or three days", "两三天".

Each is found as the larger one, which may be offered; nobody has stated it.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.numbers import SIDE_BY_SIDE, numbers_in
from sayso.reading.parsers.ranges import between, ends_here
from sayso.reading.span import Span, read_once


@read_once
def estimates_in(text: str, lex: Lexicon) -> list[Span]:
    """Find them, each from its first number to the end of its second, with the unit that stands
    between both, if one does."""
    numbers = [one for one in numbers_in(text, lex) if isinstance(one.value, int | float)]
    found = [one for one in numbers if one.words(text) in SIDE_BY_SIDE]
    for one, other in pairwise(numbers):
        joint = _joint(lex).fullmatch(text, one.end, other.start)
        if joint is None or _from(lex).search(text[: one.start]):
            continue  # "extend it from 3 to 4 days" is a change
        if _is_less(one, other) and _is_of_both(joint, other, text, lex):
            found.append(_of(one.start, other, joint))
    for match in _one_or(lex).finditer(text):  # "an hour or two", where no number says one
        found += [
            _of(match.start(), each, match)
            for each in numbers
            if each.start == match.end() and _is_of_both(match, each, text, lex)
        ]
    return found


def _is_less(one: Span, other: Span) -> bool:
    return float(str(one.value)) < float(str(other.value))


def _is_of_both(joint: re.Match[str], other: Span, text: str, lex: Lexicon) -> bool:
    """Return whether the second number counts what the first does: "3 nights or 2 people" is no
    estimate of nights."""
    return joint["unit"] is None or re.match(ends_here(lex), text[other.end :]) is not None


def _of(start: int, other: Span, joint: re.Match[str]) -> Span:
    return Span(value=other.value, start=start, end=other.end, unit=joint["unit"] or "")


@cache
def _from(lex: Lexicon) -> re.Pattern[str]:
    return lex.form(r"<roles.start|roles.origin>\s*$")


@cache
def _joint(lex: Lexicon) -> re.Pattern[str]:
    unit = lex.alternatives(lex.units)
    if not lex.spaced:
        return re.compile(rf"(?P<unit>{unit})?(?:[、か]|或者?|还是|または|{between(lex)})")
    either = rf"\s+{lex.any_of('values.either').pattern}\s+"
    return re.compile(rf"(?:['’\s]*(?P<unit>{unit}))?(?:{either}|{between(lex)})", re.IGNORECASE)


@cache
def _one_or(lex: Lexicon) -> re.Pattern[str]:
    if not lex.spaced:
        return re.compile("(?!)(?P<unit>)")
    one, either = lex.any_of("units.one").pattern, lex.any_of("values.either").pattern
    unit = lex.alternatives(lex.units)
    return re.compile(rf"{one}\s+(?P<unit>{unit})\s+{either}\s+", re.IGNORECASE)
