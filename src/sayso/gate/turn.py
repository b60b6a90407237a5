"""One turn: from a message to what is known and what is to run. Pure but for the extractor.

The order is fixed: extract, validate, check the evidence, then the trigger.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from pydantic import JsonValue

from sayso.core.extraction_ops import (
    Confirm,
    Deny,
    Later,
    Lean,
    Operation,
    Reading,
    Suggest,
    Unclear,
)
from sayso.core.ids import derived_id
from sayso.core.requirements import (
    ActionSpec,
    Pending,
    RequirementState,
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
from sayso.gate.extraction import RULES, Extractor, Read, read_by
from sayso.gate.heard import Heard
from sayso.gate.person_message import PersonMessage
from sayso.gate.triggers import asked_for, chosen_actions, offered_in_vain, opened_by
from sayso.gate.turn_reply import with_reply
from sayso.gate.yes_scope import YesScope
from sayso.reading.asides import Aside, aside_in
from sayso.reading.hedged_yes import Hedge, asks, hedge_of
from sayso.reading.lexicon import SOURCE, base, language_heard, lexicon_for


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
    picked = picked_choice(message, state, actions)
    read = Read(picked, RULES) if picked else await read_by(extractor, reading)
    operations = list(read.operations)
    if holds_for_a_question(state, message):
        operations = [op for op in operations if not isinstance(op, Later)]
    opened = opened_by(message, state, reading)
    before = state
    spoken = (name for name in state.asked if actions.slots[name].has_default)
    state = state.model_copy(
        update={"asked_before": _joined(state.asked_before, spoken), "offers": ()}
    )
    state = with_context(state, message, actions)
    state, changed = with_operations(
        state, operations, message, actions, before=before, reading=reading
    )
    state = _wanting(asked_for(operations, actions), state)
    chosen, state = chosen_actions(
        before, state, operations, message, actions, changed=changed, opened=opened
    )
    if message.yes_scope is YesScope.GRANTS:  # the gate's own offer, not an agent's
        chosen = chosen or offered_in_vain(before, state, operations, actions)
    # What a card is opened for was asked for from then on: an unclear reply opens it anew.
    state = _wanting(chosen, state)
    is_again = before.pending is not None and before.pending.kind == "card"
    hedge = _hedge_of(operations, message) if is_again else None
    leans = hedge is not None or any(isinstance(op, Lean) for op in operations)
    leans = leans or (is_again and bool(opened))
    heard = Heard(
        message_id=message.id,
        read_by=read.by,
        chosen=chosen,
        refused=any(isinstance(op, Deny) for op in operations),
        postponed=any(isinstance(op, Later) for op in operations),
        agent_first=agent_answers_first(before, state, operations, message, opened=opened),
        leans=leans,
        hedge=hedge,
        asks=is_again and not message.agent_answers and asks(message.text, message.language),
        agent_answers=message.agent_answers,
        question=next((op.question for op in operations if isinstance(op, Confirm)), ""),
    )
    return _with_reply(before, state, message, actions, heard)


def reading_of_turn(message: PersonMessage, state: RequirementState, actions: Actions) -> Reading:
    """Return what an extractor is given of a message."""
    message = replace(message, language=_read_in(message, state, actions))
    return _reading(message, state, actions)


def _hedge_of(operations: Iterable[Operation], message: PersonMessage) -> Hedge | None:
    """Return what a yes to the open card was hedged by, where it did nothing else. A question that
    came with it is the agent's to answer, where there is one."""
    if message.yes_scope is not YesScope.GRANTS:
        return None
    if not all(isinstance(op, Lean | Suggest | Unclear) for op in operations):
        return None
    hedge = hedge_of(message.text, message.language)
    return None if hedge is Hedge.QUESTION and message.agent_answers else hedge


async def take_answer(
    message: PersonMessage, state: RequirementState, actions: Actions, extractor: Extractor
) -> RequirementState:
    """Return the state after an answer to one of the agent's own questions: its values are known,
    and it starts nothing."""
    reading = _reading(message, state, actions)
    operations = await extractor.extract(reading)
    return with_operations(state, operations, message, actions, before=state, reading=reading)[0]


def _wanting(names: Iterable[str], state: RequirementState) -> RequirementState:
    return state.model_copy(update={"requested": _joined(state.requested, names)})


def _joined(one: Iterable[str], other: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*one, *other]))


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
        assumed=_assumed(state, actions),
        begun=state.begun,
        offered=message.offered,
        tail=message.tail,
        language=message.language,
        today=message.at,
    )


def _assumed(state: RequirementState, actions: Actions) -> dict[str, JsonValue]:
    """Return the defaults that the open card or offer shows as assumed."""
    shown = state.pending.hashes if state.pending is not None else {}
    return {
        name: slot.default
        for spec in actions.specs
        if spec.name in shown
        for name, slot in spec.slots.items()
        if slot.has_default and slot.default is not None and name not in state.values
    }


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
    offer = None if chosen or questions or quiet else offer_to_go_ahead(message.id, state, actions)
    if heard.aside is not None:  # what was asked before still stands
        asked, offer = state.asked, state.pending
    phase = "branch_execution" if chosen else ("clarification" if questions else "complete")
    turn = TurnTaken(
        message_id=message.id,
        read_by=heard.read_by,
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
    """Return the language that the person writes in. The application's own words tell nothing,
    unless they are all there is to go by."""
    said = message.text.casefold()
    own = {o for spec in actions.specs for o in (spec.title, spec.verb, *spec.phrases) if o}
    for words in sorted(own, key=len, reverse=True):
        said = said.replace(words.casefold(), " ")
    known = before.turn.language if before.turn is not None else ""
    also = {code for slot in actions.slots.values() for code in slot.texts}
    if re.search(r"\w", said) is not None:
        return language_heard(said, known, asked_in=base(message.language), also=also)
    heard = language_heard(message.text, "", asked_in=base(message.language), also=also)
    return heard if not known and heard != SOURCE else known


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


def offer_to_go_ahead(turn_id: str, state: RequirementState, actions: Actions) -> Pending | None:
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
    return Pending(id=derived_id(turn_id, "offer"), kind="offer", hashes=hashes)
