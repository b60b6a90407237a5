"""What a person takes back in the same breath: "Friday, no wait, Saturday" says Saturday."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TypeAlias

from pydantic import JsonValue

from sayso.core.extraction_ops import Reading
from sayso.core.requirements import Slot
from sayso.reading.candidates import candidates_in
from sayso.reading.doubts import follows_a_denial
from sayso.reading.lexicon import Lexicon, lexicon_for
from sayso.reading.normalize import even, plain
from sayso.reading.parsers.amending import amending
from sayso.reading.parsers.dates import dates_in
from sayso.reading.parsers.durations import durations_in
from sayso.reading.parsers.numbers import numbers_in
from sayso.reading.parsers.times import half_within, names_half, times_in
from sayso.reading.slot_types import IN_WORDS, SlotShape, SlotType, shape_of
from sayso.reading.span import Span, outside

#: Between a value and the words that take it back, "nights" or "at 7" may stand; between them and
#: the next value, "at the".
_GAP, _LEAD = re.compile(r"[^.!?;\n]{0,16}"), re.compile(r"(?:[^\W\d]{1,5}['\s]\s*){0,2}")
#: A space that parts no columns: plain ones in a row are those of a table that was pasted.
_BLANK = "\u2003"
_WORD = re.compile(r"\s+([^\W\d]+)")
_CLAUSE = re.compile(r"[^!?;\n]*")
#: A name or two in a field of text, and a name with its capital.
_MOST_WORDS = 3
_NAME = re.compile(r"(?:(?!I\b)[^\W\d_a-z][\w'-]*\s*)+")
_Stretch: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a message may answer: the fields, which of them were asked for, and what is known."""

    slots: Mapping[str, Slot]
    names: Sequence[str] = ()
    known: Mapping[str, JsonValue] = field(default_factory=dict)
    today: date | None = None


def without_what_is_taken_back(reading: Reading) -> Reading:
    """Return the reading with blanks in place of what its message says and corrects at once, so
    that positions in it stay valid."""
    today = reading.today.date() if reading.today else None
    asked = Asked(reading.slots, reading.asked, reading.known, today)
    text = amended(reading.message, asked, reading.language)
    return reading if text == reading.message else replace(reading, message=text)


def amended(text: str, asked: Asked, language: str = "") -> str:
    """Return the text with blanks in place of what it takes back, or as it is."""
    lex, said = lexicon_for(even(text), language), even(text)
    for found in amending(lex).finditer(said):
        for start, end in _gone(said, found, asked, lex):
            said = said[:start] + _BLANK * (end - start) + said[end:]
    return said if _BLANK in said else text


def is_taken_back(start: int, end: int, text: str) -> bool:
    """Return whether nothing is left of these words in an amended text."""
    return not text[start:end].strip()


def _gone(text: str, amends: re.Match[str], asked: Asked, lex: Lexicon) -> list[_Stretch]:
    """Return what these words take back, and themselves, where they stand between two values that
    one field could have."""
    has_length = any(shape_of(one).type is SlotType.DURATION for one in asked.slots.values())
    lengths = durations_in(text, lex) if has_length else ()
    if any(one.start < amends.start() < one.end for one in lengths):
        return []  # of "two days, no, three" the unit stays
    for name, slot in asked.slots.items():
        shape = shape_of(slot)
        if shape.type in IN_WORDS:
            alone = list(asked.names) == [name] and not (shape.is_free or shape.is_list)
            find = _words_gone if alone else _name_gone
            found = _unknown(find(text, amends, lex), text, asked)
        elif shape.type is SlotType.MOMENT:
            found = _moment_gone(text, amends, asked.today, lex)
        else:
            known = asked.known.get(name)
            found = _values_gone(text, amends, _spans(text, name, shape, asked, lex), lex, known)
        if found:
            return [*found, amends.span()]
    return []


def _spans(text: str, name: str, shape: SlotShape, asked: Asked, lex: Lexicon) -> list[Span]:
    is_asked, known = name in asked.names, asked.known.get(name)
    found = candidates_in(text, shape, lex, today=asked.today, asked=is_asked, known=known)
    return [one.span for one in found]


def _values_gone(
    text: str, amends: re.Match[str], spans: Sequence[Span], lex: Lexicon, known: JsonValue
) -> list[_Stretch]:
    before, follows = _beside(spans, text, amends)
    if not before or not follows:
        return []
    last = max(before, key=lambda one: (one.end, -one.start))
    if last.value in (follows[0].value, known) or (
        lex.spaced and follows_a_denial(text, last.start, lex)
    ):
        return []  # "not 3, sorry, 4"
    if _counts_another(last, follows[0], text, amends):
        return []
    return _gone_of(last, follows[0], text, lex)


def _beside(
    spans: Sequence[Span], text: str, amends: re.Match[str]
) -> tuple[list[Span], list[Span]]:
    """Return which values stand right before these words, and which right behind them."""
    before = [
        one
        for one in spans
        if one.end <= amends.start() and _GAP.fullmatch(text, one.end, amends.start())
    ]
    behind = [
        one
        for one in spans
        if amends.end() <= one.start and _LEAD.fullmatch(text, amends.end(), one.start)
    ]
    return before, behind


def _counts_another(one: Span, other: Span, text: str, amends: re.Match[str]) -> bool:
    """Return whether they count two things: "3 nights, sorry, 4 people"."""
    thing, after = text[one.end : amends.start()].strip(), _WORD.match(text, other.end)
    if not thing or after is None or not isinstance(one.value, int | float):
        return False
    return after[1].casefold() != thing.casefold()


def _moment_gone(
    text: str, amends: re.Match[str], today: date | None, lex: Lexicon
) -> list[_Stretch]:
    """Return the day, the time, or both, of which another is said: "Friday at 7, no, Saturday"."""
    clause = _CLAUSE.match(text, amends.end())
    days, times = dates_in(text, lex, today), times_in(text, lex)
    every = [*days, *times, *numbers_in(text, lex)]
    if not all(_beside(every, text, amends)):
        return []  # "Friday at 7, no parking on Saturday"
    gone: list[_Stretch] = []
    for spans, others in ((days, days), (times, [*times, *numbers_in(text, lex)])):
        after = [one for one in others if clause and amends.end() <= one.start < clause.end()]
        before = [one for one in spans if one.end <= amends.start()]
        if after and before and outside(after, days if spans is times else ()):
            gone += _gone_of(before[-1], after[0], text, lex)
    return gone


def _gone_of(one: Span, other: Span, text: str, lex: Lexicon) -> list[_Stretch]:
    """Return what another value takes the place of: not the half of the day, if it names none."""
    start, end = half_within(one, text, lex)
    if start == end or names_half(other.words(text), lex):
        return [(one.start, one.end)]
    return [(a, b) for a, b in ((one.start, start), (end, one.end)) if a < b]


def _words_gone(text: str, amends: re.Match[str], lex: Lexicon) -> list[_Stretch]:
    """Return the name that another takes the place of: "Porto, I mean Faro"; a no alone has to
    stand apart ("chicken, no onions")."""
    before, after = text[: amends.start()], text[amends.end() :]
    is_no = lex.any_of("yes.no").fullmatch(amends["said"]) is not None
    apart = amends["before"].strip() and amends["after"].strip()
    if not before.strip() or not re.match(r"\w", after) or (is_no and not apart):
        return []
    if not lex.spaced:
        return [(0, amends.start())]
    one, other = _last_name(before), _NAME.match(after)
    if one is not None and other is not None:
        return [(one, amends.start())]
    is_short = max(len(before.split()), len(after.split())) <= _MOST_WORDS
    return [(0, amends.start())] if is_short and (one is None) == (other is None) else []


def _name_gone(text: str, amends: re.Match[str], lex: Lexicon) -> list[_Stretch]:
    """Return the name after a word that leads to one: "to Rome, no wait, to Naples"."""
    to = lex.form(r"<roles.goal|roles.origin|roles.place|roles.person>\s+(?:<orders.the>\s+)?")
    start, lead = _last_name(text[: amends.start()]), to.match(text, amends.end())
    if start is None or not any(one.end() == start for one in to.finditer(text[:start])):
        return []
    is_name = _NAME.match(text, lead.end() if lead else amends.end())
    return [(start, amends.start())] if is_name and amends["before"].strip() else []


def _unknown(gone: list[_Stretch], text: str, asked: Asked) -> list[_Stretch]:
    """Return what goes, unless it is known: "not Rome but Naples" changes what it names."""
    known = [plain(one) for one in asked.known.values() if isinstance(one, str)]
    said = [plain(text[start:end]) for start, end in gone]
    return [] if any(one and one in each for one in known for each in said) else gone


def _last_name(text: str) -> int | None:
    names = [one.start() for one in _NAME.finditer(text) if one.end() == len(text)]
    return names[0] if names else None
