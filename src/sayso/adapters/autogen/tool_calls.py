"""The calls of an agent of AutoGen on their way to the toolbox and back: its own tools and the
toolbox's are behind one workbench."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

import orjson
from autogen_core import CancellationToken, FunctionCall
from autogen_core.tools import TextResultContent, ToolResult, ToolSchema, Workbench
from pydantic import JsonValue

from sayso.adapters.autogen.model_replies import is_json
from sayso.adapters.autogen.native_tool import AutoGenTool
from sayso.adapters.autogen.offered_tools import OfferedTool
from sayso.adapters.autogen.scope import AgentPlace, RunScope, StopRun
from sayso.adapters.autogen.segment_turns import AutoGenTurns
from sayso.adapters.model_reply import object_in
from sayso.adapters.turn import WAITING
from sayso.tools.calls import CallSuspended, Returned
from sayso.tools.tool import Runnable

#: Runs the task of a delegate (an AgentTool, a TeamTool) under the key of its call.
Delegate = Callable[[str, str], Awaitable[str]]


class AgentCalls:
    """The calls that one agent makes."""

    def __init__(self, turns: AutoGenTurns, place: AgentPlace, scope: RunScope) -> None:
        self._turns, self._place, self._scope = turns, place, scope

    def key(self, call_id: str | None) -> str:
        """Return a call's key. A model may repeat its own ids ("call_0") from reply to reply: the
        key counts them."""
        if not call_id:
            self._place.unnamed += 1
            call_id = f"unnamed{self._place.unnamed}"
        return f"{self._place.path}:{self._place.replies}:{call_id}"

    async def make(
        self, key: str, name: str, arguments: Mapping[str, JsonValue], tool: Runnable | None
    ) -> Returned | None:
        """Return the call's end, or None where it waits. Raises StopRun; whatever else ends the
        segment is kept for its end."""
        speaker = self._turns.name_of(self._place)
        with self._scope.inside():
            try:
                came = await self._turns.toolbox.call(
                    key, name, arguments, agent_name=speaker, tool=tool
                )
            except asyncio.CancelledError:
                raise
            except BaseException as exc:
                self._scope.fail(exc)
                raise StopRun from exc
        if isinstance(came, CallSuspended):
            self._scope.pending = True
            self._turns.requests.update({request.call_key: request for request in came.requests})
            return None
        return came

    async def show_unheard(self, call: FunctionCall) -> None:
        """Show a call that no workbench hears of: its tool is not there, or its arguments are not
        JSON. Where a person has answered it, the run says what is missing. The framework tells the
        model."""
        key = self.key(call.id)
        if is_json(call):
            await self.make(key, call.name, object_in(call.arguments) or {}, None)
        else:
            await self.refuse_unreadable(key, call.name)

    async def refuse_unreadable(self, key: str, name: str) -> Returned:
        speaker = self._turns.name_of(self._place)
        return await self._turns.toolbox.refuse_unreadable(key, name, agent_name=speaker)


class SaysoWorkbench(Workbench):
    """Our tools and an agent's own workbenches as one."""

    component_type = "workbench"

    def __init__(
        self,
        calls: AgentCalls,
        ours: Mapping[str, OfferedTool],
        own: Sequence[Workbench],
        delegates: Mapping[str, Delegate],
    ) -> None:
        self._calls, self._ours, self._own, self._delegates = calls, ours, own, delegates

    async def list_tools(self) -> list[ToolSchema]:
        found = [tool.schema for tool in self._ours.values()]
        for workbench in self._own:
            found += [s for s in await workbench.list_tools() if s["name"] not in self._ours]
        return found

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> ToolResult:
        """Call a tool. It never raises: where one call of several does, AutoGen waits for ever."""
        key = self._calls.key(call_id)
        native = None
        try:
            native = await self._native(name, key)
            came = await self._made(key, name, {} if arguments is None else arguments, native)
        except StopRun:
            came = None
        if came is None:
            return ToolResult(name=name, result=[TextResultContent(content=WAITING)])
        text = native.text if native is not None else None
        if text is None or came.notes or came.error is not None:
            text = as_text(came.value)
        return ToolResult(
            name=name,
            result=[TextResultContent(content=text)],
            is_error=came.error is not None,
        )

    async def _made(
        self, key: str, name: str, arguments: object, native: AutoGenTool | None
    ) -> Returned | None:
        if not isinstance(arguments, Mapping):  # JSON, but no object
            return await self._calls.refuse_unreadable(key, name)
        ours = self._ours.get(name)
        given = ours.arguments(arguments) if ours is not None else arguments
        return await self._calls.make(key, name, given, native)

    async def _native(self, name: str, key: str) -> AutoGenTool | None:
        if name in self._ours:
            return None
        for workbench in self._own:
            for schema in await workbench.list_tools():
                if schema["name"] == name:
                    delegate = self._delegates.get(name)
                    passed_on = partial(delegate, key) if delegate is not None else None
                    return AutoGenTool(schema, workbench, passed_on)
        return None

    async def start(self) -> None:
        """Do nothing: the agent's own workbenches are the application's, which starts and stops
        them."""

    async def stop(self) -> None:
        """See start."""

    async def reset(self) -> None:
        """See start."""

    async def save_state(self) -> Mapping[str, Any]:
        return {}

    async def load_state(self, state: Mapping[str, Any]) -> None:
        """Load nothing: an AssistantAgent does not keep its workbenches' state."""


def as_text(value: JsonValue) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()
