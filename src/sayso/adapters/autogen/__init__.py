"""The AutoGen adapter (AgentChat 0.7): an agent or a team, and the same turn again from its start
after every pause.

`run` plays the turn, `agent_copy` makes a run's own copy of the agent, `model_replies` records what
its models say, `tool_calls` sends its calls through the toolbox, `segment_turns` has what is saved:
the state before the turn and the record of the turn, never the middle of a framework's coroutine.
With the record, a takeover goes on at the call that was under way.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.base import ChatAgent
from autogen_agentchat.teams import BaseGroupChat
from autogen_agentchat.tools import AgentTool, TeamTool
from autogen_core.tools import StaticWorkbench

from sayso.adapters.autogen.agent_copy import check_parts
from sayso.adapters.autogen.checks import findings
from sayso.adapters.autogen.native_tool import AutoGenTool, delegates_of
from sayso.adapters.autogen.run import NAME, AutoGenRun
from sayso.adapters.contract import Segment
from sayso.adapters.findings import AppSide, Finding
from sayso.adapters.text_queue import stream_segment
from sayso.core.segments import Capabilities, ResumePolicy, SegmentEnd
from sayso.core.tasks import TaskStreamChunk
from sayso.tools.tool import Runnable, Traits


class AutoGenAdapter:
    name = NAME
    capabilities = Capabilities(resume=ResumePolicy.ALL)

    def accepts(self, agent: object) -> bool:
        if not isinstance(agent, ChatAgent | BaseGroupChat):
            return False
        check_parts(agent)
        return True

    def check(self, agent: object, app: AppSide) -> Sequence[Finding]:
        return list(findings(agent, app))

    def execute_task_interactive(
        self, segment: Segment
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        return stream_segment(segment, lambda texts: AutoGenRun(segment, texts.say).run())

    def own_tools(self, agent: object) -> Mapping[str, Traits]:
        return {
            tool.name: Traits(declared=False, read_only=isinstance(tool, AgentTool | TeamTool))
            for assistant in _assistants(agent)
            for workbench in assistant._workbench
            if isinstance(workbench, StaticWorkbench)
            for tool in workbench._tools
        }

    @asynccontextmanager
    async def own_tool(self, segment: Segment, name: str) -> AsyncIterator[Runnable | None]:
        found = None
        for agent in _assistants(segment.agent):
            found = found or await _find(agent, name)
        yield found


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
