"""The Strands adapter (strands-agents 1.x): a turn goes on at the calls of its newest reply.

`run` drives a turn, `agent_copy` makes a run's own copy of the agent, `running_agent` sends its
calls through the toolbox, `model_replies` looks at what its model says, `interrupts` makes cards of
the framework's own questions, `enclosed_tools` lets agents run within calls. What is saved of each
agent is the framework's own snapshot: a run that goes on makes the calls of the last message
again, and the toolbox gives the results of those that have ended. No model is asked twice.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from types import MappingProxyType

from strands import Agent

from sayso.adapters.contract import Segment
from sayso.adapters.findings import AppSide, Finding
from sayso.adapters.registry import check_has
from sayso.adapters.strands.agent_copy import NEEDED
from sayso.adapters.strands.checks import agents_within, findings
from sayso.adapters.strands.native_tool import traits_of
from sayso.adapters.strands.retry import own_tool
from sayso.adapters.strands.run import StrandsRun
from sayso.adapters.strands.state import NAME
from sayso.adapters.text_queue import stream_segment
from sayso.core.chunks import TaskStreamChunk
from sayso.core.segments import Capabilities, ResumePolicy, SegmentEnd
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
        if not isinstance(agent, Agent):
            return False
        check_has(agent, *NEEDED)
        check_has(agent.hooks, "_registered_callbacks")
        check_has(agent._middleware_registry, "_handlers")
        check_has(agent.tool_registry, "_tool_providers")
        return True

    def check(self, agent: object, app: AppSide) -> Sequence[Finding]:
        assert isinstance(agent, Agent)
        return list(findings(agent, app))

    def execute_task_interactive(
        self, segment: Segment
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        return stream_segment(segment, lambda texts: StrandsRun(segment, texts.say).run())

    def own_tools(self, agent: object) -> Mapping[str, Traits]:
        assert isinstance(agent, Agent)
        return {
            name: traits_of(tool)
            for _, each in agents_within(agent, "")
            for name, tool in each.tool_registry.registry.items()
        }

    def own_tool(self, segment: Segment, name: str) -> AbstractAsyncContextManager[Runnable | None]:
        return own_tool(segment, name)
