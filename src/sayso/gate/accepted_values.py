"""Which of the values that an extractor found count: those that this message states, an offer that
it accepts, or the request's context. All others are suggestions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal

from pydantic import JsonValue

from sayso.core.extraction_ops import Begin, Clear, Correct, Doubt, Operation, Reading, Set, Suggest
from sayso.core.requirements import Begun, Given, RequirementState, Slot, Source, with_values
from sayso.gate.actions import Actions
from sayso.gate.person_message import PersonMessage
from sayso.reading.begun import day_of_moment, of_days
from sayso.reading.calendar_candidates import day_of
from sayso.reading.doubts import is_about_past
from sayso.reading.evidence import is_stated, takes_up
from sayso.reading.hedges import is_hedged
from sayso.reading.slot_types import shape_of
from sayso.reading.stated_values import is_heard


def picked_choice(
    message: PersonMessage, state: RequirementState, actions: Actions
) -> list[Operation]:
    """Recognise a message that is exactly one choice of a question just asked, as a click on it
    sends; it needs no reading. A choice that two questions share is left to the extractor."""
    said = message.text.strip().casefold()
    found: list[Operation] = []
    for name in state.asked:
        slot = actions.slots[name]
        for choice in slot.choices:
            if choice.casefold() == said and actions.normalise(name, choice) is not None:
                found.append(Set(slot=name, value=choice, quote=message.text.strip()))
    return found if len(found) == 1 else []


def with_context(
    state: RequirementState, message: PersonMessage, actions: Actions
) -> RequirementState:
    """Take values from the request's context, for slots that allow it and have no value yet."""
    given: dict[str, Given | None] = {}
    for name, slot in actions.slots.items():
        if not slot.from_context or name in state.values or name not in message.context:
            continue
        value = actions.normalise(name, message.context[name])
        if value is not None:
            given[name] = Given(
                value=value, source=Source.CONTEXT, message_id=message.id, at=message.at
            )
    return with_values(state, given, actions.specs) if given else state


def with_operations(
    state: RequirementState,
    operations: Iterable[Operation],
    message: PersonMessage,
    actions: Actions,
    *,
    before: RequirementState,
    reading: Reading,
) -> tuple[RequirementState, bool]:
    """Return the state with what these operations state, and whether a value has changed. `before`
    is the state that the message found, `reading` what was read of it."""
    given: dict[str, Given | None] = {}
    suggested: dict[str, Given] = {}
    about_past = is_about_past(actions.slots)
    operations = list(operations)
    hedged = is_hedged(
        message.text,
        language=message.language,
        today=message.at.date(),
        about_past=about_past,
        taken=[op.span for op in operations if isinstance(op, Set | Correct) and op.span],
    )
    for op in operations:
        if isinstance(op, Clear) and op.slot in state.values:
            given[op.slot] = None
        if not isinstance(op, Set | Correct | Suggest) or op.slot not in actions.slots:
            continue
        value = actions.normalise(op.slot, op.value)
        if value is None:
            continue
        one = Given(
            value=_joined(value, given.get(op.slot) or state.values.get(op.slot), op),
            source=Source.SAID,
            quote=op.quote,
            span=op.span,
            message_id=message.id,
            at=message.at,
            hedged=hedged,
        )
        slot = actions.slots[op.slot]
        known = given[op.slot] if op.slot in given else state.values.get(op.slot)
        said = isinstance(op, Set | Correct) and (
            is_stated(
                op.quote,
                value,
                slot,
                message.text,
                today=message.at.date(),
                language=message.language,
                asked=op.slot in before.asked or isinstance(op, Correct),
                known=known.value if known is not None else reading.to_change(op.slot),
                about_past=about_past,
            )
            or is_heard(op.model_copy(update={"value": value}), reading)
        )
        if not said:
            if isinstance(op, Suggest) or not _takes_it_up(op, message):
                if known is None and not _is_denied(op):
                    suggested[op.slot] = one
                continue
            one = _as_offered(one, op, message, before)
        if known is None or not _is_said_again(known.value, one.value, slot):
            given[op.slot] = one
    if given:
        state = with_values(state, given, actions.specs)
    begun = dict(_begun(operations, message, actions, about_past=about_past, reading=reading))
    if begun := {name: one for name, one in begun.items() if name not in state.values}:
        state = state.model_copy(update={"begun": {**state.begun, **begun}})
    # What is cleared may be offered anew: "anything in Santa Clara, perhaps?".
    taken = {name for name, one in given.items() if one is not None} | begun.keys()
    offered = {name: one for name, one in suggested.items() if name not in taken}
    state = state.model_copy(update={"suggested": {**state.suggested, **offered}})
    return state, bool(given or begun)


def _begun(
    operations: Iterable[Operation],
    message: PersonMessage,
    actions: Actions,
    *,
    about_past: bool,
    reading: Reading,
) -> Iterator[tuple[str, Begun]]:
    """Yield the days that a message tells of moments, and no time."""
    for op in operations:
        day = day_of(op.value) if isinstance(op, Begin) else None
        if not isinstance(op, Begin) or day is None or op.slot not in actions.slots:
            continue
        before = reading.begun.get(op.slot)
        said = is_stated(
            op.quote,
            op.value,
            day_of_moment(actions.slots[op.slot]),
            message.text,
            today=message.at.date(),
            language=message.language,
            asked=True,
            known=before.day.isoformat() if before is not None else None,
            about_past=about_past,
        )
        as_set = Set(slot=op.slot, value=op.value, quote=op.quote, span=op.span)
        if said or is_heard(as_set, of_days(reading, [op.slot])):
            yield op.slot, Begun(day=day, quote=op.quote, message_id=message.id)


def _is_said_again(known: JsonValue, value: JsonValue, slot: Slot) -> bool:
    """Return whether a value equals the known one: 84.6 is the amount that 84.60 is."""
    amounts = shape_of(slot).json_type == "number" and isinstance(known, str | int | float)
    if amounts and isinstance(value, str | int | float):
        return Decimal(str(known)) == Decimal(str(value))
    return known == value


def _joined(value: JsonValue, before: Given | None, op: Set | Correct | Suggest) -> JsonValue:
    """Add the entries of a list to those of earlier messages; a correction replaces them."""
    known = before.value if before is not None else None
    if isinstance(op, Correct) or not isinstance(value, list) or not isinstance(known, list):
        return value
    return [*known, *(entry for entry in value if entry not in known)]


def _is_denied(op: Set | Correct | Suggest) -> bool:
    """Return whether the person has ruled the value out, so that nobody offers it to them."""
    return isinstance(op, Suggest) and op.doubt is Doubt.NEGATED


def _takes_it_up(op: Set | Correct, message: PersonMessage) -> bool:
    """Return whether the quote is in this message and accepts the value, which the agent had
    just offered."""
    offered = message.offered.get(op.slot, ())
    return bool(offered) and takes_up(
        message.text, op.quote, op.value, op.slot, offered=offered, language=message.language
    )


def _as_offered(
    one: Given, op: Set | Correct, message: PersonMessage, before: RequirementState
) -> Given:
    words = [o.words for o in before.offers if (o.slot, o.value) == (op.slot, op.value)]
    update = {"offered": words[0], "offered_in": message.offered_in} if words else {}
    return one.model_copy(update=update)
