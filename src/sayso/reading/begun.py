"""Moments that are told in two messages: first the day, then the time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    ends. Words that do either are no offer for something else."""
    values = list(values)
    found: list[Set | Begin] = [*_ended(values, reading), *_begun(values, reading)]
    slots, spans = {op.slot for op in found}, [op.span for op in found if op.span is not None]

    def is_part(op: Operation) -> bool:
        if not isinstance(op, Suggest):
            return False
        return op.slot in slots or any(
            op.span is not None and op.span[0] < end and start < op.span[1] for start, end in spans
        )

    return [*(op for op in values if not is_part(op)), *found]


def of_days(reading: Reading, names: Iterable[str]) -> Reading:
    """Return the reading in which these slots ask for their day alone."""
    return _asking_for("date", reading, names)


def day_of_moment(slot: Slot) -> Slot:
    """Return the slot as one that asks for the day alone."""
    return _part_of(slot, "date")


def _begun(values: Iterable[Operation], reading: Reading) -> Iterator[Begin]:
    """Yield the days that it tells of moments, and no time."""
    missing = [*_missing(values, reading)]
    text = even(reading.message)
    lex = lexicon_for(text, reading.language)
    if not missing or not dates_in(text, lex, reading.today.date() if reading.today else None):
        return
    for op in values_in(of_days(reading, missing)):
        if isinstance(op, Set) and op.slot in missing and op.span is not None:
            start, end = op.span[0], through_half(op.span[1], text, lex)
            quote = reading.message[start:end]
            yield Begin(slot=op.slot, value=op.value, quote=quote, span=(start, end))


def _ended(values: Iterable[Operation], reading: Reading) -> Iterator[Set]:
    """Yield the moments whose day is begun and whose time it tells."""
    begun = [name for name in _missing(values, reading) if name in reading.begun]
    text = even(reading.message)
    lex = lexicon_for(text, reading.language)
    if not begun or dates_in(text, lex, reading.today.date() if reading.today else None):
        return
    for op in values_in(_asking_for("time", reading, begun)):
        if isinstance(op, Set) and op.slot in begun:
            day = reading.begun[op.slot]
            time = at_its_half(str(op.value), op.quote, day, lex)
            yield op.model_copy(update={"value": f"{day.day}T{time}"})


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
