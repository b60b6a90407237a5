"""What the gate says in a turn: what it took, what it asks, why it could not take an answer.

Pure: from the state before and after a message to the paragraphs of the reply. It says nothing
twice in the same words, and what it has asked for in vain it offers as a form.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from sayso.core.messages import Message, coded, message, spoken
from sayso.core.requirements import ActionSpec, RequirementState
from sayso.gate.actions import Actions
from sayso.gate.aside_answers import answers_to
from sayso.gate.at_the_card import before_the_card
from sayso.gate.heard import Heard
from sayso.gate.messages import thing_of
from sayso.gate.other_words import in_other_words, with_said
from sayso.gate.questions import with_next
from sayso.gate.taken_values import values_taken
from sayso.gate.talk import GateReply, Talk


def with_reply(
    before: RequirementState,
    after: RequirementState,
    concerned: Sequence[ActionSpec],
    actions: Actions,
    heard: Heard,
) -> RequirementState:
    """Return the state with what is said after a message, in the person's language. `concerned` are
    the actions that it is about."""
    turn = after.turn
    assert turn is not None
    reply = _reply(Talk(before, after, concerned, actions, heard))
    is_news = after.values != before.values and heard.aside is None
    said_before = () if is_news else before.said_before
    form = [_form_words(reply.form, said_before, actions)] if reply.form else []
    said = [spoken(text, turn.language) for text in reply.paragraphs]
    turn = turn.model_copy(
        update={
            "says": tuple({"text": str(text), **coded(text)} for text in said),
            "form": reply.form,
            "form_says": form[0].code if form else "",
        }
    )
    asked = after.asked if reply.asked is None else reply.asked
    return after.model_copy(
        update={
            "turn": turn,
            "asked": asked,
            "asked_times": reply.asked_times,
            "said_before": with_said(said_before, [*reply.paragraphs, *form]),
        }
    )


def _form_words(form: Sequence[str], said_before: Sequence[str], actions: Actions) -> Message:
    """Return the words that this form is put with."""
    labels: list[JsonValue] = [actions.slots[name].label for name in form]
    return in_other_words(
        said_before,
        message("gate.form_in_words", labels=labels),
        message("gate.form_again", labels=labels),
        message("gate.form_waits", labels=labels),
    )


def _reply(talk: Talk) -> GateReply:
    heard, said = talk.heard, [*values_taken(talk)]
    if heard.aside is not None:
        return talk.reply([*said, *answers_to(heard.aside, talk)])
    if heard.refused or heard.postponed:
        return talk.reply([*said, _stood_down(talk)])
    return before_the_card(said, talk) if heard.chosen else with_next(said, talk)


def _stood_down(talk: Talk) -> Message:
    before = talk.before
    pending = before.pending.hashes if before.pending is not None else {}
    names = {*pending, *before.requested}
    what: list[JsonValue] = [thing_of(s) for s in talk.actions.specs if s.name in names]
    if talk.heard.postponed or not what:
        return talk.worded(message("gate.not_now"), message("gate.whenever"))
    return message("gate.not_done", what=what)
