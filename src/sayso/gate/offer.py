"""How the gate offers to go ahead: with which words, with which values, and what remains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import JsonValue

from sayso.core.messages import message
from sayso.core.requirements import ActionSpec, RequirementState, Trigger, next_questions
from sayso.gate.messages import thing_of, values_said

#: Whatever was asked for, or offered, this often is put by a form, or by a card.
MOST_ASKED = 2


def offer_of(ready: Sequence[ActionSpec], state: RequirementState) -> list[str]:
    """Return the offer to go ahead: in full, with what a yes would use where no card will show
    it."""
    phrases = phrases_for(ready)
    if all(spec.verb for spec in ready):
        verbs: list[JsonValue] = [spec.verb for spec in ready]
        offer = message("gate.known_to_do", verbs=verbs, phrases=phrases)
    else:
        actions: list[JsonValue] = [
            message("gate.your", title=spec.title.lower()) for spec in ready
        ]
        offer = message("gate.known", actions=actions, phrases=phrases)
    return [offer, *_would_use(ready, state)]


def phrases_for(ready: Sequence[ActionSpec]) -> list[JsonValue]:
    phrases: list[JsonValue] = [_phrase(spec, is_alone=len(ready) == 1) for spec in ready]
    if len(ready) > 1:
        phrases.append(message("gate.do_both" if len(ready) == 2 else "gate.do_all"))
    return phrases


def offer_key(ready: Iterable[ActionSpec]) -> str:
    """Return the name under which it is counted how often these actions were offered."""
    return "offer:" + "+".join(sorted(spec.name for spec in ready))


def remaining(concerned: Sequence[ActionSpec], state: RequirementState) -> list[str]:
    """Return what is said once an action has run and others that were asked for have not."""
    if not concerned:
        return []
    rest = message("gate.remaining", what=[thing_of(spec) for spec in concerned])
    language = state.turn.language if state.turn is not None else ""
    questions = [slot.question_in(language) for slot in next_questions(concerned, state)]
    if questions:
        return [rest, " ".join(questions)]
    return [rest, message("gate.ready_when", phrases=phrases_for(concerned))]


def _phrase(spec: ActionSpec, *, is_alone: bool) -> str:
    """Return words that order this action for certain."""
    if spec.phrases:
        return spec.phrases[0]
    return message("gate.go_ahead") if is_alone else message("gate.do_it", title=spec.title.lower())


def _would_use(ready: Sequence[ActionSpec], state: RequirementState) -> list[str]:
    """Return what says which values would run at once at a yes: no card will show them."""
    language = state.turn.language if state.turn is not None else ""
    at_once = [spec for spec in ready if spec.trigger is Trigger.EXPLICIT]
    values = values_said(at_once, state, language)
    return [message("gate.would_use", values=values)] if values else []
