"""The calls of one run of an agent, each through the toolbox."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

from agent_framework import (
    Content,
    FunctionInvocationContext,
    FunctionTool,
    ToolApprovalMiddleware,
)
from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from sayso.adapters.agent_framework.model_replies import Replies
from sayso.adapters.agent_framework.native_tool import ROUTED, AgentFrameworkTool
from sayso.adapters.native import given_by_person
from sayso.adapters.turn import WAITING
from sayso.core.digest import JsonObject
from sayso.tools.calls import Returned


class Calls:
    def __init__(self, replies: Replies, middleware: Sequence[Any] = ()) -> None:
        self._replies, self._turn = replies, replies.turn
        self._rules = [
            rule
            for one in middleware
            if isinstance(one, ToolApprovalMiddleware)
            for rule in one.auto_approval_rules
        ]

    def offered(self) -> list[FunctionTool]:
        """Return the toolbox's tools as the framework's."""
        return [
            self._routed(
                FunctionTool(
                    name=tool.name,
                    description=tool.description,
                    func=_never,
                    input_model=dict(tool.schema),
                ),
                None,
            )
            for tool in self._turn.ours.values()
        ]

    def route(self, tools: list[Any]) -> None:
        """Let the calls of these tools come here; those of hosted tools never do."""
        tools[:] = [
            self._routed(tool, tool)
            if isinstance(tool, FunctionTool) and not hasattr(tool, ROUTED)
            else tool
            for tool in tools
        ]

    def _routed(self, tool: FunctionTool, own: FunctionTool | None) -> FunctionTool:
        """Return a copy of the tool, with its calls sent here. What it says of approval is ours to
        keep."""

        async def invoke(
            *,
            arguments: BaseModel | Mapping[str, Any] | None = None,
            context: FunctionInvocationContext | None = None,
            tool_call_id: str | None = None,
            **more: Any,
        ) -> Any:
            given = arguments if arguments is not None or context is None else context.arguments
            return await self._call(tool.name, str(tool_call_id), _as_json(given), context, own)

        mine: Any = copy(tool)
        mine.invoke = invoke
        mine.approval_mode = "never_require"
        mine.func = tool.func or _never
        # Whether it asks for it or not, the call tells its session.
        mine._context_parameter_name = tool._context_parameter_name or "ctx"
        setattr(mine, ROUTED, own or tool)
        routed: FunctionTool = mine
        return routed

    async def _call(
        self,
        name: str,
        call_id: str,
        arguments: JsonObject,
        context: FunctionInvocationContext | None,
        own: FunctionTool | None,
    ) -> Any:
        turn, key = self._turn, self._replies.key(call_id)
        native = None
        if own is not None:
            is_allowed = await self._is_allowed(own, call_id, arguments)
            native = AgentFrameworkTool(turn, key, own, context, is_allowed=is_allowed)
        is_unreadable = call_id in self._replies.unreadable and set(arguments) == {"raw"}
        given, speaker = None if is_unreadable else arguments, self._replies.speaker
        came = await self._replies.enclosing.call(key, name, given, native, speaker=speaker)
        if came is None:
            return WAITING
        if native is not None and not native.has_run:
            native.play_again()
        if _is_watched(context) and isinstance(came.exception, Exception):
            raise came.exception  # as a middleware expects it
        return self._told(key, came, native)

    async def _is_allowed(self, tool: FunctionTool, call_id: str, arguments: JsonObject) -> bool:
        """Tell whether a rule of the agent's own approval middleware allows what would ask."""
        if tool.approval_mode != "always_require":
            return False
        call = Content.from_function_call(call_id, tool.name, arguments=dict(arguments))
        for rule in self._rules:
            found: Any = rule(call)
            if await found if inspect.isawaitable(found) else found:
                return True
        return False

    def _told(self, key: str, came: Returned, native: AgentFrameworkTool | None) -> Any:
        """Return what the model is told of a call that has ended."""
        if native is not None and native.is_outside:
            return _text(given_by_person(came.value))
        kept = self._turn.state.told.get(key)
        if kept is not None and came.error is None and not came.notes:
            return [Content.from_dict(one) for one in kept]
        return _text(came.value)


def _is_watched(context: FunctionInvocationContext | None) -> bool:
    """Tell whether a middleware stands around the call."""
    return context is not None and "call_id" in context.metadata


async def _never(**arguments: object) -> None:
    raise AssertionError("its calls are made by the toolbox")


def _as_json(given: object) -> JsonObject:
    if isinstance(given, BaseModel):
        given = given.model_dump(exclude_unset=True)
    if not isinstance(given, Mapping):
        return {}
    found: JsonObject = to_jsonable_python(dict(given), fallback=str)
    return found


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
