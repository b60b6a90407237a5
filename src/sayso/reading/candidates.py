"""Every value of a field's type that a message could mean, with the words that say it: the parsers
find them, and the network decides which of them is stated."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from pydantic import JsonValue

from sayso.core.requirements import Begun
from sayso.reading.calendar_candidates import (
    day_candidates,
    moment_candidates,
    time_candidates,
)
from sayso.reading.candidate import Candidate, Found, FoundSpans, by_form
from sayso.reading.changed_candidates import as_differences, changed_candidates
from sayso.reading.counted_candidates import count_candidates, length_candidates, number_candidates
from sayso.reading.differences import CHANGEABLE
from sayso.reading.lexicon import Lexicon
from sayso.reading.parsers.choices import choices_in
from sayso.reading.parsers.dates import dates_in
from sayso.reading.parsers.other_days import parsed_day
from sayso.reading.relative import as_known
from sayso.reading.slot_types import SlotShape, SlotType
from sayso.reading.span import Span

#: Their values come from another value, not from the words.
_WHOLE = (Found.OF_KNOWN, Found.MORE, Found.LESS)


def candidates_in(
    text: str,
    shape: SlotShape,
    lex: Lexicon,
    *,
    today: date | None,
    asked: bool = False,
    known: JsonValue | Begun = None,
    assumed: JsonValue = None,
    since: date | None = None,
) -> list[Candidate]:
    """Return the candidates of one field in the order of the text, each value of the field's own
    JSON type. Fields of text and of yes or no have none. `asked`: unusual days are looked for.
    `assumed`: what the card shows of a field of which nothing is known. `since`: the day that is
    known on which begins what this field ends."""
    begun, known = (known, None) if isinstance(known, Begun) else (None, known)
    found: dict[tuple[int, int, str], Candidate] = {}
    for how, span in (
        *_said(text, shape, lex, today, asked=asked, known=known, begun=begun, since=since),
        *changed_candidates(text, shape, lex, known),
    ):
        one = _fitted(span, text, shape) if shape.choices or how not in _WHOLE else span
        if one is not None:
            found.setdefault((one.start, one.end, repr(one.value)), Candidate(one, how))
    base = known if known is not None else assumed
    row = [*found.values()]
    if base is not None and shape.type in CHANGEABLE:
        row = as_differences(row, text, shape, lex, base)
    return sorted(row, key=lambda c: (c.span.start, c.span.end))


def _said(
    text: str,
    shape: SlotShape,
    lex: Lexicon,
    today: date | None,
    *,
    asked: bool,
    known: JsonValue,
    begun: Begun | None,
    since: date | None,
) -> FoundSpans:
    match shape.type:
        case SlotType.DATE:
            yield from day_candidates(text, shape, lex, today, known, since=since)
            if asked and not dates_in(text, lex, today, shape.tense):
                yield from by_form(parsed_day(text, lex, today, shape.tense))
        case SlotType.TIME:
            for how, one in time_candidates(text, lex, dates_in(text, lex, today)):
                yield how, one
                if known is not None:
                    yield Found.OF_KNOWN, as_known(one, text, lex, known)
        case SlotType.MOMENT:
            yield from moment_candidates(text, shape, lex, today, known=known, begun=begun)
        case SlotType.DURATION:
            yield from length_candidates(text, shape, lex, today, known)
        case SlotType.MONEY | SlotType.NUMBER:
            yield from number_candidates(text, lex)
        case SlotType.COUNT | SlotType.PEOPLE:
            yield from count_candidates(text, shape, lex, today)
        case SlotType.CHOICE:
            yield from by_form(choices_in(text, shape.choices, lex, shape.about))
        case _:
            return


def _fitted(one: Span, text: str, shape: SlotShape) -> Span | None:
    """Convert the value to the field's JSON type; a field of plain text keeps what was said."""
    value: JsonValue = one.value
    if shape.choices:
        said = str(value).casefold()
        chosen = next((c for c in shape.choices if c.casefold() == said), None)
        if chosen is None:
            return None
        value = int(chosen) if shape.json_type == "integer" else chosen
    elif shape.json_type == "string" and shape.type is SlotType.COUNT:
        value = str(value)
    elif shape.json_type == "string" and not shape.has_format:
        value = one.words(text)
    elif shape.json_type == "object":
        value = {"amount": value, **({"currency": one.unit} if one.unit else {})}
    return replace(one, value=value)
