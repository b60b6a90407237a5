"""What a chat's row says of an action once its leave is used."""

from __future__ import annotations

import pytest

from sayso.core.errors import GrantVoid
from sayso.core.requirements import (
    Given,
    Grant,
    RequirementState,
    Source,
    state_in,
    used_up,
    value_hash,
    values_for,
    with_grant,
    with_values,
)
from sayso.gate.messages import panel
from tests.unit.reading.readers import trips


def test_the_panel_no_longer_shows_it_as_asked_for() -> None:
    actions = trips()
    spec = next(spec for spec in actions.specs if spec.name == "budget")
    given = {"total_budget": Given(value=300.0, source=Source.FORM)}
    state = with_values(RequirementState(requested=("budget", "checklist")), given, actions.specs)
    values = values_for(spec, state)
    wanted = value_hash("budget", values)
    grant = Grant(id="g", action="budget", value_hash=wanted, values=values, given_by="m1")
    kept = panel(actions, with_grant(state, grant))
    used = used_up(kept, "g", wanted)
    # What is shown is what would be drawn of what is kept.
    assert used == {**panel(actions, state_in(used))}
    detail = used["requirements_detail"]
    assert isinstance(detail, dict)
    requested = {n: one["requested"] for n, one in detail.items() if isinstance(one, dict)}
    assert requested == {"checklist": True, "itinerary": False, "budget": False}
    with pytest.raises(GrantVoid):
        used_up(used, "g", wanted)
