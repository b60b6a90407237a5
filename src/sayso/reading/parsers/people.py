"""Counts: of people ("my wife and two kids" are four with oneself), and of things of one sort."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.numbers import in_digits, numbers_in, small_number
from sayso.reading.span import Span, apart, read_once

#: From here on, "for 10" is more likely a price, an hour or a length.
_LARGEST_PARTY = 10
#: The most words that introduce a companion: "and with my", "and, plus our".
_LONGEST_LEAD = 4


@read_once
def people_in(text: str, lex: Lexicon) -> list[Span]:
    along = lex.form(r"\s*,?\s*<values.with>")
    found = [
        _one(match, 1)
        for match in lex.any_of("values.solo").finditer(text)
        if not along.match(text, match.end())  # "just me and my wife"
    ]
    found += [_one(match, 2) for match in lex.any_of("values.me_and").finditer(text)]
    party = lex.words("values", "people")
    others = (*lex.words("values", "companions"), *lex.words("values", "partner"))
    beside = {more.start: more for more in counted_in(text, lex, (*others, *party))}
    found += [_with_more(one, beside, text, lex) for one in counted_in(text, lex, party)]
    for number in numbers_in(text, lex):
        assert isinstance(number.value, int | float)
        after = lex.any_of("values.of_us").match(text, _skip(text, number.end))
        lead = text[max(0, number.start - 40) : number.start]
        before = lex.form(r"<values.family_of>\s*$").search(lead)
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
    found += [*_with_me(text, lex), *_parties(text, lex)]
    return apart([one for one in found if isinstance(one.value, int)])


def counted_in(text: str, lex: Lexicon, nouns: Iterable[str]) -> list[Span]:
    """Find numbers that stand before one of these nouns."""
    pattern = lex.form(_noun_after(lex, tuple(nouns)))
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


def _party(number: Span, text: str, lex: Lexicon) -> Span | None:
    """Read "a table for two", with nothing after it that could be counted."""
    for_ = lex.form(r"<values.party_for>\s+$").search(
        text[max(0, number.start - 12) : number.start]
    )
    ends = lex.form(r"\s*(?:$|[.,!?;]|<values.party_then>)")
    small = isinstance(number.value, int) and 0 < number.value < _LARGEST_PARTY
    return number if for_ and small and ends.match(text, number.end) else None


def _with_more(one: Span, beside: Mapping[int, Span], text: str, lex: Lexicon) -> Span:
    """Add those counted beside it: "2 adults and 3 children" are five."""
    # "大人二人と子ども一人": in a language without spaces the noun comes first.
    noun = "" if lex.spaced else "(?:<values.companions>)?"
    joint = r"\s*(?:,|<values.and>)?\s*"
    match = lex.form(rf"{joint}{noun}").match(text, one.end)
    more = beside.get(match.end()) if match is not None else None
    if more is None and (single := _a_companion(lex).match(text, one.end)):  # "and a toddler"
        more = _one(single, 1)
    if more is None or not isinstance(one.value, int) or not isinstance(more.value, int):
        return one
    return Span(value=one.value + more.value, start=one.start, end=more.end)


def _a_companion(lex: Lexicon) -> re.Pattern[str]:
    who = "<values.companions|values.people|values.partner>"
    return lex.form(rf"\s*(?:,|<values.and>)\s*<units.one>\s+{who}")


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


def _with_me(text: str, lex: Lexicon) -> Iterator[Span]:
    """Count a list of people in which the person names themselves: "me, my wife and two kids"."""
    for match in _row(lex).finditer(in_digits(text, lex)):
        each = [*_member(lex).finditer(match[0])]
        if sum(one["me"] is not None for one in each) == 1 and len(each) > 1:
            total = sum(small_number(one["count"] or ("2" if one["pair"] else "1")) for one in each)
            yield Span(value=total, start=match.start(), end=match.end())


def _parties(text: str, lex: Lexicon) -> Iterator[Span]:
    """ "we're five", "somos cinco", "zu fünft"."""
    for match in _said_parties(lex).finditer(text):
        yield _one(match, lex.parties[" ".join(match[0].casefold().split())])
    we_are = lex.form(r"<values.we_are>\s*$")
    ends = lex.form(r"\s*(?:$|[.,!?;]|<values.tails|yes.tails>)")
    for number in numbers_in(text, lex):
        if we_are.search(text[: number.start]) and ends.match(text, number.end):
            yield number


@cache
def _said_parties(lex: Lexicon) -> re.Pattern[str]:
    return re.compile(lex.alternatives(lex.parties), re.IGNORECASE)


def _member(lex: Lexicon) -> re.Pattern[str]:
    mine = "<orders.the|clauses.possessives>"
    who = "<values.partner|values.companions|clauses.kin|values.people>"
    gap = r"\s+" if lex.spaced else r"\s*"
    count = r"(?P<count>\d{1,2})" if lex.spaced else r"(?P<count>\d{1,2}|[一二两三四五六七八九])"
    counted = rf"{count}\s*(?:个|\w+)" if lex.spaced else rf"{count}(?:个|位|人)?"
    return lex.form(
        rf"(?:{mine}{gap}){{0,2}}(?:{counted}(?:{gap}{who})?|(?P<pair><values.pairs>)|{who})"
        "|(?P<me><values.me>)"
    )


@cache
def _row(lex: Lexicon) -> re.Pattern[str]:
    one = re.sub(r"\(\?P<\w+>", "(?:", _member(lex).pattern)
    joint = r"(?:\s*[,，、]\s*(?:<values.and>\s*)?|\s*<values.and>\s*)"
    return lex.form(rf"(?:{one})(?:{joint}(?:{one}))+")


def _along(lex: Lexicon) -> re.Pattern[str]:
    """Return a pattern for companions: "with my wife", "and two kids"."""
    gap = r"\s*" if not lex.spaced else r"\s+"
    count = rf"(?P<count>\d{{1,2}}){'' if not lex.spaced else gap}"
    middle = rf"(?:(?:\w+|<orders.the>){gap})??" if lex.spaced else ""
    return lex.form(
        rf"(?:<values.with>{gap if lex.spaced else ''}){{1,{_LONGEST_LEAD}}}(?:{count})?{middle}"
        r"(?:(?P<many><values.companions>)|<values.partner>)"
    )


def _noun_after(lex: Lexicon, nouns: tuple[str, ...]) -> str:
    between = r"\s*(?:[-\s](?:\w+\s)?)?" if lex.spaced else r"\s*[个位名]?"
    return rf"{between}(?P<noun>{lex.alternatives(nouns)})"


def _one(match: re.Match[str], value: int) -> Span:
    return Span(value=value, start=match.start(), end=match.end())


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at
