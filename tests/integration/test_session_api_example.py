"""The example of the session API on several frameworks: a loop over chunks, and a person
at the terminal who says y or n."""

from __future__ import annotations

import asyncio
import builtins
from collections.abc import Callable
from typing import Any

import pytest

from sayso import (
    AIAssistant,
    ExecutionConfig,
    ExecutionMode,
    InteractionResponse,
    TaskChunkType,
    TaskRequest,
    TaskStatus,
    UniversalMessage,
    tool,
)
from sayso.testing.adapter_contract import Turn

SCRIPT = [Turn("Let me write. ", [("email_tool", {"to": "Mara"}), ("calendar_tool", {})])]


def adk() -> Any:
    from tests.contract.adk_builder import scripted_agent

    return scripted_agent(SCRIPT)


def agent_framework() -> Any:
    from tests.contract.agent_framework_builder import scripted

    return scripted("agent", SCRIPT)


def autogen() -> Any:
    from tests.contract.autogen_builder import assistant

    return assistant(SCRIPT)


def langgraph() -> Any:
    from langchain.agents import create_agent

    from tests.contract.langgraph_builder import ScriptedModel

    return create_agent(ScriptedModel(script=SCRIPT), name="agent")


AGENTS: list[Callable[[], Any]] = [adk, agent_framework, autogen, langgraph]


@pytest.fixture(params=AGENTS, ids=lambda make: make.__name__)
def agent(request: pytest.FixtureRequest) -> Any:
    packages = {"adk": "google.adk", "autogen": "autogen_agentchat"}
    name = request.param.__name__
    pytest.importorskip(packages.get(name, name))
    return request.param()


@pytest.fixture
def sent() -> list[str]:
    return []


@pytest.fixture(params=["declared", "bare"])
def task(sent: list[str], request: pytest.FixtureRequest) -> TaskRequest:
    async def email_tool(to: str) -> str:
        """Send an important email."""
        sent.append(to)
        return f"sent to {to}"

    # A bare function asks as well: it came with an interactive task.
    email: object = email_tool if request.param == "bare" else tool(approval=True)(email_tool)

    @tool(read_only=True, description="Look into the calendar.")
    async def calendar_tool() -> str:
        return "nothing today"

    return TaskRequest(
        task_id="interactive_001",
        task_type="tool_approval_chat",
        messages=[UniversalMessage(role="user", content="帮我发送重要邮件")],
        available_tools=[email, calendar_tool],
        execution_config=ExecutionConfig(execution_mode=ExecutionMode.INTERACTIVE),
    )


@pytest.mark.parametrize("answer", ["y", "n"])
async def test_approve_in_the_terminal(
    agent: Any, task: TaskRequest, sent: list[str], answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builtins, "input", lambda prompt: answer)
    printed = await _the_example(agent, task)
    assert printed[0] == "Agent: Let me write. "
    assert "Agent wants to use tool: email_tool" in printed
    assert "Parameters: {'to': 'Mara'}" in printed
    assert printed[-1] == "Task completed!"
    told = "".join(line.removeprefix("Agent: ") for line in printed if line.startswith("Agent: "))
    assert "nothing today" in told
    if answer == "y":
        assert sent == ["Mara"]
        assert "sent to Mara" in told
    else:
        assert sent == []
        assert "I don't want to send this email" in told


async def _the_example(agent: Any, task: TaskRequest) -> list[str]:
    """What the example prints, in its own words."""
    printed: list[str] = []
    assistant = AIAssistant(agent, store=":memory:")
    try:
        async with asyncio.timeout(60):
            event_stream, communicator = await assistant.start_interactive_session(task)
            async for chunk in event_stream:
                if chunk.chunk_type == TaskChunkType.TOOL_APPROVAL_REQUEST:
                    assert isinstance(chunk.content, dict)
                    printed.append(f"Agent wants to use tool: {chunk.content['tool_name']}")
                    printed.append(f"Parameters: {chunk.content['tool_params']}")
                    user_approved = input("Approve? (y/n): ").lower() == "y"  # noqa: ASYNC250
                    response = InteractionResponse(
                        interaction_id=str(chunk.metadata["interaction_id"]),
                        approved=user_approved,
                        user_message=None if user_approved else "I don't want to send this email",
                    )
                    await communicator.send_user_response(response)
                elif chunk.chunk_type == TaskChunkType.RESPONSE:
                    if printed and printed[-1].startswith("Agent: "):
                        printed[-1] += str(chunk.content)
                    else:
                        printed.append(f"Agent: {chunk.content}")
                elif chunk.chunk_type == TaskChunkType.COMPLETE:
                    printed.append("Task completed!")
                    break
                elif chunk.chunk_type == TaskChunkType.CANCELLED:
                    printed.append("Task was cancelled")
                    break
    finally:
        await assistant.aclose()
    return printed


async def test_cancel_at_any_time(agent: Any, task: TaskRequest, sent: list[str]) -> None:
    assistant = AIAssistant(agent, store=":memory:")
    try:
        async with asyncio.timeout(60):
            event_stream, communicator = await assistant.start_interactive_session(task)
            async for chunk in event_stream:
                if chunk.chunk_type == TaskChunkType.TOOL_APPROVAL_REQUEST:
                    await communicator.send_cancellation("Changed my mind")
            assert chunk.chunk_type == TaskChunkType.CANCELLED
            assert chunk.content == {"interrupted": True, "reason": "Changed my mind"}
    finally:
        await assistant.aclose()
    assert sent == []


async def test_the_simple_way_needs_none_of_it(
    agent: Any, task: TaskRequest, sent: list[str]
) -> None:
    assistant = AIAssistant(agent, store=":memory:")
    waiting = await assistant.process_request(task)
    assert waiting.status is TaskStatus.WAITING
    (asked,) = waiting.interactions
    assert waiting.state is not None
    yes = InteractionResponse(interaction_id=asked.interaction_id, approved=True)
    done = await assistant.execution_engine.execute_task(task, resume=(waiting.state, [yes]))
    assert done.status is TaskStatus.COMPLETED
    assert "sent to Mara" in done.output
    assert sent == ["Mara"]
