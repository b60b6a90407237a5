"""The OpenAI Agents adapter (0.18.3+): a turn is played again up to the calls that wait.

`run` drives a turn, `agent_copy` makes a run's own copies of the agents, `model_replies` keeps what
their models said, `tool_calls` sends their calls through the toolbox, `enclosing` knows the agents
that run within calls. A turn that goes on begins again at its message: recorded replies stand in
for the models, and the toolbox gives the results of calls that have ended. The framework's own
RunState holds neither a call that waits in the middle of its body nor changed arguments.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from types import MappingProxyType

from agents import Agent, FunctionTool

from sayso.adapters.contract import Segment
from sayso.adapters.findings import AppSide, Finding
from sayso.adapters.openai_agents.checks import agents_within, findings
from sayso.adapters.openai_agents.native_tool import NEEDED, traits_of
from sayso.adapters.openai_agents.retry import own_tool
from sayso.adapters.openai_agents.run import OpenAIAgentsRun
from sayso.adapters.openai_agents.state import NAME
from sayso.adapters.registry import check_has
from sayso.adapters.text_queue import stream_segment
from sayso.core.segments import Capabilities, ResumePolicy, SegmentEnd
from sayso.core.tasks import TaskStreamChunk
from sayso.tools.tool import Runnable, Traits


class OpenAIAgentsAdapter:
    name = NAME
    capabilities = Capabilities(resume=ResumePolicy.ALL)

    leans_on = MappingProxyType({"agents:OpenAIChatCompletionsModel": ("_fetch_response",)})

    def accepts(self, agent: object) -> bool:
        if not isinstance(agent, Agent):
            return False
        check_has(FunctionTool, *NEEDED)
        check_has(agent, "get_all_tools")
        return True

    def check(self, agent: object, app: AppSide) -> Sequence[Finding]:
        assert isinstance(agent, Agent)
        return list(findings(agent, app))

    def execute_task_interactive(
        self, segment: Segment
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        return stream_segment(segment, lambda texts: OpenAIAgentsRun(segment, texts.say).run())

    def own_tools(self, agent: object) -> Mapping[str, Traits]:
        assert isinstance(agent, Agent)
        return {
            tool.name: traits_of(tool)
            for _, each in agents_within(agent, "")
            for tool in each.tools
            if isinstance(tool, FunctionTool)
        }

    def own_tool(self, segment: Segment, name: str) -> AbstractAsyncContextManager[Runnable | None]:
        return own_tool(segment, name)
