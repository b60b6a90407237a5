"""Days told by their distance from today: "yesterday", "in 3 days", "a week ago"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache

from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.durations import durations_in
from sayso.reading.span import Span

_NAMED = {
    "after_tomorrow": 2,
    "tomorrow": 1,
    "today": 0,
    "yesterday": -1,
    "before_yesterday": -2,
}
#: How many characters before a length may say in which direction it goes.
_LEAD = 40


def days_from(text: str, lex: Lexicon, today: date | None) -> list[Span]:
    found = [
        (match.start(), match.end(), days)
        for name, days in _NAMED.items()
        for match in lex.any_of(f"dates.{name}").finditer(text)
    ]
    found += _distances(text, lex)
    return [
        Span(
            value=(today + timedelta(days=days)).isoformat() if today else None,
            start=start,
            end=end,
        )
        for start, end, days in found
    ]


def _distances(text: str, lex: Lexicon) -> Iterator[tuple[int, int, int]]:
    for length in durations_in(text, lex):
        if length.unit in ("minute", "hour"):
            continue
        days = int(re.sub(r"\D", "", str(length.value)) or 0)
        at = max(0, length.start - _LEAD)
        lead = text[at : length.start]
        for sign, before, after in ((-1, "ago_before", "ago"), (1, "in", "from_now")):
            leads, follows = _around(lex, before, after)
            led = leads.search(lead)
            followed = follows.match(text, length.end)
            if led or followed:
                start = at + led.start() if led else length.start
                yield start, followed.end() if followed else length.end, sign * days
                break


@cache
def _around(lex: Lexicon, before: str, after: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return (
        re.compile(rf"{lex.any_of(f'dates.{before}').pattern}\s*$", re.IGNORECASE),
        re.compile(rf"\s*{lex.any_of(f'dates.{after}').pattern}", re.IGNORECASE),
    )
