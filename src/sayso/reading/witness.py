"""The network as a second witness of what the rules have read.

What the rules only offer and the network hears as well is taken: two readers that were made apart
agree. What it alone is all but certain of is taken too. It takes nothing back, and gives no leave.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sayso.core.extraction_ops import Clear, Correct, Doubt, Operation, Reading, Set, Suggest
from sayso.reading.doubts import doubt_of, is_about_past
from sayso.reading.lexicon import lexicon_for
from sayso.reading.normalize import LONGEST_READ, even, plain, same_value
from sayso.reading.parsers.non_places import names_no_place
from sayso.reading.slot_types import SlotType, shape_of

if TYPE_CHECKING:
    from sayso.reading.hearing import HeardValue, Hearing

#: So likely a value has to be where another reader proposes it; where nobody does; and where it
#: takes the place of a known one.
AGREED, _ALONE, _IN_PLACE = 0.75, 0.98, 0.95
_TEXT = (SlotType.TEXT, SlotType.NAME, SlotType.PLACE)


def witnessed(operations: Sequence[Operation], reading: Reading) -> list[Operation]:
    """Return the values that the rules have read, as the network bears them out, and those that it
    alone hears."""
    hearing = _hearing_of(reading) if _may_add(operations, reading) else None
    if hearing is None:
        return [*operations]
    found = [_borne_out(op, hearing, reading) for op in operations]
    stated = {op.slot for op in found if isinstance(op, Set | Correct | Clear)}
    alone = [
        op
        for name, one in hearing.values().items()
        if name not in stated and (op := _alone(name, one, found, reading)) is not None
    ]
    sure = {op.slot for op in alone}
    return [*(op for op in found if not (isinstance(op, Suggest) and op.slot in sure)), *alone]


def _may_add(operations: Sequence[Operation], reading: Reading) -> bool:
    """Return whether the network is asked: at an open card, at the first message, and where
    something that was asked for has not been found. Hearing costs as much as all rules."""
    if reading.pending is not None or not (reading.asked or reading.known):
        return True
    stated = {op.slot for op in operations if isinstance(op, Set | Correct)}
    return not stated.issuperset(reading.asked)


def is_heard(op: Set | Correct | Suggest, reading: Reading) -> bool:
    """Return whether the network, too, hears this value in the message, in these words."""
    hearing = _hearing_of(reading)
    if hearing is None or even(op.quote) not in hearing.inputs.text:
        return False
    return hearing.share_of(op.slot, op.value) >= AGREED


def _hearing_of(reading: Reading) -> Hearing | None:
    # numpy takes a tenth of a second to load: a process that reads no message does not.
    from sayso.reading.hearing import heard_in

    return heard_in(reading) if len(reading.message) <= LONGEST_READ else None


def _borne_out(op: Operation, hearing: Hearing, reading: Reading) -> Operation:
    """Return what the rules only offer as stated, where it was asked for and is heard as well."""
    if not isinstance(op, Suggest) or isinstance(op.value, list) or op.slot not in reading.asked:
        return op
    if op.doubt is not Doubt.AMBIGUOUS or len(reading.asked) > 1:
        return op  # a question, a "not", the past; or several fields could take it
    if hearing.share_of(op.slot, op.value) < AGREED:
        return op
    return Set(slot=op.slot, value=op.value, quote=op.quote, span=op.span)


def _alone(
    name: str, one: HeardValue, found: Sequence[Operation], reading: Reading
) -> Set | Correct | None:
    """Return a value that the network alone hears, in words that state nothing else."""
    kind, least = (Correct, _IN_PLACE) if name in reading.known else (Set, _ALONE)
    if one.share < least or same_value(reading.known.get(name), one.value):
        return None
    said = [op.span for op in found if isinstance(op, Set | Correct) and op.span is not None]
    if any(start < one.end and one.start < end for start, end in said):
        return None
    if not _may_be(name, one, found, reading):
        return None
    quote, span = reading.message[one.start : one.end], (one.start, one.end)
    return kind(slot=name, value=one.value, quote=quote, span=span)


def _may_be(name: str, one: HeardValue, found: Sequence[Operation], reading: Reading) -> bool:
    """Return whether the rules know nothing against it: a doubt in its clause, that several
    questions could take it, a bare yes where more was asked, "somewhere warm" for a place, "thanks
    Peter" for a person, a day to come where the field looks back, an answer to a question of the
    agent's own."""
    slot, span = reading.slots[name], (one.start, one.end)
    said = plain(reading.message[slice(*span)])
    shape, lex = shape_of(slot), lexicon_for(even(reading.message), reading.language)
    past = is_about_past(reading.slots)
    if doubt_of(reading.message, *span, slot, lex, about_past=past) is not None:
        return False
    if name in reading.known and not reading.asked and reading.pending is None:
        return False
    if shape.is_list:
        return False  # it hears one value, and no row of them
    if shape.type in _TEXT and (name in reading.known or _is_of_an_action(said, reading)):
        return False
    if len(reading.asked) > 1 and any(isinstance(op, Suggest) for op in found):
        return False
    match shape.type:
        case SlotType.BOOLEAN:
            return list(reading.asked) in ([], [name])
        case SlotType.PLACE:
            return not names_no_place(said, lex)
        case SlotType.NAME:
            return lex.any_of("yes.thanks", "clauses.greetings").match(said) is None
        case SlotType.DATE if shape.tense == "past" and reading.today is not None:
            return str(one.value) <= reading.today.date().isoformat()
        case _:
            return True


def _is_of_an_action(said: str, reading: Reading) -> bool:
    """Return whether an action is called so: "checklist" of "create the checklist" is no place."""
    return any(
        said in plain(" ".join((one.name.replace("_", " "), one.title, one.verb, *one.phrases)))
        for one in reading.actions
    )
