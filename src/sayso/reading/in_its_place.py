"""What takes the place of a known value that is denied in the same breath: "Thursday, not Friday",
"c'est pas Paul, c'est Pauline"."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from functools import cache

from pydantic import JsonValue

from sayso.core.extraction_ops import Doubt
from sayso.core.requirements import Slot
from sayso.reading.candidates import candidates_in
from sayso.reading.doubts import doubt_of
from sayso.reading.lexicon import Lexicon
from sayso.reading.normalize import plain, same_value
from sayso.reading.parsers.date_words import date_words
from sayso.reading.parsers.dates import dates_in
from sayso.reading.slot_types import IN_WORDS, SlotShape, SlotType, shape_of
from sayso.reading.span import Span

_WORD = re.compile(r"[^\W_]+")
#: "not on the", before a known value; "it's", before a new one.
_SMALL = r"(?:[^\W\d]{1,4}['’\s]\s*){0,2}"
_CAPITAL = r"(?:(?!I\b)[^\W\d_a-zà-ÿ][\w'’.-]*)"
#: "Broadway and Main", "Anna de Vries".
_LINKS = r"(?:(?:and|&|und|et|y|e|of|de|del|da|do|di|von|van|der|la)\s+)*"
_NAME = rf"{_CAPITAL}(?:\s+{_LINKS}{_CAPITAL})*"
#: Between a name and the "not" that denies another.
_BEFORE = re.compile(rf"({_NAME})[\s,]*$")
_BEHIND = re.compile(rf"[\s,;.]*(?:[a-zà-ÿ]{{1,5}}['’\s]\s*){{0,3}}({_NAME})")


def in_place_of_the_denied(
    text: str, known: JsonValue, slot: Slot, lex: Lexicon, today: date | None
) -> Span | None:
    """Return the one value that is said beside a denial of what is known of a field. The "not" of
    the clause is not its own; any other doubt of it stands."""
    if known is None or not lex.any_of("values.not_this", "clauses.contrast_after").search(text):
        return None
    one = _other(text, known, shape_of(slot), lex, today)
    is_said = one and doubt_of(text, one.start, one.end, slot, lex) in (None, Doubt.NEGATED)
    return one if is_said else None


def _other(
    text: str, known: JsonValue, shape: SlotShape, lex: Lexicon, today: date | None
) -> Span | None:
    if shape.is_list:
        return None
    if shape.type in IN_WORDS:
        return _other_name(text, str(known), lex)
    if shape.type is SlotType.DATE:
        days = dates_in(text, lex, today, shape.tense)
        return _other_value(text, [_near(one, known, text, lex) for one in days], known, lex)
    spans = [one.span for one in candidates_in(text, shape, lex, today=today)]
    return _other_value(text, spans, known, lex)


def _near(day: Span, known: JsonValue, text: str, lex: Lexicon) -> Span:
    """Return a day of no month as one of the known day's: "the 7th, not the 6th" of January."""
    words = day.words(text)
    if not re.fullmatch(r"\D*\d{1,2}\D*", words) or date_words(lex).name_of_month.search(words):
        return day
    try:
        moved = date.fromisoformat(str(known)).replace(day=int(re.sub(r"\D", "", words)))
    except ValueError:
        return day
    return replace(day, value=moved.isoformat())


def _other_value(text: str, spans: list[Span], known: JsonValue, lex: Lexicon) -> Span | None:
    areas = [
        area
        for one in spans
        if same_value(one.value, known) and (area := _denied(text, one.start, one.end, lex))
    ]
    others = [
        one
        for one in spans
        if not same_value(one.value, known)
        and not any(one.start < stop and start < one.end for start, stop in areas)
    ]
    return others[0] if areas and len({repr(one.value) for one in others}) == 1 else None


def _other_name(text: str, known: str, lex: Lexicon) -> Span | None:
    """Return the name right before the denial, or right behind the denied one."""
    words = {*_WORD.findall(plain(known))} if lex.spaced else set()
    said = [one.span() for one in _WORD.finditer(text) if one[0].casefold() in words]
    for start, end in said:
        area = _denied(text, start, end, lex)
        if area is None:
            continue
        behind = max([end, *(e for s, e in said if not text[end:s].strip())])
        one = _BEFORE.search(text[: area[0]]) or _BEHIND.match(text, behind)
        if one is not None and plain(one[1]) != plain(known):
            value = one[1].rstrip(" .")
            return Span(value=value, start=one.start(1), end=one.start(1) + len(value))
    return None


def _denied(text: str, start: int, end: int, lex: Lexicon) -> tuple[int, int] | None:
    """Return where words are denied, with their "not"."""
    before = _not_before(lex).search(text[:start])
    if before is not None:
        return before.start(), end
    after = _not_after(lex).match(text, end)
    return (start, after.end()) if after is not None else None


@cache
def _not_before(lex: Lexicon) -> re.Pattern[str]:
    small = _SMALL if lex.spaced else ""
    return lex.form(rf"(?:<values.and>\s+)?<values.not_this>\s*{small}$")


@cache
def _not_after(lex: Lexicon) -> re.Pattern[str]:
    return lex.form(r"\s*<clauses.contrast_after>")
