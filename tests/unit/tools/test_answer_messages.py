"""What a model is told of a person's answer."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import JsonValue

from sayso.core.cards import ApprovalCard, Display
from sayso.core.interactions import (
    DEFAULT_REJECTION,
    DISMISSED_RESULT,
    Interaction,
    InteractionResponse,
    InteractionState,
    InteractionType,
    Proposal,
)
from sayso.tools.answer_messages import approval_decision, approval_notes

DISMISSED = Interaction(
    id="i",
    app_id="default",
    chat_id="c",
    run_id="r",
    task_id="t",
    call_key="k",
    batch_id="b",
    type=InteractionType.TOOL_APPROVAL,
    state=InteractionState.DISMISSED,
    card=ApprovalCard(title="Refund", tool_name="refund", tool_params={}),
    ui_tool_id="approval",
    agent_name="desk",
    display=Display.INLINE,
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
    proposal=Proposal(tool_name="refund", arguments={"note": "late", "shop": None}),
)


def answered(approved: bool, **data: Any) -> Interaction:
    said = InteractionResponse(interaction_id="i", approved=approved, response_data=data)  # type: ignore[arg-type]
    state = InteractionState.COMPLETED if approved else InteractionState.REJECTED
    return replace(DISMISSED, state=state, response=said)


def test_an_agent_that_asked_by_itself_hears_a_yes_and_takes_no_answer_for_a_no() -> None:
    assert approval_decision(answered(True)) == {"decision": "approve"}
    assert approval_decision(answered(False)) == {"decision": "reject", "reason": DEFAULT_REJECTION}
    no_answer = {"decision": "reject", "reason": DEFAULT_REJECTION, **DISMISSED_RESULT}
    assert approval_decision(DISMISSED) == no_answer


@pytest.mark.parametrize(
    ("name", "value", "change"),
    [("note", None, "note from late to nothing"), ("shop", 7, "shop from nothing to 7")],
)
def test_what_a_person_emptied_or_filled_in_is_told_in_words(
    name: str, value: JsonValue, change: str
) -> None:
    notes = approval_notes(answered(True, edits={name: value}))
    assert notes == [f"A person changed {change} before it ran."]
