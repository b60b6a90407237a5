"""Tools whose bodies run agents: within a call they run our copies of these.

An agent that is given as a tool is replaced in a copy of the tool. Where a tool's function names
an agent, or makes one, it runs with our copy, or with our class, under that name.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from copy import copy, deepcopy
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

from strands import Agent
from strands.types.tools import AgentTool

from sayso.adapters.reach import names_in
from sayso.adapters.strands.agent_copy import copy_of, load, snapshot_of
from sayso.adapters.strands.state import StrandsEnclosing

#: Below this a function or a class is of the framework, or of Python itself.
_NOT_OURS = ("strands", "asyncio")


def agent_of(tool: AgentTool) -> Agent | None:
    """Return the agent that is given as this tool."""
    found = getattr(tool, "agent", None) if is_of_framework(type(tool)) else None
    return found if isinstance(found, Agent) else None


def enclosed(tool: AgentTool, enclosing: StrandsEnclosing) -> AgentTool:
    """Return the tool as it runs here; itself where its body runs no agents."""
    if agent_of(tool) is not None:
        return _agent_tool(tool, enclosing)
    function = getattr(tool, "_tool_func", None)
    mine = Space(enclosing).routed(function) if function is not None else function
    if mine is function:
        return tool
    copied: Any = copy(tool)
    copied._tool_func = mine
    made: AgentTool = copied
    return made


def _agent_tool(tool: Any, enclosing: StrandsEnclosing) -> AgentTool:
    mine, turn, name = copy(tool), enclosing.turn, tool.tool_name
    agent = running_copy(tool.agent, enclosing)
    running = enclosing.copies[id(tool.agent)]
    running.speaks = bool(getattr(tool, "delegate", False))
    if not tool._preserve_context:
        agent.messages = deepcopy(tool._initial_messages)
        agent.state = deepcopy(tool._initial_state)
    elif name in turn.state.kept:
        load(agent, turn.state.kept[name])
    mine._agent, mine._lock = agent, threading.Lock()
    # The framework's tool begins each task anew itself; here a task may have begun before.
    mine._preserve_context = True
    if tool._preserve_context:
        running.remember = lambda: turn.state.kept.update({name: snapshot_of(agent)})
    return mine  # type: ignore[no-any-return]  # the framework says Any


def running_copy(agent: Agent, enclosing: StrandsEnclosing) -> Agent:
    """Return our copy of an agent for this body."""
    known = enclosing.copies.get(id(agent))
    return known.agent if known is not None else _within(copy_of(agent), enclosing, id(agent))


def _within(mine: Agent, enclosing: StrandsEnclosing, key: int) -> Agent:
    """Let an agent run within this body, whatever way it is called."""
    running = enclosing.copies[key] = enclosing.turn.take(mine, enclosing)
    run = mine.stream_async

    def stream_async(prompt: Any = None, **options: Any) -> AsyncIterator[Any]:
        return running.stream_within(prompt, run, options)

    mine.stream_async = stream_async  # type: ignore[method-assign]
    return mine


def _class_within(kind: type[Agent], enclosing: StrandsEnclosing) -> type[Agent]:
    """Return a class whose agents run within this body."""

    def init(self: Agent, *args: Any, **options: Any) -> None:
        kind.__init__(self, *args, **options)
        _within(self, enclosing, id(self))

    return type(kind.__name__, (kind,), {"__init__": init, "__module__": kind.__module__})


class _Names(dict[str, Any]):
    """A module's names with ours before them; what the module changes is seen."""

    def __init__(self, given: dict[str, Any], ours: dict[str, Any]) -> None:
        super().__init__(ours, __name__=given["__name__"], __builtins__=given["__builtins__"])
        self._given = given

    def __missing__(self, name: str) -> Any:
        return self._given[name]


class _Module(ModuleType):
    """A module of the framework, for a body that says `strands.Agent(…)`."""

    def __init__(self, given: ModuleType, space: Space) -> None:
        super().__init__(given.__name__, given.__doc__)
        self._given, self._space = given, space

    def __getattr__(self, name: str) -> Any:
        return self._space.ours(getattr(self._given, name))


class Space:
    """What the functions of a body run with in place of the application's agents."""

    def __init__(self, enclosing: StrandsEnclosing | None) -> None:
        self._enclosing = enclosing
        self._known: dict[int, Any] = {}
        #: The agents that were met, and whether a function makes one.
        self.agents: list[Agent] = []
        self.makes_agents = False

    def routed(self, function: Any) -> Any:
        """Return the function with our agents; itself where it names none."""
        if isinstance(function, MethodType):
            mine = self.routed(function.__func__)
            same = mine is function.__func__
            return function if same else MethodType(mine, function.__self__)
        if not isinstance(function, FunctionType) or is_of_framework(function):
            return function
        if id(function) in self._known:
            return self._known[id(function)]
        self._known[id(function)] = function  # one that calls itself
        made = self._known[id(function)] = self._made(function)
        return made

    def _made(self, function: FunctionType) -> FunctionType:
        cells = list(function.__closure__ or ())
        closed = [self._cell(cell) for cell in cells]
        names = names_in(function.__code__)
        given = {n: function.__globals__[n] for n in names if n in function.__globals__}
        ours = {n: mine for n, one in given.items() if (mine := self.ours(one)) is not one}
        defaults = tuple(self.ours(one) for one in function.__defaults__ or ())
        same = all(a is b for a, b in zip(closed, cells, strict=True))
        if same and not ours and defaults == (function.__defaults__ or ()):
            return function
        made = FunctionType(
            function.__code__,
            _Names(function.__globals__, ours) if ours else function.__globals__,
            function.__name__,
            defaults or None,
            tuple(closed) or None,
        )
        made.__kwdefaults__ = function.__kwdefaults__
        return made

    def _cell(self, cell: CellType) -> CellType:
        try:
            given = cell.cell_contents
        except ValueError:  # it is not filled yet
            return cell
        mine = self.ours(given)
        return cell if mine is given else CellType(mine)

    def ours(self, given: Any) -> Any:
        """Return what stands in place of this."""
        if isinstance(given, Agent):
            self.agents.append(given)
            return running_copy(given, self._enclosing) if self._enclosing else object()
        if isinstance(given, type) and issubclass(given, Agent):
            self.makes_agents = True
            return _class_within(given, self._enclosing) if self._enclosing else object()
        if isinstance(given, FunctionType):
            return self.routed(given)
        if isinstance(given, ModuleType) and given.__name__.partition(".")[0] == "strands":
            return _Module(given, self) if self._enclosing else given
        if type(given) in (list, tuple) and any(isinstance(one, Agent) for one in given):
            return type(given)(self.ours(one) for one in given)
        if type(given) is dict and any(isinstance(one, Agent) for one in given.values()):
            return {name: self.ours(one) for name, one in given.items()}
        return given


def is_of_framework(code: FunctionType | type) -> bool:
    return (code.__module__ or "").partition(".")[0] in _NOT_OURS
