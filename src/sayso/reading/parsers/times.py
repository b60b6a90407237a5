"""Times of day: "5:15 pm", "half past 3 in the afternoon", "15 Uhr", as HH:MM:SS."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.numbers import in_digits, small_number
from sayso.reading.parsers.time_ranges import HALVES, with_shared_halves
from sayso.reading.span import Span, apart, read_once

#: How many characters before a number its "at" may begin, and the half of its day.
_LEAD = 40
#: "Nine thirty", with its numbers in digits.
_TOLD = re.compile(r"(?<![\w:.,])(?P<hour>\d{1,2})\s+(?P<minute>[1-5][05])(?![\w:.,])")
#: Nobody is met before this hour who does not say so; it ends the night.
_FIRST_HOUR = 6


@read_once
def times_in(text: str, lex: Lexicon) -> list[Span]:
    """Find times of day; a bare "7" is none."""
    words, said = _words(lex), text
    text = _with_noon(in_digits(text, lex), lex)
    found: list[Span] = []

    def add(start: int, end: int, hour: int, minute: int, half: str | None) -> None:
        if half is None and (before := words.before.search(text, max(0, start - _LEAD), start)):
            start, half = before.start(), before["half"]
        if half is None and (stop := through_half(end, said, lex)) > end:
            half, end = said[end:stop].strip(" ,"), stop
        if half is not None and hour <= 12:
            hour = hour % 12 + (12 if words.is_after_noon(half, hour) else 0)
        elif not _is_exact(said[start:end], lex):
            hour = after_noon(hour)
        if hour <= 24 and minute < 60:
            value = f"{hour % 24:02}:{minute:02}:00"
            while lex.spaced and said[end - 1 : end + 1].isalpha() and end < len(said):
                end += 1  # digits are shorter than the words they stand for
            found.append(Span(value=value, start=start, end=end))

    for match in words.clock.finditer(text):
        lead = max(0, match.start() - _LEAD)
        half = match["half"] or words.before.search(text, lead, match.start())
        minute = small_number(match["minute"]) if match["minute"] else 0
        minute += 30 if match["thirty"] else 15 if match["fifteen"] else 0
        at = small_number(match["hour"])
        if match["lacks"]:
            at, minute = (at - 1) % 24 or 12, 60 - small_number(match["lacks"])
        elif match["less"] or match["short_of"] or match["to_it"]:
            at, minute = (at - 1) % 24 or 12, 60 - (minute or 15)
        if match["minute"] or half or match["oclock"] or minute:
            add(match.start(), match.end(), at, minute, match["half"])
    for match in words.part.finditer(text):
        hour = words.hour(match["hour"])
        if hour is None:
            continue
        part = " ".join(match["part"].casefold().split())
        minute = 15 if part in words.quarters_past else 30
        if part in words.to:
            hour, minute = (hour - 1) % 24, 45 if part in words.quarters_to else 30
            hour = hour or 12
        add(match.start(), match.end(), hour, minute, match["half"])
    for match in words.minutes.finditer(text):
        hour, minute = (
            int(match["hour"] or match["hour2"]),
            int(match["minute"] or match["minute2"]),
        )
        in_words = said[match.start()].isalpha() or match["hour2"]
        if hour > 24 or minute % 5 or minute > 55 or (minute < 10 and not in_words):
            continue  # "3 to 5" is a range
        if match["to"] and words.since.search(text, max(0, match.start() - _LEAD), match.start()):
            continue  # "from 10 to 5" as well
        if match["half_to"]:
            minute += 30 if not match["to"] else 30 - 2 * minute
            hour = (hour - 1) % 24 or 12
        elif match["to"] or match["less"]:
            hour, minute = (hour - 1) % 24, 60 - minute
            hour = hour or 12
        add(match.start(), match.end(), hour, minute % 60, match["half"] or match["half2"])
    for match in _TOLD.finditer(text):
        if said[match.start()].isalpha() and said[match.start("minute")].isalpha():
            add(*match.span(), int(match["hour"]), int(match["minute"]), None)
    for name, hour in (("noon", 12), ("midnight", 0)):
        for match in _alone(name, said, lex):
            after = words.part_after.match(text, match.end())
            minute = 0 if after is None else 30 if after["thirty"] else 15
            add(match.start(), after.end() if after else match.end(), hour, minute, None)
    return with_shared_halves(apart(found), said, lex)


def after_noon(hour: int) -> int:
    """Return an hour that is said without its half: nobody is met at "2" by night."""
    return hour + 12 if 0 < hour < _FIRST_HOUR else hour


def _is_exact(said: str, lex: Lexicon) -> bool:
    """Return whether a time is written as the 24 hours are: "02:30", and "2:30" where they are what
    people write."""
    return re.match(r"0\d", said) is not None or (
        lex.code != "en" and re.search(r"\d[:.h]\d\d", said) is not None
    )


def names_half(words: str, lex: Lexicon) -> bool:
    """Return whether these words say which half of the day it is: "Montagabend"."""
    return _words(lex).half.search(words) is not None


def half_within(one: Span, text: str, lex: Lexicon) -> tuple[int, int]:
    """Return where a time says the half of its day; nowhere, at its end, if it does not."""
    half = _words(lex).half.search(text, one.start, one.end)
    return half.span() if half is not None else (one.end, one.end)


def through_half(end: int, text: str, lex: Lexicon) -> int:
    """Return the end of the half of the day that follows right here, or here: "Friday evening"."""
    gap = re.compile(r"[\s,]*").match(text, end)
    half = _words(lex).half.match(text, gap.end() if gap is not None else end)
    return half.end() if half is not None else end


def is_after_noon(words: str, hour: int, lex: Lexicon) -> bool:
    """Return whether the half of the day that these words name makes it an hour after noon."""
    named = [*_words(lex).half.finditer(words)]
    return bool(named) and _words(lex).is_after_noon(named[-1][0], hour)


def _with_noon(text: str, lex: Lexicon) -> str:
    """Return the text with noon and midnight in digits, padded to the same length."""
    for name, digits in (("noon", "12"), ("midnight", "24")) if lex.spaced else ():
        for match in [*_alone(name, text, lex)]:
            text = text[: match.start()] + digits.ljust(len(match[0])) + text[match.end() :]
    return text


def _alone(name: str, text: str, lex: Lexicon) -> Iterator[re.Match[str]]:
    """Yield where noon or midnight is named; an "après-midi" names neither, and "la una del
    mediodía" only the half of its day."""
    halves = [match.span() for match in _words(lex).half.finditer(text)]
    for match in lex.any_of(f"times.{name}").finditer(text):
        is_of_half = any(start < match.start() and match.end() <= end for start, end in halves)
        if not is_of_half and text[match.start() - 1 : match.start()] != "-":
            yield match


@dataclass(frozen=True)
class _Words:
    clock: re.Pattern[str]
    part: re.Pattern[str]
    minutes: re.Pattern[str]
    part_after: re.Pattern[str]
    #: A half of the day, and one before a time: "tomorrow evening at".
    half: re.Pattern[str]
    before: re.Pattern[str]
    #: What begins a range.
    since: re.Pattern[str]
    pm: frozenset[str]
    night: frozenset[str]
    quarters_past: frozenset[str]
    quarters_to: frozenset[str]
    to: frozenset[str]

    def is_after_noon(self, half: str, hour: int) -> bool:
        """Return whether these words, beside this hour, tell of the time from noon to midnight: a
        night has both."""
        said = " ".join(half.casefold().split())
        return said in self.pm or (said in self.night and _FIRST_HOUR <= hour < 12)

    def hour(self, said: str) -> int | None:
        return int(said) if int(said) <= 24 else None


def _both(lex: Lexicon, name: str) -> list[str]:
    """Return the words of a list, and how they read with their numbers in digits."""
    words = lex.words("times", name)
    return [*words, *(" ".join(in_digits(word, lex).split()) for word in words)]


@cache
def _words(lex: Lexicon) -> _Words:
    halves = lex.any_of(*HALVES).pattern
    oclock = lex.words("times", "oclock")
    # "3pm" and "15h30" have no space, "3 o'clock" has one.
    edge = r"(?!\w)" if lex.spaced else ""
    close = (
        rf"(?:{'|'.join(map(re.escape, sorted(oclock, key=len, reverse=True))) or '(?!)'}){edge}"
    )
    half_close = halves.removeprefix(r"(?<!\w)")
    # "Montagabend", "morgenavond"
    joined = r"(?:(?<!\w)|(?<=[td]ag)|(?<=morgen))" if lex.spaced else ""
    half_to, quarter_to = _both(lex, "half_to"), _both(lex, "quarter_to")
    past, to = (*_both(lex, "half_past"), *_both(lex, "quarter_past")), (*half_to, *quarter_to)
    hour = r"(?P<hour>\d{1,2}(?![\d:]))"
    thirty = lex.any_of("times.and_half").pattern
    fifteen = lex.alternatives(_both(lex, "and_quarter"))  # "e 1 quarto"
    less = lex.any_of("times.less_quarter").pattern
    before_hour = lex.any_of("times.before_hour").pattern
    signs = "" if lex.spaced else "|[一二两三四五六七八九十]{1,3}"
    lacks = "(?P<lacks>(?!))?" if lex.spaced else rf"(?:差(?P<lacks>\d{{1,2}}{signs})分)?"
    units = lex.alternatives(lex.units)
    at = lex.alternatives(lex.words("times", "at"))
    the = lex.alternatives(lex.words("dates", "the"))
    after = rf"(?:\s*{close})?(?:\s*(?P<half>{half_close if lex.spaced else halves}))?"
    flags = re.IGNORECASE
    return _Words(
        clock=re.compile(
            rf"(?<![\d:.$€£/])(?<!\d,)(?<![^\dhm.\s]-)(?<!^-)(?<!-\d-)(?<!-\d\d-)(?P<short_of>{less})?"
            rf"(?P<hour>[01]?\d|2[0-4]{signs})(?:(?:[:h点时時]|\.(?=[0-5]\d\s*"
            rf"(?:{half_close}|{close})))(?P<minute>[0-5]\d{signs})(?!刻)(?:分)?(?P<to_it>{before_hour})?"
            rf"(?!\d))?(?:\s*(?P<oclock>{close}))?"
            rf"(?:\s*(?:(?P<thirty>{thirty})|(?P<fifteen>{fifteen})|(?P<less>{less})))?"
            rf"{lacks}(?:\s*(?P<half>{half_close}))?(?![\d:]|[.,/]\d)",
            flags,
        ),
        part=re.compile(
            rf"(?P<part>{lex.alternatives((*past, *to))})\s+(?:{the}\s+)?{hour}{after}", flags
        ),
        # "ten to nine", "neun Uhr zwanzig", "las nueve y veinte".
        minutes=re.compile(
            rf"(?<![\w:.,])(?P<minute>\d{{1,2}})\s+(?:{units}\s+)?"
            rf"(?:{lex.any_of('times.past').pattern}|(?P<to>{lex.any_of('times.to').pattern}))\s+"
            rf"(?:(?P<half_to>{lex.alternatives(half_to)})\s+)?(?:{the}\s+)?{hour}{after}(?!\s*{units})"
            rf"|(?<![\w:.,])(?P<hour2>\d{{1,2}})\s*(?:{close}\s*)?"
            rf"(?:{lex.any_of('times.plus').pattern}|(?P<less>{lex.any_of('times.minus').pattern})"
            rf"|(?<=h|r|s|e)\s(?<!\d\s))\s*(?P<minute2>[1-5]?\d)(?![\w:])"
            rf"(?!\s*{units}){after.replace('<half>', '<half2>')}",
            flags,
        ),
        part_after=re.compile(rf"\s*(?:(?P<thirty>{thirty})|{fifteen})", flags),
        half=re.compile(rf"(?:{joined}|(?<=\d)){half_close}", flags),
        before=re.compile(rf"{joined}(?P<half>{half_close})\s*,?\s*(?:{at}\s*)?$", flags),
        since=re.compile(rf"{lex.any_of('roles.start').pattern}\s*$", flags),
        pm=frozenset(lex.words("times", "pm")),
        night=frozenset(lex.words("times", "night")),
        quarters_past=frozenset(_both(lex, "quarter_past")),
        quarters_to=frozenset(quarter_to),
        to=frozenset(to),
    )
