"""One turn: from a message to what is known and what is to run. Pure but for the extractor.

The order is fixed: extract, validate, check the evidence, then the trigger.
"""

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
from sayso.core.ids import derived_id
from sayso.core.requirements import (
    ActionSpec,
    Pending,
    RequirementState,
    Source,
    Trigger,
    TurnTaken,
    has_run,
    is_known,
    next_questions,
    started_over,
    status_of,
    value_hash,
    values_for,
)
from sayso.gate.accepted_values import picked_choice, with_context, with_operations
from sayso.gate.actions import Actions
from sayso.gate.agent_first import agent_answers_first, holds_for_a_question
from sayso.gate.extraction import Extractor
from sayso.gate.grants import granted
from sayso.gate.person_message import PersonMessage
from sayso.gate.turn_reply import MOST_ASKED, Heard, offer_key, with_reply
from sayso.gate.yes_scope import YesScope
from sayso.reading.asides import Aside, aside_in
from sayso.reading.intents import intents_in
from sayso.reading.lexicon import base, language_heard, lexicon_for


async def take_turn(
    message: PersonMessage, state: RequirementState, actions: Actions, extractor: Extractor
) -> RequirementState:
    """Return the state after this message. A message that was taken before changes nothing."""
    if state.turn is not None and state.turn.message_id == message.id:
        return state
    message = replace(message, language=_read_in(message, state, actions))
    if (aside := aside_in(message.text, message.language)) is not None:
        return _after_aside(aside, message, state, actions)
    reading = _reading(message, state, actions)
    operations = picked_choice(message, state, actions) or list(await extractor.extract(reading))
    if holds_for_a_question(state, message):
        operations = [op for op in operations if not isinstance(op, Later)]
    opened = _opened(message, state, reading)
    before = state
    spoken = (name for name in state.asked if actions.slots[name].has_default)
    state = state.model_copy(
        update={"asked_before": tuple(dict.fromkeys([*state.asked_before, *spoken])), "offers": ()}
    )
    state = with_context(state, message, actions)
    state, changed = with_operations(
        state, operations, message, actions, before=before, reading=reading
    )
    asked_for = _asked_for(operations, actions)
    state = state.model_copy(
        update={"requested": tuple(dict.fromkeys([*state.requested, *asked_for]))}
    )
    chosen, state = _chosen_actions(
        before, state, operations, message, actions, changed=changed, opened=opened
    )
    if message.yes_scope is YesScope.GRANTS:  # the gate's own offer, not an agent's
        chosen = chosen or _offered_in_vain(before, state, operations, actions)
    # What a card is opened for was asked for from then on: an unclear reply opens it anew.
    state = state.model_copy(
        update={"requested": tuple(dict.fromkeys([*state.requested, *chosen]))}
    )
    is_again = before.pending is not None and before.pending.kind == "card"
    leans = any(isinstance(op, Lean) for op in operations) or (is_again and bool(opened))
    heard = Heard(
        message_id=message.id,
        chosen=chosen,
        refused=any(isinstance(op, Deny) for op in operations),
        postponed=any(isinstance(op, Later) for op in operations),
        agent_first=agent_answers_first(before, state, operations, message, opened=opened),
        leans=leans,
        agent_answers=message.agent_answers,
        question=next((op.question for op in operations if isinstance(op, Confirm)), ""),
    )
    return _with_reply(before, state, message, actions, heard)


def reading_of_turn(message: PersonMessage, state: RequirementState, actions: Actions) -> Reading:
    """Return what an extractor is given of a message."""
    message = replace(message, language=_read_in(message, state, actions))
    return _reading(message, state, actions)


async def take_answer(
    message: PersonMessage, state: RequirementState, actions: Actions, extractor: Extractor
) -> RequirementState:
    """Return the state after an answer to one of the agent's own questions: its values are known,
    and it starts nothing."""
    reading = _reading(message, state, actions)
    operations = await extractor.extract(reading)
    return with_operations(state, operations, message, actions, before=state, reading=reading)[0]


def _read_in(message: PersonMessage, state: RequirementState, actions: Actions) -> str:
    """Return the language to read a message in where its words leave it open: as told, as they have
    written before, or as they were asked."""
    known = message.language or (state.turn.language if state.turn is not None else "")
    asked = [slot.question for slot in actions.slots.values()]
    return known or lexicon_for(" ".join([*asked, message.text])).code


def _reading(message: PersonMessage, state: RequirementState, actions: Actions) -> Reading:
    return Reading(
        message=message.text,
        slots=actions.slots,
        actions=actions.specs,
        asked=state.asked,
        pending=state.pending if message.yes_scope is YesScope.GRANTS else None,
        outright=state.turn is not None and state.turn.asks_outright,
        requested=state.requested,
        known={name: given.value for name, given in state.values.items()},
        offered=message.offered,
        tail=message.tail,
        language=message.language,
        today=message.at,
    )


def _opened(message: PersonMessage, state: RequirementState, reading: Reading) -> tuple[str, ...]:
    """Return the actions that a yes opens the card for: a yes to an agent that speaks of the
    action, or "yes, create it" to anything."""
    if message.yes_scope is not YesScope.OPENS_CARD or state.pending is None:
        return ()
    heard = intents_in(replace(reading, pending=state.pending), said_values=False)
    if any(isinstance(op, RequestAction) and op.runs for op in heard):
        return ()  # an order says itself which it means
    leans = any(isinstance(op, Lean) for op in heard)
    return tuple(state.pending.hashes) if leans or _is_yes(heard) else ()


# ── triggers ──


def _asked_for(operations: Iterable[Operation], actions: Actions) -> list[str]:
    return [
        op.action
        for op in operations
        if isinstance(op, RequestAction) and op.action in actions.by_name
    ]


def _chosen_actions(
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
    pending = state.pending
    # A yes answers only what was asked last, and only if nothing new is said beside it.
    grants = message.yes_scope is YesScope.GRANTS and not changed and before.pending == pending
    if pending is not None and grants:
        answered = list(pending.hashes) if _is_yes(operations) else []
        if answered and told and set(told) < set(pending.hashes):
            answered = told  # "yes, create the checklist", where the card lists more
        if any(isinstance(op, Lean) for op in operations):
            opened = tuple(pending.hashes)
        for name in answered:
            spec = actions.by_name[name].spec
            # A yes to words opens the card; a yes to the card, or where words are enough, grants.
            if pending.kind == "card" or spec.trigger is not Trigger.CONFIRM:
                state = _with_grant(state, spec, message, pending)
        if answered:
            return tuple(dict.fromkeys([*told, *answered])), state
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


def _is_all_stated(spec: ActionSpec, state: RequirementState) -> bool:
    """Return whether the person gave every value themselves: none is assumed or of the context."""
    given = (state.values.get(need.slot.name) for need in spec.needs)
    return all(
        one.source not in (Source.CONTEXT, Source.DEFAULT) if one is not None else need.optional
        for need, one in zip(spec.needs, given, strict=True)
    )


def _offered_in_vain(
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


# ── what is said next ──


def _with_reply(
    before: RequirementState,
    state: RequirementState,
    message: PersonMessage,
    actions: Actions,
    heard: Heard,
) -> RequirementState:
    chosen = heard.chosen
    concerned = relevant_actions(state, actions)
    # After a no or a not yet, nothing is asked or offered: only an order that names it will do.
    quiet = heard.refused or heard.postponed
    questions = [] if chosen or quiet else next_questions(concerned, state)
    asked = tuple(slot.name for slot in questions) or _still_asked(state, actions, chosen)
    offer = None if chosen or questions or quiet else _offer(state, message, actions)
    if heard.aside is not None:  # what was asked before still stands
        asked, offer = state.asked, state.pending
    phase = "branch_execution" if chosen else ("clarification" if questions else "complete")
    turn = TurnTaken(
        message_id=message.id,
        actions=chosen,
        phase=phase,
        language=_language_of(message, before, actions),
        agent_first=heard.agent_first and bool(chosen),
        agent_last=heard.agent_answers and bool(heard.question and chosen),
        asks_outright=heard.leans and bool(chosen),
        question=heard.question if chosen else "",
    )
    state = state.model_copy(
        update={
            "asked": asked,
            # A card that this message has set aside is no longer pending.
            "pending": state.pending if chosen else offer,
            "turn": turn,
        }
    )
    return with_reply(before, state, concerned, actions, heard)


def _after_aside(
    aside: Aside, message: PersonMessage, before: RequirementState, actions: Actions
) -> RequirementState:
    """Return the state after a message that only asked something of the gate. An open card that it
    has set aside is shown again."""
    if aside is Aside.START_OVER:
        heard = Heard(message_id=message.id, aside=aside)
        return _with_reply(before, started_over(before), message, actions, heard)
    pending = before.pending
    shown = pending is not None and pending.kind == "card" and message.yes_scope is YesScope.GRANTS
    again = tuple(pending.hashes) if shown and pending is not None else ()
    heard = Heard(message_id=message.id, aside=aside, chosen=again)
    return _with_reply(before, before, message, actions, heard)


def _language_of(message: PersonMessage, before: RequirementState, actions: Actions) -> str:
    """Return the language that the person writes in. The application's own words tell nothing."""
    said = message.text.casefold()
    own = {o for spec in actions.specs for o in (spec.title, spec.verb, *spec.phrases) if o}
    for words in sorted(own, key=len, reverse=True):
        said = said.replace(words.casefold(), " ")
    known = before.turn.language if before.turn is not None else ""
    return language_heard(said, known or base(message.language))


def _still_asked(
    state: RequirementState, actions: Actions, chosen: tuple[str, ...]
) -> tuple[str, ...]:
    """Return what was asked for other actions before this card opened: it may still be answered."""
    others = [actions.by_name[name].spec for name in state.requested if name not in chosen]
    needed = {n.slot.name: n.slot for spec in others for n in spec.needs if not n.optional}
    open_ = (slot for name, slot in needed.items() if name in state.asked)
    return tuple(slot.name for slot in open_ if chosen and not is_known(slot, state))


def relevant_actions(state: RequirementState, actions: Actions) -> list[ActionSpec]:
    """Return the actions that the person asked for; while they asked for none, those that are
    ready, or the one that shares most of what they said."""
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


def _offer(state: RequirementState, message: PersonMessage, actions: Actions) -> Pending | None:
    """Return what the reply will offer, so that "go ahead" has something to answer."""
    ready = [
        spec
        for spec in relevant_actions(state, actions)
        if spec.trigger is not Trigger.AUTO
        and status_of(spec, state).ready
        and not has_run(spec, state)
    ]
    hashes = {spec.name: value_hash(spec.name, values_for(spec, state)) for spec in ready}
    if not hashes:
        return None
    return Pending(id=derived_id(message.id, "offer"), kind="offer", hashes=hashes)
