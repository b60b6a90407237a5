"""`SAYSO_MODEL` with a base URL: the demo asks a server that speaks OpenAI's API."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.model_server import Call, ModelServer, follows, model_server
from tests.integration.test_demo import Demo, running, told

pytest.importorskip("pydantic_ai")

PROPOSAL = Call(
    "refund_order", {"order_id": "1001", "amount": 12.5, "reason": "The tin is dented."}
)


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with model_server(follows(PROPOSAL)) as server:
        yield server


@pytest.fixture
def demo(model: ModelServer, tmp_path: Path) -> Iterator[Demo]:
    env = {"SAYSO_MODEL": "openai:scripted", "SAYSO_MODEL_BASE_URL": f"{model.url}/v1"}
    with running(tmp_path, env) as started:
        yield started


def test_a_model_proposes_and_a_person_decides(demo: Demo, model: ModelServer) -> None:
    chat = demo.say("My tea came in a dented tin, order 1001")
    (card,) = demo.open_cards(chat)
    assert card["title"] == "Refund €12.50 for order 1001"
    assert demo.refunds == []
    demo.answer(card, {"decision": "approve", "edits": {"amount": 10}})
    said = told(demo.ended(chat))
    assert "I see to it." in said
    assert "A person changed amount" in said
    assert demo.refunds == [("1001", 1000)]
    (_, asked), *_ = model.asked
    assert {"refund_order", "look_up_order", "request_user_input"} <= asked.tools
