"""LangChain's middleware that has no async methods, as its documentation often writes it: in Sayso,
which is asynchronous throughout, it runs in a thread of its own."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langgraph._internal._runnable import RunnableCallable

_MISSING = (AgentMiddleware.awrap_tool_call, AgentMiddleware.awrap_model_call)


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
                waiting += [getattr(one, "__wrapped__", None), *_closed_over(one)]
            case list() | tuple():
                waiting += one
            case _:
                pass
    return False


def in_thread(node: RunnableCallable) -> RunnableCallable:
    """Return a node whose plain function runs in a thread, in place of its async one."""
    function: Callable[..., Any] | None = node.func
    assert function is not None
    clone = copy.copy(node)

    async def threaded(*args: Any, **kwargs: Any) -> Any:
        return await asyncio.to_thread(function, *args, **kwargs)

    clone.func, clone.afunc = None, threaded
    return clone


def _closed_over(function: FunctionType) -> list[object]:
    found: list[object] = []
    for cell in function.__closure__ or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:  # it is not filled
            continue
    return found
