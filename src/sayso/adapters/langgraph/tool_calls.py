"""Each tool call of a graph passes the toolbox here, right before its body.

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
from langchain_core.tools import BaseTool, ToolException
from langgraph.errors import GraphBubbleUp, GraphInterrupt
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.pregel import Pregel
from langgraph.types import Command, Interrupt
from pydantic_core import to_jsonable_python

from sayso.adapters.contract import Segment
from sayso.adapters.langgraph.create_agent import asked_by_middleware
from sayso.adapters.langgraph.direct_calls import DirectCallCheck, body_elsewhere
from sayso.adapters.langgraph.interrupts import (
    InterruptCards,
    SchemaOf,
    ShapeOf,
    interrupt_cards,
)
from sayso.adapters.langgraph.model_replies import is_unreadable
from sayso.adapters.langgraph.native_tool import (
    CallResult,
    GraphTool,
    OfferedTool,
    rebuilt,
    tool_message,
    traits_of,
    with_notes,
)
from sayso.adapters.turn import within
from sayso.core.children import Request
from sayso.core.digest import JsonObject
from sayso.core.errors import NotSupportedError
from sayso.core.policy_rules import Verdict
from sayso.tools.approvals import was_refused
from sayso.tools.calls import CallSuspended, Returned
from sayso.tools.effects import was_asked_about
from sayso.tools.result_cards import result_key
from sayso.tools.tool import Runnable, Tool

Execute = Callable[[ToolCallRequest], Awaitable[Any]]
#: Middleware around a call: what it is given to execute passes the toolbox already.
Around = Callable[[ToolCallRequest, Execute], Awaitable[Any]]

#: A loop that does not answer for so long is blocked by the very graph that waits for it.
LOOP_ANSWERS_SECONDS = 5.0
#: In an interrupt's value: the toolbox's call that waits.
MARK = "sayso_call"

_current: ContextVar[GraphCalls | None] = ContextVar("sayso_langgraph_calls", default=None)
#: Calls that are in the toolbox already: our middleware further in lets them run.
_inside: ContextVar[tuple[str, ...]] = ContextVar("sayso_langgraph_inside", default=())


def current_calls() -> GraphCalls | None:
    """Return the calls of the segment that this code runs in."""
    return _current.get()


class GraphCalls:
    """All calls of one segment of one graph."""

    def __init__(
        self,
        segment: Segment,
        schema_of: SchemaOf,
        shape_of: ShapeOf,
        own_tool: Callable[[str], BaseTool | None],
    ) -> None:
        self._segment, self._own_tool = segment, own_tool
        self._toolbox = segment.toolbox
        self._schema_of, self._shape_of = schema_of, shape_of
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()
        self._from_threads: set[concurrent.futures.Future[Any]] = set()
        #: The cards of the calls that wait, by call key.
        self._waiting: dict[str, tuple[Request, ...]] = {}
        #: Interrupts raised in tools' bodies, with the call that they belong to.
        self._in_bodies: dict[str, InterruptCards] = {}
        #: What must end the segment: it would be an error message to LangGraph.
        self.fatal: BaseException | None = None
        self.direct_calls = DirectCallCheck(self._toolbox, self._end_with)

    @contextmanager
    def open(self) -> Iterator[None]:
        try:
            with within(_current, self):
                yield
        finally:
            for call in list(self._from_threads):
                call.cancel()

    def asked(self, interrupt: Interrupt[Any]) -> tuple[Request, ...] | InterruptCards:
        """Return the cards of a call that waits, or of the graph's own interrupt."""
        value = interrupt.value
        if isinstance(value, Mapping) and MARK in value:
            return self._waiting.get(str(value[MARK]), ())
        known = self._in_bodies.get(interrupt.id)
        if known is not None:
            return known
        return interrupt_cards(
            interrupt,
            schema_of=self._schema_of,
            shape_of=self._shape_of,
            policy_asks=self._policy_asks,
            agent_name=self._segment.agent_name,
        )

    def _policy_asks(self, name: str, arguments: JsonObject) -> bool:
        known = next((tool for tool in self._toolbox.tools if tool.name == name), None)
        if known is None:
            known = self._own(name)
        verdict = self._toolbox.verdict(known, arguments).verdict if known is not None else None
        return verdict is Verdict.ASK

    def _own(self, name: str) -> Runnable | None:
        """Return the graph's own tool of this name, as the policy sees it."""
        own = self._own_tool(name)
        if own is None:
            return None
        traits = traits_of(own, declared=self._asked_by_middleware(name))
        return Tool(body_elsewhere, name=name, description="", traits=traits)

    async def call(
        self,
        request: ToolCallRequest,
        execute: Execute,
        *,
        agent_name: str = "",
        around: Around | None = None,
    ) -> Any:
        """Make one call of the model, through its middleware and then the toolbox. Returns a
        ToolMessage, or what its tool returned."""
        key = call_key(request)
        if key in _inside.get():
            return await execute(request)
        tries = 0
        message: ToolMessage | None = None
        raised: Exception | None = None
        #: What the call sends the graph by: middleware that catches everything does not end it.
        sent: GraphBubbleUp | None = None

        async def through_toolbox(inner: ToolCallRequest) -> Any:
            nonlocal tries, message, raised, sent
            tries += 1
            # Middleware may try a failed call again: each try is a call of its own.
            try:
                answer = await self._toolbox_call(_try(key, tries), inner, execute, agent_name)
            except GraphBubbleUp as exc:
                sent = exc
                raise
            raised = answer.raised
            if raised is None and self._is_tried_again(_try(key, tries), _try(key, tries + 1)):
                raised = ToolException(answer.message.text)  # as it was when it was tried again
            if around is not None and raised is not None:
                message = answer.message
                raise raised
            return answer.returned

        try:
            with within(_inside, (*_inside.get(), key)):
                result = await (around or _as_it_is)(request, through_toolbox)
        except Exception as exc:
            if exc is raised and message is not None:
                return message
            if sent is not None:
                raise sent from exc
            raise
        else:
            if sent is not None:
                raise sent
            return result

    def call_from_thread(
        self, request: ToolCallRequest, execute: Callable[[ToolCallRequest], Any]
    ) -> Any:
        """Do the same for a graph that runs in a thread of its own (`invoke` in a plain tool)."""
        answers = threading.Event()
        self._loop.call_soon_threadsafe(answers.set)
        if threading.get_ident() == self._thread or not answers.wait(LOOP_ANSWERS_SECONDS):
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
    ) -> CallResult:
        call, tool = request.tool_call, request.tool
        name, arguments = call["name"], to_jsonable_python(call["args"], fallback=str)
        speaker = agent_name or _agent_name(request) or self._segment.agent_name
        if is_unreadable(arguments):
            unread = await self._toolbox.refuse_unreadable(key, name, agent_name=speaker)
            return _result_of(unread, call, None)
        native: GraphTool | None = None
        if tool is not None and not isinstance(tool, OfferedTool):
            native = GraphTool(
                tool,
                request,
                execute,
                lambda interrupts: self._cards_in(interrupts, speaker, key),
                declared=self._asked_by_middleware(name),
            )
        try:
            came = await self._toolbox.call(key, name, arguments, agent_name=speaker, tool=native)
        except (GraphBubbleUp, asyncio.CancelledError):
            raise
        except BaseException as exc:
            # A lost lease, a stop, a missing tool: it ends the segment; the model is not told.
            self._end_with(exc)
            raise _interrupt(key) from exc
        if isinstance(came, CallSuspended):
            if native is not None and native.interrupted is not None:
                raise native.interrupted
            self._waiting[key] = came.requests
            raise _interrupt(key)
        if native is not None and native.bubbled is not None:
            raise native.bubbled
        return _result_of(came, call, native)

    def answered_by_a_person(self, message: AIMessage) -> bool:
        """Tell whether a person's word stands where a result of one of these calls would: the
        answer to what its tool asked, or a no."""
        env, place = self._segment.env, message.id or "message"
        for call in message.tool_calls:
            key = f"{place}:{call['id'] or call['name']}"
            if env.answer(result_key(key)) is not None or was_refused(env, key):
                return True
        return False

    def _asked_by_middleware(self, name: str) -> bool:
        graph = self._segment.agent
        return isinstance(graph, Pregel) and asked_by_middleware(graph, name)

    def _is_tried_again(self, key: str, next_key: str) -> bool:
        """Tell whether middleware made a call again in an earlier segment."""
        env = self._segment.env
        if next_key in env.effects or next_key in env.journal.results:
            return True
        effect = env.effects.get(key)
        asked_about = effect is not None and effect.is_told and was_asked_about(env, key)
        return asked_about or env.answer(next_key) is not None

    def _end_with(self, exc: BaseException) -> None:
        self.fatal = self.fatal or exc

    def _cards_in(
        self, interrupts: Sequence[Interrupt[Any]], agent_name: str, key: str
    ) -> tuple[Request, ...]:
        """Return the cards of the interrupts that a tool's body ended with."""
        found: list[Request] = []
        for interrupt in interrupts:
            value = interrupt.value
            if isinstance(value, Mapping) and MARK in value:
                found += self._waiting.get(str(value[MARK]), ())
                continue
            asked = interrupt_cards(
                interrupt,
                schema_of=self._schema_of,
                shape_of=self._shape_of,
                agent_name=agent_name,
                tool_call_id=self._segment.env.call_id(key),
            )
            self._in_bodies[interrupt.id] = asked
            found += asked.requests
        return tuple(found)


async def _as_it_is(request: ToolCallRequest, execute: Execute) -> Any:
    return await execute(request)


def _try(key: str, number: int) -> str:
    return key if number == 1 else f"{key}~{number}"


def call_key(request: ToolCallRequest) -> str:
    """Return a call's name within its run: the model's message and the call in it. A model may
    repeat its own ids ("call_0") from response to response; the message's id is LangGraph's, and
    saved."""
    call_id = request.tool_call["id"] or request.tool_call["name"]
    for message in reversed(_messages(request.state)):
        if any(call["id"] == request.tool_call["id"] for call in message.tool_calls):
            return f"{message.id or 'message'}:{call_id}"
    return f"{_metadata(request).get('langgraph_checkpoint_ns', '')}:{call_id}"


def _messages(state: object) -> list[AIMessage]:
    """Return the model's messages in a graph's state, wherever they are in it."""
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


def _agent_name(request: ToolCallRequest) -> str:
    """Return the name that the (nested) agent of this call was given."""
    return str(_metadata(request).get("lc_agent_name") or "")


def _metadata(request: ToolCallRequest) -> Mapping[str, Any]:
    return request.runtime.config.get("metadata") or {}


def _result_of(came: Returned, call: Mapping[str, Any], native: GraphTool | None) -> CallResult:
    message = tool_message(came, call)
    if native is None:
        return CallResult(message, message, None)
    raised = came.exception if isinstance(came.exception, Exception) else None
    if raised is not None and native.returned is None:
        return CallResult(message, message, raised)
    returned: ToolMessage | Command[Any] | list[Any] = message
    if native.returned is not None:
        returned = with_notes(native.returned, came.notes, call)
    elif came.error is None:
        returned = with_notes(rebuilt(came.result) or message, (), call)
    return CallResult(returned, message, None)


def _interrupt(key: str) -> GraphInterrupt:
    """Make the interrupt of a call that waits. LangGraph's `interrupt()` counts: it would take the
    answers that are meant for the interrupts of the tool's body."""
    return GraphInterrupt((Interrupt(value={MARK: key}, id=f"{MARK}:{key}"),))
