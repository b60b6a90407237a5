"""A graph's own tool as the toolbox sees it, and the toolbox's tools as LangChain's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn
from weakref import WeakKeyDictionary

import orjson
from langchain_core.messages import ToolCall, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.errors import GraphBubbleUp, GraphInterrupt, is_invalid_resume
from langgraph.prebuilt.tool_node import ToolCallRequest, ToolInvocationError
from langgraph.types import Command, Interrupt
from pydantic import BaseModel, JsonValue, ValidationError
from pydantic_core import to_jsonable_python

from sayso.adapters.langgraph.direct_calls import RUN_BY_TOOLBOX
from sayso.adapters.langgraph.tool_body import BodyWatch, watched, watching
from sayso.adapters.native import NativeTool, hinted_traits, in_our_words
from sayso.adapters.turn import within
from sayso.core.children import Request
from sayso.core.digest import JsonObject
from sayso.core.errors import AgentFailed, NotExecuted, NotSupportedError
from sayso.tools.calls import Returned
from sayso.tools.signature import check_arguments
from sayso.tools.suspension import SaidError, Suspend
from sayso.tools.tool import Runnable, Traits

#: In a recorded result: what a tool did to the graph besides answering.
COMMAND = "command"


@dataclass(frozen=True)
class CallResult:
    """How a call ended: what the graph gets, the message that tells the model, and the exception of
    a tool that raised."""

    returned: Any
    message: ToolMessage
    raised: Exception | None


class GraphTool(NativeTool):
    """One of the graph's own tools, in one call."""

    def __init__(
        self,
        tool: BaseTool,
        request: ToolCallRequest,
        execute: Callable[[ToolCallRequest], Awaitable[Any]],
        cards_of: Callable[[Sequence[Interrupt[Any]]], tuple[Request, ...]],
        *,
        approval: bool = False,
        declared: bool = False,
    ) -> None:
        traits = traits_of(tool, approval=approval, declared=declared)
        super().__init__(tool.name, tool.description, traits, in_thread=_blocks(tool))
        self._tool, self._request, self._execute = tool, request, execute
        self._cards_of = cards_of
        #: What the tool gave LangGraph: a ToolMessage, a Command, or several.
        self.returned: Any = None
        #: The body asked a person by itself.
        self.interrupted: GraphInterrupt | None = None
        #: The body sends the graph elsewhere by an exception.
        self.bubbled: GraphBubbleUp | None = None

    @property
    def schema(self) -> JsonObject:
        return schema_of(self._tool)

    def check(self, arguments: Mapping[str, JsonValue]) -> JsonObject:
        model = self._tool.tool_call_schema
        if isinstance(model, dict):
            check_arguments(model, arguments)
        elif issubclass(model, BaseModel):
            with in_our_words(arguments):
                model.model_validate(dict(arguments))
        return dict(arguments)

    async def start(self, arguments: JsonObject, ctx: object) -> object:
        call: ToolCall = {**self._request.tool_call, "args": arguments}
        request = self._request.override(tool_call=call, tool=watched(self._tool))
        body = BodyWatch()
        try:
            with within(RUN_BY_TOOLBOX, self.name), watching(body):
                found = await self._execute(request)
        except GraphInterrupt as exc:
            self.interrupted = exc
            raise Suspend(self._cards_of(exc.args[0] if exc.args else ())) from exc
        except GraphBubbleUp as exc:
            self.bubbled = exc
            return "The call handed over to another agent."
        except Exception as exc:
            if is_invalid_resume(exc):
                raise AgentFailed(
                    f"The answer does not fit what '{self.name}' asked: {exc}"
                ) from exc
            raise _meaning(body, exc) from exc
        self.returned = found
        if body.raised is not None:
            raise _meaning(body, body.raised)
        if isinstance(found, ToolMessage) and found.status == "error":
            said = str(found.text)
            raise SaidError(said) if body.entered else NotExecuted(said)
        return _recorded(found)


def _meaning(body: BodyWatch, exc: Exception) -> Exception:
    """Return what an exception says of the tool: LangChain's own one holds the tool's words, and
    one from before the body means that nothing was done."""
    if isinstance(exc, ToolException):
        return SaidError(str(exc), raised=exc)
    if not body.entered and isinstance(exc, ValidationError | ToolInvocationError):
        return NotExecuted(str(exc))
    return exc


class OfferedTool(StructuredTool):
    """A tool of the toolbox, as a graph knows it."""


def langchain_tool(tool: Runnable) -> OfferedTool:
    """Return one of the toolbox's tools as a LangChain tool, for `bind_tools` and ToolNode. Only
    the toolbox can make its calls."""
    known = _offered.get(tool)
    if known is not None:
        return known
    name = tool.name

    async def only_in_a_run(**arguments: Any) -> NoReturn:
        raise NotSupportedError(
            f"The tool '{name}' was called outside of Sayso.",
            fix="Run the graph as an agent of Sayso, and call the tool in a ToolNode of it.",
        )

    made = OfferedTool(
        name=name,
        description=tool.description or name,
        args_schema=dict(tool.schema),
        coroutine=only_in_a_run,
    )
    _offered[tool] = made
    return made


#: Their schemas take a millisecond each, and every segment offers all of them.
_offered: WeakKeyDictionary[Runnable, OfferedTool] = WeakKeyDictionary()


def traits_of(tool: BaseTool, *, approval: bool = False, declared: bool = False) -> Traits:
    """Return what a graph's own tool says of itself: MCP's annotations. `declared` where middleware
    of the graph decides when it asks."""
    return hinted_traits(_hints(tool), declared=declared, approval=approval)


def schema_of(tool: BaseTool) -> JsonObject:
    """Return the JSON Schema of what the model may give."""
    model = tool.tool_call_schema
    if isinstance(model, dict):
        schema = dict(model)
    else:
        schema = model.model_json_schema() if issubclass(model, BaseModel) else model.schema()
    return {name: part for name, part in schema.items() if name not in ("title", "description")}


# ── results ──


def tool_message(came: Returned, call: Mapping[str, Any]) -> ToolMessage:
    return ToolMessage(
        content=_text(came.value),
        name=call["name"],
        tool_call_id=call["id"],
        status="error" if came.error is not None else "success",
    )


def with_notes(returned: Any, notes: Sequence[str], call: Mapping[str, Any]) -> Any:
    """Return what a tool returned, with what the model must know of its approval in its message."""
    if not notes:
        return returned
    if isinstance(returned, ToolMessage) and returned.tool_call_id == call["id"]:
        note = " ".join(notes)
        if isinstance(returned.content, str):
            content: Any = _text({"result": _parsed(returned.content), "note": note})
        else:
            content = [{"type": "text", "text": note}, *returned.content]
        return returned.model_copy(update={"content": content})
    if isinstance(returned, Command) and isinstance(returned.update, dict):
        update = {
            name: [with_notes(one, notes, call) for one in value]
            if isinstance(value, list)
            else value
            for name, value in returned.update.items()
        }
        return Command(
            graph=returned.graph, update=update, resume=returned.resume, goto=returned.goto
        )
    if isinstance(returned, list):
        return [with_notes(one, notes, call) for one in returned]
    return returned


def _recorded(found: Any) -> JsonValue:
    """Return the result as people, the record and a takeover see it."""
    if isinstance(found, ToolMessage):
        return _parsed(found.content)
    commands = found if isinstance(found, list) else [found]
    if len(commands) == 1 and isinstance(commands[0], Command):
        command = commands[0]
        body: JsonObject = {
            "update": to_jsonable_python(command.update, fallback=str),
            "goto": to_jsonable_python(command.goto, fallback=str),
            "graph": command.graph,
        }
        return {COMMAND: body}
    parts: JsonValue = to_jsonable_python(found, fallback=str)
    return parts


def rebuilt(result: JsonValue) -> Command[Any] | None:
    """Return the Command that an earlier segment recorded; LangGraph reads messages from their
    JSON."""
    body = result.get(COMMAND) if isinstance(result, dict) else None
    if not isinstance(body, dict) or set(body) != {"update", "goto", "graph"}:
        return None
    goto: Any = body["goto"] or ()
    return Command(graph=body["graph"], update=body["update"], goto=goto)  # type: ignore[arg-type]  # a str or None as it was


def _parsed(content: object) -> JsonValue:
    """Return the dict or list that LangChain wrote as text."""
    if isinstance(content, str) and content[:1] in ("{", "["):
        try:
            found: JsonValue = orjson.loads(content)
        except orjson.JSONDecodeError:
            return content
        return found
    plain: JsonValue = to_jsonable_python(content, fallback=str)
    return plain


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _blocks(tool: BaseTool) -> bool:
    """Tell whether LangChain runs the body in a thread, which nobody can stop."""
    if isinstance(tool, StructuredTool):
        return tool.coroutine is None
    return type(tool)._arun is BaseTool._arun


def _hints(tool: BaseTool) -> Mapping[str, object]:
    """Return MCP's annotations, as langchain-mcp-adapters hands them on."""
    metadata = tool.metadata or {}
    hints = metadata.get("annotations")
    return {**metadata, **hints} if isinstance(hints, Mapping) else metadata
