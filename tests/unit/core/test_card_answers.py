"""What the web's cards send is read as they mean it: the file their own tests press into being."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sayso.core.answer_parsing import read_answer
from sayso.core.cards import CARD, CardKind, Display
from sayso.core.decisions import state_after
from sayso.core.errors import AnswerInvalid
from sayso.core.interactions import TYPE_OF_CARD, Interaction, InteractionState

CASES = json.loads((Path(__file__).parents[2] / "vectors/answers/cards.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=[f"{case['kind']}: {case['name']}" for case in CASES])
def test_a_cards_answer_is_read_as_it_is_meant(case: dict[str, Any]) -> None:
    it = interaction(case)

    response = read_answer(it, case["body"], reason_required=True)

    body = case["body"]
    said = response.response_data.model_dump(mode="json", exclude_defaults=True)
    assert said == body.get("response_data", {})
    assert response.approved is body["approved"]
    assert response.metadata == body.get("metadata", {})
    assert state_after(it, response) is InteractionState(case["state"])


def interaction(case: dict[str, Any]) -> Interaction:
    kind = CardKind(case["kind"])
    if kind is CardKind.UI_TOOL:
        card = {"payload": case["payload"], "response_schema": case["meta"].get("response_schema")}
    else:
        card = case["payload"]
    return Interaction(
        id="i1",
        app_id="app",
        chat_id="c1",
        run_id="r1",
        task_id="t1",
        call_key="k1",
        batch_id="b1",
        type=TYPE_OF_CARD[kind],
        state=InteractionState.PENDING,
        card=CARD.validate_python({**card, "card": kind}),
        ui_tool_id=kind.value,
        agent_name="agent",
        display=Display.INLINE,
        created_at=datetime(2026, 11, 21, tzinfo=UTC),
    )


APPROVAL = next(case for case in CASES if case["kind"] == "approval")


@pytest.mark.parametrize(
    "body",
    [
        {"approved": True, "digest": "sha256:1"},
        {"approved": True, "digest": "sha256:1", "metadata": {"digest": "sha256:1"}},
        {"decision": "approve", "metadata": {"digest": "sha256:1"}},
        {"tool_response": {"approval_decision": {"decision": "approve"}, "digest": "sha256:1"}},
    ],
)
def test_the_digest_may_stand_in_each_of_its_places(body: dict[str, Any]) -> None:
    response = read_answer(interaction(APPROVAL), body, reason_required=True)
    assert response.approved is True
    assert response.metadata == {"digest": "sha256:1"}


@pytest.mark.parametrize(
    "body",
    [
        {"approved": True, "digest": "sha256:1", "metadata": {"digest": "sha256:2"}},
        {"decision": "approve", "digest": "sha256:1", "metadata": {"digest": "sha256:2"}},
        {
            "tool_response": {"approval_decision": {"decision": "approve"}, "digest": "sha256:2"},
            "digest": "sha256:1",
        },
    ],
)
def test_an_answer_to_two_revisions_at_once_is_none(body: dict[str, Any]) -> None:
    with pytest.raises(AnswerInvalid, match="digest"):
        read_answer(interaction(APPROVAL), body, reason_required=True)


DECIDED = [case for case in CASES if case["kind"] in ("approval", "confirmation")]


@pytest.mark.parametrize(
    "case", DECIDED, ids=[f"{case['kind']}: {case['name']}" for case in DECIDED]
)
def test_a_yes_beside_an_option_is_none(case: dict[str, Any]) -> None:
    """`{"approved": true, "selected_option": "reject"}` was taken as a yes."""
    body = {"approved": True, "response_data": {"selected_option": "reject"}}
    with pytest.raises(AnswerInvalid, match="selected_option: is not asked for by this card"):
        read_answer(interaction(case), body, reason_required=True)


def test_a_card_without_a_title_is_called_by_its_tool() -> None:
    assert interaction({"kind": "ui_tool", "payload": {}, "meta": {}}).title == "ui_tool"
    assert (
        interaction({"kind": "ui_tool", "payload": {"title": "Seat"}, "meta": {}}).title == "Seat"
    )
