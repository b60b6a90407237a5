"""With a model in place of the words, the same tools ask the same people."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sayso import (
    App,
    ExecutionEngine,
    InteractionResponse,
    NotSupportedError,
    TaskRequest,
    TaskStatus,
    UniversalMessage,
)
from sayso.packs.model_agent import model_agent
from sayso.packs.support import MODEL_POLICIES, support_app
from sayso.packs.support.orders import OrderBook
from sayso.packs.support.tools import support_tools

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel


async def refunds_1001(
    messages: list[ModelMessage], info: AgentInfo
) -> AsyncIterator[str | DeltaToolCalls]:
    """A model that proposes one refund, and then says what it was told."""
    told = [part for m in messages for part in m.parts if isinstance(part, ToolReturnPart)]
    if told:
        yield f"The tool said: {told[-1].content}"
        return
    assert "refund_order" in {tool.name for tool in info.function_tools}
    yield {0: DeltaToolCall("refund_order", '{"order_id": "1001", "amount": 42}', tool_call_id="c")}


async def test_a_model_proposes_and_a_person_decides(tmp_path: Path) -> None:
    book = OrderBook(tmp_path / "orders.db")
    agent = Agent(FunctionModel(stream_function=refunds_1001))
    engine = ExecutionEngine(App(agent, tools=support_tools(book), policies=MODEL_POLICIES))
    said = UniversalMessage(role="user", content="My tea came back, please refund it")
    task = TaskRequest(task_id="t", messages=[said])
    waiting = await engine.execute_task(task)
    (card,) = waiting.interactions
    assert card.metadata["ui_tool_id"] == "approval"
    assert book.refunds() == []
    answer = InteractionResponse(interaction_id=card.interaction_id, approved=True)
    done = await engine.execute_task(task, resume=(waiting.state or b"", [answer]))
    assert done.status is TaskStatus.COMPLETED
    assert book.refunds() == [("1001", 4200)]
    assert "refunded" in done.output


def test_without_a_key_the_error_says_what_to_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "SAYSO_MODEL_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SAYSO_MODEL", "openai:gpt-5-mini")
    with pytest.raises(NotSupportedError) as caught:
        support_app(tmp_path)
    assert "OPENAI_API_KEY" in caught.value.fix


def test_without_the_extra_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    with pytest.raises(NotSupportedError) as caught:
        model_agent("openai:gpt-5-mini", "desk", "", {})
    assert "sayso[pydantic-ai]" in caught.value.fix


def test_a_server_that_speaks_openai_needs_no_key() -> None:
    server = {"SAYSO_MODEL_BASE_URL": "http://127.0.0.1:1/v1"}
    agent = model_agent("openai:local-model", "desk", "", server)
    assert getattr(agent.model, "model_name", None) == "local-model"
    assert getattr(agent.model, "base_url", "").startswith("http://127.0.0.1:1/v1")
