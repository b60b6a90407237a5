"""What a yes mints: the one-time grant to run an action with exactly the values that stand."""

from __future__ import annotations

from sayso.core.ids import derived_id
from sayso.core.requirements import (
    ActionSpec,
    Grant,
    RequirementState,
    value_hash,
    values_for,
    with_grant,
)


def granted(
    state: RequirementState,
    action: ActionSpec,
    *,
    given_by: str,
    pending_id: str | None,
    interaction_id: str | None,
) -> RequirementState:
    """Return the state with a grant for the action's present values; the state as it is where the
    same message or click has given that one already."""
    values = values_for(action, state)
    wanted = value_hash(action.name, values)
    grant_id = derived_id(given_by, "grant", action.name, wanted)
    if any(grant.id == grant_id for grant in state.grants):
        return state
    grant = Grant(
        id=grant_id,
        action=action.name,
        value_hash=wanted,
        values=values,
        pending_id=pending_id,
        given_by=given_by,
        interaction_id=interaction_id,
    )
    return with_grant(state, grant)


def grants_given_by(source: str, state: RequirementState) -> dict[str, Grant]:
    """Return the grants of a message or click, by action, used by now or not. One that a change
    has made void counts as never given."""
    return {
        grant.action: grant
        for grant in state.grants
        if grant.given_by == source and grant.status != "void"
    }
