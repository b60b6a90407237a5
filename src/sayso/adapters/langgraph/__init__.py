"""The LangGraph adapter (1.2): any compiled graph, `create_agent` of LangChain among them.

`run` drives the graph, `graphs` makes the segment's own copy of it, `gate` is where its calls pass,
`questions` are its interrupts, `checkpoints` is what is saved.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, aclosing

from langgraph.pregel import Pregel

from sayso.adapters.base import Segment
from sayso.adapters.langgraph.graphs import check_nodes
from sayso.adapters.langgraph.native import langchain_tool
from sayso.adapters.langgraph.retry import own_tool
from sayso.adapters.langgraph.run import NAME, GraphRun
from sayso.adapters.pump import TextPump
from sayso.core.chunks import TaskStreamChunk
from sayso.core.segments import Capabilities, ResumePolicy, SegmentEnd
from sayso.tools.tool import Runnable

__all__ = ["LangGraphAdapter", "langchain_tool"]


class LangGraphAdapter:
    name = NAME
    # All: LangGraph runs the body of each sibling that still waits again at every resume.
    # Nested agents wait where they are nodes, or have SaysoMiddleware; a call of any other one is
    # refused where the policy would ask, never let by.
    capabilities = Capabilities(resume=ResumePolicy.ALL)

    def accepts(self, agent: object) -> bool:
        if not isinstance(agent, Pregel):
            return False
        check_nodes(agent)
        return True

    async def execute_task_interactive(
        self, segment: Segment
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        pump = TextPump(segment.task.task_id)
        segment.world.say, segment.world.drain = pump.say, pump.drain
        async with aclosing(pump.run(GraphRun(segment, pump).to_its_end())) as items:
            async for item in items:
                yield item

    def own_tool(self, segment: Segment, name: str) -> AbstractAsyncContextManager[Runnable | None]:
        assert isinstance(segment.agent, Pregel)
        return own_tool(segment, segment.agent, name)
