"""Days told by their distance from today: "yesterday", "in 3 days", "a week ago"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta

from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.durations import durations_in
from sayso.reading.span import Span

NAMED = {
    "in_three_days": 3,
    "after_tomorrow": 2,
    "before_yesterday": -2,
    "tomorrow": 1,
    "today": 0,
    "yesterday": -1,
}
_EACH_NAMED = "|".join(f"(?P<{name}><dates.{name}>)" for name in NAMED)
#: How many characters before a length may say in which direction it goes.
_LEAD = 40


def days_from(text: str, lex: Lexicon, today: date | None) -> list[Span]:
    found = [
        (match.start(), match.end(), NAMED[match.lastgroup or ""])
        for match in lex.form(_EACH_NAMED).finditer(text)
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


def weeks_on(days: list[Span], text: str, lex: Lexicon, today: date | None) -> list[Span]:
    """Join a day and the weeks that it is moved by: "a week on Thursday", "heute in einer Woche",
    "Thursday week"."""
    lengths = [one for one in durations_in(text, lex) if one.unit == "week"] if days else []
    stays = lex.form(r"<values.party_for>\s*$")
    weeks = [one for one in lengths if not stays.search(text[: one.start])]
    found, moved = [], None
    for one in days:
        if moved is not None and one.overlaps(moved):
            continue  # "in a week" of today
        for week in weeks:
            if one.overlaps(week):
                continue
            first, last = (one, week) if one.start < week.start else (week, one)
            gap = r"\s*<dates.in>\s*" if first is one else r"\s*<dates.on>\s*"
            between = lex.form(gap).fullmatch(text, first.end, last.start)
            if between is None or not one.value or not today:
                continue
            length = timedelta(days=_whole_days(week))
            day = date.fromisoformat(str(one.value)) + length
            moved = Span(value=day.isoformat(), start=first.start, end=last.end)
            break
        found.append(moved if moved is not None and moved.overlaps(one) else one)
    return found


def _distances(text: str, lex: Lexicon) -> Iterator[tuple[int, int, int]]:
    for length in durations_in(text, lex):
        if length.unit in ("minute", "hour"):
            continue
        days = _whole_days(length)
        at = max(0, length.start - _LEAD)
        lead = text[at : length.start]
        for sign, before, after in ((-1, "ago_before", "ago"), (1, "in", "from_now")):
            led = lex.form(rf"<dates.{before}>\s*(?:(?<=\s)\w+\s+)?$").search(lead)
            followed = lex.form(rf"\s*<dates.{after}>").match(text, length.end)
            if led or followed:
                start = at + led.start() if led else length.start
                yield start, followed.end() if followed else length.end, sign * days
                break


def _whole_days(length: Span) -> int:
    days = re.match(r"P(\d+)", str(length.value))
    return int(days[1]) if days is not None else 0
