"""A segment's own copy of a graph: gated, with our tools offered, and with our checkpointer. The
graph that the application gave is read, never changed: two runs of it do not see each other.

Gated is every ToolNode that is a node of the graph or of a graph that is its node; `create_agent`
makes such graphs. A graph that is called inside of a function cannot be copied: there
`SaysoMiddleware` does the same.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.errors import GraphInterrupt
from langgraph.prebuilt import ToolNode
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.pregel import Pregel
from langgraph.types import Interrupt

from sayso.adapters.base import Segment
from sayso.adapters.finding import check_has
from sayso.adapters.langgraph.agents import Graph, offering, with_tools
from sayso.adapters.langgraph.gate import Around, Execute, Gate
from sayso.adapters.langgraph.native import schema_of
from sayso.core.digest import JsonObject

#: The interrupts of the ToolNode call that this code runs in.
_interrupts: ContextVar[list[Interrupt[Any]]] = ContextVar("sayso_tool_node_interrupts")


def gated(graph: Graph, gate: Gate, offered: Sequence[BaseTool], agent_name: str = "") -> Graph:
    """The copy. `agent_name` is who makes its calls, where that is not the agent itself."""
    nodes: dict[str, Any] = {}
    for name, node in graph.nodes.items():
        bound = node.bound
        if isinstance(bound, ToolNode):
            nodes[name] = node.copy({"bound": _gated_node(bound, gate, agent_name)})
        elif isinstance(bound, Pregel):
            own = bound.name if bound.name not in (None, "", "LangGraph") else name
            inner = gated(bound, gate, (), str(own))
            nodes[name] = node.copy({"bound": inner, "subgraphs": [inner]})
    for name in offering(graph) if offered else ():
        node = nodes.get(name, graph.nodes[name])
        nodes[name] = node.copy({"bound": with_tools(node.bound, offered)})
    return graph.copy({"nodes": {**graph.nodes, **nodes}})


def check_nodes(graph: Graph) -> None:
    """Raises NotSupportedError where this version of LangGraph has its nodes otherwise."""
    for node in graph.nodes.values():
        if isinstance(node.bound, ToolNode):
            check_has(node.bound, "_afunc", "_awrap_tool_call", "_wrap_tool_call")
        elif isinstance(node.bound, Pregel):
            check_nodes(node.bound)


def tool_schema(graph: Graph, name: str) -> JsonObject | None:
    """JSON Schema of a tool of this graph, or of one inside of it."""
    for tool in own_tools(graph, nested=True):
        if tool.name == name:
            return schema_of(tool)
    return None


def own_tools(graph: Graph, *, nested: bool = False) -> Iterator[BaseTool]:
    for node in graph.nodes.values():
        if isinstance(node.bound, ToolNode):
            yield from node.bound.tools_by_name.values()
        elif nested and isinstance(node.bound, Pregel):
            yield from own_tools(node.bound, nested=True)


async def graph_context(graph: Graph, segment: Segment) -> Any:
    """What the graph's runtime gives its nodes and tools: the application's `deps`, else what the
    graph's context schema names of the task's context."""
    deps = await segment.make_deps()
    if deps is not None:
        return deps
    fields = (graph.get_context_jsonschema() or {}).get("properties")
    if not isinstance(fields, Mapping):
        return None
    return {name: value for name, value in segment.task.context.items() if name in fields}


# ── calls ──


def _gated_node(node: ToolNode, gate: Gate, agent_name: str) -> ToolNode:
    """The same node, whose calls pass the gate below its own wrappers."""
    clone = copy.copy(node)
    around = _around(node)

    async def through_the_gate(request: ToolCallRequest, execute: Execute) -> Any:
        try:
            return await gate.call(request, execute, agent_name=agent_name, around=around)
        except GraphInterrupt as exc:
            # ToolNode gathers its calls and would leave the siblings of this one behind, running.
            _interrupts.get().extend(exc.args[0] if exc.args else ())
            return ToolMessage("", tool_call_id=request.tool_call["id"] or "")

    async def together(*args: Any, **kwargs: Any) -> Any:
        found: list[Interrupt[Any]] = []
        token = _interrupts.set(found)
        try:
            returned = await clone._afunc(*args, **kwargs)
        finally:
            _interrupts.reset(token)
        if found:
            raise GraphInterrupt(tuple(found))
        return returned

    clone._awrap_tool_call = through_the_gate
    clone.func, clone.afunc = None, together
    return clone


def _around(node: ToolNode) -> Around | None:
    """The node's own wrappers: LangChain's middleware, for `create_agent`."""
    own, plain = node._awrap_tool_call, node._wrap_tool_call
    if own is not None:
        return own
    if plain is None:
        return None

    async def around(request: ToolCallRequest, execute: Execute) -> Any:
        loop = asyncio.get_running_loop()

        def wait_for(inner: ToolCallRequest) -> Any:
            return asyncio.run_coroutine_threadsafe(_coroutine(execute, inner), loop).result()

        return await asyncio.to_thread(plain, request, wait_for)

    return around


async def _coroutine(execute: Execute, request: ToolCallRequest) -> Any:
    return await execute(request)
