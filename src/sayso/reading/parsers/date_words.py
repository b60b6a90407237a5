"""The patterns that days are found with, from a language's words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.relative_days import NAMED

#: What may follow a day that is a bare number, so that the number counts nothing.
_GOES_ON = (
    ("times", "at"),
    ("values", "and"),
    ("values", "with"),
    ("roles", "start"),
    ("roles", "end"),
    ("roles", "origin"),
    ("roles", "goal"),
)
_BY_DISTANCE = (
    *(f"dates.{name}" for name in (*NAMED, "last_month", "this_month", "next_month")),
    "units.weekend",
)


@dataclass(frozen=True)
class DateWords:
    months: dict[str, int]
    weekdays: dict[str, int]
    #: Without any of these words there is no day, and without a month none of its days.
    any: re.Pattern[str]
    name_of_month: re.Pattern[str]
    day_month: re.Pattern[str]
    of_month: re.Pattern[str]
    after_weekday: re.Pattern[str]
    after: re.Pattern[str]
    before: re.Pattern[str]
    weekday: re.Pattern[str]
    last: re.Pattern[str]
    second_week: re.Pattern[str]
    next_week: re.Pattern[str]

    def month(self, word: str) -> int:
        return self.months[word.casefold().rstrip(".")]


@cache
def date_words(lex: Lexicon) -> DateWords:
    months, weekdays = lex.months, lex.weekdays
    month = lex.alternatives(months)
    weekday = lex.alternatives(weekdays)
    # "Montagabend", "donderdagmiddag"
    begun = weekday.removesuffix(r"(?!\w)")
    ended = r"(?:(?!\w)|(?<=[td]ag)\w+)" if lex.spaced else ""
    ordinal = rf"(?:{'|'.join(map(re.escape, lex.words('dates', 'ordinals'))) or '(?!)'})"
    the = lex.alternatives(lex.words("dates", "the"))
    of = lex.alternatives(lex.words("dates", "of"))
    at = lex.alternatives(lex.words("times", "at"))
    goes_on = lex.alternatives(
        word
        for section, name in _GOES_ON
        for word in lex.words(section, name)
        if re.search(r"\w", word)
    )
    second_week = lex.words("dates", "second_week")
    week = lex.alternatives(
        (*lex.words("dates", "next_week"), *lex.words("dates", "this_week"), *second_week)
    )
    # "the 5th, which is a Saturday", "le 5, c'est un samedi"
    is_ = rf"(?:(?:\w+\s+)?{lex.any_of('values.copula').pattern}\s+|\w+['’]\w+\s+)?"
    on = lex.alternatives((*lex.words("dates", "on"), *lex.words("dates", "the")))
    last = (*lex.words("dates", "last"), *second_week)
    lead = lex.alternatives((*lex.words("dates", "next"), *lex.words("dates", "this"), *last))
    # "周四下午" is no Thursday of next week.
    not_noon = "" if lex.spaced else "(?!午)"
    next_after = lex.alternatives((*lex.words("dates", "next_after"), *last))
    gap, space = (r"[\s,]+", r"\s+") if lex.spaced else (r"\s*", r"\s*")
    year = (
        r"(?:[.,]?\s+(?:de\s+|del\s+)?"
        r"(?P<year>(?:1[5-9]|20)\d\d|'?\d\d(?![:.,]?\d|\s*\w))(?!\d))?"
    )
    flags = re.IGNORECASE
    return DateWords(
        months=months,
        weekdays=weekdays,
        any=re.compile(
            rf"\d|{month}|{begun}|{lex.any_of(*_BY_DISTANCE).pattern}"
            rf"|{lex.alternatives((*lex.feasts, *lex.units))}"
            + ("" if lex.spaced else "|[一二三四五六七八九十]"),
            flags,
        ),
        name_of_month=re.compile(month, flags),
        day_month=re.compile(
            rf"(?:(?:{the}\s+)?(?<![\d:])(?P<day>\d{{1,2}})(?:\s?{ordinal})?\.?\s+(?:{of}\s*)?"
            rf"(?P<month>{month})|(?P<month2>{month})\.?\s+(?:{the}\s+)?(?P<day2>\d{{1,2}})"
            rf"(?:{ordinal})?(?![\w:]))" + year,
            flags,
        ),
        of_month=re.compile(
            rf"(?:(?:{the}\s+)?(?<![\d:])(?P<day>\d{{1,2}}){ordinal}(?!\w)"
            rf"|{the}\s+(?P<day2>\d{{1,2}})(?=[\s,]*(?:$|[.!?,]|{the}|{of}|{at})))",
            flags,
        ),
        # "mardi 5", where nothing follows that could be counted.
        after_weekday=re.compile(
            rf"(?P<name>{weekday}),?\s+(?P<day>\d{{1,2}})(?![\w:/-]|[.,]\d)"
            rf"(?=\s*(?:$|[.!?,;)]|{goes_on}))",
            flags,
        ),
        after=re.compile(rf"(?P<gap>[\s,(（の]*)(?:{the}\s+)?", flags),
        before=re.compile(rf"[\s,(（]*{is_}(?:{lex.any_of('units.one').pattern}\s+)?$", flags),
        weekday=re.compile(
            rf"(?:(?P<week>{week}){gap}(?:{on}\s+)?)?(?:(?P<lead>{lead}){space})?(?P<name>{begun}){ended}"
            rf"(?:\s*(?P<week2>{week}){not_noon}|\s+(?P<after>{next_after}))?",
            flags,
        ),
        last=lex.any_of("dates.last"),
        second_week=lex.any_of("dates.second_week"),
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
