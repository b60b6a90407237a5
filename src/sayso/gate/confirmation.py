"""A turn that acts: the card with every value, the grant, the body, and what came of it.

It runs inside a context that is replayed after each answer, so every change of what is known is
idempotent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from sayso.core.cards import RequirementsCard
from sayso.core.digest import JsonObject
from sayso.core.errors import VersionConflict
from sayso.core.ids import derived_id
from sayso.core.interactions import Interaction, Proposal
from sayso.core.requirements import (
    Given,
    Grant,
    Pending,
    RequirementState,
    Source,
    next_version,
    state_in,
    value_hash,
    values_for,
    with_values,
)
from sayso.gate.actions import Action, ActionResult, Actions
from sayso.gate.grants import granted, grants_given_by
from sayso.gate.messages import card_in_words, card_texts, known_values, panel
from sayso.gate.turn_metadata import turn_metadata
from sayso.tools.context import ToolContext

Change = Callable[[RequirementState], RequirementState]


async def confirm_and_run(
    ctx: ToolContext, actions: Actions, names: Sequence[str]
) -> list[ActionResult]:
    """Run these actions, each under its grant: one that the message gave, or one that a card gives
    now."""
    wanted = [actions.by_name[name] for name in names]
    grants = await _grants_for(ctx, actions, wanted)
    results = []
    for action in wanted:
        grant = grants.get(action.name)
        if grant is None:
            results.append(ActionResult(action=action, status="rejected"))
        elif action.body is None:
            results.append(ActionResult(action=action, status="granted", result=grant.values))
        else:
            result = await ctx.call(action.tool, **grant.values)
            results.append(ActionResult(action=action, status="done", result=result))
    ctx.describe(turn_metadata(actions, state_in(ctx.requirements)))
    return results


async def _grants_for(
    ctx: ToolContext, actions: Actions, wanted: Sequence[Action]
) -> dict[str, Grant]:
    """Return the grants of this turn by action: those its message gave, and for the rest those that
    a click on one card gives."""
    number = 0
    while True:
        given = grants_given_by(ctx.turn_id, state_in(ctx.requirements))
        open_ones = [action for action in wanted if action.name not in given]
        if not open_ones:
            return given
        number += 1
        it = await _show(ctx, actions, open_ones, number)
        if it.response is None or not it.response.approved:
            await change_known(ctx, actions, _without_request)
            return given
        edits = it.response.response_data.edits
        await change_known(ctx, actions, _with_edits(actions, open_ones, edits, it))
        await change_known(ctx, actions, _clicked(open_ones, it))
        clicked = grants_given_by(it.id, state_in(ctx.requirements))
        if all(action.name in clicked for action in open_ones):
            return {**given, **clicked}


async def _show(
    ctx: ToolContext, actions: Actions, wanted: Sequence[Action], number: int
) -> Interaction:
    state = state_in(ctx.requirements)
    values = _all_values(state, wanted)
    language = state.turn.language if state.turn is not None else ""
    specs = [action.spec for action in wanted]
    known = {row.field: row for spec in specs for row in known_values(spec, state, language)}
    texts = card_texts(specs, language)
    title = texts["title"]
    schemas = {
        need.field: {**need.slot.schema, "title": need.slot.label}
        for action in wanted
        for need in action.spec.needs
    }
    card = RequirementsCard(
        says=texts.says,
        title=title,
        agent_message=card_in_words(specs, state, language),
        message=texts["message"],
        tool_name=wanted[0].spec.tool_name,
        tool_params=values,
        entity_type="action",
        entity_summary=title,
        entity_details=values,
        action="run",
        approval_options=[texts["approve"], texts["reject"]],
        requires_reason=False,
        edit_schema={"type": "object", "properties": schemas},  # type: ignore[dict-item]
        known=list(known.values()),
    )
    proposal = Proposal(
        tool_name=card.tool_name, arguments=values, summary=title, details=values, revision=number
    )
    hashes = {
        action.name: value_hash(action.name, values_for(action.spec, state)) for action in wanted
    }
    pending = Pending(id=derived_id(ctx.turn_id, "card", str(number)), kind="card", hashes=hashes)

    async def now_pending() -> None:
        await change_known(ctx, actions, lambda now: now.model_copy(update={"pending": pending}))

    return await ctx.present(
        f"card {number}",
        card,
        proposal=proposal,
        before=now_pending,
    )


async def change_known(ctx: ToolContext, actions: Actions, change: Change) -> None:
    """Apply a change to what is known; write nothing where it changes nothing. What is said and
    shown from then on tells of it."""
    while (after := change(before := state_in(ctx.requirements))) != before:
        with suppress(VersionConflict):  # what came first is read, and the change is made on that
            await ctx.change_requirements(panel(actions, next_version(after)))
            break
    ctx.describe(turn_metadata(actions, after))


def _without_request(state: RequirementState) -> RequirementState:
    names = set(state.pending.hashes) if state.pending is not None else set()
    requested = tuple(name for name in state.requested if name not in names)
    return state.model_copy(update={"pending": None, "requested": requested})


def _with_edits(
    actions: Actions, wanted: Sequence[Action], edits: JsonObject, it: Interaction
) -> Change:
    slots = {need.field: need.slot.name for action in wanted for need in action.spec.needs}

    def change(state: RequirementState) -> RequirementState:
        given: dict[str, Given | None] = {}
        for field, value in edits.items():
            name = slots[field]
            normal = actions.normalise(name, value)
            known = state.values.get(name)
            if normal is not None and (known is None or known.value != normal):
                given[name] = Given(
                    value=normal, source=Source.FORM, message_id=it.id, at=it.settled_at
                )
        return with_values(state, given, actions.specs) if given else state

    return change


def _clicked(wanted: Sequence[Action], it: Interaction) -> Change:
    """Grant what the card showed. Where something has changed since, nothing is granted, and the
    card is shown again."""

    def change(state: RequirementState) -> RequirementState:
        if it.proposal is None or it.proposal.arguments != _all_values(state, wanted):
            return state
        pending_id = state.pending.id if state.pending is not None else None
        for action in wanted:
            state = granted(
                state,
                action.spec,
                given_by=it.id,
                pending_id=pending_id,
                interaction_id=it.id,
            )
        return state

    return change


def _all_values(state: RequirementState, wanted: Sequence[Action]) -> JsonObject:
    return {
        field: value for action in wanted for field, value in values_for(action.spec, state).items()
    }
