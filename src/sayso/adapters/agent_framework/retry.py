"""One of the agent's own tools outside any run of it: what "try again" on an error card calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from agent_framework import (
    AgentSession,
    FunctionInvocationContext,
    FunctionTool,
    RawAgent,
    Workflow,
)

from sayso.adapters.agent_framework.agent_copy import (
    agents_within,
    own_tools,
    route_reachable,
)
from sayso.adapters.agent_framework.native_tool import AgentFrameworkTool
from sayso.adapters.agent_framework.state import AgentFrameworkState
from sayso.adapters.agent_framework.turn import Turn
from sayso.adapters.agent_framework.workflow_copy import workflow_of
from sayso.adapters.contract import Segment
from sayso.tools.tool import Runnable


@asynccontextmanager
async def own_tool(segment: Segment, name: str) -> AsyncIterator[Runnable | None]:
    agent = workflow_of(segment.agent) or segment.agent
    assert isinstance(agent, RawAgent | Workflow)
    found = [tool for _, one in agents_within(agent, "") for tool in own_tools(one)]
    tool = next((one for one in found if isinstance(one, FunctionTool) and one.name == name), None)
    if tool is None:
        yield None
        return
    route_reachable([tool.func])
    deps = await segment.make_deps()
    context = FunctionInvocationContext(
        function=tool,
        arguments={},
        session=AgentSession(),
        kwargs=deps if isinstance(deps, Mapping) else None,
    )
    turn = Turn(segment, AgentFrameworkState(), agent)
    yield AgentFrameworkTool(turn, f"retry-{name}", tool, context)
