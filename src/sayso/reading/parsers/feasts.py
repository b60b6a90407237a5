"""Feasts and the days that they fall on: "Christmas Eve", "Ostermontag", "Easter 2027"."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from dateutil.easter import easter  # type: ignore[import-untyped]  # without stubs

from sayso.core.requirements import Tense
from sayso.reading.lexicon import Lexicon
from sayso.reading.span import Span

_EASTER = "easter"


def feasts_in(text: str, lex: Lexicon, today: date | None, tense: Tense) -> Iterator[Span]:
    """Yield feasts; one without a year is the next such day, or the last."""
    named = lex.form(rf"({lex.alternatives(lex.feasts)})(?:\s+(?:de\s+)?((?:1[5-9]|20)\d\d))?")
    for match in named.finditer(text):
        feast = lex.feasts[" ".join(match[1].casefold().split())]
        day = _in_year(feast, int(match[2])) if match[2] else _nearest(feast, today, tense)
        yield Span(value=day.isoformat() if day else None, start=match.start(), end=match.end())


def _nearest(feast: str, today: date | None, tense: Tense) -> date | None:
    if today is None:
        return None
    day = _in_year(feast, today.year)
    if tense == "past":
        return day if day <= today else _in_year(feast, today.year - 1)
    return day if day >= today else _in_year(feast, today.year + 1)


def _in_year(feast: str, year: int) -> date:
    """Return the day of a feast, told as "12-25" or by its distance from Easter: "easter+1"."""
    if feast.startswith(_EASTER):
        sunday: date = easter(year)
        return sunday + timedelta(days=int(feast.removeprefix(_EASTER) or 0))
    month, day = map(int, feast.split("-"))
    return date(year, month, day)
