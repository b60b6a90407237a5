"""The LangGraph adapter (1.2): any compiled graph, `create_agent` of LangChain among them.

`run` drives the graph, `agent_copy` makes the segment's own copy of it, `tool_calls` sends its
calls through the toolbox, `interrupts` turns its questions into cards, `state` and `checkpoints`
are what is saved.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from types import MappingProxyType

from langgraph.pregel import Pregel

from sayso.adapters.contract import Segment
from sayso.adapters.findings import AppSide, Finding
from sayso.adapters.langgraph.agent_copy import check_nodes, own_tools
from sayso.adapters.langgraph.checks import findings
from sayso.adapters.langgraph.create_agent import asked_by_middleware
from sayso.adapters.langgraph.native_tool import OfferedTool, langchain_tool, traits_of
from sayso.adapters.langgraph.retry import own_tool
from sayso.adapters.langgraph.run import NAME, GraphRun
from sayso.adapters.text_queue import stream_segment
from sayso.core.segments import Capabilities, ResumePolicy, SegmentEnd
from sayso.core.tasks import TaskStreamChunk
from sayso.tools.tool import Runnable, Traits

__all__ = ["LangGraphAdapter", "langchain_tool"]


class LangGraphAdapter:
    name = NAME
    # ALL: at every resume LangGraph runs the body of each sibling that still waits again.
    # Nested agents wait where they are nodes, or where the function that calls them can be seen to
    # reach them; a call of any other one is refused where the policy would ask.
    capabilities = Capabilities(resume=ResumePolicy.ALL)
    leans_on = MappingProxyType(
        {
            "langgraph._internal._runnable": ("RunnableCallable",),
            "langgraph._internal._serde": ("build_serde_allowlist",),
            "langgraph.graph._branch": ("BranchSpec",),
            "langgraph.pregel._read": ("PregelNode",),
            "langgraph.prebuilt:ToolNode": ("_afunc", "_arun_one", "_execute_tool_async"),
            "langchain_core.tools:BaseTool": ("_run", "_arun"),
        }
    )

    def accepts(self, agent: object) -> bool:
        if not isinstance(agent, Pregel):
            return False
        check_nodes(agent)
        return True

    def check(self, agent: object, app: AppSide) -> Sequence[Finding]:
        assert isinstance(agent, Pregel)
        return findings(agent, app)

    def execute_task_interactive(
        self, segment: Segment
    ) -> AsyncIterator[TaskStreamChunk | SegmentEnd]:
        return stream_segment(segment, lambda texts: GraphRun(segment, texts.say).run())

    def own_tools(self, agent: object) -> Mapping[str, Traits]:
        assert isinstance(agent, Pregel)
        return {
            tool.name: traits_of(tool, declared=asked_by_middleware(agent, tool.name))
            for tool in own_tools(agent, nested=True)
            if not isinstance(tool, OfferedTool)
        }

    def own_tool(self, segment: Segment, name: str) -> AbstractAsyncContextManager[Runnable | None]:
        assert isinstance(segment.agent, Pregel)
        return own_tool(segment, segment.agent, name)
