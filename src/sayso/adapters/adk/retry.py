"""One of the agents' own tools outside any run: what "try again" on an error card calls.

It reads the session as the chat's newest run left it; what it writes there is not kept.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from google.adk.agents.base_agent import BaseAgent
from google.adk.agents.invocation_context import InvocationContext
from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.agents.run_config import RunConfig, ToolThreadPoolConfig
from google.adk.sessions.session import Session
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.tool_context import ToolContext

from sayso.adapters.adk.artifacts import ChatArtifacts
from sayso.adapters.adk.native_tool import AdkTool, BodyScope, traits_of
from sayso.adapters.adk.run import OneSession, services_of
from sayso.adapters.adk.standstill import Standstill
from sayso.adapters.adk.state import AdkRecord, SavedSession
from sayso.adapters.adk.tree import all_agents, app_of
from sayso.adapters.contract import Segment
from sayso.core.errors import NotSupportedError
from sayso.tools.tool import Runnable, Traits


@asynccontextmanager
async def own_tool(segment: Segment, name: str) -> AsyncIterator[Runnable | None]:
    app, kept = app_of(segment.agent), segment.agent_state
    memory = (
        SavedSession.load(kept.blob, "this agent's memory") if kept is not None else SavedSession()
    )
    session = Session(
        id=segment.env.run.chat_id,
        app_name=app.name,
        user_id=segment.env.run.person or "person",
        state=memory.state,
        events=memory.events,
    )
    assert isinstance(app.root_agent, BaseAgent)
    for agent in all_agents(app.root_agent):
        context = InvocationContext(
            session_service=OneSession(session),
            session=session,
            invocation_id="retry",
            agent=agent,
            run_config=RunConfig(tool_thread_pool_config=ToolThreadPoolConfig()),
            **services_of(segment.agent, ChatArtifacts.load(memory.artifacts)),
        )
        for tool in await agent.canonical_tools(ReadonlyContext(context)):
            if tool.name == name:
                yield await _tool_outside_run(
                    segment, tool, ToolContext(context, function_call_id="retry")
                )
                return
    yield None


def own_tools(agent: object) -> dict[str, Traits]:
    """Return what its agents' tools say of themselves; what a toolset will bring is not known
    before it is asked."""
    root = app_of(agent).root_agent
    if not isinstance(root, BaseAgent):
        return {}
    tools = [
        tool if isinstance(tool, BaseTool) else FunctionTool(tool)
        for each in all_agents(root)
        for tool in each.tools
        if not isinstance(tool, BaseToolset)
    ]
    return {tool.name: traits_of(tool, False) for tool in tools}


async def _tool_outside_run(segment: Segment, tool: BaseTool, context: ToolContext) -> AdkTool:
    if isinstance(tool, AgentTool):
        raise NotSupportedError(
            f"'{tool.name}' is an agent, which may have to wait, and cannot be tried again alone.",
            fix="Send the message again: then it runs as a part of the whole.",
        )
    scope = BodyScope(segment, AdkRecord(SavedSession(), ""), Standstill())
    wanted = segment.task.context.get("arguments")
    arguments = wanted if isinstance(wanted, dict) else {}
    asks = await tool.check_require_confirmation(arguments, context)
    return AdkTool(tool, context, "retry", scope, asks=asks)
