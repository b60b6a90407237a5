"""The gate's own agent: it says what the turn says, gives a form where questions were in vain, and
runs actions under their grants."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import JsonValue

from sayso.core.cards import FormCard
from sayso.core.digest import JsonObject
from sayso.core.interactions import Interaction
from sayso.core.messages import coded, message, parts_of, spoken
from sayso.core.requirements import (
    Given,
    RequirementState,
    Source,
    TurnTaken,
    has_run,
    next_questions,
    state_in,
    status_of,
    with_values,
)
from sayso.gate.actions import Actions
from sayso.gate.confirmation import change_known, confirm_and_run
from sayso.gate.grants import grants_given_by
from sayso.gate.messages import result_words
from sayso.gate.offer import remaining
from sayso.tools.context import AgentContext


def make_gate_agent(actions: Actions) -> Callable[[AgentContext], object]:
    """Make the gate's function agent."""

    async def gate(ctx: AgentContext) -> None:
        turn = state_in(ctx.requirements).turn
        if turn is None or turn.message_id != ctx.turn_id:
            await _say(ctx, [_paragraph(message("gate.tell_me_more"))])
            return
        said = list(turn.says)
        wanted = list(turn.actions)
        if turn.form or not _has_grants(ctx, wanted):
            await _say(ctx, said)  # a card follows, and is the last thing that they see
            said = []
        if turn.form:
            wanted = await _fill_in(ctx, actions, turn)
        if wanted:
            results = await confirm_and_run(ctx, actions, wanted)
            said += [_paragraph(spoken(result_words(one), turn.language)) for one in results]
            said += await _what_remains(ctx, actions, turn)
        await _say(ctx, said)

    return gate


def _has_grants(ctx: AgentContext, wanted: Sequence[str]) -> bool:
    given = grants_given_by(ctx.turn_id, state_in(ctx.requirements))
    return all(name in given for name in wanted)


async def _say(ctx: AgentContext, said: Sequence[JsonObject]) -> None:
    if said:
        ctx.describe({"said": [*said]})
        await ctx.say("\n\n".join(str(one["text"]) for one in said))


def _paragraph(text: str) -> JsonObject:
    return {"text": str(text), **coded(text)}


async def _what_remains(ctx: AgentContext, actions: Actions, turn: TurnTaken) -> list[JsonObject]:
    """Say which actions that were asked for have not run, and ask what the first of them lack."""
    state = state_in(ctx.requirements)
    left = [
        spec
        for name in state.requested
        if name not in turn.actions and not has_run(spec := actions.by_name[name].spec, state)
    ]
    asked = tuple(slot.name for slot in next_questions(left, state))

    def now_asked(known: RequirementState) -> RequirementState:
        return known.model_copy(update={"asked": asked})

    if asked:
        await change_known(ctx, actions, now_asked)
    return [_paragraph(spoken(text, turn.language)) for text in remaining(left, state)]


# ── the form ──


async def _fill_in(ctx: AgentContext, actions: Actions, turn: TurnTaken) -> list[str]:
    """Ask for what is missing by a form; return the actions that are ready after it."""
    texts = parts_of("gate.form", turn.language)
    slots = [actions.slots[name] for name in turn.form if name in actions.slots]
    labels: list[JsonValue] = [slot.label for slot in slots]
    fields: JsonObject = {
        slot.name: {**slot.schema, "title": slot.label, "description": slot.why} for slot in slots
    }
    card = FormCard(
        says=texts.says,
        title=texts["title"],
        message=texts["message"],
        agent_message=spoken(message("gate.form_in_words", labels=labels), turn.language),
        response_schema={"type": "object", "properties": fields},
        submit_label=texts["submit"],
        for_gate=True,
    )
    it = await ctx.present("form", card)
    await change_known(ctx, actions, lambda state: _with_answers(state, it, actions))
    state = state_in(ctx.requirements)
    specs = [actions.by_name[name].spec for name in state.requested]
    lacking = [spec for spec in specs if not status_of(spec, state).ready]
    return [] if lacking else [spec.name for spec in specs]


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
