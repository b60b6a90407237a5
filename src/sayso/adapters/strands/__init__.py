"""The Strands adapter (strands-agents 1.x): a turn goes on at the calls of its newest reply.

`run` drives a turn, `agent_copy` makes a run's own copy of the agent, `running_agent` sends its
calls through the toolbox, `model_replies` looks at what its model says, `interrupts` makes cards of
the framework's own questions, `enclosed_tools` lets agents run within calls, `team_copy` and
`team_run` are the same for a Graph and a Swarm. What is saved of each
agent is the framework's own snapshot: a run that goes on makes the calls of the last message
again, and the toolbox gives the results of those that have ended. No model is asked twice.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from threading import Event
from types import MappingProxyType

from strands import Agent
from strands.middleware import ExecuteToolContext
from strands.multiagent import Swarm
from strands.multiagent.graph import Graph

from sayso.adapters.contract import Segment
from sayso.adapters.findings import AppSide, Finding
from sayso.adapters.registry import check_has
from sayso.adapters.strands.agent_copy import NEEDED, copy_of
from sayso.adapters.strands.checks import agents_within, findings
from sayso.adapters.strands.native_tool import StrandsTool, traits_of
from sayso.adapters.strands.run import StrandsRun, invocation_state
from sayso.adapters.strands.running_agent import RunningAgent
from sayso.adapters.strands.state import NAME, StrandsEnclosing, StrandsState, StrandsTurn
from sayso.adapters.strands.team_copy import members
from sayso.adapters.strands.team_run import StrandsTeamRun
from sayso.adapters.text_queue import stream_segment
from sayso.core.segments import Capabilities, ResumePolicy, SegmentEnd
from sayso.core.tasks import TaskStreamChunk
from sayso.tools.tool import Runnable, Traits


class StrandsAdapter:
    name = NAME
    capabilities = Capabilities(resume=ResumePolicy.EACH)
    leans_on: Mapping[str, Sequence[str]] = MappingProxyType(
        {
            "strands.agent._agent_as_tool": ("_AgentAsTool",),
            "strands.agent._concurrency": ("_ConcurrencyController",),
            "strands.hooks.registry": ("_CallbackEntry",),
            "strands.interrupt": ("_InterruptState",),
        }
    )

    def accepts(self, agent: object) -> bool:
        if isinstance(agent, Graph | Swarm):
            check_has(agent, "_interrupt_state", "nodes", "session_manager")
            return all(self.accepts(one) for _, one in members(agent))
        if not isinstance(agent, Agent):
            return False
        check_has(agent, *NEEDED)
        check_has(agent.hooks, "_registered_callbacks")
        check_has(agent._middleware_registry, "_handlers")
        check_has(agent.tool_registry, "_tool_providers")
        return True

    def check(self, agent: object, app: AppSide) -> Sequence[Finding]:
        assert isinstance(agent, Agent | Graph | Swarm)
        return list(findings(agent, app))

    def execute_task_interactive(
        self, segment: Segment
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        agent = segment.agent
        if isinstance(agent, Graph | Swarm):
            team = agent
            return stream_segment(segment, lambda it: StrandsTeamRun(segment, team, it.say).run())
        return stream_segment(segment, lambda it: StrandsRun(segment, it.say).run())

    def own_tools(self, agent: object) -> Mapping[str, Traits]:
        assert isinstance(agent, Agent | Graph | Swarm)
        return {
            name: traits_of(tool)
            for _, each in agents_within(agent, "")
            for name, tool in each.tool_registry.registry.items()
        }

    @asynccontextmanager
    async def own_tool(self, segment: Segment, name: str) -> AsyncIterator[Runnable | None]:
        root = segment.agent
        assert isinstance(root, Agent | Graph | Swarm)
        owners = (one for _, one in agents_within(root, ""))
        owner = next((one for one in owners if name in one.tool_registry.registry), None)
        if owner is None:
            yield None
            return
        mine, key = copy_of(owner), f"retry-{name}"
        turn = StrandsTurn(segment, StrandsState({}), getattr(root, "name", ""), RunningAgent)
        context = ExecuteToolContext(
            agent=mine,
            tool=owner.tool_registry.registry[name],
            tool_use={"toolUseId": key, "name": name, "input": {}},
            invocation_state={**invocation_state(await segment.make_deps()), "agent": mine},
            cancel_signal=Event(),
            _interrupt_state=mine._interrupt_state,
        )
        yield StrandsTool(RunningAgent(mine, StrandsEnclosing(turn)), key, context)
