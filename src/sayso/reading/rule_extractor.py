"""The extractor without a model: typed parsers, the slot that was just asked for, and word lists;
and a network that decides which of the values are stated.

It finds less than a good model does, and every value comes with the words that say it. The rules
alone decide whether a person told an action to run.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pydantic import JsonValue

from sayso.core.extraction_ops import (
    Clear,
    Correct,
    Doubt,
    Operation,
    Reading,
    Set,
    Suggest,
)
from sayso.reading.card_words import echoes_in
from sayso.reading.corrections import answers_another, find_cleared, find_corrections, find_parts
from sayso.reading.doubts import doubt_of, is_about_past, part_of
from sayso.reading.intents import intents_in
from sayso.reading.lexicon import lexicon_for
from sayso.reading.name_slots import find_names
from sayso.reading.normalize import LONGEST_READ, even, plain, same_value
from sayso.reading.offers import taken_up
from sayso.reading.parsers.other_days import load, loaded
from sayso.reading.plain_giving import unexplained_clauses
from sayso.reading.short_answers import find_answers
from sayso.reading.slot_filling import SlotFilling
from sayso.reading.slot_types import SlotType, shape_of
from sayso.reading.span import Span
from sayso.reading.typed_slots import find_typed
from sayso.reading.witness import doubted, witnessed
from sayso.reading.yes_no import is_plain_yes


class RuleExtractor:
    name = "rules"

    async def extract(self, reading: Reading) -> Sequence[Operation]:
        await _load_for(reading)
        return operations_in(reading)


def operations_in(reading: Reading) -> list[Operation]:
    """Return what a message says of these slots and actions, as the rules read it."""
    if len(reading.message) > LONGEST_READ:
        # No order is read from a message this long: cutting it could lose a "not".
        return values_in(replace(reading, message=reading.message[:LONGEST_READ]))
    read = values_in(reading)
    values = witnessed(read, reading)
    # A value that only one of the two has heard is no leave either.
    return [*values, *intents_beside([*read, *values], reading)]


def intents_beside(values: Sequence[Operation], reading: Reading) -> list[Operation]:
    """Return what the message asks for beside these values of it."""
    repeated = [op.quote for op in values if isinstance(op, Set) and not _is_new(op, reading)]
    if reading.pending is not None:
        repeated += echoes_in(reading)
    said_values = any(_is_new(op, reading) for op in values)
    intents = intents_in(reading, said_values=said_values, repeated=repeated)
    return intents if said_values else doubted(intents, reading)


def _is_new(op: Operation, reading: Reading) -> bool:
    """Return whether it would change what is known: a value that is only named, or said again,
    changes nothing."""
    if isinstance(op, Set | Correct):
        return not same_value(reading.known.get(op.slot), op.value)
    return isinstance(op, Clear)


def values_in(reading: Reading) -> list[Operation]:
    """Find the values that a message states, each with its words, and those that it only names.

    First corrections of what is known, then what has a form of its own (days, times, lengths,
    amounts, counts, choices), then names by how they are introduced, then what the agent had
    offered, then the answer to what was just asked. No words fill two slots.
    """
    filling = _filled(SlotFilling(reading))
    if refused := unexplained_clauses(filling):
        filling = _filled(SlotFilling(reading, refused=refused))
    for name in [name for name in filling.found if answers_another(filling, name)]:
        filling.ambiguous[name] = filling.found.pop(name)
    said = [_operation(filling, name) for name in filling.found]
    return [*said, *(Clear(slot=name) for name in filling.cleared), *_suggestions(filling)]


async def _load_for(reading: Reading) -> None:
    """Load what reads unusual days, where one was asked for, beside the loop: that takes a second,
    once."""
    asked = (reading.slots[name] for name in reading.asked if name in reading.slots)
    if any(shape_of(slot).type is SlotType.DATE for slot in asked):
        lex = lexicon_for(even(reading.message), reading.language)
        if lex.code not in loaded:
            await asyncio.to_thread(load, lex)


def _filled(filling: SlotFilling) -> SlotFilling:
    find_cleared(filling)
    find_corrections(filling)
    find_typed(filling)
    find_parts(filling)
    find_names(filling)
    _find_taken_up(filling)
    find_answers(filling)
    return filling


def _suggestions(filling: SlotFilling) -> Iterator[Suggest]:
    """Yield what the message names and does not state, for slots of which nothing is known."""
    reading, lex = filling.reading, filling.lex
    about_past = is_about_past(reading.slots)
    silent = {
        name: slot
        for name, slot in reading.slots.items()
        if name not in {*filling.found, *filling.cleared, *filling.ambiguous, *reading.known}
    }
    doubted = part_of(reading.message, lex, {*Doubt} - {Doubt.NEGATED}, about_past=about_past)
    named = [(filling.ambiguous, filling)]
    for one in filling.refused:
        kept = filling.whole[one.start : one.end]
        doubted = doubted[: one.start] + kept + doubted[one.end :]
    if re.search(r"\w", doubted):
        unsure = SlotFilling(replace(reading, slots=silent, asked=()), doubted)
        find_typed(unsure)
        find_names(unsure)
        named.append((unsure.found, unsure))
    for found, of in named:
        for name, spans in found.items():
            value, quote, (start, end) = _said(of, name, spans)
            doubt = doubt_of(
                reading.message, start, end, reading.slots[name], lex, about_past=about_past
            )
            yield Suggest(
                slot=name,
                value=value,
                quote=quote,
                span=(start, end),
                doubt=doubt or Doubt.AMBIGUOUS,
            )


def _find_taken_up(filling: SlotFilling) -> None:
    reading = filling.reading
    if reading.pending is not None and is_plain_yes(plain(filling.text), filling.lex):
        return  # that yes answers the gate's question, not the offer
    offered = {n: v for n, v in reading.offered.items() if n in filling.shapes and v}
    for one in taken_up(reading.message, offered, filling.lex) if offered else ():
        if one.slot not in filling.found:
            filling.offered[one.slot] = one.value
            filling.found[one.slot] = [one.words]


def _operation(filling: SlotFilling, name: str) -> Operation:
    value, quote, span = _said(filling, name, filling.found[name])
    kind = Correct if filling.is_correction_of(name) else Set
    return kind(slot=name, value=filling.offered.get(name, value), quote=quote, span=span)


def _said(
    filling: SlotFilling, name: str, spans: Sequence[Span]
) -> tuple[JsonValue, str, tuple[int, int]]:
    """Return what these spans say of a slot: the value, its words and where they stand."""
    start, end = min(m.start for m in spans), max(m.end for m in spans)
    each = [_value(m, filling.whole) for m in spans]
    value: JsonValue = [*each] if filling.shapes[name].is_list else each[0]
    return value, filling.reading.message[start:end], (start, end)


def _value(span: Span, text: str) -> JsonValue:
    return span.words(text) if span.value is None else span.value
