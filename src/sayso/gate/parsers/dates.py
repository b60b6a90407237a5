"""Days: "March 3rd", "the 5th", "next friday", "in 3 days", "2026-03-03", as ISO dates.

What is said without a year is the next such day. A weekday beside a day has to be that day's: where
the two disagree neither is believed. Without a today nothing relative has a date; its words are
found all the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

from sayso.gate.lexicon import Lexicon
from sayso.gate.parsers.durations import durations_in
from sayso.gate.parsers.mention import Mention, apart, read_once

_ISO = re.compile(r"(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)")
_SLASHED = re.compile(r"(?<![\d/.])(\d{1,2})([/.])(\d{1,2})(?:\2(\d{4}|\d{2}))?(?![\d/]|\.\d)")
#: What may follow a day: it counts nothing.
_GOES_ON = (
    ("times", "at"),
    ("values", "and"),
    ("values", "with"),
    ("roles", "start"),
    ("roles", "end"),
    ("roles", "origin"),
    ("roles", "goal"),
)
#: How far a weekday may stand behind its day: "the 5th, a Tuesday".
_ASIDE = 8
#: "1532 20th Street" is no day.
_STREET = re.compile(r"\s+[A-ZÀ-Þ][\w-]{2,}")
_CJK = re.compile(r"(?:(\d{4})年)?(\d{1,2})月(\d{1,2})[日号]?|(\d{1,2})[日号]")


@read_once
def dates_in(text: str, lex: Lexicon, today: date | None) -> list[Mention]:
    found: list[Mention] = []

    def add(start: int, end: int, day: date | None) -> None:
        found.append(_mention(start, end, day))

    for match in _ISO.finditer(text):
        add(*match.span(), _made(int(match[1]), int(match[2]), int(match[3])))
    for match in _SLASHED.finditer(text):
        one, two = int(match[1]), int(match[3])
        if match[2] == "." and not match[4] and not lex.flag("dates", "day_first"):
            continue  # in English that is a number
        day_first = lex.flag("dates", "day_first") or one > 12
        day, month = (one, two) if day_first else (two, one)
        if 1 <= month <= 12 and 1 <= day <= 31:
            year = int(match[4]) if match[4] else None
            add(*match.span(), _day(year, month, day, today))
    if not lex.spaced:
        for match in _CJK.finditer(text):
            if match[4]:
                add(*match.span(), _of_month(int(match[4]), today))
            else:
                year = int(match[1]) if match[1] else None
                add(*match.span(), _day(year, int(match[2]), int(match[3]), today))
    words = _words(lex)
    for match in words.day_month.finditer(text):
        day = int(match["day"] or match["day2"])
        year = int(match["year"]) if match["year"] else None
        if 1 <= day <= 31:
            add(
                *match.span(),
                _day(year, words.month(match["month"] or match["month2"]), day, today),
            )
    for match in words.of_month.finditer(text):
        if _STREET.match(text, match.end()):
            continue
        day = int(match["day"] or match["day2"])
        if 1 <= day <= 31:
            if today and (match["this"] or match["other"]):
                add(*match.span(), _in_month(0 if match["this"] else 1, day, today))
            else:
                add(*match.span(), _of_month(day, today))
    for match in words.after_weekday.finditer(text):
        if 1 <= int(match["day"]) <= 31:
            add(*match.span("day"), _of_month(int(match["day"]), today))
    found = _with_weekdays(apart(found), text, words, today)
    for days, name in ((2, "after_tomorrow"), (1, "tomorrow"), (0, "today")):
        for match in lex.any_of(f"dates.{name}").finditer(text):
            add(*match.span(), today + timedelta(days=days) if today else None)
    found += _distances(text, lex, today)
    return apart(found)


def _mention(start: int, end: int, day: date | None) -> Mention:
    return Mention(value=day.isoformat() if day else None, start=start, end=end)


def _with_weekdays(
    days: list[Mention], text: str, words: _Words, today: date | None
) -> list[Mention]:
    """ "Tuesday the 5th", "March 3 (Friday)": one day, if both say the same one."""
    by_start = {one.start: one for one in days}
    by_end = {one.end: one for one in days}
    found = []
    for match in words.weekday.finditer(text):
        start, end = match.span()
        if in_a_month := words.in_a_month.match(text, end):
            found.append(_mention(start, in_a_month.end(), None))  # "the first Tuesday of March"
            continue
        after, before = (
            words.after.match(text, end),
            words.before.search(text, max(0, start - _ASIDE), start),
        )
        ends = (after.end(), after.end("gap")) if after else ()
        beside = next((by_start[at] for at in ends if at in by_start), None)
        beside = beside or (by_end.get(before.start()) if before else None)
        alone = _weekday(words, match, today)
        if beside is None:
            found.append(_mention(start, end, alone))
            continue
        del by_start[beside.start], by_end[beside.end]
        day = date.fromisoformat(str(beside.value)) if beside.value else None
        # "Next week" says which Tuesday; "Tuesday" and "next Tuesday" may be any that fits.
        agrees = day == alone if match["week"] or match["week2"] else _falls_on(day, words, match)
        end = max(end, beside.end)
        found.append(_mention(min(start, beside.start), end, day if agrees else None))
    return [*found, *by_start.values()]


def _falls_on(day: date | None, words: _Words, weekday: re.Match[str]) -> bool:
    return day is not None and day.weekday() == words.weekdays[weekday["name"].casefold()]


def _distances(text: str, lex: Lexicon, today: date | None) -> list[Mention]:
    """ "in 3 days", "two weeks from now"."""
    found = []
    for length in durations_in(text, lex):
        if length.unit in ("minute", "hour"):
            continue
        days = int(re.sub(r"\D", "", str(length.value)) or 0)
        before = re.search(
            rf"{lex.any_of('dates.in').pattern}\s*$",
            text[max(0, length.start - 40) : length.start],
            re.I,
        )
        after = re.compile(rf"\s*{lex.any_of('dates.from_now').pattern}", re.I).match(
            text, length.end
        )
        if before is None and after is None:
            continue
        start = max(0, length.start - 40) + before.start() if before else length.start
        end = after.end() if after else length.end
        day = today + timedelta(days=days) if today else None
        found.append(Mention(value=day.isoformat() if day else None, start=start, end=end))
    return found


@dataclass(frozen=True)
class _Words:
    months: dict[str, int]
    weekdays: dict[str, int]
    day_month: re.Pattern[str]
    of_month: re.Pattern[str]
    after_weekday: re.Pattern[str]
    in_a_month: re.Pattern[str]
    after: re.Pattern[str]
    before: re.Pattern[str]
    weekday: re.Pattern[str]
    next_week: re.Pattern[str]

    def month(self, word: str) -> int:
        return self.months[word.casefold().rstrip(".")]


@cache
def _words(lex: Lexicon) -> _Words:
    months = _numbered(lex.words("dates", "months"), 1)
    weekdays = _numbered(lex.words("dates", "weekdays"), 0)
    month = lex.alternatives(months)
    weekday = lex.alternatives(weekdays)
    ordinal = rf"(?:{'|'.join(map(re.escape, lex.words('dates', 'ordinals'))) or '(?!)'})"
    the = lex.alternatives(lex.words("dates", "the"))
    of = lex.alternatives(lex.words("dates", "of"))
    this_month = lex.alternatives(lex.words("dates", "this_month"))
    next_month = lex.alternatives(lex.words("dates", "next_month"))
    a_month = f"{this_month}|{next_month}"
    bare_day = weekday if lex.flag("dates", "day_first") else r"(?!)"
    goes_on = lex.alternatives(
        word
        for section, name in _GOES_ON
        for word in lex.words(section, name)
        if re.search(r"\w", word)
    )
    week = lex.alternatives((*lex.words("dates", "next_week"), *lex.words("dates", "this_week")))
    lead = lex.alternatives((*lex.words("dates", "next"), *lex.words("dates", "this")))
    next_after = lex.alternatives(lex.words("dates", "next_after"))
    year = r"(?:[.,]?\s+(?:de\s+|del\s+)?(?P<year>(?:19|20)\d\d)(?!\d))?"
    flags = re.IGNORECASE
    return _Words(
        months=months,
        weekdays=weekdays,
        day_month=re.compile(
            rf"(?:(?:{the}\s+)?(?<![\d:])(?P<day>\d{{1,2}})(?:\s?{ordinal})?\.?\s+(?:{of}\s*)?"
            rf"(?P<month>{month})|(?P<month2>{month})\.?\s+(?:{the}\s+)?(?P<day2>\d{{1,2}})"
            rf"(?:{ordinal})?(?![\w:]))" + year,
            flags,
        ),
        of_month=re.compile(
            rf"(?:(?:{the}\s+)?(?<![\d:])(?P<day>\d{{1,2}})(?:{ordinal}\s*|\s+(?={a_month}))"
            rf"(?:(?P<this>{this_month})|(?P<other>{next_month}))?(?!\w)"
            rf"|{the}\s+(?P<day2>\d{{1,2}})(?=[\s,]*(?:$|[.!?,]|{the}|{of})))",
            flags,
        ),
        # "mardi 5", where nothing follows that could be counted.
        after_weekday=re.compile(
            rf"{bare_day},?\s+(?P<day>\d{{1,2}})(?![\w:/-]|[.,]\d)"
            rf"(?=\s*(?:$|[.!?,;)]|{goes_on}))",
            flags,
        ),
        in_a_month=re.compile(rf"\s+(?:{of}\s*{month}|{a_month})", flags),
        after=re.compile(rf"(?P<gap>[\s,(（]*)(?:{the}\s+)?", flags),
        before=re.compile(rf"[\s,(（]*(?:{lex.any_of('units.one').pattern}\s+)?$", flags),
        weekday=re.compile(
            rf"(?:(?P<week>{week})[\s,]+)?(?:(?P<lead>{lead})\s+)?(?P<name>{weekday})"
            rf"(?:\s*(?P<week2>{week})|\s+(?P<after>{next_after}))?",
            flags,
        ),
        next_week=re.compile(
            lex.alternatives(
                (
                    *lex.words("dates", "next_week"),
                    *lex.words("dates", "next"),
                    *lex.words("dates", "next_after"),
                )
            ),
            flags,
        ),
    )


def _numbered(lists: tuple[str, ...], start: int) -> dict[str, int]:
    return {w: n for n, words in enumerate(lists, start) for w in words.split("|")}


def _weekday(words: _Words, match: re.Match[str], today: date | None) -> date | None:
    if today is None:
        return None
    wanted = words.weekdays[match["name"].casefold()]
    if any(part and words.next_week.search(part) for part in (match["week"], match["week2"])):
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=1)
        return monday + timedelta(days=wanted)
    ahead = (wanted - today.weekday()) % 7
    next_ = any(part and words.next_week.search(part) for part in (match["lead"], match["after"]))
    return today + timedelta(days=ahead or (7 if next_ else 0))


def _day(year: int | None, month: int, day: int, today: date | None) -> date | None:
    if year is not None:
        return _made(year + 2000 if year < 100 else year, month, day)
    if today is None:
        return None
    this_year = _made(today.year, month, day)
    return this_year if this_year and this_year >= today else _made(today.year + 1, month, day)


def _of_month(day: int, today: date | None) -> date | None:
    """The next such day, in this month or a later one that has it."""
    if today is None:
        return None
    for months in range(4):
        made = _in_month(months, day, today)
        if made is not None and made >= today:
            return made
    return None


def _in_month(months: int, day: int, today: date) -> date | None:
    """That day of this month or of a later one, also where it has passed."""
    at = today.month - 1 + months
    return _made(today.year + at // 12, at % 12 + 1, day)


def _made(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
