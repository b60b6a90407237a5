"""Days, times and moments that a message could mean."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime
from heapq import nsmallest

from pydantic import JsonValue

from sayso.core.requirements import Begun, Tense
from sayso.reading.candidate import SIGNS, Found, FoundSpans, as_bare, by_form
from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.dates import dates_in, of_month
from sayso.reading.parsers.day_ranges import next_after
from sayso.reading.parsers.days_of_months import tells_a_month
from sayso.reading.parsers.durations import lengths_in
from sayso.reading.parsers.numbers import money_in, numbers_in, ordinals_in
from sayso.reading.parsers.periods import periods_in
from sayso.reading.parsers.times import after_noon, is_after_noon, names_half, times_in
from sayso.reading.reckoning import moved
from sayso.reading.relative import as_known
from sayso.reading.slot_types import SlotShape
from sayso.reading.span import Span, blanked, outside

_HALF_A_DAY = 12
#: "17.15" and "1830", which may be another number.
_WRITTEN = re.compile(
    r"(?<![\d.,:/-])(?:([01]?\d|2[0-3])\.([0-5]\d)|([01]\d|2[0-3])([0-5]\d))(?![\d/]|\.\d)"
)
#: How many characters may stand between a day and what moves it.
_BESIDE = 8
_NEAREST = 12
_LAST_DAY = 31


def day_candidates(
    text: str,
    shape: SlotShape,
    lex: Lexicon,
    today: date | None,
    known: JsonValue,
    *,
    since: date | None = None,
) -> FoundSpans:
    days = [one for one in dates_in(text, lex, today, shape.tense) if one.value]
    days = [_not_before(since, one, text, lex) if since else one for one in days]
    near = day_of(known)
    of_known = [as_known(one, text, lex, str(near)) for one in days] if near is not None else days
    # "Yes, on Friday" to a card with a Friday means that one.
    yield from by_form(
        one for one, same in zip(days, of_known, strict=True) if same.value == one.value
    )
    periods = [
        period
        for period in periods_in(text, lex, today, shape.tense)
        if not any(period.first.overlaps(day) for day in days)
    ]
    for period in periods:
        yield from by_form(period.days[:1])
        yield from ((Found.OTHER_WAY, last) for last in period.days[1:])
    other: Tense = "future" if shape.tense == "past" else "past"
    yield from ((Found.OTHER_WAY, one) for one in dates_in(text, lex, today, other) if one.value)
    if near is not None:
        yield from ((Found.OF_KNOWN, one) for one in of_known)
        yield from ((Found.MORE, one) for one in dates_in(text, lex, near, "future") if one.value)
        yield from ((Found.LESS, one) for one in dates_in(text, lex, near, "past") if one.value)
    for one in (*numbers_in(text, lex), *ordinals_in(text, lex)):
        if not isinstance(one.value, int) or not 1 <= one.value <= _LAST_DAY:
            continue
        if any(day.overlaps(one) and tells_a_month(day.words(text), lex) for day in days):
            continue  # "the first of next month" is none of the known day's month
        if not any(day.overlaps(one) for day in days):
            for how, tense in ((Found.BARE, shape.tense), (Found.OTHER_WAY, other)):
                if (day := of_month(one.value, since or today, tense)) is not None:
                    yield how, replace(one, value=day.isoformat())
        beside = [day for day in (*days, *(one.first for one in periods)) if not day.overlaps(one)]
        months = [(Found.BY_FORM, str(day.value)[:8]) for day in beside if day.value]
        if near is not None:
            months.append((Found.OF_KNOWN, near.isoformat()[:8]))
        for how, month in dict.fromkeys(months):
            if (day := day_of(f"{month}{one.value:02}")) is not None:
                yield how, replace(one, value=day.isoformat())
    yield from _moved_days(days, text, lex)


def time_candidates(text: str, lex: Lexicon, days: list[Span]) -> FoundSpans:
    only_days = [day for day in days if not names_half(day.words(text), lex)]
    sure = [*times_in(blanked(text, only_days), lex), *times_in(text, lex)]
    paid = [one for one in money_in(text, lex) if one.unit]
    bare = [
        replace(one, value=f"{_bare_hour(one, text, lex):02}:00:00")
        for one in outside(numbers_in(text, lex), [*sure, *paid])
        if isinstance(one.value, int) and 0 <= one.value <= 24
    ]
    for match in _WRITTEN.finditer(text):
        hour, minute = (part for part in match.groups() if part is not None)
        value = f"{int(hour):02}:{minute}:00"
        bare.append(Span(value=value, start=match.start(), end=match.end()))
    for how, one in (*by_form(sure), *as_bare(bare)):
        yield how, one
        if (other := _other_half(one, text, lex)) is not None:
            yield Found.OTHER_WAY, other


def _bare_hour(one: Span, text: str, lex: Lexicon) -> int:
    hour = int(str(one.value)) % 24
    is_said = text[one.start] == "0" or names_half(text, lex)
    return hour if is_said else after_noon(hour)


def moment_candidates(
    text: str,
    shape: SlotShape,
    lex: Lexicon,
    today: date | None,
    *,
    known: JsonValue,
    begun: Begun | None,
) -> FoundSpans:
    """Yield all days with all times, the known day with a time, and a day at the known time. A time
    alone is of the day that is begun, else of today."""
    sure = dates_in(text, lex, today, shape.tense)
    days = [*day_candidates(text, shape, lex, today, known)]
    # The "4" of "4 March" is no hour.
    times = [
        (how, time)
        for how, time in time_candidates(text, lex, sure)
        if how is Found.BY_FORM or not any(_holds(day, time) for day in sure)
    ]
    near, _, at = str(known or "").partition("T")
    for how, day in days if at else ():
        yield max(how, Found.OF_KNOWN), replace(day, value=f"{day.value}T{at}")
    for how, time in times:
        if at:
            held = as_known(time, text, lex, at) if how is not Found.OTHER_WAY else time
            yield max(how, Found.OF_KNOWN), replace(time, value=f"{near}T{held.value}")
        if begun is not None and not sure:
            at_it = at_its_half(str(time.value), time.words(text), begun, lex)
            yield how, replace(time, value=f"{begun.day}T{at_it}")
        elif today is not None and not sure:
            yield how, replace(time, value=f"{today}T{time.value}")
        near_it = nsmallest(_NEAREST, days, key=lambda d: (d[0], abs(d[1].start - time.start)))
        for of_day, day in near_it:
            # "This evening at six" tells both; a number of the time is no day.
            within = time.start <= day.start and day.end <= time.end
            if not within or day in sure:
                start, end = min(day.start, time.start), max(day.end, time.end)
                value = f"{day.value}T{time.value}"
                yield max(how, of_day), Span(value=value, start=start, end=end)


def at_its_half(time: str, words: str, begun: Begun, lex: Lexicon) -> str:
    """Return a time in the half of the day that was named with its day: "at seven" of "Friday
    evening"."""
    hour, rest = int(time[:2]), time[2:]
    is_open = 0 < hour < _HALF_A_DAY and not names_half(words, lex)
    late = is_open and is_after_noon(begun.quote, hour, lex)
    return f"{hour + _HALF_A_DAY}{rest}" if late else time


def day_of(value: JsonValue) -> date | None:
    """Return the day that a value names; None for words that a field of plain text keeps."""
    try:
        return datetime.fromisoformat(str(value)).date()
    except ValueError:
        return None


def _moved_days(days: list[Span], text: str, lex: Lexicon) -> FoundSpans:
    """Yield "a week tomorrow", "the day after Christmas"."""
    for one in days:
        for length in lengths_in(text, lex):
            if max(one.start - length.end, length.start - one.end) in range(_BESIDE):
                start, end = min(one.start, length.start), max(one.end, length.end)
                for how, sign in SIGNS.items():
                    yield how, Span(value=moved(one.value, length, sign), start=start, end=end)


def _not_before(since: date, one: Span, text: str, lex: Lexicon) -> Span:
    """Return "the 19th" as one after the day since when, if it would lie before it."""
    if str(one.value) > since.isoformat():
        return one
    day = next_after(one.words(text), since, lex)
    return replace(one, value=day.isoformat()) if day else one


def _other_half(one: Span, text: str, lex: Lexicon) -> Span | None:
    """Return the time twelve hours from it, where its words leave that open."""
    hour, rest = int(str(one.value)[:2]), str(one.value)[2:]
    words = one.words(text)
    if hour > _HALF_A_DAY and re.search(rf"(?<!\d){hour}", words):
        return None
    if re.search(r"(?<!\d)0\d", words) or names_half(words, lex):
        return None
    return replace(one, value=f"{(hour + _HALF_A_DAY) % 24:02}{rest}")


def _holds(day: Span, time: Span) -> bool:
    return day.start <= time.start and time.end <= day.end
