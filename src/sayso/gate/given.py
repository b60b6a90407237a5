"""Which values count: those that this message, an offer that it takes up, or the request's context
gave. Whatever else an extractor found is a suggestion."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import JsonValue

from sayso.core.operations import Clear, Correct, Operation, Set
from sayso.core.requirements import Given, RequirementState, Slot, Source, with_values
from sayso.gate.actions import Actions
from sayso.gate.evidence import occurs, supports, takes_up
from sayso.gate.message import Message


def picked(message: Message, state: RequirementState, actions: Actions) -> list[Operation]:
    """A message that is one choice of a question just asked, word for word, as a press on it sends:
    it needs no reading. A word that two questions have is left to be read."""
    said = message.text.strip().casefold()
    found: list[Operation] = []
    for name in state.asked:
        slot = actions.slots[name]
        for choice in slot.choices:
            if choice.casefold() == said and actions.normalise(name, choice) is not None:
                found.append(Set(slot=name, value=choice, quote=message.text.strip()))
    return found if len(found) == 1 else []


def with_context(state: RequirementState, message: Message, actions: Actions) -> RequirementState:
    """What the request itself carries, for fields that allow it and that nobody has spoken of."""
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
    message: Message,
    actions: Actions,
    *,
    before: RequirementState,
) -> tuple[RequirementState, bool]:
    given: dict[str, Given | None] = {}
    suggested = dict(state.suggested)
    for op in operations:
        if isinstance(op, Clear) and op.slot in state.values:
            given[op.slot] = None
        if not isinstance(op, Set | Correct) or op.slot not in actions.slots:
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
        )
        slot = actions.slots[op.slot]
        if not _says_it(op, value, message, slot, asked=op.slot in before.asked):
            if not _takes_it_up(op, message):
                suggested[op.slot] = one
                continue
            one = _as_offered(one, op, message, before)
        if (known := state.values.get(op.slot)) is None or known.value != one.value:
            given[op.slot] = one
    state = state.model_copy(update={"suggested": suggested})
    return (with_values(state, given, actions.specs), True) if given else (state, False)


def _joined(value: JsonValue, before: Given | None, op: Set | Correct) -> JsonValue:
    """Entries of a list are gathered over messages; a correction replaces them."""
    known = before.value if before is not None else None
    if isinstance(op, Correct) or not isinstance(value, list) or not isinstance(known, list):
        return value
    return [*known, *(entry for entry in value if entry not in known)]


def _says_it(
    op: Set | Correct, value: JsonValue, message: Message, slot: Slot, *, asked: bool
) -> bool:
    """The quote stands in this message of the person (not in a tool's output, not in the agent's
    words) and says this value."""
    return occurs(op.quote, message.text) and supports(
        op.quote, value, slot, today=message.at.date(), language=message.language, asked=asked
    )


def _takes_it_up(op: Set | Correct, message: Message) -> bool:
    """The quote stands in this message and takes up the value, which the agent had just offered."""
    offered = message.offered.get(op.slot, ())
    return bool(offered) and takes_up(
        message.text, op.quote, op.value, op.slot, offered=offered, language=message.language
    )


def _as_offered(one: Given, op: Set | Correct, message: Message, before: RequirementState) -> Given:
    words = [o.words for o in before.offers if (o.slot, o.value) == (op.slot, op.value)]
    update = {"offered": words[0], "offered_in": message.offered_in} if words else {}
    return one.model_copy(update=update)
