"""What code can reach before it runs: the values that a function closes over or names, and what
these hold. So an adapter finds the agents that the tools of an agent will run.
"""

from __future__ import annotations

import inspect
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import TypeVar

T = TypeVar("T")

#: A walk ends here, however much there is: an agent is a few hundred things.
MOST_THINGS = 20_000

_PLAIN = (str, bytes, int, float, complex, bool, type(None), CodeType)


def reachable(roots: Iterable[object], kind: type[T]) -> list[T]:
    """Return everything of this kind that the roots hold or their functions name, nearest first."""
    return [thing for thing in _walk(roots, _named) if isinstance(thing, kind)]


def each_within(
    first: Iterable[tuple[str, T]], behind: Callable[[T], Iterable[tuple[str, T]]]
) -> list[tuple[str, T]]:
    """Return these agents and all behind them, each once and with where it is: "desk > clerk"."""
    found: dict[int, tuple[str, T]] = {}
    waiting = deque(first)
    while waiting:
        where, agent = waiting.popleft()
        if id(agent) not in found:
            found[id(agent)] = (where, agent)
            waiting += [(f"{where} > {name}", one) for name, one in behind(agent)]
    return list(found.values())


def functions_that_name(
    roots: Iterable[object], named: Callable[..., object]
) -> list[FunctionType]:
    """Return the functions that the roots hold, and those that these call by name, which name this
    class or function, as those do that call it. Those of its own package are not among them.

    Objects that a function names are not looked into: through them it would reach what it never
    calls."""
    own = named.__module__.partition(".")[0]

    def called(function: FunctionType) -> Iterable[object]:
        if _package(function) == own:
            return ()
        return [
            it for it in _named(function) if isinstance(it, FunctionType | MethodType | partial)
        ]

    return [
        thing
        for thing in _walk(roots, called)
        if isinstance(thing, FunctionType)
        and _package(thing) != own
        and any(value is named for value in _named(thing))
    ]


def _walk(
    roots: Iterable[object], of_function: Callable[[FunctionType], Iterable[object]]
) -> Iterator[object]:
    waiting, seen = deque(roots), set[int]()
    kept: list[object] = []  # what is made on the way must live, or its id is given again
    while waiting and len(seen) < MOST_THINGS:
        thing = waiting.popleft()
        if isinstance(thing, _PLAIN) or id(thing) in seen:
            continue
        seen.add(id(thing))
        kept.append(thing)
        yield thing
        if not isinstance(thing, FunctionType):
            waiting.extend(_held(thing))
        # Through `importlib` and its like everything can reach everything.
        elif _package(thing) not in sys.stdlib_module_names:
            waiting.extend(of_function(thing))


def _held(thing: object) -> Iterable[object]:
    match thing:
        case ModuleType() | type():
            return ()
        case MethodType():
            return (thing.__self__, thing.__func__)
        case partial():
            return (thing.func, *thing.args, *thing.keywords.values())
        case Mapping():
            return list(thing.values())
        case list() | tuple() | set() | frozenset() | deque():
            return list(thing)
        case _:
            return _attributes(thing)


def _package(function: FunctionType) -> str:
    return (function.__module__ or "").partition(".")[0]


def _attributes(thing: object) -> list[object]:
    if type(thing).__module__.partition(".")[0] in ("builtins", "asyncio", "threading", "logging"):
        return []
    found = list(getattr(thing, "__dict__", {}).values())
    for cls in type(thing).__mro__:
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            try:
                found.append(inspect.getattr_static(thing, name).__get__(thing))
            except (AttributeError, TypeError):
                continue
    return found


def _named(function: FunctionType) -> list[object]:
    """Return what a function closes over, has as its defaults, and names of its module, and of what
    it names there: `team.researcher`."""
    found = closed_over(function)
    found += function.__defaults__ or ()
    found += (function.__kwdefaults__ or {}).values()
    wrapped = getattr(function, "__wrapped__", None)
    names = names_in(function.__code__)
    spaces: list[Mapping[str, object]] = [function.__globals__]
    spaces += [
        vars(space)
        for space in (function.__globals__.get(name) for name in names)
        if isinstance(space, ModuleType | type)
    ]
    found += [space[name] for space in spaces for name in names if name in space]
    return [*found, wrapped]


def closed_over(function: FunctionType) -> list[object]:
    found: list[object] = []
    for cell in function.__closure__ or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:  # it is not filled yet
            continue
    return found


def names_in(code: CodeType) -> set[str]:
    """Return what a function, and those within it, name outside of themselves."""
    names = set(code.co_names)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            names |= names_in(inner)
    return names
