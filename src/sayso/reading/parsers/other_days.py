"""Days written in ways that our own parser does not know ("5-Dec-2026"), by dateparser: slow, so
only for the whole of a short answer to "When?"."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from functools import cache
from typing import TYPE_CHECKING

from sayso.core.requirements import Tense
from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.durations import durations_in
from sayso.reading.span import Span, read_once

if TYPE_CHECKING:
    from dateparser.date import DateDataParser  # type: ignore[import-untyped]  # without stubs

_LONGEST = 30
_ANSWER = re.compile(r"[\s;.,!]*(.*?)[\s;.,!]*", re.DOTALL)


#: The languages that are ready to be read.
loaded: set[str] = set()


def load(lex: Lexicon) -> None:
    """Load the library for a language, which takes a second the first time."""
    _parser(lex.code, date(2026, 1, 1), "future").get_date_data("5-Dec-2026")
    loaded.add(lex.code)


@read_once
def parsed_day(text: str, lex: Lexicon, today: date | None, tense: Tense) -> list[Span]:
    match = _ANSWER.fullmatch(text)
    if match is None or today is None or not 0 < len(match[1]) <= _LONGEST:
        return []
    if not re.search(r"\d", match[1]) or durations_in(text, lex):
        return []  # it would read "10 days" as ten days ago
    found = _parser(lex.code, today, tense).get_date_data(match[1])
    if found is None or found.date_obj is None or found.period != "day":
        return []
    return [Span(value=found.date_obj.date().isoformat(), start=match.start(1), end=match.end(1))]


@cache
def _parser(code: str, today: date, tense: Tense) -> DateDataParser:
    from dateparser.date import DateDataParser

    return DateDataParser(
        languages=[code],
        settings={
            "RELATIVE_BASE": datetime.combine(today, time(12)),
            "PREFER_DATES_FROM": tense,
            "REQUIRE_PARTS": ["day", "month"],
        },
    )
