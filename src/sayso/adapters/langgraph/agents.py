"""`create_agent` of LangChain: what may be added to an agent that is compiled already.

It keeps its model's tools in the closures of its nodes, with no way to add to them later: the
functions of those closures are made again around longer lists, in a copy. Where a version of
LangChain has them elsewhere, nothing is offered, and `SaysoMiddleware` is the way.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from types import CellType, FunctionType
from typing import Any, TypeGuard, cast
from weakref import WeakKeyDictionary

from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool
from langgraph._internal._runnable import RunnableCallable
from langgraph.graph import END
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode
from langgraph.pregel import Pregel
from langgraph.types import Send

Graph = Pregel[Any, Any, Any, Any]
_FACTORY = "create_agent.<locals>."
_MODEL_NODE = f"{_FACTORY}amodel_node"


def is_agent(graph: Graph) -> bool:
    """Whether `create_agent` made it."""
    return any(_is_model(node.bound) for node in graph.nodes.values())


def offering(graph: Graph) -> list[str]:
    """The model's node of a `create_agent` graph that has somewhere to run a tool."""
    if not any(isinstance(node.bound, ToolNode) for node in graph.nodes.values()):
        return []
    return [
        name
        for name, node in graph.nodes.items()
        if _is_model(node.bound) and "default_tools" in _cells(node.bound.afunc)
    ]


def with_tools(bound: RunnableCallable, offered: Sequence[BaseTool]) -> RunnableCallable:
    """The same model's node, whose model also knows our tools."""
    known = _cells(bound.afunc)["default_tools"]
    names = {getattr(tool, "name", None) for tool in known}
    tools = [*known, *(tool for tool in offered if tool.name not in names)]

    async def may_be_dynamic(*args: Any) -> Any:
        raise AssertionError("asked for only to be there: then tools may be added later")

    clone = copy.copy(bound)
    cells = {"default_tools": tools, "awrap_tool_call_wrapper": may_be_dynamic}
    clone.func, clone.afunc = None, _made_again(bound.afunc, cells, {})
    return clone


def with_tools_node(graph: Graph) -> Graph:
    """An agent that was made without any tool has no node to run one in: the same agent, with it.

    Its middleware may lead on from the model; then the graph is left as it is.
    """
    if not isinstance(graph, CompiledStateGraph) or not is_agent(graph):
        return graph
    if "tools" in graph.nodes or ("model", END) not in graph.builder.edges:
        return graph
    if graph not in _with_tools_node:
        _with_tools_node[graph] = _compiled_with_tools(graph)
    return _with_tools_node[graph]


_with_tools_node: WeakKeyDictionary[Graph, Graph] = WeakKeyDictionary()


def _compiled_with_tools(graph: CompiledStateGraph[Any, Any, Any, Any]) -> Graph:
    builder = copy.copy(graph.builder)
    builder.nodes, builder.compiled = dict(builder.nodes), False
    builder.edges = builder.edges - {("model", END)}
    builder.branches = defaultdict(dict, {n: dict(b) for n, b in builder.branches.items()})
    builder.add_node("tools", ToolNode([]))
    builder.add_conditional_edges("model", _to_tools, ["tools", END])
    builder.add_edge("tools", _loop_entry(graph))
    made = builder.compile(
        checkpointer=graph.checkpointer,
        cache=graph.cache,
        store=graph.store,
        interrupt_before=cast(Any, graph.interrupt_before_nodes),
        interrupt_after=cast(Any, graph.interrupt_after_nodes),
        debug=graph.debug,
        name=graph.name,
    )
    return made.with_config(graph.config)


def _loop_entry(graph: Graph) -> str:
    """Where `create_agent` begins each turn of the model."""
    before = [name for name in graph.nodes if name.endswith(".before_model")]
    return before[0] if before else "model"


def _to_tools(state: Mapping[str, Any]) -> str | list[Send]:
    last = state["messages"][-1]
    calls = last.tool_calls if isinstance(last, AIMessage) else []
    return [Send("tools", [call]) for call in calls] or END


def held_by_middleware(graph: Graph, name: str) -> bool:
    """Whether LangChain's human-in-the-loop middleware asks before this tool."""
    for node in graph.nodes.values():
        bound = node.bound
        if isinstance(bound, Pregel):
            if held_by_middleware(bound, name):
                return True
        elif isinstance(bound, RunnableCallable):
            owner = getattr(bound.afunc or bound.func, "__self__", None)
            if name in (getattr(owner, "interrupt_on", None) or ()):
                return True
    return False


def response_types(graph: Graph) -> list[type[Any]]:
    """The types of `create_agent(response_format=…)`, which no schema of its graph names."""
    found: list[type[Any]] = []
    for node in graph.nodes.values():
        bound = node.bound
        wanted = None
        if _is_model(bound):
            wanted = _cells(bound.afunc).get("initial_response_format")
        specs = getattr(wanted, "schema_specs", None) or [wanted]
        found += [s for s in (getattr(one, "schema", None) for one in specs) if isinstance(s, type)]
    return found


def _is_model(bound: object) -> TypeGuard[RunnableCallable]:
    afunc = bound.afunc if isinstance(bound, RunnableCallable) else None
    return getattr(afunc, "__qualname__", "") == _MODEL_NODE


def _made_again(function: Any, cells: Mapping[str, Any], made: dict[int, Any]) -> Any:
    """A function of `create_agent` with other values in its closure, and in the closures of its
    sisters there."""
    if not isinstance(function, FunctionType) or function.__closure__ is None:
        return function
    if not function.__qualname__.startswith(_FACTORY):
        return function
    if id(function) in made:
        return made[id(function)]
    new = [CellType() for _ in function.__closure__]
    again = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        tuple(new),
    )
    again.__kwdefaults__, again.__annotations__ = function.__kwdefaults__, function.__annotations__
    again.__qualname__ = function.__qualname__
    made[id(function)] = again
    for cell, (name, value) in zip(new, _cells(function).items(), strict=True):
        cell.cell_contents = cells.get(name, _made_again(value, cells, made))
    return again


def _cells(function: Callable[..., Any] | None) -> dict[str, Any]:
    if not isinstance(function, FunctionType) or function.__closure__ is None:
        return {}
    names = function.__code__.co_freevars
    return dict(zip(names, (cell.cell_contents for cell in function.__closure__), strict=True))
