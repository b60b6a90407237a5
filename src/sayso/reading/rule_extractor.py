"""The extractor without a model: parsers find values, a small network hears which of them a person
states, and closed forms hear a yes.

It finds less than a good model does, and every value comes with the words that say it. The closed
forms alone decide whether a person told an action to run.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace

from sayso.core.extraction_ops import Begin, Clear, Correct, Operation, Reading, Set, Suggest
from sayso.reading.begun import with_begun
from sayso.reading.card_words import echoes_in
from sayso.reading.intents import intents_in
from sayso.reading.lexicon import lexicon_for
from sayso.reading.normalize import LONGEST_READ, even, same_value
from sayso.reading.parsers.dates import dates_in
from sayso.reading.parsers.other_days import load, loaded
from sayso.reading.second_witness import doubted
from sayso.reading.self_correction import without_what_is_taken_back
from sayso.reading.slot_types import SlotType, shape_of
from sayso.reading.span import without_spans
from sayso.reading.stated_values import values_in
from sayso.reading.unreckoned import without_grants

_WHEN = (SlotType.DATE, SlotType.TIME, SlotType.MOMENT)


class RuleExtractor:
    name = "rules"

    async def extract(self, reading: Reading) -> Sequence[Operation]:
        await _load_for(reading)
        return operations_in(reading)


def operations_in(reading: Reading) -> list[Operation]:
    """Return what a message says of these slots and actions."""
    if len(reading.message) > LONGEST_READ:
        # No order is read from a message this long: cutting it could lose a "not".
        return values_in(replace(reading, message=reading.message[:LONGEST_READ]))
    meant = without_what_is_taken_back(reading)
    values = with_begun(values_in(meant), meant)
    found = [*values, *without_grants(intents_beside(values, meant), values, meant)]
    return found if meant is reading else [_as_said(op, reading.message) for op in found]


def _as_said(op: Operation, message: str) -> Operation:
    """Return the operation with its words as they stand in the message."""
    if not isinstance(op, Set | Correct | Suggest | Begin) or op.span is None:
        return op
    return op.model_copy(update={"quote": message[slice(*op.span)]})


def intents_beside(values: Sequence[Operation], reading: Reading) -> list[Operation]:
    """Return what the message asks for beside these values of it."""
    repeated = [op.quote for op in values if isinstance(op, Set) and not _is_new(op, reading)]
    if reading.pending is not None:
        repeated += echoes_in(reading)
    new = [op for op in values if _is_new(op, reading)]
    taken = [op.span for op in new if isinstance(op, Set | Begin | Correct) and op.span is not None]
    said_values = bool(new)
    taken += _days_of_an_answer(reading, taken)
    intents = intents_in(reading, said_values=said_values, taken=taken, repeated=repeated)
    return intents if said_values else doubted(intents, reading)


def _days_of_an_answer(reading: Reading, taken: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return where days stand in the answer to when, beside what it gives or alone: they put
    nothing off, as "ask me tomorrow" does."""
    asked = (reading.slots[name] for name in reading.asked if name in reading.slots)
    if reading.pending is not None or not any(shape_of(one).type in _WHEN for one in asked):
        return []
    text = even(reading.message)
    today = reading.today.date() if reading.today else None
    days = dates_in(text, lexicon_for(text, reading.language), today)
    found = [(one.start, one.end) for one in days]
    return found if taken or not re.search(r"\w", without_spans(text, found)) else []


def _is_new(op: Operation, reading: Reading) -> bool:
    """Return whether it would change what is known, or may: what is said again changes nothing, and
    what is only named is no leave where it is something else than the card says."""
    if isinstance(op, Suggest) and op.slot not in reading.known:
        return False
    if isinstance(op, Set | Correct | Suggest):
        return not same_value(reading.known.get(op.slot), op.value)
    return isinstance(op, Begin | Clear)


async def _load_for(reading: Reading) -> None:
    """Load what reads unusual days, where one was asked for, beside the loop: that takes a second,
    once."""
    asked = (reading.slots[name] for name in reading.asked if name in reading.slots)
    if any(shape_of(slot).type is SlotType.DATE for slot in asked):
        lex = lexicon_for(even(reading.message), reading.language)
        if lex.code not in loaded:
            await asyncio.to_thread(load, lex)
