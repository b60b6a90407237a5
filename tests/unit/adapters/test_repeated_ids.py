"""Two calls of one reply under one id are two calls (LangGraph, Pydantic AI)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

pytest.importorskip("langgraph")
pytest.importorskip("langchain")

from langchain.agents import create_agent
from langchain_core.messages import AIMessageChunk, ToolCallChunk, ToolMessage
from langchain_core.outputs import ChatGenerationChunk
from pydantic_ai import Agent
from pydantic_ai.messages import ToolReturnPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel

from sayso import Rule, Verdict
from sayso.adapters.program import AgentProgram
from sayso.core.segments import Completed, Waiting
from sayso.testing.recorder import MemoryRun
from tests.contract.langgraph_builder import ScriptedModel

ORDERS = ("A1", "B2")
ran: list[str] = []


def refund(order: str) -> str:
    """Refund an order."""
    ran.append(order)
    return f"refunded {order}"


class OneId(ScriptedModel):
    async def _astream(self, messages: Any, *args: Any, **options: Any) -> AsyncIterator[Any]:
        found = [m.text for m in messages if isinstance(m, ToolMessage)]
        chunks = [
            ToolCallChunk(name="refund", args=json.dumps({"order": order}), id="call_0", index=n)
            for n, order in enumerate(() if found else ORDERS)
        ]
        said = AIMessageChunk(content="|".join(found), tool_call_chunks=chunks)
        yield ChatGenerationChunk(message=said)


async def one_id(messages: Any, info: Any) -> AsyncIterator[Any]:
    found = [str(p.content) for m in messages for p in m.parts if isinstance(p, ToolReturnPart)]
    if found:
        yield "|".join(found)
        return
    yield {
        n: DeltaToolCall("refund", json.dumps({"order": order}), tool_call_id="call_0")
        for n, order in enumerate(ORDERS)
    }


@pytest.mark.parametrize("framework", ["langgraph", "pydantic_ai"])
async def test_two_calls_of_a_reply_with_one_id_are_two_calls(framework: str) -> None:
    ran.clear()
    agent: Any = create_agent(OneId(script=()), tools=[refund], name="desk")
    if framework == "pydantic_ai":
        agent = Agent(FunctionModel(stream_function=one_id), name="desk", tools=[refund])
    run = MemoryRun()
    program = AgentProgram(agent, policy=[Rule(tool="refund", then=Verdict.ASK)])
    assert isinstance(await run.go(program), Waiting), run.end
    assert len(run.pending) == 2
    for card in run.pending:
        run.approve(card)
    assert isinstance(await run.go(program), Completed), run.end
    assert sorted(ran) == ["A1", "B2"]
    assert "refunded A1" in run.said
    assert "refunded B2" in run.said
