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
from contextlib import asynccontextmanager
from functools import partial
from types import MappingProxyType
from typing import Any

from ag2 import Agent, MemoryStream
from ag2.context import ConversationContext
from ag2.events import HumanInputRequest, ToolCallEvent
from ag2.hitl import wrap_hitl
from ag2.middleware.base import ToolExecution
from ag2.tools.final import FunctionTool

from sayso.adapters.ag2.agent_copy import check_parts
from sayso.adapters.ag2.checks import findings, flat
from sayso.adapters.ag2.native_tool import Ag2Tool, ask_person
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

    @asynccontextmanager
    async def own_tool(self, segment: Segment, name: str) -> AsyncIterator[Runnable | None]:
        """Give the tool with its own middleware; one that passes a task on needs a turn around
        it."""
        run = Ag2Run(segment)
        tool, agent = run.turns.native.get(name), run.agent
        if not isinstance(tool, FunctionTool) or name in run.turns.delegates:
            yield None
            return
        stream = MemoryStream()
        context: Any = ConversationContext(
            stream,
            dependencies={**agent.dependencies, **await run.given()},
            variables=dict(agent.variables),
            dependency_provider=agent.dependency_provider,
        )
        execution: ToolExecution = tool
        for hook in reversed(tool._middleware):
            execution = partial(hook, execution)
        asked = stream.where(HumanInputRequest)
        asked.subscribe(wrap_hitl(ask_person)(()), interrupt=True)
        yield Ag2Tool(run.turns, f"retry-{name}", execution, ToolCallEvent(name), context)
