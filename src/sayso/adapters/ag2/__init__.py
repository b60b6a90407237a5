"""The AG2 adapter (1.x, the new core): a turn goes on at its last batch of calls.

`run` drives a turn, `agent_copy` makes a run's own copy of the agent, `tool_calls` sends its calls
through the toolbox, `state` is what is saved: the history up to the batch that waits.
`Agent.resume` executes that batch again, and the toolbox gives the results of calls that have
ended. Agents behind tools run again from the start of their task: their models' replies are
recorded, so no model is asked twice. Observers of the agent see the events of a batch that is
executed again once more.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from types import MappingProxyType

from ag2 import Agent
from ag2.tools.final import FunctionTool

from sayso.adapters.ag2.agent_copy import check_parts
from sayso.adapters.ag2.checks import findings, flat
from sayso.adapters.ag2.retry import own_tool
from sayso.adapters.ag2.run import NAME, Ag2Run
from sayso.adapters.contract import Segment
from sayso.adapters.findings import AppSide, Finding
from sayso.adapters.text_queue import stream_segment
from sayso.core.segments import Capabilities, ResumePolicy, SegmentEnd
from sayso.core.tasks import TaskStreamChunk
from sayso.tools.tool import Runnable, Traits


class AG2Adapter:
    name = NAME
    capabilities = Capabilities(resume=ResumePolicy.ALL)
    leans_on = MappingProxyType(
        {
            "ag2.agent": ("_build_subtask_toolkit", "_filter_subtask_tools"),
            "ag2.events:ToolCallEvent": ("_serialized_arguments",),
        }
    )

    def accepts(self, agent: object) -> bool:
        if not isinstance(agent, Agent):
            return False
        check_parts(agent)
        return True

    def check(self, agent: object, app: AppSide) -> Sequence[Finding]:
        assert isinstance(agent, Agent)
        return list(findings(agent, app))

    def execute_task_interactive(
        self, segment: Segment
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        return stream_segment(segment, lambda _: Ag2Run(segment).run())

    def own_tools(self, agent: object) -> Mapping[str, Traits]:
        assert isinstance(agent, Agent)
        called = (tool for tool in flat(agent.tools) if isinstance(tool, FunctionTool))
        return {tool.name: Traits(declared=False) for tool in called}

    def own_tool(self, segment: Segment, name: str) -> AbstractAsyncContextManager[Runnable | None]:
        return own_tool(segment, name)
