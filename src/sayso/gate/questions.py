"""What the gate asks next: for what is missing, by questions or a form, or else to go ahead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic import JsonValue

from sayso.core.messages import Message, message
from sayso.core.requirements import (
    MOST_QUESTIONS,
    ActionSpec,
    Given,
    RequirementState,
    Slot,
    is_known,
    next_questions,
    status_of,
)
from sayso.gate.aside_answers import what_it_can_do
from sayso.gate.messages import said_to
from sayso.gate.offer import MOST_ASKED, offer_key, offer_of, phrases_for
from sayso.gate.taken_values import why_not_taken
from sayso.gate.talk import GateReply, Talk


def with_next(said: Sequence[str], talk: Talk) -> GateReply:
    """Go on to the next questions; where there are none, to the offer."""
    questions = next_questions(talk.concerned, talk.after)
    if questions:
        return _with_questions(said, questions, talk)
    ready = [spec for spec in talk.concerned if status_of(spec, talk.after).ready]
    return _with_offer(said, ready, talk) if ready else talk.reply([*said, _more(talk)])


def just_suggested(state: RequirementState) -> dict[str, Given]:
    """Return the values that the last reply put to the person, for a yes to take."""
    turn = state.turn
    fresh = {
        name: one
        for name, one in state.suggested.items()
        if turn is not None and one.message_id == turn.message_id and name not in state.values
    }
    return dict(list(fresh.items())[:MOST_QUESTIONS])


def _with_questions(said: Sequence[str], questions: Sequence[Slot], talk: Talk) -> GateReply:
    if suggested := just_suggested(talk.after):
        reply = talk.reply([*said, *_perhaps(suggested, talk)])
        return replace(reply, asked=tuple(suggested))
    times = {slot.name: _times_asked(slot, talk) for slot in questions}
    if any(n >= MOST_ASKED for n in times.values()):
        return talk.reply(said, form=_missing(talk))
    said = said or [*why_not_taken(talk)]
    words: list[JsonValue] = [talk.question(slot) for slot in questions]
    is_again = any(times.values())
    is_new = not talk.before.asked_times and any(
        spec.name in talk.after.requested for spec in talk.concerned
    )
    if talk.has_order and not said:
        told: str = message("gate.details_needed", questions=words)
    elif is_again and not said:
        told = message("gate.still_needed", questions=words)
    elif is_new:
        told = message("gate.details_needed", questions=words)
    else:
        told = " ".join(str(one) for one in words)
    return talk.reply([*said, told], times={name: n + 1 for name, n in times.items()})


def _times_asked(slot: Slot, talk: Talk) -> int:
    """Return how often it was asked for in vain; a day that is told begins anew."""
    begun = talk.after.begun.get(slot.name)
    is_news = begun is not None and begun.message_id == talk.heard.message_id
    return 0 if is_news else talk.before.asked_times.get(slot.name, 0)


def _perhaps(suggested: dict[str, Given], talk: Talk) -> list[str]:
    return [
        message("gate.perhaps", label=slot.label, value=said_to(talk.language, one.value, slot))
        for name, one in suggested.items()
        if (slot := talk.slots.get(name)) is not None
    ]


def _missing(talk: Talk) -> list[str]:
    """Return all that is missing: a form asks for it at once."""
    return list(
        dict.fromkeys(
            need.slot.name
            for spec in talk.concerned
            for need in spec.needs
            if not need.optional and not is_known(need.slot, talk.after)
        )
    )


def _with_offer(said: Sequence[str], ready: Sequence[ActionSpec], talk: Talk) -> GateReply:
    offered = offer_key(ready)
    times = talk.before.asked_times.get(offered, 0)
    if said or times == 0:
        return talk.reply([*said, *offer_of(ready, talk.after)], times={offered: 1})
    if times % 2 == 1:
        again = message("gate.ready_when", phrases=phrases_for(ready))
    else:
        again = message("gate.tell_me_more")
    return talk.reply([again], times={offered: times + 1})


def _more(talk: Talk) -> Message:
    """Return what invites the person to say more, after an action that has run or at the start."""
    more = what_it_can_do(talk)
    if any(grant.status == "used" for grant in talk.after.grants):
        return talk.worded(message("gate.anything_else"), more)
    return more
