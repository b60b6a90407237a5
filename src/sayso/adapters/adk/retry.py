"""One of the agents' own tools outside of any run: what "try again" on an error card calls.

It reads the session as the chat's newest run has left it; what it writes there is not kept.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

from google.adk.agents.base_agent import BaseAgent
from google.adk.agents.invocation_context import InvocationContext
from google.adk.agents.llm_agent import LlmAgent
from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.agents.run_config import RunConfig, ToolThreadPoolConfig
from google.adk.sessions.session import Session
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext

from sayso.adapters.adk.run import OneSession, app_of, services_of
from sayso.adapters.adk.saved import Memory, Record
from sayso.adapters.adk.seam import Seam
from sayso.adapters.adk.tools import NativeTool
from sayso.adapters.base import Segment
from sayso.core.errors import NotSupportedError
from sayso.tools.tool import Runnable


@asynccontextmanager
async def own_tool(segment: Segment, name: str) -> AsyncIterator[Runnable | None]:
    app, kept = app_of(segment.agent), segment.agent_state
    memory = Memory.load(kept.blob, "this agent's memory") if kept is not None else Memory()
    session = Session(
        id=segment.world.run.chat_id,
        app_name=app.name,
        user_id=segment.world.run.person or "person",
        state=memory.state,
        events=memory.events,
    )
    assert isinstance(app.root_agent, BaseAgent)
    for agent in _all_agents(app.root_agent):
        context = InvocationContext(
            session_service=OneSession(session),
            session=session,
            invocation_id="retry",
            agent=agent,
            run_config=RunConfig(tool_thread_pool_config=ToolThreadPoolConfig()),
            **services_of(segment.agent),
        )
        for tool in await agent.canonical_tools(ReadonlyContext(context)):
            if tool.name == name:
                yield await _alone(segment, tool, ToolContext(context, function_call_id="retry"))
                return
    yield None


async def _alone(segment: Segment, tool: BaseTool, context: ToolContext) -> NativeTool:
    if isinstance(tool, AgentTool):
        raise NotSupportedError(
            f"'{tool.name}' is an agent, which may have to wait, and cannot be tried again alone.",
            fix="Send the message again: then it runs as a part of the whole.",
        )
    seam = Seam(segment, Record(Memory(), ""))
    wanted = segment.task.context.get("arguments")
    arguments = wanted if isinstance(wanted, dict) else {}
    asks = await tool.check_require_confirmation(arguments, context)
    return NativeTool(seam, tool, context, asks=asks)


def _all_agents(agent: BaseAgent) -> Iterator[LlmAgent]:
    """The agents of the tree that have tools, and those within their tools."""
    if isinstance(agent, LlmAgent):
        yield agent
        for tool in agent.tools:
            if isinstance(tool, AgentTool):
                yield from _all_agents(tool.agent)
    for below in agent.sub_agents:
        yield from _all_agents(below)
