"""A tool of an agent of AutoGen, as the toolbox sees it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import cache
from inspect import iscoroutinefunction
from typing import Any

import orjson
from autogen_agentchat.tools import AgentTool, TeamTool
from autogen_core import CancellationToken
from autogen_core.tools import (
    BaseTool,
    FunctionTool,
    StaticStreamWorkbench,
    StaticWorkbench,
    ToolSchema,
    Workbench,
)
from pydantic import JsonValue
from pydantic_core import to_jsonable_python

from sayso.adapters.native import NativeTool, in_our_words
from sayso.adapters.turn import within
from sayso.core.digest import JsonObject
from sayso.tools.suspension import SaidError
from sayso.tools.tool import Traits


class AutoGenTool(NativeTool):
    """One of an agent's own tools, in one call."""

    def __init__(
        self,
        schema: ToolSchema,
        workbench: Workbench,
        delegate: Callable[[str], Awaitable[str]] | None = None,
    ) -> None:
        self._tool = _the_tool(workbench, schema["name"])
        function = self._tool._func if isinstance(self._tool, FunctionTool) else None
        super().__init__(
            schema["name"],
            schema.get("description", ""),
            # To pass a task on does nothing by itself: the delegate's calls are decided on one by
            # one.
            Traits(declared=False, read_only=delegate is not None),
            in_thread=function is not None and not iscoroutinefunction(function),
        )
        self._schema: JsonObject = dict(to_jsonable_python(schema.get("parameters", {})))
        self._workbench, self._delegate = workbench, delegate
        #: The tool's own words for the model, where it has run just now.
        self.text: str | None = None

    @property
    def schema(self) -> JsonObject:
        return self._schema

    def check(self, arguments: Mapping[str, JsonValue]) -> JsonObject:
        if self._tool is None:
            return super().check(arguments)
        with in_our_words(arguments):
            self._tool.args_type().model_validate(dict(arguments))
        return dict(arguments)

    async def start(self, arguments: JsonObject, ctx: object) -> object:
        if self._delegate is not None:
            return await self._delegate(str(arguments.get("task", "")))
        token = CancellationToken()
        try:
            if self._tool is not None:
                found = await self._tool.run_json(arguments, token)
                self.text = self._tool.return_value_as_string(found)
                return found
            with within(_noted, list[Exception]()) as raised:
                came = await _view_of(self._workbench).call_tool(self.name, arguments, token)
        except asyncio.CancelledError:
            token.cancel()
            raise
        text = came.to_text()
        if raised:
            raise raised[-1]
        if came.is_error:
            raise SaidError(text)
        self.text = text
        return _parsed(text)


def delegates_of(workbenches: Sequence[Workbench]) -> list[AgentTool | TeamTool]:
    """Return the tools that pass a task on to another agent, or to a team."""
    return [
        tool
        for workbench in workbenches
        if isinstance(workbench, StaticWorkbench)
        for tool in workbench._tools
        if isinstance(tool, AgentTool | TeamTool)
    ]


def _the_tool(workbench: Workbench, name: str) -> BaseTool[Any, Any] | None:
    """Return the tool itself, for its own value: a workbench gives only text. None where a subclass
    may call it in its own way."""
    if type(workbench) not in (StaticWorkbench, StaticStreamWorkbench):
        return None
    assert isinstance(workbench, StaticWorkbench)
    original = workbench._override_name_to_original.get(name, name)
    return next((tool for tool in workbench._tools if tool.name == original), None)


def _parsed(text: str) -> JsonValue:
    """Return the JSON object that a text is, as remote tools give one; else the text."""
    if not text.startswith("{"):
        return text
    try:
        found: JsonValue = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return found


# ── the exception behind a result that is an error ──

#: A workbench turns it into words. A view of the workbench shares its state, and its class is a
#: subclass of the workbench's: it notes each exception as the workbench writes it down.
_noted: ContextVar[list[Exception] | None] = ContextVar("sayso_autogen_noted", default=None)


def _view_of(workbench: Workbench) -> Workbench:
    """Return a view of the workbench that notes them; or the workbench itself, where it writes its
    errors in its own way."""
    if not hasattr(workbench, "_format_errors"):
        return workbench
    view: Workbench = object.__new__(_noting_class(type(workbench)))
    object.__setattr__(view, "__dict__", workbench.__dict__)
    return view


@cache
def _noting_class(kind: type[Workbench]) -> type[Workbench]:
    def _format_errors(self: Any, error: Exception) -> Any:
        found = _noted.get()
        if found is not None:
            found.append(error)
        return format_errors(self, error)

    def __del__(self: Any) -> None:
        """Do nothing: the workbench itself ends what it has begun."""

    format_errors = kind._format_errors  # type: ignore[attr-defined]
    made = {"_format_errors": _format_errors, "__del__": __del__, "__module__": kind.__module__}
    return type(kind.__name__, (kind,), made)
