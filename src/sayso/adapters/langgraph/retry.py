"""One of a graph's own tools outside any run of it: what "try again" on an error card calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Interrupt

from sayso.adapters.contract import Segment
from sayso.adapters.langgraph.agent_copy import graph_context, own_tools
from sayso.adapters.langgraph.create_agent import Graph, asked_by_middleware
from sayso.adapters.langgraph.native_tool import GraphTool, OfferedTool
from sayso.core.children import Request
from sayso.core.errors import NotSupportedError
from sayso.tools.tool import Runnable


@asynccontextmanager
async def own_tool(segment: Segment, graph: Graph, name: str) -> AsyncIterator[Runnable | None]:
    known = {tool.name: tool for tool in own_tools(graph, nested=True)}
    tool = known.get(name)
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
            f"'{name}' asks a person in the middle of its work, and cannot be tried again alone.",
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
