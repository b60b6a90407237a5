"""One of the agents' own tools outside any run: what "try again" on an error card calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.teams import BaseGroupChat
from autogen_agentchat.tools import AgentTool, TeamTool
from autogen_core.tools import StaticWorkbench

from sayso.adapters.autogen.native_tool import AutoGenTool, delegates_of
from sayso.adapters.contract import Segment
from sayso.tools.tool import Runnable, Traits


@asynccontextmanager
async def own_tool(segment: Segment, name: str) -> AsyncIterator[Runnable | None]:
    found = None
    for agent in _assistants(segment.agent):
        found = found or await _find(agent, name)
    yield found


def own_tools(agent: object) -> dict[str, Traits]:
    """Return what the agents' own tools say of themselves."""
    return {
        tool.name: Traits(declared=False, read_only=isinstance(tool, AgentTool | TeamTool))
        for assistant in _assistants(agent)
        for workbench in assistant._workbench
        if isinstance(workbench, StaticWorkbench)
        for tool in workbench._tools
    }


async def _find(agent: AssistantAgent, name: str) -> AutoGenTool | None:
    """Return the agent's own tool of this name, unless it is one that passes a task on."""
    if any(tool.name == name for tool in delegates_of(agent._workbench)):
        return None
    for workbench in agent._workbench:
        for schema in await workbench.list_tools():
            if schema["name"] == name:
                return AutoGenTool(schema, workbench)
    return None


def _assistants(runner: object) -> Iterator[AssistantAgent]:
    if isinstance(runner, AssistantAgent):
        yield runner
    if isinstance(runner, BaseGroupChat):
        for member in runner._participants:
            yield from _assistants(member)
