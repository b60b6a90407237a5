"""Every value of a field's type that a message could mean, with the words that say it: the parsers
find them, and the network decides which of them is stated."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import IntEnum
from heapq import nsmallest
from itertools import combinations, pairwise

from pydantic import JsonValue

from sayso.core.requirements import Begun, Tense
from sayso.reading.differences import (
    CHANGEABLE,
    COUNTED,
    OF_CALENDAR,
    Difference,
    differences_in,
    is_named,
)
from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.choices import choices_in
from sayso.reading.parsers.dates import dates_in, ends_in, of_month
from sayso.reading.parsers.day_ranges import next_after
from sayso.reading.parsers.durations import LENGTH, LONGEST, MINUTES, durations_in, iso, lengths_in
from sayso.reading.parsers.numbers import joined_in, money_in, numbers_in, ordinals_in
from sayso.reading.parsers.other_days import parsed_day
from sayso.reading.parsers.people import people_in
from sayso.reading.parsers.times import is_after_noon, names_half, times_in
from sayso.reading.reckoning import moved
from sayso.reading.relative import as_known
from sayso.reading.slot_types import SlotShape, SlotType
from sayso.reading.span import Span, outside

_HALF_A_DAY = 12
#: "17.15" and "1830", which may be another number.
_WRITTEN = re.compile(
    r"(?<![\d.,:/-])(?:([01]?\d|2[0-3])\.([0-5]\d)|([01]\d|2[0-3])([0-5]\d))(?![\d/]|\.\d)"
)
#: "3h" and "1 h 40" as lengths.
_HOURS = re.compile(r"(?<![\d.,:])(\d{1,3})(?:\s?h(?:\s?([0-5]\d))?|:([0-5]\d))(?!\w)", re.I)
#: How many characters may stand between a day and what moves it.
_BESIDE = 8
_MOST_ENDS = 6
_NEAREST = 12
_LAST_DAY = 31
#: More is the number of an account or a phone.
_MOST_PEOPLE = 99_999
_UNIT_OF = {"Y": "year", "D": "day", "H": "hour", "M": "minute"}


class Found(IntEnum):
    """How a candidate was found, which the network is told."""

    #: In a form of its own: "3 March", "40 euros", "two of us".
    BY_FORM = 0
    #: A bare number, or a word that hints at one.
    BARE = 1
    #: What the words make of the known value: "at nine" of the known day.
    OF_KNOWN = 2
    #: The same words the other way: the hour in the other half of the day, the day in the past.
    OTHER_WAY = 3
    #: The known value, or the day beside it, and the amount: "a day longer".
    MORE = 4
    #: The same without the amount.
    LESS = 5


_Marked = Iterator[tuple[Found, Span]]
_SIGNED = ((Found.MORE, 1), (Found.LESS, -1))
#: Their values come from another value, not from the words.
_WHOLE = (Found.OF_KNOWN, Found.MORE, Found.LESS)


@dataclass(frozen=True, slots=True)
class Candidate:
    span: Span
    how: Found

    @property
    def value(self) -> JsonValue:
        return self.span.value


def candidates_in(
    text: str,
    shape: SlotShape,
    lex: Lexicon,
    *,
    today: date | None,
    asked: bool = False,
    known: JsonValue | Begun = None,
    assumed: JsonValue = None,
    since: date | None = None,
) -> list[Candidate]:
    """Return the candidates of one field in the order of the text, each value of the field's own
    JSON type. Fields of text and of yes or no have none. `asked`: unusual days are looked for.
    `assumed`: what the card shows of a field of which nothing is known. `since`: the day that is
    known on which begins what this field ends."""
    begun, known = (known, None) if isinstance(known, Begun) else (None, known)
    found: dict[tuple[int, int, str], Candidate] = {}
    for how, span in (
        *_said(text, shape, lex, today, asked=asked, known=known, begun=begun, since=since),
        *_changed(text, shape, lex, known),
    ):
        one = _fitted(span, text, shape) if shape.choices or how not in _WHOLE else span
        if one is not None:
            found.setdefault((one.start, one.end, repr(one.value)), Candidate(one, how))
    base = known if known is not None else assumed
    row = [*found.values()]
    if base is not None and shape.type in CHANGEABLE:
        row = _as_differences(row, text, shape, lex, base)
    return sorted(row, key=lambda c: (c.span.start, c.span.end))


def _said(
    text: str,
    shape: SlotShape,
    lex: Lexicon,
    today: date | None,
    *,
    asked: bool,
    known: JsonValue,
    begun: Begun | None,
    since: date | None,
) -> _Marked:
    match shape.type:
        case SlotType.DATE:
            yield from _days(text, shape, lex, today, known, since=since)
            if asked and not dates_in(text, lex, today, shape.tense):
                yield from _marked(parsed_day(text, lex, today, shape.tense))
        case SlotType.TIME:
            for how, one in _times(text, lex, dates_in(text, lex, today)):
                yield how, one
                if known is not None:
                    yield Found.OF_KNOWN, as_known(one, text, lex, known)
        case SlotType.MOMENT:
            yield from _moments(text, shape, lex, today, known=known, begun=begun)
        case SlotType.DURATION:
            yield from _marked(durations_in(text, lex))
            yield from _lengths(text, shape, lex, today, known)
        case SlotType.MONEY | SlotType.NUMBER:
            yield from _marked(money_in(text, lex))
            yield from _bare([*numbers_in(text, lex), *joined_in(text, lex), *_none(text, lex)])
        case SlotType.COUNT | SlotType.PEOPLE:
            yield from _marked(people_in(text, lex))
            yield from _counts(text, shape, lex, today)
        case SlotType.CHOICE:
            yield from _marked(choices_in(text, shape.choices, lex, shape.about))
        case _:
            return


def _marked(spans: Iterable[Span]) -> _Marked:
    return ((Found.BY_FORM, one) for one in spans if one.value is not None)


def _bare(spans: Iterable[Span]) -> _Marked:
    return ((Found.BARE, one) for one in spans)


def _none(text: str, lex: Lexicon) -> Iterator[Span]:
    for match in lex.any_of("clauses.negation", "yes.no", "values.none").finditer(text):
        yield Span(value=0, start=match.start(), end=match.end())


def at_its_half(time: str, words: str, begun: Begun, lex: Lexicon) -> str:
    """Return a time in the half of the day that was named with its day: "at seven" of "Friday
    evening"."""
    hour, rest = int(time[:2]), time[2:]
    is_open = 0 < hour < _HALF_A_DAY and not names_half(words, lex)
    late = is_open and is_after_noon(begun.quote, hour, lex)
    return f"{hour + _HALF_A_DAY}{rest}" if late else time


# ── days and times ──


def _days(
    text: str,
    shape: SlotShape,
    lex: Lexicon,
    today: date | None,
    known: JsonValue,
    *,
    since: date | None = None,
) -> _Marked:
    days = [one for one in dates_in(text, lex, today, shape.tense) if one.value]
    days = [_not_before(since, one, text, lex) if since else one for one in days]
    near = day_of(known)
    of_known = [as_known(one, text, lex, str(near)) for one in days] if near is not None else days
    # "Yes, on Friday" to a card with a Friday means that one.
    yield from _marked(
        one for one, same in zip(days, of_known, strict=True) if same.value == one.value
    )
    periods = [
        both
        for both in ends_in(text, lex, today, shape.tense)
        if not any(both[0].overlaps(day) for day in days)
    ]
    for first, last in periods:
        yield from _marked([first])
        yield Found.OTHER_WAY, last
    other: Tense = "future" if shape.tense == "past" else "past"
    yield from ((Found.OTHER_WAY, one) for one in dates_in(text, lex, today, other) if one.value)
    if near is not None:
        yield from ((Found.OF_KNOWN, one) for one in of_known)
        yield from ((Found.MORE, one) for one in dates_in(text, lex, near, "future") if one.value)
        yield from ((Found.LESS, one) for one in dates_in(text, lex, near, "past") if one.value)
    for one in (*numbers_in(text, lex), *ordinals_in(text, lex)):
        if not isinstance(one.value, int) or not 1 <= one.value <= _LAST_DAY:
            continue
        if not any(day.overlaps(one) for day in days):
            for how, tense in ((Found.BARE, shape.tense), (Found.OTHER_WAY, other)):
                if (day := of_month(one.value, since or today, tense)) is not None:
                    yield how, replace(one, value=day.isoformat())
        beside = [day for day in (*days, *(first for first, _ in periods)) if not day.overlaps(one)]
        months = [(Found.BY_FORM, str(day.value)[:8]) for day in beside if day.value]
        if near is not None:
            months.append((Found.OF_KNOWN, near.isoformat()[:8]))
        for how, month in dict.fromkeys(months):
            if (day := day_of(f"{month}{one.value:02}")) is not None:
                yield how, replace(one, value=day.isoformat())
    # "a week tomorrow", "the day after Christmas"
    for one in days:
        for length in lengths_in(text, lex):
            if max(one.start - length.end, length.start - one.end) in range(_BESIDE):
                for how, sign in _SIGNED:
                    start, end = min(one.start, length.start), max(one.end, length.end)
                    yield how, Span(value=moved(one.value, length, sign), start=start, end=end)


def _not_before(since: date, one: Span, text: str, lex: Lexicon) -> Span:
    """Return "the 19th" as one after the day since when, if it would lie before it."""
    if str(one.value) > since.isoformat():
        return one
    day = next_after(one.words(text), since, lex)
    return replace(one, value=day.isoformat()) if day else one


def day_of(value: JsonValue) -> date | None:
    """Return the day that a value names; None for words that a field of plain text keeps."""
    try:
        return datetime.fromisoformat(str(value)).date()
    except ValueError:
        return None


def _times(text: str, lex: Lexicon, days: list[Span]) -> _Marked:
    only_days = [day for day in days if not names_half(day.words(text), lex)]
    sure = [*times_in(_blanked(text, only_days), lex), *times_in(text, lex)]
    paid = [one for one in money_in(text, lex) if one.unit]
    bare = [
        replace(one, value=f"{one.value % 24:02}:00:00")
        for one in outside(numbers_in(text, lex), [*sure, *paid])
        if isinstance(one.value, int) and 0 <= one.value <= 24
    ]
    for match in _WRITTEN.finditer(text):
        hour, minute = (part for part in match.groups() if part is not None)
        value = f"{int(hour):02}:{minute}:00"
        bare.append(Span(value=value, start=match.start(), end=match.end()))
    for how, one in (*_marked(sure), *_bare(bare)):
        yield how, one
        if (other := _other_half(one, text, lex)) is not None:
            yield Found.OTHER_WAY, other


def _other_half(one: Span, text: str, lex: Lexicon) -> Span | None:
    """Return the time twelve hours from it, where its words leave that open."""
    hour, rest = int(str(one.value)[:2]), str(one.value)[2:]
    words = one.words(text)
    if hour > _HALF_A_DAY and re.search(rf"(?<!\d){hour}", words):
        return None
    if re.search(r"(?<!\d)0\d", words) or names_half(words, lex):
        return None
    return replace(one, value=f"{(hour + _HALF_A_DAY) % 24:02}{rest}")


def _moments(
    text: str,
    shape: SlotShape,
    lex: Lexicon,
    today: date | None,
    *,
    known: JsonValue,
    begun: Begun | None,
) -> _Marked:
    """Yield all days with all times, the known day with a time, and a day at the known time. A time
    alone is of the day that is begun, else of today."""
    sure = dates_in(text, lex, today, shape.tense)
    days = [*_days(text, shape, lex, today, known)]
    times = [*_times(text, lex, sure)]
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


# ── lengths and counts ──


def _lengths(
    text: str, shape: SlotShape, lex: Lexicon, today: date | None, known: JsonValue
) -> _Marked:
    """Yield a unit alone ("weekje"), bare numbers in the unit of the question or of what is known,
    and what lies between two days or times."""
    yield from _bare(lengths_in(text, lex))
    for match in _HOURS.finditer(text):
        minutes = int(match[1]) * 60 + int(match[2] or match[3] or 0)
        yield Found.BARE, Span(value=iso(minutes), start=match.start(), end=match.end())
    unit = _unit(shape, lex) or _UNIT_OF.get(str(known)[-1:], "")
    for one in numbers_in(text, lex) if unit in MINUTES else ():
        if isinstance(one.value, int | float) and one.value * MINUTES[unit] <= LONGEST:
            yield Found.BARE, replace(one, value=iso(one.value * MINUTES[unit]))
    days = [one for how, one in _days(text, shape, lex, today, None) if how is Found.BY_FORM]
    yield from _between(days, "")
    times = [one for how, one in _times(text, lex, days) if how < Found.OTHER_WAY]
    yield from _between(times, "2000-01-01T")


def _between(ends: list[Span], lead: str) -> _Marked:
    for one, other in combinations(sorted(ends, key=lambda one: one.start)[:_MOST_ENDS], 2):
        first, last = (datetime.fromisoformat(f"{lead}{end.value}") for end in (one, other))
        minutes = (last - first) / timedelta(minutes=1)
        if minutes > 0 and not one.overlaps(other):
            yield Found.BY_FORM, Span(value=iso(minutes), start=one.start, end=other.end)


def _unit(shape: SlotShape, lex: Lexicon) -> str:
    return next((lex.units[noun] for noun in shape.nouns if noun in lex.units), "")


def _counts(text: str, shape: SlotShape, lex: Lexicon, today: date | None) -> _Marked:
    said = (*numbers_in(text, lex), *joined_in(text, lex), *ordinals_in(text, lex))
    most = _MOST_PEOPLE if shape.type is SlotType.PEOPLE else math.inf
    numbers = [one for one in said if isinstance(one.value, int) and one.value <= most]
    yield from _bare([*numbers, *_none(text, lex)])
    # "two adults and a child"
    for one, other in pairwise(numbers):
        if isinstance(one.value, int) and isinstance(other.value, int) and one.end <= other.start:
            both = one.value + other.value
            yield Found.BARE, Span(value=both, start=one.start, end=other.end)
    if shape.type is SlotType.PEOPLE:
        oneself = lex.form(r"(?P<and><values.and>\s*)?<values.me|values.solo>")
        for match in oneself.finditer(text):
            start, end = match.span()
            yield Found.BARE, Span(value=2 if match["and"] else 1, start=start, end=end)
            for one in numbers:
                if isinstance(one.value, int):
                    with_me, first = one.value + 1, min(one.start, start)
                    yield Found.BARE, Span(value=with_me, start=first, end=max(one.end, end))
    if (unit := _unit(shape, lex)) not in MINUTES:
        return
    days = [one for how, one in _days(text, shape, lex, today, None) if how is Found.BY_FORM]
    for how, length in (*_bare(lengths_in(text, lex)), *_between(days, "")):
        count = LENGTH.validate_python(length.value) / timedelta(minutes=MINUTES[unit])
        if count.is_integer():
            yield how, replace(length, value=int(count))


# ── what is known, changed ──


def _changed(text: str, shape: SlotShape, lex: Lexicon, known: JsonValue) -> _Marked:
    """Yield the known value and each amount more, and less."""
    if known is None or shape.type not in CHANGEABLE:
        return
    counted = shape.type in COUNTED
    for amount in numbers_in(text, lex) if counted else lengths_in(text, lex):
        for how, sign in _SIGNED:
            value = moved(known, amount, sign)
            if value is not None and value != known:
                yield how, replace(amount, value=value)


def _as_differences(
    row: Iterable[Candidate], text: str, shape: SlotShape, lex: Lexicon, base: JsonValue
) -> list[Candidate]:
    """Return the candidates with each amount of a difference as what it makes of the known value:
    the amount itself is never meant. One that makes nothing of it is none."""
    differences = differences_in(text, lex)
    if not differences:
        return [*row]
    found: dict[tuple[int, int, str, Found], Candidate] = {}
    for one in row:
        difference = next((each for each in differences if each.covers(one.span)), None)
        kept: Candidate | None = one
        if difference is not None:
            kept = _of_base(one, difference, shape, lex, base, text=text)
        if kept is not None:
            found.setdefault((kept.span.start, kept.span.end, repr(kept.value), kept.how), kept)
    for each in differences:
        tells = is_named(each, text, shape, lex) or (
            each.is_beside
            and shape.type not in OF_CALENDAR
            and (each.is_length or shape.type in COUNTED)
            and each.may_be_of(shape, lex)
        )
        if tells and (value := each.of(base, each.counted(shape, lex))) is not None:
            whole = Span(value=_as_base(value, shape), start=each.start, end=each.end)
            key = (each.start, each.end, repr(whole.value), Found.OF_KNOWN)
            found.setdefault(key, Candidate(whole, Found.OF_KNOWN))
    return [*found.values()]


def _of_base(
    one: Candidate,
    difference: Difference,
    shape: SlotShape,
    lex: Lexicon,
    base: JsonValue,
    *,
    text: str,
) -> Candidate | None:
    moves = {Found.MORE: 1, Found.LESS: -1}.get(one.how)
    if shape.type in OF_CALENDAR and moves is None:
        # Of "three days later" a reader of days makes a day; a bare 10 of "10% more" is no hour.
        return one if one.how is Found.BY_FORM else None
    if not difference.may_be_of(shape, lex) or moves not in (None, difference.sign):
        return None
    if shape.type in OF_CALENDAR:
        return one if difference.amount is not None else None
    is_percent = difference.factor is not None and difference.sign != 0
    if difference.factor is not None and not (is_percent or is_named(difference, text, shape, lex)):
        return None
    is_whole = moves is not None or shape.type is SlotType.DURATION
    said = difference.counted(shape, lex) if is_whole else one.span
    value = difference.of(base, said)
    if value is None:
        return None
    return Candidate(replace(one.span, value=_as_base(value, shape)), one.how)


def _as_base(value: JsonValue, shape: SlotShape) -> JsonValue:
    return str(value) if shape.json_type == "string" and isinstance(value, int | float) else value


def _fitted(one: Span, text: str, shape: SlotShape) -> Span | None:
    """Convert the value to the field's JSON type; a field of plain text keeps what was said."""
    value: JsonValue = one.value
    if shape.choices:
        said = str(value).casefold()
        chosen = next((c for c in shape.choices if c.casefold() == said), None)
        if chosen is None:
            return None
        value = int(chosen) if shape.json_type == "integer" else chosen
    elif shape.json_type == "string" and shape.type is SlotType.COUNT:
        value = str(value)
    elif shape.json_type == "string" and not shape.has_format:
        value = one.words(text)
    elif shape.json_type == "object":
        value = {"amount": value, **({"currency": one.unit} if one.unit else {})}
    return replace(one, value=value)


def _blanked(text: str, taken: Iterable[Span]) -> str:
    signs = list(text)
    for one in taken:
        signs[one.start : one.end] = "\x00" * (one.end - one.start)
    return "".join(signs)
