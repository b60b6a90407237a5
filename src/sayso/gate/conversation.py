"""A turn that acts: the card with every value, the leave, the body, and what came of it.

It runs inside a context that is replayed after each answer, so every write to what is known is such
that making it again changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sayso.core.cards import RequirementsCard
from sayso.core.digest import JsonObject
from sayso.core.errors import VersionConflict
from sayso.core.ids import derived_id
from sayso.core.interactions import Interaction, InteractionType, Proposal
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
    with_grant,
    with_values,
)
from sayso.gate.actions import Action, Actions
from sayso.gate.outcome import Outcome
from sayso.gate.wording import known_values, panel
from sayso.tools.context import ToolContext

Change = Callable[[RequirementState], RequirementState]


async def carry_out(ctx: ToolContext, actions: Actions, names: Sequence[str]) -> list[Outcome]:
    """Run these actions, each once there is leave for it: what the message gave, or what a card
    gives now."""
    wanted = [actions.by_name[name] for name in names]
    leave = await _leave_for(ctx, actions, wanted)
    outcomes = []
    for action in wanted:
        grant = leave.get(action.name)
        if grant is None:
            outcomes.append(Outcome(action=action, status="rejected"))
        elif action.body is None:
            outcomes.append(Outcome(action=action, status="granted", result=grant.values))
        else:
            result = await ctx.call(action.tool, **grant.values)
            outcomes.append(Outcome(action=action, status="done", result=result))
    return outcomes


async def _leave_for(
    ctx: ToolContext, actions: Actions, wanted: Sequence[Action]
) -> dict[str, Grant]:
    """The grants of this turn by action: those its message gave, and after one card for all others
    those that a click gave."""
    number = 0
    while True:
        given = _given_by(ctx, ctx.turn_id)
        open_ones = [action for action in wanted if action.name not in given]
        if not open_ones:
            return given
        number += 1
        it = await _show(ctx, actions, open_ones, number)
        if it.response is None or not it.response.approved:
            await write(ctx, actions, _put_away)
            return given
        edits = it.response.response_data.edits
        if edits:
            await write(ctx, actions, _edited(actions, open_ones, edits, it))
            continue
        clicked = _given_by(ctx, it.id)
        if not clicked:
            await write(ctx, actions, _with_leave(open_ones, it))
            clicked = _given_by(ctx, it.id)
        if all(action.name in clicked for action in open_ones):
            return {**given, **clicked}


async def _show(
    ctx: ToolContext, actions: Actions, wanted: Sequence[Action], number: int
) -> Interaction:
    state = state_in(ctx.requirements)
    values = _all_values(state, wanted)
    known = {row.field: row for action in wanted for row in known_values(action.spec, state)}
    names = _and(f"the {action.spec.title.lower()}" for action in wanted)
    title = f"Create {names}?"
    schemas = {
        need.field: {**need.slot.schema, "title": need.slot.label}
        for action in wanted
        for need in action.spec.needs
    }
    card = RequirementsCard(
        title=title,
        agent_message=title,
        message="Check what it is made from. Every value can be changed.",
        tool_name=wanted[0].spec.tool_name,
        tool_params=values,
        entity_type="action",
        entity_summary=title,
        entity_details=values,
        action="create",
        approval_options=[f"create {names}", "not yet"],
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
        await write(ctx, actions, lambda now: now.model_copy(update={"pending": pending}))

    return await ctx.present(
        f"card {number}",
        card,
        proposal=proposal,
        type_=InteractionType.CONFIRMATION,
        before=now_pending,
    )


async def write(ctx: ToolContext, actions: Actions, change: Change) -> None:
    """Write a change of what is known; nothing where it changes nothing."""
    while True:
        before = state_in(ctx.requirements)
        after = change(before)
        if after == before:
            return
        try:
            return await ctx.change_requirements(panel(actions, next_version(after)))
        except VersionConflict:
            continue  # the context has read what came first; the change is made on that


def _put_away(state: RequirementState) -> RequirementState:
    names = set(state.pending.hashes) if state.pending is not None else set()
    requested = tuple(name for name in state.requested if name not in names)
    return state.model_copy(update={"pending": None, "requested": requested})


def _edited(
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


def _with_leave(wanted: Sequence[Action], it: Interaction) -> Change:
    """Leave for what the card showed. Where something has changed since, it gives none, and the
    card is shown again."""

    def change(state: RequirementState) -> RequirementState:
        if it.proposal is None or it.proposal.arguments != _all_values(state, wanted):
            return state
        pending = state.pending.id if state.pending is not None else None
        for action in wanted:
            values = values_for(action.spec, state)
            wanted_hash = value_hash(action.name, values)
            grant_id = derived_id(it.id, "grant", action.name, wanted_hash)
            if any(grant.id == grant_id for grant in state.grants):
                continue
            state = with_grant(
                state,
                Grant(
                    id=grant_id,
                    action=action.name,
                    value_hash=wanted_hash,
                    values=values,
                    pending_id=pending,
                    given_by=it.id,
                ),
            )
        return state

    return change


def _given_by(ctx: ToolContext, source: str) -> dict[str, Grant]:
    """The leave that this message or click gave, used by now or not; what a change has made void
    gave nothing."""
    return {
        grant.action: grant
        for grant in state_in(ctx.requirements).grants
        if grant.given_by == source and grant.status != "void"
    }


def _all_values(state: RequirementState, wanted: Sequence[Action]) -> JsonObject:
    return {
        field: value for action in wanted for field, value in values_for(action.spec, state).items()
    }


def _and(names: Iterable[str]) -> str:
    found = list(names)
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}"
