"""Agents that a tool or a node calls by itself (`helper.invoke(…)`): what they call passes the
toolbox of the run that they work in.

They are found by what the code can reach, and cannot be copied: the function holds the very object.
So each ToolNode of theirs gets a wrapper, which outside of a run of Sayso does nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakSet

from langgraph.prebuilt import ToolNode
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.pregel import Pregel

from sayso.adapters.langgraph.agent_copy import one_of_many, together, wrappers_of
from sayso.adapters.langgraph.create_agent import Graph
from sayso.adapters.langgraph.tool_calls import Execute, current_calls
from sayso.adapters.reach import reachable

#: On a ToolNode that has the wrapper.
_MARK = "_sayso_routed"
_LOOKED_THROUGH: WeakSet[Graph] = WeakSet()


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
    around, all_calls = wrappers_of(node), node.afunc

    async def routed(request: ToolCallRequest, execute: Execute) -> Any:
        calls = current_calls()
        if calls is not None:
            return await one_of_many(request, calls.call(request, execute, around=around))
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
    node.afunc = together(all_calls)
    setattr(node, _MARK, True)
