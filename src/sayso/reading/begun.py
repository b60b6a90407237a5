"""Moments that are told in two messages: first the day, then the time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from sayso.core.extraction_ops import Begin, Clear, Correct, Operation, Reading, Set, Suggest
from sayso.core.requirements import Slot
from sayso.reading.calendar_candidates import at_its_half
from sayso.reading.lexicon import lexicon_for
from sayso.reading.normalize import even
from sayso.reading.parsers.dates import dates_in
from sayso.reading.parsers.times import through_half
from sayso.reading.slot_types import SlotType, shape_of
from sayso.reading.stated_values import values_in


def with_begun(values: Iterable[Operation], reading: Reading) -> list[Operation]:
    """Return what a message says of the values, with the moments that it begins and those that it
    ends. Words that do either are no offer for something else; a day that may be a moment's or
    another field's is neither's."""
    values = list(values)
    missing = [*_missing(values, reading)]
    if not missing:
        return values
    names_a_day = _names_a_day(reading)
    ended = [] if names_a_day else [*_ended(missing, reading)]
    if names_a_day or (reading.begun and not ended):
        return _with_days(values, missing, reading)
    return [*_outside(values, ended), *ended]


def of_days(reading: Reading, names: Iterable[str]) -> Reading:
    """Return the reading in which these slots ask for their day alone, and know the begun one."""
    names = [*names]
    days = {name: reading.begun[name].day.isoformat() for name in names if name in reading.begun}
    asking = _asking_for("date", reading, names)
    return replace(asking, known={**reading.known, **days})


def day_of_moment(slot: Slot) -> Slot:
    """Return the slot as one that asks for the day alone."""
    return _part_of(slot, "date")


def _with_days(
    values: Sequence[Operation], missing: Sequence[str], reading: Reading
) -> list[Operation]:
    of_each = values_in(of_days(reading, missing))
    begun = [
        _begin(op, reading)
        for op in of_each
        if isinstance(op, Set | Correct) and op.slot in missing
    ]
    # "The 19th" to "Which day is it now?" and "When instead?" is left open.
    doubtful = {
        op.slot: op for op in of_each if isinstance(op, Suggest) and op.slot in reading.asked
    }
    several = len(doubtful.keys() & {*missing}) < len(doubtful)
    kept = [doubtful.get(op.slot, op) if several and isinstance(op, Set) else op for op in values]
    return [*_outside(kept, begun), *begun]


def _begin(op: Set | Correct, reading: Reading) -> Begin:
    """Return the day with the half of it that follows."""
    if op.span is None:
        return Begin(slot=op.slot, value=op.value, quote=op.quote)
    text = even(reading.message)
    start, end = op.span[0], through_half(op.span[1], text, lexicon_for(text, reading.language))
    return Begin(slot=op.slot, value=op.value, quote=reading.message[start:end], span=(start, end))


def _ended(missing: Iterable[str], reading: Reading) -> Iterator[Set]:
    """Yield the moments whose day is begun and whose time it tells."""
    begun = [name for name in missing if name in reading.begun]
    lex = lexicon_for(even(reading.message), reading.language)
    for op in values_in(_asking_for("time", reading, begun)) if begun else ():
        if isinstance(op, Set) and op.slot in begun:
            day = reading.begun[op.slot]
            time = at_its_half(str(op.value), op.quote, day, lex)
            yield op.model_copy(update={"value": f"{day.day}T{time}"})


def _outside(values: Iterable[Operation], found: Sequence[Set | Begin]) -> Iterator[Operation]:
    """Yield what is not an offer of words that do something else."""
    slots, spans = {op.slot for op in found}, [op.span for op in found if op.span is not None]
    for op in values:
        span = op.span if isinstance(op, Suggest) else None
        touched = span is not None and any(
            span[0] < end and start < span[1] for start, end in spans
        )
        if not (isinstance(op, Suggest) and (op.slot in slots or touched)):
            yield op


def _names_a_day(reading: Reading) -> bool:
    text = even(reading.message)
    today = reading.today.date() if reading.today else None
    return bool(dates_in(text, lexicon_for(text, reading.language), today))


def _missing(values: Iterable[Operation], reading: Reading) -> Iterator[str]:
    told = {op.slot for op in values if isinstance(op, Set | Correct | Clear)}
    for name, slot in reading.slots.items():
        shape = shape_of(slot)
        is_moment = shape.type is SlotType.MOMENT and shape.has_format and not shape.is_list
        if is_moment and name not in told and name not in reading.known:
            yield name


def _asking_for(part: str, reading: Reading, names: Iterable[str]) -> Reading:
    parts = {name: _part_of(reading.slots[name], part) for name in names}
    return replace(reading, slots={**reading.slots, **parts}, begun={})


def _part_of(slot: Slot, part: str) -> Slot:
    return replace(slot, schema={"type": "string", "format": part})
