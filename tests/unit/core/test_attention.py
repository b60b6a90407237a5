"""Who may have a card: those it is for, or anyone where it is for nobody in particular."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from sayso.core.attention import new_claim
from sayso.core.cards import ApprovalCard, Display
from sayso.core.errors import AlreadySettled, InvalidInput
from sayso.core.interactions import Interaction, InteractionState, InteractionType

UNTIL = datetime(2026, 1, 1, 0, 15, tzinfo=UTC)
OPEN = Interaction(
    id="i",
    app_id="default",
    chat_id="c",
    run_id="r",
    task_id="t",
    call_key="k",
    batch_id="b",
    type=InteractionType.TOOL_APPROVAL,
    state=InteractionState.PENDING,
    card=ApprovalCard(title="Refund", tool_name="refund", tool_params={}),
    ui_tool_id="approval",
    agent_name="desk",
    display=Display.INLINE,
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
)


def test_a_card_is_claimed_by_those_it_is_for() -> None:
    for_two = replace(OPEN, assignees=("ada", "ben"))
    assert new_claim(for_two, person="ben", by="ben", until=UNTIL).person == "ben"
    assert new_claim(OPEN, person="kim", by="kim", until=UNTIL).person == "kim"
    with pytest.raises(InvalidInput, match="kim is not among those who may answer this: ada, ben"):
        new_claim(for_two, person="kim", by="ada", until=UNTIL)


def test_what_is_settled_is_claimed_by_nobody() -> None:
    with pytest.raises(AlreadySettled):
        new_claim(
            replace(OPEN, state=InteractionState.EXPIRED), person="ada", by="ada", until=UNTIL
        )
