"""One message, from the words to what is known and what is to be done: pure but for the extractor.

The order is seed 3's and DESIGN 9's: extract, validate, check the evidence, then the trigger. A
value counts only if this message, an offer that it takes up, or the request's context gave it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sayso.core.ids import derived_id
from sayso.core.operations import (
    Confirm,
    Deny,
    Later,
    Operation,
    Reading,
    RequestAction,
    Unclear,
)
from sayso.core.requirements import (
    ActionSpec,
    Grant,
    Pending,
    RequirementState,
    Trigger,
    TurnTaken,
    has_run,
    is_known,
    next_questions,
    status_of,
    value_hash,
    values_for,
    with_grant,
)
from sayso.gate.actions import Actions
from sayso.gate.extraction import Extractor
from sayso.gate.given import picked, with_context, with_operations
from sayso.gate.message import Message
from sayso.gate.orders import orders_in
from sayso.gate.spoken import Yes, is_yes_by_name


async def take_turn(
    message: Message, state: RequirementState, actions: Actions, extractor: Extractor
) -> RequirementState:
    """The state after this message. The same message again gives the state as it is."""
    if state.turn is not None and state.turn.message_id == message.id:
        return state
    reading = _reading(message, state, actions)
    operations = picked(message, state, actions) or list(await extractor.extract(reading))
    opened = _opened(message, state, reading)
    before = state
    spoken = (name for name in state.asked if actions.slots[name].has_default)
    state = state.model_copy(
        update={"asked_before": tuple(dict.fromkeys([*state.asked_before, *spoken])), "offers": ()}
    )
    state = with_context(state, message, actions)
    state, changed = with_operations(state, operations, message, actions, before=before)
    asked_for = _asked_for(operations, actions)
    state = state.model_copy(
        update={"requested": tuple(dict.fromkeys([*state.requested, *asked_for]))}
    )
    chosen, state = _triggered(
        before, state, operations, message, actions, changed=changed, opened=opened
    )
    quiet = any(isinstance(op, Deny | Later) for op in operations)
    return _with_questions(state, message, actions, chosen, quiet=quiet)


async def take_answer(
    message: Message, state: RequirementState, actions: Actions, extractor: Extractor
) -> RequirementState:
    """The state after words that answered a question of the agent's own: what they say is known,
    and they order nothing."""
    operations = await extractor.extract(_reading(message, state, actions))
    return with_operations(state, operations, message, actions, before=state)[0]


def _reading(message: Message, state: RequirementState, actions: Actions) -> Reading:
    return Reading(
        message=message.text,
        slots=actions.slots,
        actions=actions.specs,
        asked=state.asked,
        pending=state.pending if message.yes is Yes.LEAVE else None,
        requested=state.requested,
        known={name: given.value for name, given in state.values.items()},
        offered=message.offered,
        tail=message.tail,
        language=message.language,
        today=message.at,
    )


def _opened(message: Message, state: RequirementState, reading: Reading) -> tuple[str, ...]:
    """A yes to an agent that speaks of the action, or "yes, create it" to whatever was asked, only
    asks for the gate's own question."""
    if message.yes is not Yes.OPENS or state.pending is None:
        return ()
    heard = orders_in(replace(reading, pending=state.pending), said_values=False)
    return tuple(state.pending.hashes) if _is_yes(heard) else ()


# ── triggers ──


def _asked_for(operations: Iterable[Operation], actions: Actions) -> list[str]:
    return [
        op.action
        for op in operations
        if isinstance(op, RequestAction) and op.action in actions.by_name
    ]


def _triggered(
    before: RequirementState,
    state: RequirementState,
    operations: Sequence[Operation],
    message: Message,
    actions: Actions,
    *,
    changed: bool,
    opened: Sequence[str],
) -> tuple[tuple[str, ...], RequirementState]:
    """The actions to run or to open a card for, and the state with the grants that this message
    gave."""
    if any(isinstance(op, Deny) for op in operations):
        dropped = set(before.pending.hashes if before.pending else state.requested)
        requested = tuple(name for name in state.requested if name not in dropped)
        return (), state.model_copy(update={"pending": None, "requested": requested})
    if any(isinstance(op, Later) for op in operations):
        return (), state.model_copy(update={"pending": None, "requested": ()})
    told = [op.action for op in operations if isinstance(op, RequestAction) and op.runs]
    pending = state.pending
    # A yes answers only what was asked last before it came, and only with nothing new beside it.
    if message.yes is Yes.LEAVE and not changed and pending and before.pending == pending:
        answered = list(pending.hashes) if _is_yes(operations) else []
        if pending.kind == "card" and _names_the_card(told, pending, message, actions):
            answered = told
        for name in answered:
            spec = actions.by_name[name].spec
            # A yes to words opens the card; a yes to the card, or where words are enough, is leave.
            if pending.kind == "card" or spec.trigger is not Trigger.CONFIRM:
                state = _granted(state, spec, message, pending)
        if answered:
            return tuple(dict.fromkeys([*told, *answered])), state
    chosen: list[str] = []
    for name in dict.fromkeys([*told, *state.requested, *opened]):
        spec = actions.by_name[name].spec
        if not status_of(spec, state).ready:
            continue
        if spec.trigger is Trigger.CONFIRM or (name in opened and name not in told):
            chosen.append(name)
        elif spec.trigger is Trigger.AUTO or name in told:
            state = _granted(state, spec, message, None)
            chosen.append(name)
    for spec in actions.specs:
        if spec.trigger is Trigger.AUTO and spec.name not in chosen and _is_new(spec, state):
            state = _granted(state, spec, message, None)
            chosen.append(spec.name)
    return tuple(chosen), state


def _names_the_card(
    told: Sequence[str], pending: Pending, message: Message, actions: Actions
) -> bool:
    """Whether an order says yes to what the open card asks, by name and with nothing more."""
    specs = [actions.by_name[name].spec for name in told]
    named = bool(told) and set(told) <= set(pending.hashes)
    return named and is_yes_by_name(message.text, specs, message.language)


def _is_yes(operations: Iterable[Operation]) -> bool:
    found = list(operations)
    return any(isinstance(op, Confirm) for op in found) and not any(
        isinstance(op, Deny | Later | Unclear) for op in found
    )


def _granted(
    state: RequirementState, spec: ActionSpec, message: Message, pending: Pending | None
) -> RequirementState:
    values = values_for(spec, state)
    wanted = value_hash(spec.name, values)
    return with_grant(
        state,
        Grant(
            id=derived_id(message.id, "grant", spec.name, wanted),
            action=spec.name,
            value_hash=wanted,
            values=values,
            pending_id=pending.id if pending is not None else None,
            given_by=message.id,
        ),
    )


def _is_new(spec: ActionSpec, state: RequirementState) -> bool:
    """Ready, with values that it has not run with."""
    wanted = value_hash(spec.name, values_for(spec, state))
    ran = any(g.action == spec.name and g.value_hash == wanted for g in state.grants)
    return status_of(spec, state).ready and not ran


# ── what is said next ──


def _with_questions(
    state: RequirementState,
    message: Message,
    actions: Actions,
    chosen: tuple[str, ...],
    *,
    quiet: bool,
) -> RequirementState:
    questions = [] if chosen else next_questions(concerned(state, actions), state)
    asked = tuple(slot.name for slot in questions) or _still_asked(state, actions, chosen)
    # After a no or a not yet, only an order that names the action will do, until they speak again.
    offer = None if chosen or questions or quiet else _offer(state, message, actions)
    phase = "branch_execution" if chosen else ("clarification" if questions else "complete")
    return state.model_copy(
        update={
            "asked": asked,
            # A card that this message has set aside is asked about no more.
            "pending": state.pending if chosen else offer,
            "turn": TurnTaken(message_id=message.id, actions=chosen, phase=phase),
        }
    )


def _still_asked(
    state: RequirementState, actions: Actions, chosen: tuple[str, ...]
) -> tuple[str, ...]:
    """What was asked for another action before this one's card opened may still be answered."""
    others = [actions.by_name[name].spec for name in state.requested if name not in chosen]
    needed = {n.slot.name: n.slot for spec in others for n in spec.needs if not n.optional}
    open_ = (slot for name, slot in needed.items() if name in state.asked)
    return tuple(slot.name for slot in open_ if chosen and not is_known(slot, state))


def concerned(state: RequirementState, actions: Actions) -> list[ActionSpec]:
    """What the person asked for; while they asked for nothing, the actions that share most of what
    they said."""
    if state.requested:
        return [actions.by_name[name].spec for name in state.requested]
    ready = [spec for spec in actions.specs if status_of(spec, state).ready]
    if ready:
        return [spec for spec in ready if not has_run(spec, state)]
    known = {
        spec.name: sum(is_known(slot, state) for slot in spec.slots.values())
        for spec in actions.specs
    }
    best = max(known.values(), default=0)
    return [spec for spec in actions.specs if known[spec.name] == best][:1]


def _offer(state: RequirementState, message: Message, actions: Actions) -> Pending | None:
    """What the answer to this message will offer, so that "go ahead" has something to answer."""
    ready = [
        spec
        for spec in concerned(state, actions)
        if spec.trigger is not Trigger.AUTO
        and status_of(spec, state).ready
        and not has_run(spec, state)
    ]
    hashes = {spec.name: value_hash(spec.name, values_for(spec, state)) for spec in ready}
    if not hashes:
        return None
    return Pending(id=derived_id(message.id, "offer"), kind="offer", hashes=hashes)
