"""The OpenAI Agents adapter (0.18.3+): a turn is played again up to the calls that wait.

`run` drives a turn, `agent_copy` makes a run's own copies of the agents, whose calls go through the
toolbox, and `model_replies` keeps what their models said. A turn that goes on begins again at its
message: recorded replies stand in for the models, and the toolbox gives the results of calls that
have ended. The framework's own RunState holds neither a call that waits in the middle of its body
nor changed arguments.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import Any

from agents import Agent, FunctionTool
from agents.tool_context import ToolContext

from sayso.adapters.contract import Segment
from sayso.adapters.findings import AppSide, Finding
from sayso.adapters.openai_agents.agent_copy import run_within_calls
from sayso.adapters.openai_agents.checks import agents_within, findings
from sayso.adapters.openai_agents.native_tool import NEEDED, OpenAITool, traits_of
from sayso.adapters.openai_agents.run import OpenAIAgentsRun
from sayso.adapters.openai_agents.state import NAME, OpenAIAgentsState, OpenAITurn
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
        return {tool.name: traits_of(tool) for tool in _functions(agent)}

    @asynccontextmanager
    async def own_tool(self, segment: Segment, name: str) -> AsyncIterator[Runnable | None]:
        agent = segment.agent
        assert isinstance(agent, Agent)
        tool = next((one for one in _functions(agent) if one.name == name), None)
        if tool is None:
            yield None
            return
        run_within_calls()
        key, deps = f"retry-{name}", await segment.make_deps()
        context: ToolContext[Any] = ToolContext(
            context=deps, tool_name=name, tool_call_id=key, tool_arguments="{}"
        )
        turn = OpenAITurn(segment, OpenAIAgentsState([]), agent.name, deps)
        yield OpenAITool(turn, key, tool, context)


def _functions(agent: object) -> list[FunctionTool]:
    assert isinstance(agent, Agent)
    owners = [each for _, each in agents_within(agent, "")]
    return [tool for one in owners for tool in one.tools if isinstance(tool, FunctionTool)]
