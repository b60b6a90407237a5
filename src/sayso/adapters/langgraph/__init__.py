"""The LangGraph adapter (1.2): any compiled graph, `create_agent` of LangChain among them.

`run` drives the graph, `agent_copy` makes the segment's own copy of it, `tool_calls` sends its
calls through the toolbox, `interrupts` turns its questions into cards, `checkpoints` is what is
saved.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.pregel import Pregel
from langgraph.types import Interrupt

from sayso.adapters.contract import Segment
from sayso.adapters.findings import AppSide, Finding
from sayso.adapters.langgraph.agent_copy import check_nodes, graph_context, own_tools
from sayso.adapters.langgraph.checks import findings
from sayso.adapters.langgraph.create_agent import Graph, asked_by_middleware
from sayso.adapters.langgraph.native_tool import (
    GraphTool,
    OfferedTool,
    langchain_tool,
    traits_of,
)
from sayso.adapters.langgraph.run import NAME, GraphRun
from sayso.adapters.text_queue import stream_segment
from sayso.core.children import Request
from sayso.core.errors import NotSupportedError
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

    @asynccontextmanager
    async def own_tool(self, segment: Segment, name: str) -> AsyncIterator[Runnable | None]:
        graph = segment.agent
        assert isinstance(graph, Pregel)
        tool = next((one for one in own_tools(graph, nested=True) if one.name == name), None)
        if tool is None or isinstance(tool, OfferedTool):
            yield None
            return
        context = await graph_context(graph, segment)
        alone = _one_tool_graph(tool, graph)

        async def execute(request: ToolCallRequest) -> Any:
            asked = AIMessage("", tool_calls=[request.tool_call])
            ended = await alone.ainvoke({"messages": [asked]}, context=context)
            return ended["messages"][-1]

        def cannot_ask(interrupts: Sequence[Interrupt[Any]]) -> tuple[Request, ...]:
            raise NotSupportedError(
                f"'{name}' asks a person in the middle of its work, and cannot be tried again "
                "alone.",
                fix="Send the message again: then it runs as a part of the graph.",
            )

        request = ToolCallRequest(
            tool_call={"name": name, "args": {}, "id": f"retry-{name}", "type": "tool_call"},
            tool=tool,
            state={},
            runtime=None,  # type: ignore[arg-type]  # there is no run; ToolNode makes one of its own
        )
        # The middleware that holds its calls in the graph is not here, so the toolbox asks.
        approval = asked_by_middleware(graph, name)
        yield GraphTool(tool, request, execute, cannot_ask, approval=approval)


def _one_tool_graph(tool: BaseTool, graph: Graph) -> Any:
    builder = StateGraph(MessagesState, context_schema=graph.context_schema)
    builder.add_node("tools", ToolNode([tool]))
    builder.add_edge(START, "tools")
    return builder.compile(store=graph.store)
