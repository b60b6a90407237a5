"""The tools of an agent of AutoGen, ours and its own, behind one workbench whose calls pass the
toolbox."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any

import orjson
from autogen_agentchat.tools import AgentTool, TeamTool
from autogen_core import CancellationToken, FunctionCall
from autogen_core.tools import (
    BaseTool,
    FunctionTool,
    StaticStreamWorkbench,
    StaticWorkbench,
    TextResultContent,
    ToolResult,
    ToolSchema,
    Workbench,
)
from jsonschema import Draft202012Validator
from pydantic import JsonValue, ValidationError
from pydantic_core import to_jsonable_python

from sayso.adapters.autogen.seams import Place, Scope, Stop
from sayso.core.digest import JsonObject
from sayso.tools.call import NeedsPerson, Returned
from sayso.tools.pause import ToolMistake
from sayso.tools.signature import ArgumentsInvalid
from sayso.tools.tool import Prepared, Runnable, Traits

if TYPE_CHECKING:
    from sayso.adapters.autogen.run import Run

#: The result of a call that waits. No model ever reads it: the run is taken down before.
WAITING = "This call waits for a person."
#: Runs the task of a delegate (an AgentTool, a TeamTool) under the key of its call.
Delegate = Callable[[str, str], Awaitable[str]]


class Calls:
    """The calls that one agent makes, on their way to the toolbox and back."""

    def __init__(self, run: Run, place: Place, scope: Scope) -> None:
        self._run, self._place, self._scope = run, place, scope

    def key(self, call_id: str | None) -> str:
        """A model may repeat its own ids ("call_0") from reply to reply: the key counts them."""
        if not call_id:
            self._place.unnamed += 1
            call_id = f"unnamed{self._place.unnamed}"
        return f"{self._place.path}:{self._place.replies}:{call_id}"

    async def make(
        self, key: str, name: str, arguments: Mapping[str, JsonValue], tool: Runnable | None
    ) -> Returned | None:
        """The call's end, or None where it waits. Raises Stop; whatever else ends the segment is
        kept for its end."""
        with self._scope.inside():
            try:
                came = await self._run.toolbox.call(
                    key, name, arguments, agent_name=self._run.name, tool=tool
                )
            except asyncio.CancelledError:
                raise
            except BaseException as exc:
                self._scope.fail(exc)
                raise Stop from exc
        if isinstance(came, NeedsPerson):
            self._scope.pending = True
            self._run.requests.update({request.call_key: request for request in came.requests})
            return None
        return came

    async def miss(self, call: FunctionCall) -> None:
        """A call of a tool that is not there: the chat shows it, and where a person has answered
        it, the run says what is missing. The framework tells the model."""
        try:
            arguments = orjson.loads(call.arguments)
        except orjson.JSONDecodeError:
            arguments = {}
        given = arguments if isinstance(arguments, dict) else {}
        await self.make(self.key(call.id), call.name, given, None)


class SaysoWorkbench(Workbench):
    """Our tools and an agent's own workbenches as one."""

    component_type = "workbench"

    def __init__(
        self,
        calls: Calls,
        ours: Sequence[Runnable],
        own: Sequence[Workbench],
        delegates: Mapping[str, Delegate],
    ) -> None:
        self._calls, self._own, self._delegates = calls, own, delegates
        self._ours = {tool.name: tool for tool in ours}

    async def list_tools(self) -> list[ToolSchema]:
        found = [_schema(tool) for tool in self._ours.values()]
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
        """It never raises: where one call of several raises, AutoGen waits for ever."""
        key = self._calls.key(call_id)
        given: Mapping[str, Any] = arguments if isinstance(arguments, Mapping) else {}
        native = None
        try:
            native = await self._native(name, key)
            came = await self._calls.make(key, name, given, native)
        except Stop:
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

    async def _native(self, name: str, key: str) -> NativeTool | None:
        if name in self._ours:
            return None
        for workbench in self._own:
            for schema in await workbench.list_tools():
                if schema["name"] == name:
                    delegate = self._delegates.get(name)
                    passed_on = partial(delegate, key) if delegate is not None else None
                    return NativeTool(schema, workbench, passed_on)
        return None

    async def start(self) -> None:
        """The agent's own workbenches are the application's, which starts and stops them."""

    async def stop(self) -> None:
        """See start."""

    async def reset(self) -> None:
        """See start."""

    async def save_state(self) -> Mapping[str, Any]:
        return {}

    async def load_state(self, state: Mapping[str, Any]) -> None:
        """There is none: an AssistantAgent does not keep its workbenches' state."""


class NativeTool:
    """A tool of the agent's own, as the toolbox sees it (tools.tool.Runnable)."""

    is_ours = False

    def __init__(
        self,
        schema: ToolSchema,
        workbench: Workbench,
        delegate: Callable[[str], Awaitable[str]] | None = None,
    ) -> None:
        self.name = schema["name"]
        self.description = schema.get("description", "")
        self.schema: JsonObject = dict(to_jsonable_python(schema.get("parameters", {})))
        # To pass a task on does nothing by itself: what the delegate calls is gated on its own.
        self.traits = Traits(read_only=delegate is not None)
        self._workbench, self._delegate = workbench, delegate
        self._tool = _the_tool(workbench, self.name)
        self.in_thread = isinstance(self._tool, FunctionTool) and not iscoroutinefunction(
            self._tool._func
        )
        #: The tool's own words for the model, where it has run just now.
        self.text: str | None = None

    def check(self, arguments: Mapping[str, JsonValue]) -> JsonObject:
        if self._tool is None:
            return checked(self.schema, arguments)
        try:
            self._tool.args_type().model_validate(dict(arguments))
        except ValidationError as exc:
            raise ArgumentsInvalid(
                [
                    {"path": "/".join(str(part) for part in e["loc"]), "message": e["msg"]}
                    for e in exc.errors()
                ]
            ) from exc
        return dict(arguments)

    async def propose(self, arguments: JsonObject, ctx: object) -> Prepared | None:
        return None

    def start(self, arguments: JsonObject, ctx: object) -> Awaitable[object]:
        if self._delegate is not None:
            return self._delegate(str(arguments.get("task", "")))
        return self._run(arguments)

    async def _run(self, arguments: JsonObject) -> object:
        token = CancellationToken()
        try:
            if self._tool is not None:
                found = await self._tool.run_json(arguments, token)
                self.text = self._tool.return_value_as_string(found)
                return found
            came = await self._workbench.call_tool(self.name, arguments, token)
        except asyncio.CancelledError:
            token.cancel()
            raise
        text = came.to_text()
        if came.is_error:
            raise ToolMistake(text)
        self.text = text
        return _parsed(text)


async def find_native(workbenches: Sequence[Workbench], name: str) -> NativeTool | None:
    """An agent's own tool of this name, unless it is one that passes a task on."""
    if any(tool.name == name for tool in delegates_of(workbenches)):
        return None
    for workbench in workbenches:
        for schema in await workbench.list_tools():
            if schema["name"] == name:
                return NativeTool(schema, workbench)
    return None


def delegates_of(workbenches: Sequence[Workbench]) -> list[AgentTool | TeamTool]:
    """The tools that pass a task on to another agent, or to a team."""
    return [
        tool
        for workbench in workbenches
        if isinstance(workbench, StaticWorkbench)
        for tool in workbench._tools
        if isinstance(tool, AgentTool | TeamTool)
    ]


def as_text(value: JsonValue) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _the_tool(workbench: Workbench, name: str) -> BaseTool[Any, Any] | None:
    """The tool itself, for its own value: a workbench gives only text. A subclass's `call_tool` is
    its own business."""
    if type(workbench) not in (StaticWorkbench, StaticStreamWorkbench):
        return None
    assert isinstance(workbench, StaticWorkbench)
    original = workbench._override_name_to_original.get(name, name)
    return next((tool for tool in workbench._tools if tool.name == original), None)


def checked(schema: JsonObject, arguments: Mapping[str, JsonValue]) -> JsonObject:
    wrong = list(Draft202012Validator(schema).iter_errors(dict(arguments)))
    if wrong:
        raise ArgumentsInvalid(
            [{"path": "/".join(map(str, e.path)), "message": e.message} for e in wrong]
        )
    return dict(arguments)


def _parsed(text: str) -> JsonValue:
    """A text that is a JSON object, as remote tools give it, is that object."""
    if not text.startswith("{"):
        return text
    try:
        found: JsonValue = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return found


def _schema(tool: Runnable) -> ToolSchema:
    parameters: Any = tool.schema
    return ToolSchema(name=tool.name, description=tool.description, parameters=parameters)
