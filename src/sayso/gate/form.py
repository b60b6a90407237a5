"""The gate's form: all that questions asked for in vain, what its answers give, and what is said
after it. Pure.
"""

from __future__ import annotations

from pydantic import JsonValue

from sayso.core.cards import FormCard
from sayso.core.digest import JsonObject
from sayso.core.interactions import Interaction
from sayso.core.messages import coded, message, parts_of, spoken
from sayso.core.requirements import (
    Given,
    RequirementState,
    Source,
    Trigger,
    TurnTaken,
    next_questions,
    status_of,
    with_values,
)
from sayso.gate.actions import Actions
from sayso.gate.heard import Heard
from sayso.gate.turn import offer_to_go_ahead, relevant_actions
from sayso.gate.turn_reply import with_reply


def form_card(actions: Actions, turn: TurnTaken) -> FormCard:
    texts = parts_of("gate.form", turn.language)
    slots = [actions.slots[name] for name in turn.form if name in actions.slots]
    labels: list[JsonValue] = [slot.label for slot in slots]
    fields: JsonObject = {
        slot.name: {**slot.schema, "title": slot.label, "description": slot.why} for slot in slots
    }
    return FormCard(
        says=texts.says,
        title=texts["title"],
        message=texts["message"],
        agent_message=spoken(
            message(turn.form_says or "gate.form_in_words", labels=labels), turn.language
        ),
        response_schema={"type": "object", "properties": fields},
        submit_label=texts["submit"],
        for_gate=True,
    )


def after_form(state: RequirementState, it: Interaction, actions: Actions) -> RequirementState:
    """Return the state after the settled form: with what it gave, and with the actions that now
    open their card, or else with what is said and asked next. A form is taken once: what is changed
    after it stands, however often the run goes on."""
    turn = state.turn
    if turn is None or turn.says_after_form is not None:
        return state
    before, state = state, _with_answers(state, it, actions)
    concerned = relevant_actions(state, actions)
    by_themselves = [spec.name for spec in concerned if spec.trigger is Trigger.AUTO]
    wanted = state.requested or tuple(by_themselves)
    if wanted and all(status_of(actions.by_name[name].spec, state).ready for name in wanted):
        update: dict[str, object] = {"actions": wanted, "phase": "branch_execution"}
        turn = turn.model_copy(update={**update, "says_after_form": ()})
        return state.model_copy(update={"turn": turn})
    if it.response is None or not it.response.approved:
        said = spoken(message("gate.not_now"), turn.language)
        turn = turn.model_copy(update={"says_after_form": ({"text": str(said), **coded(said)},)})
        return state.model_copy(update={"turn": turn})
    asked = tuple(slot.name for slot in next_questions(concerned, state))
    offer = None if asked else offer_to_go_ahead(turn.message_id, state, actions)
    state = state.model_copy(update={"asked": asked, "pending": offer})
    # After the form it is asked in words again, as if for the first time.
    fresh = before.model_copy(update={"asked": (), "asked_times": {}})
    state = with_reply(fresh, state, concerned, actions, Heard(message_id=it.id))
    says = state.turn.says if state.turn is not None else ()
    return state.model_copy(update={"turn": turn.model_copy(update={"says_after_form": says})})


def _with_answers(state: RequirementState, it: Interaction, actions: Actions) -> RequirementState:
    given: dict[str, Given | None] = {}
    values = it.response.response_data.values if it.response is not None else {}
    for name, value in (values or {}).items():
        normal = actions.normalise(name, value) if name in actions.slots else None
        known = state.values.get(name)
        if normal is not None and (known is None or known.value != normal):
            given[name] = Given(
                value=normal, source=Source.FORM, message_id=it.id, at=it.settled_at
            )
    return with_values(state, given, actions.specs) if given else state
