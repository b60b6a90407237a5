"""One of the agent's own tools outside any run of it: what "try again" on an error card calls."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Event

from strands import Agent
from strands.middleware import ExecuteToolContext
from strands.multiagent import Swarm
from strands.multiagent.graph import Graph

from sayso.adapters.contract import Segment
from sayso.adapters.strands.agent_copy import copy_of
from sayso.adapters.strands.checks import agents_within
from sayso.adapters.strands.native_tool import StrandsTool
from sayso.adapters.strands.run import invocation_state
from sayso.adapters.strands.running_agent import RunningAgent
from sayso.adapters.strands.state import StrandsState
from sayso.adapters.strands.turn import Enclosing, Turn
from sayso.tools.tool import Runnable


@asynccontextmanager
async def own_tool(segment: Segment, name: str) -> AsyncIterator[Runnable | None]:
    root = segment.agent
    assert isinstance(root, Agent | Graph | Swarm)
    owners = (one for _, one in agents_within(root, ""))
    owner = next((one for one in owners if name in one.tool_registry.registry), None)
    if owner is None:
        yield None
        return
    mine = copy_of(owner)
    agent = RunningAgent(
        mine, Enclosing(Turn(segment, StrandsState({}), getattr(root, "name", ""), RunningAgent))
    )
    context = invocation_state(await segment.make_deps())
    yield StrandsTool(
        agent,
        f"retry-{name}",
        ExecuteToolContext(
            agent=mine,
            tool=owner.tool_registry.registry[name],
            tool_use={"toolUseId": f"retry-{name}", "name": name, "input": {}},
            invocation_state={**context, "agent": mine},
            cancel_signal=Event(),
            _interrupt_state=mine._interrupt_state,
        ),
    )
