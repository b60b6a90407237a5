"""Times that share a half of the day with one beside them: "from 3 to 5 pm", "下午3点到5点"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.numbers import small_number
from sayso.reading.parsers.ranges import LONGEST_GAP, between, ends_here
from sayso.reading.span import Span, outside

#: The lists of words that say which half of the day it is.
HALVES = ("times.am", "times.pm", "times.night")
_HALF_A_DAY, _DAY = 12 * 60, 24 * 60


def with_shared_halves(times: list[Span], text: str, lex: Lexicon) -> list[Span]:
    """Return the times, and those in one range with a time whose half of the day is said: the last
    such time before it, or the first after it."""
    words = _range_words(lex)
    halved = [one for one in times if words.half.search(one.words(text))]
    found = outside([each for one in halved for each in _other_ends(one, text, words)], halved)
    return [*found, *outside(times, found)]


def _other_ends(one: Span, text: str, words: _RangeWords) -> Iterator[Span]:
    hour, minute, _ = map(int, str(one.value).split(":"))
    at = hour * 60 + minute
    if (till := words.till.match(text, one.end)) is not None:
        yield _time(till, min(_meant_by(till), key=lambda said: (said - at) % _DAY or _DAY))
    start = max(0, one.start - LONGEST_GAP)
    if (since := words.since.search(text, start, one.start)) is not None:
        yield _time(since, min(_meant_by(since), key=lambda said: (at - said) % _DAY or _DAY))


def _meant_by(match: re.Match[str]) -> list[int]:
    """Return the minutes of the day that an hour may be: "3" is in either half."""
    hour = small_number(match["hour"])
    at = (hour * 60 + int(match["minute"] or 0)) % _DAY
    return [at] if hour > 12 else [at % _HALF_A_DAY, at % _HALF_A_DAY + _HALF_A_DAY]


def _time(match: re.Match[str], at: int) -> Span:
    value = f"{at // 60:02}:{at % 60:02}:00"
    return Span(value=value, start=match.start("time"), end=match.end("time"))


@dataclass(frozen=True)
class _RangeWords:
    half: re.Pattern[str]
    #: The other end of a range, behind a time and before one.
    till: re.Pattern[str]
    since: re.Pattern[str]


@cache
def _range_words(lex: Lexicon) -> _RangeWords:
    signs = "" if lex.spaced else "|[一二两三四五六七八九十]{1,3}"
    oclock = rf"\s?(?:{'|'.join(map(re.escape, lex.words('times', 'oclock'))) or '(?!)'})"
    clock = rf"(?P<hour>[01]?\d|2[0-4]{signs})(?:[:h.点时時](?P<minute>[0-5]\d)分?)?"
    the = rf"(?:{lex.alternatives(lex.words('dates', 'the'))}\s*)?"
    and_ = rf"\s*{lex.any_of('values.and').pattern}\s*"
    # "5pm" has no space.
    half = lex.any_of(*HALVES).pattern.removeprefix(r"(?<!\w)")
    return _RangeWords(
        half=re.compile(half, re.IGNORECASE),
        till=re.compile(
            rf"{between(lex)}{the}(?P<time>{clock}(?:{oclock}|{ends_here(lex)}))", re.IGNORECASE
        ),
        since=re.compile(
            rf"(?<![\w:/.,-])(?P<time>{clock}(?:{oclock})?)(?:{between(lex)}|{and_}){the}$",
            re.IGNORECASE,
        ),
    )
