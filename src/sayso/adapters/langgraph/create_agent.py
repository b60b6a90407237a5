"""LangChain's `create_agent`: adding tools to an agent that is already compiled, and running its
middleware here.

It keeps its model's tools in the closures of its nodes, with no way to add to them later. So, in a
copy, the functions of those closures are built again around longer lists. Where a version of
LangChain keeps them elsewhere, nothing is offered, and `SaysoMiddleware` is the way.

Its middleware may have no async methods, as the documentation often writes it: in Sayso, which is
asynchronous throughout, that runs in a thread of its own.
"""

from __future__ import annotations

import asyncio
import copy
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from types import CellType, FunctionType, MethodType
from typing import Any, TypeGuard, cast
from weakref import WeakKeyDictionary

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph._internal._runnable import RunnableCallable
from langgraph.graph import END
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode
from langgraph.pregel import Pregel
from langgraph.types import Send

from sayso.adapters.reach import closed_over

Graph = Pregel[Any, Any, Any, Any]
_FACTORY = "create_agent.<locals>."
_MODEL_NODE = f"{_FACTORY}amodel_node"
#: What only says that there is no async method.
_MISSING = (AgentMiddleware.awrap_tool_call, AgentMiddleware.awrap_model_call)


def is_agent(graph: Graph) -> bool:
    """Tell whether `create_agent` made it."""
    return any(_is_model(node.bound) for node in graph.nodes.values())


def model_nodes(graph: Graph) -> list[str]:
    """Return the model nodes of a `create_agent` graph that has somewhere to run a tool."""
    if not any(isinstance(node.bound, ToolNode) for node in graph.nodes.values()):
        return []
    return [
        name
        for name, node in graph.nodes.items()
        if _is_model(node.bound) and "default_tools" in _cells(node.bound.afunc)
    ]


def hosted_tools(graph: Graph) -> list[str]:
    """Return the tools of the agent's model that its provider runs, by their type."""
    found: list[str] = []
    for node in graph.nodes.values():
        if _is_model(node.bound):
            given = _cells(node.bound.afunc).get("default_tools") or ()
            found += [str(tool.get("type")) for tool in given if isinstance(tool, dict)]
    return [name for name in found if name != "function"]


def with_tools(bound: RunnableCallable, offered: Sequence[BaseTool]) -> RunnableCallable:
    """Return a copy of the model's node whose model also knows our tools."""
    known = _cells(bound.afunc)["default_tools"]
    names = {getattr(tool, "name", None) for tool in known}
    tools = [*known, *(tool for tool in offered if tool.name not in names)]

    async def may_be_dynamic(*args: Any) -> Any:
        raise AssertionError("never called: where it is set, tools may be added later")

    clone = copy.copy(bound)
    cells = {
        "default_tools": tools,
        "awrap_tool_call_wrapper": may_be_dynamic,
        "wrap_tool_call_wrapper": may_be_dynamic,
    }
    clone.func, clone.afunc = _rebuilt(bound.func, cells, {}), _rebuilt(bound.afunc, cells, {})
    return clone


def able_to_run(bound: object) -> RunnableCallable | None:
    """Return the model's node so that it runs here, where middleware without async methods is
    around its model; None where it runs as it is."""
    if not _is_model(bound):
        return None
    around = _cells(bound.afunc).get("awrap_model_call_handler")
    return _in_thread(bound) if lacks_async(around) else None


def lacks_async(wrapper: object) -> bool:
    """Tell whether a wrapper, or one in a chain of them, only says that it has no async method."""
    waiting, seen = [wrapper], set[int]()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        match one:
            case MethodType(__func__=function):
                if function in _MISSING:
                    return True
            case FunctionType():
                waiting += [getattr(one, "__wrapped__", None), *closed_over(one)]
            case list() | tuple():
                waiting += one
            case _:
                pass
    return False


def _in_thread(node: RunnableCallable) -> RunnableCallable:
    """Return a node whose plain function runs in a thread, in place of its async one."""
    function: Callable[..., Any] | None = node.func
    assert function is not None
    clone = copy.copy(node)

    async def threaded(*args: Any, **kwargs: Any) -> Any:
        return await asyncio.to_thread(function, *args, **kwargs)

    clone.func, clone.afunc = None, threaded
    return clone


def with_tools_node(graph: Graph) -> Graph:
    """Return the agent with a node for tools, which one made without tools lacks.

    Where its middleware leads on from the model, the graph is left as it is.
    """
    if not isinstance(graph, CompiledStateGraph) or not is_agent(graph):
        return graph
    if "tools" in graph.nodes or not _ends_after_model(graph):
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
    builder.branches.pop("model", None)
    builder.add_node("tools", ToolNode([]))
    builder.add_conditional_edges("model", _to_tools, ["tools", "model", END])
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
    """Return the node where `create_agent` begins each turn of the model."""
    before = [name for name in graph.nodes if name.endswith(".before_model")]
    return before[0] if before else "model"


def _ends_after_model(graph: CompiledStateGraph[Any, Any, Any, Any]) -> bool:
    """Tell whether the model alone leads on: to the end, or, where its answer has to have a shape,
    to itself until it has."""
    branches = list(graph.builder.branches.get("model", ()))
    return ("model", END) in graph.builder.edges or branches == ["model_to_model"]


def _to_tools(state: Mapping[str, Any]) -> str | list[Send]:
    """Lead on from the model as LangChain does where an agent has tools."""
    messages = state["messages"]
    at = max((n for n, one in enumerate(messages) if isinstance(one, AIMessage)), default=None)
    if at is None or not messages[at].tool_calls:
        return END
    ended = {one.tool_call_id for one in messages[at:] if isinstance(one, ToolMessage)}
    open_calls = [call for call in messages[at].tool_calls if call["id"] not in ended]
    if open_calls:
        return [Send("tools", [call]) for call in open_calls]
    return END if state.get("structured_response") is not None else "model"


def asked_by_middleware(graph: Graph, name: str) -> bool:
    """Tell whether LangChain's human-in-the-loop middleware asks before this tool runs."""
    for node in graph.nodes.values():
        bound = node.bound
        if isinstance(bound, Pregel):
            if asked_by_middleware(bound, name):
                return True
        elif isinstance(bound, RunnableCallable):
            owner = getattr(bound.afunc or bound.func, "__self__", None)
            if name in (getattr(owner, "interrupt_on", None) or ()):
                return True
    return False


def response_types(graph: Graph) -> list[type[Any]]:
    """Return the types of `create_agent(response_format=…)`, which no schema of its graph names."""
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


def _rebuilt(function: Any, cells: Mapping[str, Any], made: dict[int, Any]) -> Any:
    """Return a function of `create_agent` with other values in its closure, and in the closures
    that it reaches from there."""
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
        cell.cell_contents = cells.get(name, _rebuilt(value, cells, made))
    return again


def _cells(function: Callable[..., Any] | None) -> dict[str, Any]:
    if not isinstance(function, FunctionType) or function.__closure__ is None:
        return {}
    names = function.__code__.co_freevars
    return dict(zip(names, (cell.cell_contents for cell in function.__closure__), strict=True))
