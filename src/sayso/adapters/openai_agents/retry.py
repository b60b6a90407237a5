"""One of the agent's own tools outside any run of it: what "try again" on an error card calls."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from agents import Agent, FunctionTool
from agents.tool_context import ToolContext as RunToolContext

from sayso.adapters.contract import Segment
from sayso.adapters.openai_agents.checks import agents_within
from sayso.adapters.openai_agents.native_tool import OpenAITool
from sayso.adapters.openai_agents.runner import run_within_calls
from sayso.adapters.openai_agents.state import OpenAIAgentsState
from sayso.adapters.openai_agents.turn import Turn
from sayso.tools.tool import Runnable


@asynccontextmanager
async def own_tool(segment: Segment, name: str) -> AsyncIterator[Runnable | None]:
    agent = segment.agent
    assert isinstance(agent, Agent)
    owners = [one for _, one in agents_within(agent, "")]
    tools = [t for one in owners for t in one.tools if isinstance(t, FunctionTool)]
    tool = next((one for one in tools if one.name == name), None)
    if tool is None:
        yield None
        return
    run_within_calls()
    key = f"retry-{name}"
    deps = await segment.make_deps()
    context: RunToolContext[Any] = RunToolContext(
        context=deps, tool_name=name, tool_call_id=key, tool_arguments="{}"
    )
    yield OpenAITool(Turn(segment, OpenAIAgentsState([]), agent.name, deps), key, tool, context)
