"""Which actions a message starts, opens a card for or gives leave to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sayso.core.extraction_ops import (
    Confirm,
    Deny,
    Later,
    Lean,
    Operation,
    Reading,
    RequestAction,
    Unclear,
)
from sayso.core.requirements import (
    ActionSpec,
    Pending,
    RequirementState,
    Source,
    Trigger,
    status_of,
    value_hash,
    values_for,
)
from sayso.gate.actions import Actions
from sayso.gate.grants import granted
from sayso.gate.offer import MOST_ASKED, offer_key
from sayso.gate.person_message import PersonMessage
from sayso.gate.yes_scope import YesScope
from sayso.reading.intents import intents_in


def chosen_actions(
    before: RequirementState,
    state: RequirementState,
    operations: Sequence[Operation],
    message: PersonMessage,
    actions: Actions,
    *,
    changed: bool,
    opened: Sequence[str],
) -> tuple[tuple[str, ...], RequirementState]:
    """Return the actions to run or to open a card for, and the state with the grants that this
    message gives."""
    if any(isinstance(op, Deny) for op in operations):
        dropped = set(before.pending.hashes if before.pending else state.requested)
        requested = tuple(name for name in state.requested if name not in dropped)
        return (), state.model_copy(update={"pending": None, "requested": requested})
    if any(isinstance(op, Later) for op in operations):
        return (), state.model_copy(update={"pending": None, "requested": ()})
    told = [op.action for op in operations if isinstance(op, RequestAction) and op.runs]
    # A yes answers only what was asked last, and only if nothing new is said beside it.
    pending = state.pending if before.pending == state.pending and not changed else None
    if pending is not None and message.yes_scope is YesScope.GRANTS:
        if answered := _answered(pending, operations, told):
            granted_now = _with_answer(state, answered, pending, message, actions)
            return tuple(dict.fromkeys([*told, *answered])), granted_now
        if any(isinstance(op, Lean) for op in operations):
            opened = tuple(pending.hashes)
    chosen: list[str] = []
    waits = _waiting_for_others(before, state, actions, told=told, opened=opened)
    for name in dict.fromkeys([*told, *state.requested, *opened]):
        spec = actions.by_name[name].spec
        if name in waits or not status_of(spec, state).ready:
            continue
        if spec.trigger is Trigger.CONFIRM or (name in opened and name not in told):
            chosen.append(name)
        elif name in told or (spec.trigger is Trigger.AUTO and _is_all_stated(spec, state)):
            state = _with_grant(state, spec, message, None)
            chosen.append(name)
    for spec in actions.specs:
        if spec.trigger is not Trigger.AUTO or spec.name in chosen or not _is_new(spec, state):
            continue
        if _is_all_stated(spec, state):
            state = _with_grant(state, spec, message, None)
        elif not changed:
            continue
        chosen.append(spec.name)  # what is only assumed is shown on a card
    return tuple(chosen), state


def _answered(
    pending: Pending, operations: Sequence[Operation], told: Sequence[str]
) -> Sequence[str]:
    """Return the actions that a yes is said to."""
    if not _is_yes(operations):
        return ()
    # "yes, create the checklist", where the card lists more
    return told if told and set(told) < set(pending.hashes) else tuple(pending.hashes)


def _with_answer(
    state: RequirementState,
    answered: Sequence[str],
    pending: Pending,
    message: PersonMessage,
    actions: Actions,
) -> RequirementState:
    """Return the state after a yes: one to words opens the card, one to the card grants, and one to
    words where words are enough."""
    for name in answered:
        spec = actions.by_name[name].spec
        if pending.kind == "card" or spec.trigger is not Trigger.CONFIRM:
            state = _with_grant(state, spec, message, pending)
    return state


def opened_by(message: PersonMessage, state: RequirementState, reading: Reading) -> tuple[str, ...]:
    """Return the actions that a yes opens the card for: a yes to an agent that speaks of the
    action, or "yes, create it" to anything."""
    if message.yes_scope is not YesScope.OPENS_CARD or state.pending is None:
        return ()
    heard = intents_in(replace(reading, pending=state.pending), said_values=False)
    if any(isinstance(op, RequestAction) and op.runs for op in heard):
        return ()  # an order says itself which it means
    leans = any(isinstance(op, Lean) for op in heard)
    return tuple(state.pending.hashes) if leans or _is_yes(heard) else ()


def asked_for(operations: Iterable[Operation], actions: Actions) -> list[str]:
    return [
        op.action
        for op in operations
        if isinstance(op, RequestAction) and op.action in actions.by_name
    ]


def offered_in_vain(
    before: RequirementState,
    state: RequirementState,
    operations: Sequence[Operation],
    actions: Actions,
) -> tuple[str, ...]:
    """Return the actions that were offered in words twice, and to which nothing clear was said: the
    card with its buttons asks instead, once."""
    offer = before.pending
    if offer is None or offer.kind != "offer" or offer != state.pending or operations:
        return ()
    specs = [actions.by_name[name].spec for name in offer.hashes]
    in_vain = before.asked_times.get(offer_key(specs), 0) == MOST_ASKED
    return tuple(offer.hashes) if in_vain and all(map(_asks_by_card, specs)) else ()


def _asks_by_card(spec: ActionSpec) -> bool:
    return spec.trigger is Trigger.CONFIRM


def _is_all_stated(spec: ActionSpec, state: RequirementState) -> bool:
    """Return whether the person gave every value themselves, and plainly: none is assumed, of the
    context, or of a message that also asks or puts something off."""
    given = (state.values.get(need.slot.name) for need in spec.needs)
    return all(
        one.source not in (Source.CONTEXT, Source.DEFAULT) and not one.hedged
        if one is not None
        else need.optional
        for need, one in zip(spec.needs, given, strict=True)
    )


def _waiting_for_others(
    before: RequirementState,
    state: RequirementState,
    actions: Actions,
    *,
    told: Sequence[str],
    opened: Sequence[str],
) -> set[str]:
    """Return the actions whose card waits while another that was asked for still lacks something:
    one card is to show both. What is ordered by name alone, or stands on the open card, does not
    wait."""
    wanted = dict.fromkeys([*told, *state.requested])
    lacking = {n for n in wanted if not status_of(actions.by_name[n].spec, state).ready}
    if not lacking:
        return set()
    shown = before.pending.hashes if before.pending and before.pending.kind == "card" else {}
    goes = {*opened, *shown, *(() if lacking & {*told} else told)}
    return {
        name
        for name in wanted
        if name not in goes and actions.by_name[name].spec.trigger is Trigger.CONFIRM
    }


def _is_yes(operations: Iterable[Operation]) -> bool:
    found = list(operations)
    return any(isinstance(op, Confirm) for op in found) and not any(
        isinstance(op, Deny | Later | Unclear) for op in found
    )


def _with_grant(
    state: RequirementState, spec: ActionSpec, message: PersonMessage, pending: Pending | None
) -> RequirementState:
    return granted(
        state,
        spec,
        given_by=message.id,
        pending_id=pending.id if pending is not None else None,
        interaction_id=message.card_id if pending is not None else None,
    )


def _is_new(spec: ActionSpec, state: RequirementState) -> bool:
    """Return whether the action is ready, with values that it has not run with."""
    wanted = value_hash(spec.name, values_for(spec, state))
    ran = any(g.action == spec.name and g.value_hash == wanted for g in state.grants)
    return status_of(spec, state).ready and not ran
