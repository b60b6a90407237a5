"""The gate's own agent: it says what the turn says, gives a form where questions were in vain, and
runs actions under their grants."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sayso.core.digest import JsonObject
from sayso.core.messages import coded, message, spoken
from sayso.core.requirements import (
    RequirementState,
    TurnTaken,
    has_run,
    next_questions,
    state_in,
)
from sayso.gate.actions import Actions
from sayso.gate.confirmation import change_known, confirm_and_run
from sayso.gate.form import after_form, form_card
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
            turn = await _after_form(ctx, actions, turn)
            wanted, said = list(turn.actions), list(turn.says_after_form or ())
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


async def _after_form(ctx: AgentContext, actions: Actions, turn: TurnTaken) -> TurnTaken:
    """Ask for what is missing by a form; return what the turn has become with its answers."""
    it = await ctx.present("form", form_card(actions, turn))
    await change_known(ctx, actions, lambda state: after_form(state, it, actions))
    return state_in(ctx.requirements).turn or turn
