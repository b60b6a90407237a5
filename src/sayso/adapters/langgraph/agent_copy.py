"""A segment's own copy of a graph, whose calls pass the toolbox and whose models know our tools.
The application's graph is read, never changed: two runs of it do not see each other.

Copied is every ToolNode that is a node of the graph or of a graph that is its node; `create_agent`
makes such graphs. A graph that a function calls by itself (`helper.invoke(…)`) is found by what the
code can reach, and cannot be copied: the function holds the very object. So each ToolNode of it
gets a wrapper, which outside of a run of Sayso does nothing.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any
from weakref import WeakSet

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.errors import GraphInterrupt
from langgraph.prebuilt import ToolNode
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.pregel import Pregel
from langgraph.types import Interrupt

from sayso.adapters.contract import Segment
from sayso.adapters.langgraph.create_agent import (
    Graph,
    able_to_run,
    lacks_async,
    model_nodes,
    with_tools,
)
from sayso.adapters.langgraph.messages import fields_of
from sayso.adapters.langgraph.native_tool import schema_of
from sayso.adapters.langgraph.return_direct import writers_for_answers
from sayso.adapters.langgraph.tool_calls import Around, Execute, GraphCalls, current_calls
from sayso.adapters.reach import reachable
from sayso.adapters.registry import check_has
from sayso.adapters.turn import within
from sayso.core.digest import JsonObject

#: The interrupts of the ToolNode call that this code runs in.
_interrupts: ContextVar[list[Interrupt[Any]]] = ContextVar("sayso_tool_node_interrupts")
#: On a ToolNode that has the wrapper.
_MARK = "_sayso_routed"
_LOOKED_THROUGH: WeakSet[Graph] = WeakSet()


def copy_of(
    graph: Graph, calls: GraphCalls, offered: Sequence[BaseTool], agent_name: str = ""
) -> Graph:
    """Return the copy. `agent_name` is who makes its calls, where that is not the agent itself."""
    nodes: dict[str, Any] = {}
    for name, node in graph.nodes.items():
        bound = node.bound
        if isinstance(bound, ToolNode):
            again: dict[str, Any] = {"bound": _routed_node(bound, calls, agent_name)}
            if any(tool.return_direct for tool in bound.tools_by_name.values()):
                again["writers"] = writers_for_answers(node, calls.answered_by_a_person)
            nodes[name] = node.copy(again)
        elif isinstance(bound, Pregel):
            own = bound.name if bound.name not in (None, "", "LangGraph") else name
            inner = copy_of(bound, calls, (), str(own))
            nodes[name] = node.copy({"bound": inner, "subgraphs": [inner]})
    for name in model_nodes(graph) if offered else ():
        node = nodes.get(name, graph.nodes[name])
        nodes[name] = node.copy({"bound": with_tools(node.bound, offered)})
    for name, node in graph.nodes.items():
        model = able_to_run(nodes.get(name, node).bound)
        if model is not None:
            nodes[name] = node.copy({"bound": model})
    return graph.copy({"nodes": {**graph.nodes, **nodes}})


def check_nodes(graph: Graph) -> None:
    """Raise NotSupportedError where this version of LangGraph builds its nodes differently."""
    for node in graph.nodes.values():
        if isinstance(node.bound, ToolNode):
            check_has(node.bound, "_afunc", "_awrap_tool_call", "_wrap_tool_call")
        elif isinstance(node.bound, Pregel):
            check_nodes(node.bound)


def tool_schema(graph: Graph, name: str) -> JsonObject | None:
    """Return the JSON Schema of a tool of this graph, or of a graph inside it."""
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


def own_tool(graph: Graph, name: str) -> BaseTool | None:
    return next((tool for tool in own_tools(graph) if tool.name == name), None)


async def graph_context(graph: Graph, segment: Segment) -> Any:
    """Return what the graph's runtime gives its nodes and tools: the application's `deps`, else
    those values of the task's context that the graph's context schema names."""
    deps = await segment.make_deps()
    if deps is not None:
        return deps
    fields = fields_of(graph.context_schema)
    if not fields:
        return None
    return {name: value for name, value in segment.task.context.items() if name in fields}


# ── calls ──


def _routed_node(node: ToolNode, calls: GraphCalls, agent_name: str) -> ToolNode:
    """Return a copy of the node whose calls pass the toolbox, below its own wrappers."""
    clone = copy.copy(node)
    around = _wrappers_of(node)

    async def routed(request: ToolCallRequest, execute: Execute) -> Any:
        return await _one_of_many(
            request, calls.call(request, execute, agent_name=agent_name, around=around)
        )

    clone._awrap_tool_call = routed
    clone.func, clone.afunc = None, _together(clone._afunc)
    return clone


def _together(all_calls: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """Return a ToolNode's function that waits for all of its calls, and then interrupts for all
    that `_one_of_many` held. It gathers its calls: an interrupt would leave its siblings
    running."""

    async def whole(*args: Any, **kwargs: Any) -> Any:
        with within(_interrupts, list[Interrupt[Any]]()) as found:
            returned = await all_calls(*args, **kwargs)
        if found:
            raise GraphInterrupt(tuple(found))
        return returned

    return whole


async def _one_of_many(request: ToolCallRequest, call: Awaitable[Any]) -> Any:
    """Make one call of a ToolNode; hold its interrupt until its siblings have ended."""
    try:
        return await call
    except GraphInterrupt as exc:
        _interrupts.get().extend(exc.args[0] if exc.args else ())
        return ToolMessage("", tool_call_id=request.tool_call["id"] or "")


def _wrappers_of(node: ToolNode) -> Around | None:
    """Return the node's own wrappers: for `create_agent`, LangChain's middleware."""
    own, plain = node._awrap_tool_call, node._wrap_tool_call
    if own is not None and not lacks_async(own):
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


# ── graphs that a function calls ──


def inner_graphs(graph: Graph) -> list[Graph]:
    """Return the graphs that the functions of this one can reach, and that are no nodes of it."""
    nodes = {id(one) for one in _with_nodes(graph)}
    bodies = [node.bound for node in graph.nodes.values()]
    return [one for one in reachable(bodies, Pregel) if id(one) not in nodes]


def route_inner_graphs(graph: Graph) -> None:
    """Looks once for each graph: the walk takes as long as all else that a segment begins with."""
    if graph in _LOOKED_THROUGH:
        return
    _LOOKED_THROUGH.add(graph)
    for inner in inner_graphs(graph):
        for node in inner.nodes.values():
            if isinstance(node.bound, ToolNode) and not hasattr(node.bound, _MARK):
                _route(node.bound)


def _with_nodes(graph: Graph) -> list[Graph]:
    inner = [node.bound for node in graph.nodes.values() if isinstance(node.bound, Pregel)]
    return [graph, *(one for sub in inner for one in _with_nodes(sub))]


def _route(node: ToolNode) -> None:
    """Give the node its wrapper, below its own ones."""
    own_async, own_sync = node._awrap_tool_call, node._wrap_tool_call
    around, all_calls = _wrappers_of(node), node.afunc

    async def routed(request: ToolCallRequest, execute: Execute) -> Any:
        calls = current_calls()
        if calls is not None:
            return await _one_of_many(request, calls.call(request, execute, around=around))
        return await (around(request, execute) if around is not None else execute(request))

    def routed_in_thread(
        request: ToolCallRequest, execute: Callable[[ToolCallRequest], Any]
    ) -> Any:
        calls = current_calls()

        def through(inner: ToolCallRequest) -> Any:
            return execute(inner) if calls is None else calls.call_from_thread(inner, execute)

        return own_sync(request, through) if own_sync is not None else through(request)

    assert all_calls is not None
    node._awrap_tool_call = routed
    node._wrap_tool_call = routed_in_thread if own_sync or not own_async else None
    node.afunc = _together(all_calls)
    setattr(node, _MARK, True)
