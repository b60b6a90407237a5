"""The gate: each tool call of a graph passes the toolbox here, innermost, right before its body.

Innermost, because LangChain's middleware may still change a call: what is decided on and recorded
is what runs. A call that needs a person interrupts its node, so that its siblings finish, and is
made again after the answer: the toolbox then knows what it may do.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import ToolException
from langgraph.errors import GraphBubbleUp, GraphInterrupt
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command, Interrupt
from pydantic_core import to_jsonable_python

from sayso.adapters.base import Segment
from sayso.adapters.langgraph.guard import Guard
from sayso.adapters.langgraph.native import (
    Answer,
    NativeTool,
    OfferedTool,
    rebuilt,
    tool_message,
    with_notes,
)
from sayso.adapters.langgraph.questions import Asked, SchemaOf, asked_by
from sayso.core.children import Request
from sayso.core.errors import NotSupportedError
from sayso.tools.call import NeedsPerson, Returned

Execute = Callable[[ToolCallRequest], Awaitable[Any]]
#: Middleware around a call: what it gets is already gated.
Around = Callable[[ToolCallRequest, Execute], Awaitable[Any]]

#: A loop that does not answer for so long is blocked by the very graph that waits for it.
LOOP_ANSWERS_SECONDS = 5.0
#: In an interrupt's value: the toolbox's call that waits.
MARK = "sayso_call"

_current: ContextVar[Gate | None] = ContextVar("sayso_langgraph_gate", default=None)
#: Calls that are past the gate, so that middleware of the same gate lets them through.
_inside: ContextVar[tuple[str, ...]] = ContextVar("sayso_langgraph_inside", default=())


def current_gate() -> Gate | None:
    """The gate of the segment that this code runs in."""
    return _current.get()


class Gate:
    """All calls of one segment of one graph."""

    def __init__(self, segment: Segment, schema_of: SchemaOf) -> None:
        self._segment = segment
        self._toolbox = segment.toolbox
        self._schema_of = schema_of
        self._loop = asyncio.get_running_loop()
        self._from_threads: set[concurrent.futures.Future[Any]] = set()
        #: The cards of the calls that wait, by call key.
        self._waiting: dict[str, tuple[Request, ...]] = {}
        #: Interrupts raised in tools' bodies, with the call that they belong to.
        self._in_bodies: dict[str, Asked] = {}
        #: What must end the segment: it would be an error message to LangGraph.
        self.fatal: BaseException | None = None
        self.guard = Guard(self._toolbox, self._end_with)

    @contextmanager
    def open(self) -> Iterator[None]:
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)
            for call in list(self._from_threads):
                call.cancel()

    def asked(self, interrupt: Interrupt[Any]) -> tuple[Request, ...] | Asked:
        """The cards of a call that waits, or of the graph's own interrupt."""
        value = interrupt.value
        if isinstance(value, Mapping) and MARK in value:
            return self._waiting.get(str(value[MARK]), ())
        known = self._in_bodies.get(interrupt.id)
        if known is not None:
            return known
        return asked_by(interrupt, schema_of=self._schema_of, agent_name=self._segment.agent_name)

    async def call(
        self,
        request: ToolCallRequest,
        execute: Execute,
        *,
        agent_name: str = "",
        around: Around | None = None,
    ) -> Any:
        """One call of the model, through its middleware and then the toolbox: a ToolMessage, or
        what its tool returned."""
        key = call_key(request)
        if key in _inside.get():
            return await execute(request)
        tries = 0
        message: ToolMessage | None = None
        raised: Exception | None = None

        async def gated(inner: ToolCallRequest) -> Any:
            nonlocal tries, message, raised
            tries += 1
            # Middleware may try a failed call again: each try is a call of its own.
            answer = await self._toolbox_call(_try(key, tries), inner, execute, agent_name)
            raised = answer.raised
            if raised is None and self._knows(_try(key, tries + 1)):
                raised = ToolException(answer.message.text)  # as it was when it was tried again
            if around is not None and raised is not None:
                message = answer.message
                raise raised
            return answer.returned

        token = _inside.set((*_inside.get(), key))
        try:
            return await (around(request, gated) if around is not None else gated(request))
        except Exception as exc:
            if exc is raised and message is not None:
                return message
            raise
        finally:
            _inside.reset(token)

    def call_from_thread(
        self, request: ToolCallRequest, execute: Callable[[ToolCallRequest], Any]
    ) -> Any:
        """The same, for a graph that runs in a thread of its own (`invoke` in a plain tool)."""
        answers = threading.Event()
        self._loop.call_soon_threadsafe(answers.set)
        if _running_loop() is self._loop or not answers.wait(LOOP_ANSWERS_SECONDS):
            error = NotSupportedError(
                f"'{request.tool_call['name']}' was called by a graph that blocks the event loop, "
                "where nobody can be asked.",
                fix="Call the inner agent by `await agent.ainvoke(…)` in an async function.",
            )
            self._end_with(error)
            raise error

        async def in_thread(inner: ToolCallRequest) -> Any:
            return await asyncio.to_thread(execute, inner)

        made = asyncio.run_coroutine_threadsafe(self.call(request, in_thread), self._loop)
        self._from_threads.add(made)
        made.add_done_callback(self._from_threads.discard)
        return made.result()

    async def _toolbox_call(
        self, key: str, request: ToolCallRequest, execute: Execute, agent_name: str
    ) -> Answer:
        call, tool = request.tool_call, request.tool
        name, arguments = call["name"], to_jsonable_python(call["args"], fallback=str)
        speaker = agent_name or _agent_name(request) or self._segment.agent_name
        native: NativeTool | None = None
        if tool is not None and not isinstance(tool, OfferedTool):
            native = NativeTool(
                tool,
                request,
                execute,
                lambda interrupts: self._cards_in(interrupts, speaker, key),
            )
        try:
            came = await self._toolbox.call(key, name, arguments, agent_name=speaker, tool=native)
        except (GraphBubbleUp, asyncio.CancelledError):
            raise
        except BaseException as exc:
            # A lost lease, a stop, a missing tool: no message for the model, but the segment's end.
            self._end_with(exc)
            raise _interrupt(key) from exc
        if isinstance(came, NeedsPerson):
            if native is not None and native.interrupted is not None:
                raise native.interrupted
            self._waiting[key] = came.requests
            raise _interrupt(key)
        if native is not None and native.bubbled is not None:
            raise native.bubbled
        return _answer(came, call, native)

    def _knows(self, key: str) -> bool:
        world = self._segment.world
        known = key in world.effects or key in world.journal.results
        return known or world.answer(key) is not None

    def _end_with(self, exc: BaseException) -> None:
        self.fatal = self.fatal or exc

    def _cards_in(
        self, interrupts: Sequence[Interrupt[Any]], agent_name: str, key: str
    ) -> tuple[Request, ...]:
        """The cards of the interrupts that a tool's body ended with."""
        found: list[Request] = []
        for interrupt in interrupts:
            value = interrupt.value
            if isinstance(value, Mapping) and MARK in value:
                found += self._waiting.get(str(value[MARK]), ())
                continue
            asked = asked_by(
                interrupt,
                schema_of=self._schema_of,
                agent_name=agent_name,
                tool_call_id=self._segment.world.call_id(key),
            )
            self._in_bodies[interrupt.id] = asked
            found += asked.requests
        return tuple(found)


def _try(key: str, number: int) -> str:
    return key if number == 1 else f"{key}~{number}"


def call_key(request: ToolCallRequest) -> str:
    """A call's name within its run: the model's message and the call in it. A model may repeat its
    own ids ("call_0") from response to response; the message's id is LangGraph's, and saved."""
    call_id = request.tool_call["id"] or request.tool_call["name"]
    for message in reversed(_messages(request.state)):
        if any(call["id"] == request.tool_call["id"] for call in message.tool_calls):
            return f"{message.id or 'message'}:{call_id}"
    return f"{_namespace(request)}:{call_id}"


def _messages(state: object) -> list[AIMessage]:
    """The model's messages in a graph's state, wherever they lie in it."""
    if isinstance(state, Mapping):
        values: list[object] = list(state.values())
    else:
        values = [state] if isinstance(state, list) else list(vars(state).values()) if state else []
    return [
        one
        for value in values
        if isinstance(value, list)
        for one in value
        if isinstance(one, AIMessage)
    ]


def _namespace(request: ToolCallRequest) -> str:
    return str(_metadata(request).get("langgraph_checkpoint_ns", ""))


def _agent_name(request: ToolCallRequest) -> str:
    """The name that the (nested) agent of this call was given."""
    return str(_metadata(request).get("lc_agent_name") or "")


def _metadata(request: ToolCallRequest) -> Mapping[str, Any]:
    return request.runtime.config.get("metadata") or {}


def _answer(came: Returned, call: Mapping[str, Any], native: NativeTool | None) -> Answer:
    message = tool_message(came, call)
    if native is None:
        return Answer(message, message, None)
    raised = came.exception if isinstance(came.exception, Exception) else None
    if raised is not None and native.returned is None:
        return Answer(message, message, raised)
    returned: ToolMessage | Command[Any] | list[Any] = message
    if native.returned is not None:
        returned = with_notes(native.returned, came.notes, call)
    elif came.error is None:
        returned = with_notes(rebuilt(came.result, call) or message, (), call)
    return Answer(returned, message, None)


def _interrupt(key: str) -> GraphInterrupt:
    """Not `interrupt()`: that one counts, and answers meant for the body's own would be its."""
    return GraphInterrupt((Interrupt(value={MARK: key}, id=f"{MARK}:{key}"),))


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
