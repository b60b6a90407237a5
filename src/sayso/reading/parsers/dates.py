"""Days: "March 3rd", "the 5th", "next friday", "in 3 days", "2026-03-03", as ISO dates.

A day without a year is the next such day. A weekday beside a day has to agree with it; where they
differ, neither counts. Without a `today`, relative days have no value, but their words are found.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta

from sayso.core.requirements import Tense
from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.date_words import DateWords, date_words
from sayso.reading.parsers.day_ranges import in_order, with_shared_months
from sayso.reading.parsers.days_beside import with_days_beside
from sayso.reading.parsers.days_of_months import days_of_months, tells_a_month
from sayso.reading.parsers.feasts import feasts_in
from sayso.reading.parsers.numbers import in_digits, numbers_in, small_number, with_ordinals
from sayso.reading.parsers.relative_days import days_from, weeks_on
from sayso.reading.span import Span, apart, blanked, outside, read_once

#: "2027-03-05", and as it is written in Japan and China, "2027/3/5".
_YEAR_FIRST = re.compile(r"(?<![\d/.-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?![\d/-]|\.\d)")
_SLASHED = re.compile(
    r"(?<![\d/.-])(\d{1,2})([/.])(\d{1,2})(?:\2(\d{4}|\d{2}))?(?![\d/]|\.\d)"
    r"|(?<![\d/.-])(\d{1,2})(-)(\d{1,2})-(\d{4}|\d{2})(?![\d-])"
)
#: How many characters behind its day a weekday may stand: "the 5th, a Tuesday".
_ASIDE = 16
#: The first number in words that is no hour.
_NO_HOUR = 13
#: The year before the first of each era.
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925}
_N = r"\d{1,2}|[一二三四五六七八九十]{1,3}"
_CJK = re.compile(
    rf"(?:(?:(令和|平成|昭和)?(\d{{1,4}})|([明来去昨今]))年の?)?({_N})月({_N})[日号]?"
    rf"|(?<![\d一二三四五六七八九十])({_N})[日号](?![間间])"
)


@read_once
def dates_in(text: str, lex: Lexicon, today: date | None, tense: Tense = "future") -> list[Span]:
    """Find days. `tense` says on which side of today one lies that could be on either."""
    words = date_words(lex)
    # "le vingt mai": where days have cardinals, they may be in words.
    counts = lex.flag("dates", "day_first")
    if words.any.search(in_digits(text, lex) if counts else text) is None:
        return []
    found: list[Span] = []

    def add(start: int, end: int, day: date | None) -> None:
        found.append(_date_span(start, end, day))

    said, placed = text, list[Span]()
    if _may_count(text, words, lex):
        said = with_ordinals(text, lex)
        placed = apart([*days_of_months(said, lex, today, tense)])
        text, said = blanked(text, placed), blanked(said, placed)
    numeric = _numeric(text, lex, today, tense)
    counted = in_digits(said, lex) if counts else said
    for match in words.day_month.finditer(counted):
        day = int(match["day"] or match["day2"])
        year = int(match["year"].lstrip("'")) if match["year"] else None
        if 1 <= day <= 31:
            add(
                *match.span(),
                _day(year, words.month(match["month"] or match["month2"]), day, today, tense),
            )
    for match in words.of_month.finditer(counted):
        day, end = int(match["day"] or match["day2"]), _end_of_day(text, match.end(), lex)
        # "le vingt" is a day, "le deux" may be anything.
        if (1 if match[0] == said[slice(*match.span())] else _NO_HOUR) <= day <= 31:
            add(match.start(), end, of_month(day, today, tense))
    for match in words.after_weekday.finditer(in_digits(text, lex)):
        start, told = match.start("day"), of_month(int(match["day"]) or 32, today, tense)
        # "mardi 5" is a day of the month, "mardi cinq" and "Tuesday 5" only if that is a Tuesday.
        is_said_so = text[start].isdigit() and lex.flag("dates", "day_first")
        if told is not None and (is_said_so or _falls_on(told, words, match)):
            add(start, _end_of_day(text, start + 1, lex), told)
    found += feasts_in(text, lex, today, tense)
    days = [*placed, *numeric, *outside(apart(found), numeric)]
    if today and tense != "past":
        shared = with_shared_months(days, counted, lex)
        days = [replace(one, end=_end_of_day(text, one.end, lex)) for one in shared]
    found = _with_weekdays(days, said, words, today, tense)
    found = weeks_on(apart([*found, *days_from(text, lex, today)]), text, lex, today)
    found = with_days_beside(found, text, lex) if today else found
    return found if tense == "past" else in_order(found, text, lex)


def _may_count(text: str, words: DateWords, lex: Lexicon) -> bool:
    """Return whether an ordinal may be a day: "the first" beside a month or a weekday."""
    named = words.name_of_month.search(text) or words.weekday.search(text)
    return named is not None or tells_a_month(text, lex)


def _numeric(text: str, lex: Lexicon, today: date | None, tense: Tense) -> list[Span]:
    """Find days in digits alone. They come before those in words: in "24.12." no "24." is one."""
    found: list[Span] = []

    def add(start: int, end: int, day: date | None) -> None:
        found.append(_date_span(start, end, day))

    for match in _YEAR_FIRST.finditer(text):
        add(*match.span(), _made(int(match[1]), int(match[3]), int(match[4])))
    for match in _SLASHED.finditer(text):
        first, sign, second, year_said = match.groups()[:4] if match[1] else match.groups()[4:]
        one, two = int(first), int(second)
        is_whole = match.start() == 0 and re.fullmatch(r"\.?\s*", text[match.end() :])
        if sign == "." and not (year_said or is_whole or lex.flag("dates", "day_first")):
            continue  # in English that is a number
        day_first = sign in ".-" or lex.flag("dates", "day_first") or one > 12
        day, month = (one, two) if day_first else (two, one)
        if 1 <= month <= 12 and 1 <= day <= 31:
            year = int(year_said) if year_said else None
            add(*match.span(), _day(year, month, day, today, tense))
    if not lex.spaced:
        for match in _CJK.finditer(text):
            if match[6]:
                add(*match.span(), of_month(small_number(match[6]), today, tense))
                continue
            year = int(match[2]) + _ERAS.get(match[1], 0) if match[2] else None
            if match[3] and today:
                year = today.year + {"明": 1, "来": 1, "今": 0, "去": -1, "昨": -1}[match[3]]
            month, day = small_number(match[4]), small_number(match[5])
            add(*match.span(), _day(year, month, day, today, tense))
    return apart(found)


def _end_of_day(text: str, at: int, lex: Lexicon) -> int:
    """Return where a day ends that was read as fewer digits than it has letters: "vingt et un"."""
    if not lex.spaced:
        return at
    number = next((one for one in numbers_in(text, lex) if one.start < at < one.end), None)
    at = number.end if number else at
    return next((k for k in range(at, len(text)) if not text[k].isalnum()), len(text))


def _date_span(start: int, end: int, day: date | None) -> Span:
    return Span(value=day.isoformat() if day else None, start=start, end=end)


def _with_weekdays(
    days: list[Span], text: str, words: DateWords, today: date | None, tense: Tense
) -> list[Span]:
    """Join a weekday and the day beside it, if they agree: "Tuesday the 5th"."""
    by_start = {one.start: one for one in days}
    by_end = {one.end: one for one in days}
    found = []
    for match in words.weekday.finditer(text):
        start, end = match.span()
        after, before = (
            words.after.match(text, end),
            words.before.search(text, max(0, start - _ASIDE), start),
        )
        ends = (after.end(), after.end("gap")) if after else ()
        beside = next((by_start[at] for at in ends if at in by_start), None)
        beside = beside or (by_end.get(before.start()) if before else None)
        alone = _weekday(words, match, today, tense)
        if beside is None:
            found.append(_date_span(start, end, alone))
            continue
        del by_start[beside.start], by_end[beside.end]
        told = date.fromisoformat(str(beside.value)) if beside.value else None
        # "Next week" says which Tuesday; "Tuesday" and "next Tuesday" may be any that fits.
        agrees = told == alone if match["week"] or match["week2"] else _falls_on(told, words, match)
        end = max(end, beside.end)
        found.append(_date_span(min(start, beside.start), end, told if agrees else None))
    return [*found, *by_start.values()]


def _falls_on(day: date | None, words: DateWords, weekday: re.Match[str]) -> bool:
    return day is not None and day.weekday() == words.weekdays[weekday["name"].casefold()]


def _weekday(
    words: DateWords, match: re.Match[str], today: date | None, tense: Tense
) -> date | None:
    if today is None:
        return None
    wanted = words.weekdays[match["name"].casefold()]
    monday = today - timedelta(days=today.weekday())
    for week in (match["week"], match["week2"]):
        if week and words.second_week.search(week):
            return monday + timedelta(weeks=2, days=wanted)
        if week and words.next_week.search(week):
            return monday + timedelta(weeks=1, days=wanted)
    ahead = (wanted - today.weekday()) % 7
    beside = [part for part in (match["lead"], match["after"]) if part]
    if any(words.second_week.search(part) for part in beside):
        return today + timedelta(days=(ahead or 7) + 7)
    if any(words.last.search(part) for part in beside):
        return today + timedelta(days=ahead - 7)
    if any(words.next_week.search(part) for part in beside):
        return today + timedelta(days=ahead or 7)
    return today + timedelta(days=ahead - 7 if tense == "past" and ahead else ahead)


def _day(year: int | None, month: int, day: int, today: date | None, tense: Tense) -> date | None:
    if year is not None:
        if year >= 100:
            return _made(year, month, day)
        made = _made(year + 2000, month, day)
        lies_ahead = made is not None and today is not None and made > today
        return _made(year + 1900, month, day) if tense == "past" and lies_ahead else made
    if today is None:
        return None
    this_year = _made(today.year, month, day)
    if tense == "past":
        return this_year if this_year and this_year <= today else _made(today.year - 1, month, day)
    return this_year if this_year and this_year >= today else _made(today.year + 1, month, day)


def of_month(day: int, today: date | None, tense: Tense) -> date | None:
    """Return the next such day, or the last, in this month or the first one that has it."""
    if today is None:
        return None
    for months in range(4):
        made = _in_month(-months if tense == "past" else months, day, today)
        if made is not None and (made <= today if tense == "past" else made >= today):
            return made
    return None


def _in_month(months: int, day: int, today: date) -> date | None:
    """Return that day of this month or of a later one, even if it has passed."""
    at = today.month - 1 + months
    return _made(today.year + at // 12, at % 12 + 1, day)


def _made(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
