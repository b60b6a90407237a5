"""The adapter of Microsoft Agent Framework (1.x): a turn is played again up to the calls that wait.

`run` drives a turn, `agent_copy` makes a run's own copy of an agent, `model_replies` keeps what
models said, `tool_calls` sends calls through the toolbox, `turn` knows the agents that run within
calls. A turn that goes on begins again at its message: recorded replies stand in for the models,
and the toolbox gives the results of calls that have ended. The framework's own approvals run what
was asked for first, whatever a person has changed, and they end where an agent runs another.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager

from agent_framework import BaseAgent, BaseChatClient, FunctionTool, RawAgent, Workflow

from sayso.adapters.agent_framework.agent_copy import agents_within, own_tools
from sayso.adapters.agent_framework.checks import findings
from sayso.adapters.agent_framework.native_tool import traits_of
from sayso.adapters.agent_framework.retry import own_tool
from sayso.adapters.agent_framework.run import AgentFrameworkRun
from sayso.adapters.agent_framework.state import NAME
from sayso.adapters.contract import Segment
from sayso.adapters.findings import AppSide, Finding
from sayso.adapters.registry import check_has
from sayso.adapters.text_queue import stream_segment
from sayso.core.chunks import TaskStreamChunk
from sayso.core.segments import Capabilities, ResumePolicy, SegmentEnd
from sayso.tools.tool import Runnable, Traits


class AgentFrameworkAdapter:
    name = NAME
    capabilities = Capabilities(resume=ResumePolicy.ALL)
    leans_on: Mapping[str, Sequence[str]] = {
        "agent_framework:BaseChatClient": ("_inner_get_response",),
    }

    def accepts(self, agent: object) -> bool:
        if not isinstance(agent, BaseAgent | Workflow):
            return False
        check_has(BaseChatClient, "get_response", "STORES_BY_DEFAULT")
        return True

    def check(self, agent: object, app: AppSide) -> Sequence[Finding]:
        return list(findings(agent, app))

    def execute_task_interactive(
        self, segment: Segment
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        return stream_segment(segment, lambda texts: AgentFrameworkRun(segment, texts.say).run())

    def own_tools(self, agent: object) -> Mapping[str, Traits]:
        if not isinstance(agent, RawAgent):
            return {}
        return {
            tool.name: traits_of(tool)
            for _, each in agents_within(agent, "")
            for tool in own_tools(each)
            if isinstance(tool, FunctionTool)
        }

    def own_tool(self, segment: Segment, name: str) -> AbstractAsyncContextManager[Runnable | None]:
        return own_tool(segment, name)
