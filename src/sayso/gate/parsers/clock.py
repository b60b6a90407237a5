"""Times of day: "5:15 pm", "half past 3 in the afternoon", "15 Uhr", as HH:MM:SS."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from sayso.gate.lexicon import Lexicon
from sayso.gate.parsers.mention import Mention, apart, read_once


@read_once
def times_in(text: str, lex: Lexicon, *, asked: bool = False) -> list[Mention]:
    """Times that say that they are one. Where a time was asked for, "at 7" and "7" are too."""
    words = _words(lex)
    found: list[Mention] = []

    def add(start: int, end: int, hour: int, minute: int, half: str | None) -> None:
        if half is not None and hour <= 12:
            hour = hour % 12 + (12 if words.is_pm(half) else 0)
        if hour <= 24 and minute < 60:
            value = f"{hour % 24:02}:{minute:02}:00"
            found.append(Mention(value=value, start=start, end=end))

    for match in words.clock.finditer(text):
        half = match["half"] or match["before"]
        minute = int(match["minute"]) if match["minute"] else 0
        if match["minute"] or half or match["oclock"]:
            add(match.start(), match.end(), int(match["hour"]), minute, half)
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
    for match in words.spoken.finditer(text):
        hour = words.hour(match["hour"] or match["late"])
        if hour is not None:
            half = match["half"] or match["only"] or match["before"]
            add(match.start(), match.end(), hour, 0, half)
    for name, hour in (("noon", 12), ("midnight", 0)):
        for match in lex.any_of(f"times.{name}").finditer(text):
            add(*match.span(), hour, 0, None)
    if asked and not found:
        for match in words.bare.finditer(text):
            hour = words.hour(match["hour"])
            if hour is not None:
                start, end = match.span("hour")
                add(start, end, hour, 0, None)
    return apart(found)


@dataclass(frozen=True)
class _Words:
    clock: re.Pattern[str]
    part: re.Pattern[str]
    spoken: re.Pattern[str]
    bare: re.Pattern[str]
    pm: frozenset[str]
    numbers: dict[str, int]
    quarters_past: frozenset[str]
    quarters_to: frozenset[str]
    to: frozenset[str]

    def is_pm(self, half: str) -> bool:
        return " ".join(half.casefold().split()) in self.pm

    def hour(self, said: str) -> int | None:
        hour = int(said) if said.isdigit() else self.numbers.get(said.casefold())
        return hour if hour is not None and 0 <= hour <= 24 else None


@cache
def _words(lex: Lexicon) -> _Words:
    halves = lex.alternatives((*lex.words("times", "am"), *lex.words("times", "pm")))
    oclock = lex.words("times", "oclock")
    # "3pm" and "15h30" have no space; "3 o'clock" has one.
    edge = r"(?!\w)" if lex.spaced else ""
    close = (
        rf"(?:{'|'.join(map(re.escape, sorted(oclock, key=len, reverse=True))) or '(?!)'}){edge}"
    )
    half_close = halves.removeprefix(r"(?<!\w)")
    past = (*lex.words("times", "half_past"), *lex.words("times", "quarter_past"))
    to = (*lex.words("times", "half_to"), *lex.words("times", "quarter_to"))
    small = [word for word, number in lex.numbers().items() if 1 <= number <= 12]
    hour = rf"(?P<hour>\d{{1,2}}(?![\d:])|{lex.alternatives(small)})"
    at = lex.alternatives(lex.words("times", "at"))
    the = lex.alternatives(lex.words("dates", "the"))
    after = rf"(?:\s*{close})?(?:\s*(?P<half>{half_close if lex.spaced else halves}))?"
    flags = re.IGNORECASE
    return _Words(
        clock=re.compile(
            rf"(?:(?P<before>{halves})\s*(?:{at}\s*)?)?(?<![\d:.,$€£/-])(?P<hour>[01]?\d|2[0-4])"
            rf"(?:(?:[:h点时時]|\.(?=[0-5]\d\s*(?:{half_close}|{close})))(?P<minute>[0-5]\d)(?:分)?(?!\d))?"
            rf"(?:\s*(?P<oclock>{close}))?(?:\s*(?P<half>{half_close}))?(?![\d:]|[.,/]\d)",
            flags,
        ),
        part=re.compile(
            rf"(?P<part>{lex.alternatives((*past, *to))})\s+(?:{the}\s+)?{hour}{after}", flags
        ),
        spoken=re.compile(
            rf"(?P<before>{halves})\s+(?P<late>{lex.alternatives(small)})"
            rf"|(?P<hour>{lex.alternatives(small)})"
            rf"\s*(?:{close}(?:\s*(?P<half>{half_close}))?|(?P<only>{half_close}))",
            flags,
        ),
        bare=re.compile(rf"(?:{at}\s*(?:{the}\s+)?|^\W*){hour}(?!\s*\w*[-/:%\d])", flags),
        pm=frozenset(lex.words("times", "pm")),
        numbers=lex.numbers(),
        quarters_past=frozenset(lex.words("times", "quarter_past")),
        quarters_to=frozenset(lex.words("times", "quarter_to")),
        to=frozenset(to),
    )
