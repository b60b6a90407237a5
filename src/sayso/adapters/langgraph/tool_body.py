"""Watching the body of a graph's own tool. LangChain and ToolNode turn an exception into words for
the model, which do not say whether the tool has acted.

A watched tool shares the state of the tool itself, and its class is a subclass of the tool's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, wraps
from typing import Any

from langchain_core.tools import BaseTool
from langgraph.errors import GraphBubbleUp

from sayso.adapters.turn import within

#: What pydantic keeps an instance in.
_STATE = (
    "__dict__",
    "__pydantic_private__",
    "__pydantic_extra__",
    "__pydantic_fields_set__",
)


@dataclass
class BodyWatch:
    """How far the body of one call came, and what it raised."""

    entered: bool = False
    raised: Exception | None = None


_body: ContextVar[BodyWatch | None] = ContextVar("sayso_langgraph_body", default=None)


def watching(body: BodyWatch) -> AbstractContextManager[object]:
    return within(_body, body)


def watched(tool: BaseTool) -> BaseTool:
    view: BaseTool = object.__new__(_watched_class(type(tool)))
    for name in _STATE:
        object.__setattr__(view, name, getattr(tool, name))
    return view


@cache
def _watched_class(kind: type[BaseTool]) -> type[BaseTool]:
    run: Any = kind._run
    methods = {"_run": _watch(run), "__module__": kind.__module__}
    # Where a tool has no `_arun` of its own, LangChain runs `_run` in a thread.
    if kind._arun is not BaseTool._arun:
        methods["_arun"] = _watch_async(kind._arun)
    return type(kind.__name__, (kind,), methods)


def _watch(run: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(run)
    def watching_run(*args: Any, **kwargs: Any) -> Any:
        with _noting():
            return run(*args, **kwargs)

    return watching_run


def _watch_async(run: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(run)
    async def watching_run(*args: Any, **kwargs: Any) -> Any:
        with _noting():
            return await run(*args, **kwargs)

    return watching_run


@contextmanager
def _noting() -> Iterator[None]:
    body = _body.get() or BodyWatch()
    body.entered = True
    try:
        with within(_body, None):  # a tool that this one calls has a body of its own
            yield
    except GraphBubbleUp:
        raise
    except Exception as exc:
        body.raised = exc
        raise
