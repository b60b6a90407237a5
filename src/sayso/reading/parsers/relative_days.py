"""Days told by their distance from today: "yesterday", "in 3 days", "a week ago"."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.durations import LENGTH, MINUTES, durations_in
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
_WEEKS = ("week", "fortnight")
_MONTHS = {"month": 1, "year": 12}
#: How many characters before a length may say in which direction it goes.
_LEAD = 40


def days_from(text: str, lex: Lexicon, today: date | None) -> list[Span]:
    found = [
        (match.start(), match.end(), Distance(days=NAMED[match.lastgroup or ""]))
        for match in lex.form(_EACH_NAMED).finditer(text)
    ]
    found += _distances(text, lex)
    return [
        Span(value=far.day_from(today).isoformat() if today else None, start=start, end=end)
        for start, end, far in found
    ]


@dataclass(frozen=True, slots=True)
class Distance:
    """So many months of the calendar, and days."""

    days: int = 0
    months: int = 0

    def day_from(self, day: date) -> date:
        year, month = divmod(day.year * 12 + day.month - 1 + self.months, 12)
        last = monthrange(year, month + 1)[1]
        return date(year, month + 1, min(day.day, last)) + timedelta(days=self.days)


def distance_of(length: Span, sign: int) -> Distance:
    days = LENGTH.validate_python(length.value).days
    months = days * MINUTES["day"] / MINUTES[length.unit] * _MONTHS.get(length.unit, 0)
    if months and months.is_integer():
        return Distance(months=sign * int(months))
    return Distance(days=sign * days)


def weeks_on(days: list[Span], text: str, lex: Lexicon, today: date | None) -> list[Span]:
    """Join a day and the weeks that it is moved by: "a week on Thursday", "heute in einer Woche",
    "Thursday week"."""
    days = [_week_on(one, text, lex, today) for one in days]
    lengths = [one for one in durations_in(text, lex) if one.unit in _WEEKS] if days else []
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
            day = date.fromisoformat(str(one.value)) + LENGTH.validate_python(week.value)
            moved = Span(value=day.isoformat(), start=first.start, end=last.end)
            break
        found.append(moved if moved is not None and moved.overlaps(one) else one)
    return found


def _week_on(one: Span, text: str, lex: Lexicon, today: date | None) -> Span:
    """Return the day a week after a weekday that says so: "Friday week", "vendredi en huit"."""
    is_weekday = one.words(text).casefold() in lex.weekdays
    after = lex.form(r"\s+<dates.week_on>(?!\w)").match(text, one.end) if is_weekday else None
    if after is None or not one.value or not today:
        return one
    day = date.fromisoformat(str(one.value)) + timedelta(weeks=1)
    return Span(value=day.isoformat(), start=one.start, end=after.end())


def _distances(text: str, lex: Lexicon) -> Iterator[tuple[int, int, Distance]]:
    for length in durations_in(text, lex):
        if length.unit in ("minute", "hour"):
            continue
        at = max(0, length.start - _LEAD)
        lead = text[at : length.start]
        for sign, before, after in ((-1, "ago_before", "ago"), (1, "in", "from_now")):
            led = lex.form(rf"<dates.{before}>\s*(?:(?<=\s)\w+\s+)?$").search(lead)
            followed = lex.form(rf"\s*<dates.{after}>").match(text, length.end)
            if led or followed:
                start = at + led.start() if led else length.start
                yield start, followed.end() if followed else length.end, distance_of(length, sign)
                break
