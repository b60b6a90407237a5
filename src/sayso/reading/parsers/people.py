"""Counts: of people ("my wife and two kids" are four with oneself), and of things of one sort."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.numbers import in_digits, numbers_in
from sayso.reading.span import Span, apart

#: From here on, "for 10" is more likely a price, an hour or a length.
_LARGEST_PARTY = 10
#: The most words that introduce a companion: "and with my", "and, plus our".
_LONGEST_LEAD = 4


def people_in(text: str, lex: Lexicon) -> list[Span]:
    along = re.compile(rf"\s*,?\s*{lex.any_of('values.with').pattern}", re.IGNORECASE)
    found = [
        _one(match, 1)
        for match in lex.any_of("values.solo").finditer(text)
        if not along.match(text, match.end())  # "just me and my wife"
    ]
    found += [_one(match, 2) for match in lex.any_of("values.me_and").finditer(text)]
    party, others = lex.words("values", "people"), lex.words("values", "companions")
    beside = {more.start: more for more in counted_in(text, lex, (*others, *party))}
    found += [_with_more(one, beside, text, lex) for one in counted_in(text, lex, party)]
    for number in numbers_in(text, lex):
        assert isinstance(number.value, int | float)
        after = lex.any_of("values.of_us").match(text, _skip(text, number.end))
        before = re.search(
            rf"{lex.any_of('values.family_of').pattern}\s*$",
            text[max(0, number.start - 40) : number.start],
            re.I,
        )
        if after is not None:
            # "My son comes too, so three of us": the sum outweighs its parts.
            return [Span(value=number.value, start=number.start, end=after.end())]
        elif before is None and (table := _party(number, text, lex)) is not None:
            found.append(table)
        elif before is not None:
            found.append(
                Span(
                    value=number.value,
                    start=max(0, number.start - 40) + before.start(),
                    end=number.end,
                )
            )
    found += _companions(text, lex)
    return apart([one for one in found if isinstance(one.value, int)])


def counted_in(text: str, lex: Lexicon, nouns: Iterable[str]) -> list[Span]:
    """Find numbers that stand before one of these nouns."""
    pattern = re.compile(_noun_after(lex, tuple(nouns)), re.IGNORECASE)
    found: list[Span] = []
    for number in numbers_in(text, lex):
        match = pattern.match(text, number.end)
        if lex.any_of("values.not_counts").match(text, number.start):
            continue  # "a one way ticket"
        if match is not None and isinstance(number.value, int):
            found.append(
                Span(value=number.value, start=number.start, end=match.end(), unit=match["noun"])
            )
    return apart(found)


def bare_counts_in(text: str, lex: Lexicon) -> list[Span]:
    """Find whole numbers that count no stretch of time."""
    units = re.compile(rf"[\s-]*{lex.alternatives(lex.units)}", re.IGNORECASE)
    return [
        number
        for number in numbers_in(text, lex)
        if isinstance(number.value, int) and not units.match(text, number.end)
    ]


def _party(number: Span, text: str, lex: Lexicon) -> Span | None:
    """Read "a table for two", with nothing after it that could be counted."""
    for_ = re.search(
        rf"{lex.any_of('values.party_for').pattern}\s+$",
        text[max(0, number.start - 12) : number.start],
        re.IGNORECASE,
    )
    ends = re.compile(rf"\s*(?:$|[.,!?;]|{lex.any_of('values.party_then').pattern})", re.I)
    small = isinstance(number.value, int) and 0 < number.value < _LARGEST_PARTY
    return number if for_ and small and ends.match(text, number.end) else None


def _with_more(one: Span, beside: Mapping[int, Span], text: str, lex: Lexicon) -> Span:
    """Add those counted beside it: "2 adults and 3 children" are five."""
    joint = re.compile(rf"\s*(?:,|{lex.any_of('values.and').pattern})\s*", re.IGNORECASE)
    match = joint.match(text, one.end)
    more = beside.get(match.end()) if match is not None else None
    if more is None or not isinstance(one.value, int) or not isinstance(more.value, int):
        return one
    return Span(value=one.value + more.value, start=one.start, end=more.end)


def _companions(text: str, lex: Lexicon) -> list[Span]:
    """Count a run of partners and companions, and oneself."""
    runs: list[tuple[int, int, int]] = []
    for match in _along(lex).finditer(in_digits(text, lex)):
        count = 1
        if match["count"]:
            count = int(match["count"])
        elif match["many"]:
            continue  # "with friends" does not say how many
        if runs and re.fullmatch(r"[\s,]*", text[runs[-1][1] : match.start()]):
            start, _, before = runs.pop()
            runs.append((start, match.end(), before + count))
        else:
            runs.append((match.start(), match.end(), 1 + count))
    return [Span(value=total, start=start, end=end) for start, end, total in runs]


@cache
def _along(lex: Lexicon) -> re.Pattern[str]:
    """Return a pattern for companions: "with my wife", "and two kids"."""
    with_ = lex.alternatives(lex.words("values", "with"))
    one = lex.alternatives(lex.words("values", "partner"))
    many = lex.alternatives(lex.words("values", "companions"))
    gap = r"\s*" if not lex.spaced else r"\s+"
    count = rf"(?P<count>\d{{1,2}}){'' if not lex.spaced else gap}"
    middle = rf"(?:\w+{gap})??" if lex.spaced else ""
    return re.compile(
        rf"(?:{with_}{gap if lex.spaced else ''}){{1,{_LONGEST_LEAD}}}(?:{count})?{middle}"
        rf"(?:(?P<many>{many})|{one})",
        re.IGNORECASE,
    )


def _noun_after(lex: Lexicon, nouns: tuple[str, ...]) -> str:
    between = r"\s*(?:[-\s](?:\w+\s)?)?" if lex.spaced else r"\s*"
    return rf"{between}(?P<noun>{lex.alternatives(nouns)})"


def _one(match: re.Match[str], value: int) -> Span:
    return Span(value=value, start=match.start(), end=match.end())


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at
