"""What the gate says of the values in a message: which it took, which it gave up, and why it could
not take an answer."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import JsonValue

from sayso.core.messages import message
from sayso.core.requirements import Begun, Given, is_known
from sayso.gate.messages import said_to
from sayso.gate.talk import Talk
from sayso.reading.slot_types import SlotType, shape_of

#: A longer quote says more than its value.
_LONGEST_QUOTE = 40
#: What is said where no such value could be read in an answer.
_UNREAD = {
    SlotType.DATE: "gate.no_date",
    SlotType.MOMENT: "gate.no_date",
    SlotType.TIME: "gate.no_time",
    SlotType.DURATION: "gate.no_duration",
    SlotType.MONEY: "gate.no_amount",
    SlotType.PEOPLE: "gate.no_number",
    SlotType.COUNT: "gate.no_number",
    SlotType.NUMBER: "gate.no_number",
    SlotType.BOOLEAN: "gate.no_yes_or_no",
}


def values_taken(talk: Talk) -> Iterator[str]:
    """Yield, in one clause and in the person's words, which values this message gave."""
    if talk.starts_over:
        return
    given = [
        _in_their_words(name, one, talk)
        for name, one in talk.after.values.items()
        if one != talk.before.values.get(name) and one.message_id == talk.heard.message_id
    ]
    given += [
        _begun_in_their_words(name, begun, talk)
        for name, begun in talk.after.begun.items()
        if begun.message_id == talk.heard.message_id
    ]
    if given:
        yield message("gate.noted", values=given)
    gone: list[JsonValue] = [
        talk.slots[name].label
        for name in talk.before.values
        if name not in talk.after.values and name in talk.slots
    ]
    if gone:
        yield message("gate.forgotten", labels=gone)


def why_not_taken(talk: Talk) -> Iterator[str]:
    """Yield why the answer to what was just asked could not be taken. An order was no try at
    one."""
    if talk.has_order:
        return
    for name in talk.before.asked:
        slot = talk.slots.get(name)
        if slot is None or slot.has_default or is_known(slot, talk.after):
            continue
        code = "gate.no_time" if name in talk.after.begun else _UNREAD.get(shape_of(slot).type)
        if slot.choices:
            yield message("gate.no_choice", options=list(slot.choices))
        elif code is not None:
            yield message(code)


def _begun_in_their_words(name: str, begun: Begun, talk: Talk) -> JsonValue:
    day = talk.day_begun(name)
    if begun.quote.isdecimal() or len(begun.quote) > _LONGEST_QUOTE:
        return message("gate.value", label=talk.slots[name].label, value=day)
    return f"{begun.quote} ({day})"


def _in_their_words(name: str, given: Given, talk: Talk) -> JsonValue:
    """Return a value as the person said it; beside it what it means, where their words leave that
    open."""
    slot = talk.slots[name]
    meant = said_to(talk.language, given.value, slot)
    put = talk.before.suggested.get(name)
    # A yes to "4 days?" says nothing of its own.
    words = "" if put is not None and put.value == given.value else given.offered or given.quote
    shape = shape_of(slot)
    tells_little = words.isdecimal() or shape.type is SlotType.BOOLEAN
    if not words or len(words) > _LONGEST_QUOTE or tells_little:
        return message("gate.value", label=slot.label, value=meant)
    if shape.has_format and shape.type in (SlotType.DATE, SlotType.MOMENT):
        return f"{words} ({meant})"
    return words
