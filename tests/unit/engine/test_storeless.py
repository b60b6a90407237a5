"""What `execute_task` gives back: all that was said, message by message, in every state."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from sayso import (
    AgentContext,
    ExecutionConfig,
    ExecutionEngine,
    TaskRequest,
    TaskStatus,
    UniversalMessage,
    tool,
)
from sayso.core.interactions import InteractionResponse

TASK = TaskRequest(task_id="t", messages=[UniversalMessage(role="user", content="go")])


@tool(approval=True)
async def pay() -> str:
    """Pay."""
    return "paid"


async def function(ctx: AgentContext) -> None:
    await ctx.say("First I ")
    await ctx.say("ask.")
    await ctx.say(f" It is {await ctx.call('pay')}.")


async def reply(
    messages: list[ModelMessage], info: AgentInfo
) -> AsyncIterator[str | DeltaToolCalls]:
    if any(isinstance(part, ToolReturnPart) for part in messages[-1].parts):
        yield "It is "
        yield "paid."
        return
    yield "First I "
    yield "ask."
    yield {0: DeltaToolCall("pay", "{}", tool_call_id="c")}


@pytest.mark.parametrize("kind", ["function", "pydantic_ai"])
async def test_the_texts_before_and_after_a_pause_are_messages_of_their_own(kind: str) -> None:
    agent: object = function
    if kind == "pydantic_ai":
        agent = Agent(FunctionModel(stream_function=reply), name="agent")
    engine = ExecutionEngine(agent, tools=[pay])
    waiting = await engine.execute_task(TASK)
    assert waiting.status is TaskStatus.WAITING
    assert waiting.output == "First I ask."
    assert waiting.state is not None
    yes = InteractionResponse(interaction_id=waiting.interactions[0].interaction_id, approved=True)
    done = await engine.execute_task(TASK, resume=(waiting.state, [yes]))
    assert done.status is TaskStatus.COMPLETED
    assert done.output == "First I ask.\n\nIt is paid."
    assert [message.content for message in done.messages] == ["First I ask.", "It is paid."]


async def test_a_task_has_a_time_limit_of_its_own() -> None:
    async def endless(ctx: AgentContext) -> None:
        await ctx.say("Let me see.")
        await asyncio.Event().wait()

    task = TASK.model_copy(update={"execution_config": ExecutionConfig(timeout_seconds=0.05)})
    async with asyncio.timeout(20):
        result = await ExecutionEngine(endless).execute_task(task)
    assert result.status is TaskStatus.FAILED
    assert "0.05 seconds" in str(result.error)
    assert result.output == "Let me see."
