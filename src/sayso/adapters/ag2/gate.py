"""The gate in every turn of an agent of AG2: its calls pass the toolbox, its questions become
cards, and it stops where a person is needed.

A call that waits gives a placeholder, never an error: where one call of several raises, AG2 cancels
the others. The next call of the model then ends the turn with `Suspended`, which is a
HumanInputError: the one kind that AG2 does not make a tool's result of.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, field
from inspect import iscoroutinefunction, unwrap
from typing import TYPE_CHECKING, Any

from ag2.annotations import Context
from ag2.events import (
    BaseEvent,
    ClientToolCallEvent,
    DataInput,
    DrainedModelRequest,
    HumanInputRequest,
    ModelRequest,
    ModelResponse,
    TextInput,
    ToolApprovalRequest,
    ToolCallEvent,
    ToolErrorEvent,
    ToolResult,
    ToolResultEvent,
    ToolResultsEvent,
)
from ag2.exceptions import HumanInputError, HumanInputFailedError
from ag2.middleware import BaseMiddleware
from ag2.middleware.base import AgentTurn, LLMCall, ToolExecution
from ag2.tools.final import FunctionTool
from ag2.tools.final.function_tool import FunctionDefinition, FunctionToolSchema
from ag2.tools.tool import Tool
from pydantic import JsonValue, ValidationError
from pydantic_core import to_jsonable_python

from sayso.adapters.ag2.saved import dump_variables
from sayso.adapters.finding import check_has
from sayso.core.digest import JsonObject
from sayso.core.errors import SaysoError
from sayso.tools.call import NeedsPerson, Returned
from sayso.tools.context import ToolContext
from sayso.tools.pause import Pause, ProposalStale, ToolMistake, Unanswered
from sayso.tools.tool import Prepared, Runnable, Traits

if TYPE_CHECKING:
    from sayso.adapters.ag2.run import Run

#: The result of a call that waits. No model ever reads it: the turn ends before.
WAITING = "This call waits for a person."
#: What a model is told of; between classes of events `|` is a condition, not a union.
_SPOKEN = (ModelRequest, ModelResponse, ToolResultsEvent)


class Suspended(HumanInputError):
    """Ends a turn: it waits for a person, or something ended the segment."""


@dataclass
class Body:
    """What encloses a turn: the segment itself, or the body of a call that runs another agent."""

    key: str
    ctx: ToolContext
    #: A call in here waits for a person: no model is asked any more.
    pending: bool = False
    _agents: dict[str, int] = field(default_factory=dict)

    def path(self, agent: str) -> str:
        """Where the next turn of this agent stands; the same when the body runs again."""
        if not self.key:
            return agent
        number = self._agents[agent] = self._agents.get(agent, -1) + 1
        return f"{self.key}>{agent}" + (f".{number}" if number else "")


BODY: ContextVar[Body] = ContextVar("sayso_ag2_body")


class Gate(BaseMiddleware):
    """The outermost middleware of one turn."""

    def __init__(self, run: Run, agent: str, event: BaseEvent, context: Context) -> None:
        super().__init__(event, context)
        self._run, self._agent = run, agent
        self._body = BODY.get()
        self.path = self._body.path(agent)
        #: How many replies the model has given in this turn: a part of the key of their calls.
        self.replies = 0 if self._body.key else run.begun(self, context)

    async def on_turn(
        self, call_next: AgentTurn, event: BaseEvent, context: Context
    ) -> ModelResponse:
        with self._run.open_turn(context.stream):
            return await call_next(event, context)

    async def on_llm_call(
        self, call_next: LLMCall, events: Sequence[BaseEvent], context: Context
    ) -> ModelResponse:
        if self._run.fatal is not None:
            raise Suspended
        if not self._body.key:
            if self._body.pending:
                raise Suspended
            response = await self._run.heard(call_next(events, context))
            self.replies += 1
            return response
        events = await self._with_enqueued(list(events), context)
        if self._body.pending:
            raise Suspended
        shape = sum(isinstance(event, _SPOKEN) for event in events)
        try:
            known = self._run.reply(self.path, self.replies, shape)
        except SaysoError as exc:  # the end of the run, not of a task that failed
            self._run.fatal = exc
            raise Suspended from exc
        if known is None:
            known = await call_next(events, context)
            self._run.keep_reply(self.path, shape, known)
        self.replies += 1
        return known

    async def _with_enqueued(
        self, events: Sequence[BaseEvent], context: Context
    ) -> Sequence[BaseEvent]:
        """What was enqueued for this call of the model, also where what enqueued it does not run
        again."""
        said = max((n for n, e in enumerate(events) if isinstance(e, ModelResponse)), default=-1)
        found = [e for e in events[said + 1 :] if isinstance(e, DrainedModelRequest)]
        told = [*events, *self._run.enqueued(f"{self.path}:{self.replies}", found)]
        for event in told[len(events) :]:
            await context.send(event)
        return told

    async def on_tool_execution(
        self, call_next: ToolExecution, event: ToolCallEvent, context: Context
    ) -> ToolResultEvent | ToolErrorEvent | ClientToolCallEvent:
        # A model may repeat its own ids ("call_0") from reply to reply: the key counts them.
        key = f"{self.path}:{self.replies}:{event.id}"
        native = None
        if event.name not in self._run.ours or self._body.key:
            native = NativeTool(self._run, key, call_next, event, context)
        try:
            came = await self._run.toolbox.call(
                key, event.name, arguments_of(event), agent_name=self._run.name, tool=native
            )
        except asyncio.CancelledError:
            raise
        except BaseException as exc:
            self._run.fatal = self._run.fatal or exc
            raise Suspended from exc
        if isinstance(came, NeedsPerson):
            self._body.pending = True
            self._run.requests.update({request.call_key: request for request in came.requests})
            return ToolResultEvent.from_call(event, result=WAITING)
        kept = self._run.kept_event(key, came, context)
        return kept or _result(event, came)


class NativeTool:
    """A tool of the agent's own, as the toolbox sees it (tools.tool.Runnable)."""

    is_ours = False

    def __init__(
        self,
        run: Run,
        key: str,
        call_next: ToolExecution,
        event: ToolCallEvent,
        context: Context,
    ) -> None:
        self._run, self._key = run, key
        self._call_next, self._event, self._context = call_next, event, context
        self.name = event.name
        tool = run.native.get(event.name)
        self._tool = tool if isinstance(tool, FunctionTool) else None
        function = self._tool.schema.function if self._tool is not None else None
        self.description = function.description if function is not None else ""
        self.schema: JsonObject = to_jsonable_python(function.parameters) if function else {}
        # To pass a task on does nothing by itself: what the other agent calls is gated on its own.
        self.traits = Traits(read_only=event.name in run.delegates)
        self.in_thread = self._tool is not None and not iscoroutinefunction(
            unwrap(self._tool.model.call)
        )

    def check(self, arguments: Mapping[str, JsonValue]) -> JsonObject:
        return dict(arguments)

    async def propose(self, arguments: JsonObject, ctx: object) -> Prepared | None:
        return None

    def start(self, arguments: JsonObject, ctx: object) -> Awaitable[object]:
        assert isinstance(ctx, ToolContext)
        return self._body(arguments, ctx)

    async def _body(self, arguments: JsonObject, ctx: ToolContext) -> object:
        event = copy(self._event)
        check_has(event, "_serialized_arguments")  # else the model's own arguments would run
        event.arguments = json.dumps(arguments)
        event._serialized_arguments = None
        body, before = Body(self._key, ctx), dump_variables(self._context)
        token = BODY.set(body)
        try:
            came = await self._call_next(event, self._context)
        except HumanInputFailedError as exc:
            if isinstance(exc.cause, ProposalStale):
                raise exc.cause from exc
            raise
        except Suspended as exc:
            if self._run.fatal is not None:
                raise self._run.fatal from exc
            raise Pause(()) from exc
        finally:
            BODY.reset(token)
        if body.pending:
            raise Pause(())
        if isinstance(came, ClientToolCallEvent):
            raise ToolMistake(f"{self.name} is run by a remote client, and there is none here.")
        if isinstance(came, ToolErrorEvent):
            if isinstance(came.error, ValidationError):
                raise ToolMistake(f"The arguments of '{self.name}' do not fit: {came.error}")
            raise came.error
        value = _value(came)
        now = dump_variables(self._context)
        changed = {name: row for name, row in now.items() if before.get(name) != row}
        self._run.keep_event(self._key, came, value, changed)
        return value


class OurTools(Tool):
    """The tools of the toolbox, as native tools of the framework. The gate is before them.

    They are one: to listen for each of them would cost a turn more than all the rest of it.
    """

    def __init__(self, tools: Iterable[Runnable]) -> None:
        self.name = "sayso"
        self._schemas = [
            FunctionToolSchema(
                function=FunctionDefinition(
                    name=tool.name, description=tool.description, parameters=dict(tool.schema)
                )
            )
            for tool in tools
        ]
        self._names = {schema.function.name for schema in self._schemas}

    async def schemas(self, context: Context) -> list[FunctionToolSchema]:
        return self._schemas

    def register(self, stack: Any, context: Context, *, middleware: Any = ()) -> None:
        execution: ToolExecution = _never
        for one in middleware:
            execution = _around(one, execution)

        async def execute(event: ToolCallEvent, context: Context) -> None:
            if event.name in self._names:
                await context.send(await execution(event, context))

        mine: Any = context.stream.where(ToolCallEvent)
        stack.enter_context(mine.sub_scope(execute))


async def ask_person(event: HumanInputRequest) -> str:
    """The `hitl_hook` of every agent: `ctx.input()` opens a card; an approval is the toolbox's."""
    ctx = BODY.get().ctx
    if isinstance(event, ToolApprovalRequest):
        if ctx.proposal is None:
            raise ProposalStale("the tool asks for approval")
        return "y"
    try:
        return await ctx.ask(event.content)
    except Unanswered as exc:
        return f"The person did not answer ({exc.status})."


def _around(middleware: BaseMiddleware, inner: ToolExecution) -> ToolExecution:
    async def call(event: ToolCallEvent, context: Context) -> Any:
        return await middleware.on_tool_execution(inner, event, context)

    return call


async def _never(event: ToolCallEvent, context: Context) -> Any:
    raise AssertionError("the gate is before every tool")


def arguments_of(event: ToolCallEvent) -> JsonObject:
    try:
        found: object = event.serialized_arguments
    except ValueError:
        return {"arguments": event.arguments}  # which no tool takes: the model is told
    return dict(found) if isinstance(found, Mapping) else {"arguments": to_jsonable_python(found)}


def _result(event: ToolCallEvent, came: Returned) -> ToolResultEvent:
    value: Any = came.value
    part = TextInput(value) if isinstance(value, str) else DataInput(value)
    return ToolResultEvent.from_call(event, result=ToolResult(part))


def _value(event: ToolResultEvent) -> JsonValue:
    """A native result as JSON: what the row in the chat shows."""
    values: list[JsonValue] = [
        part.content if isinstance(part, TextInput) else to_jsonable_python(_data(part))
        for part in event.result.parts
    ]
    return values[0] if len(values) == 1 else values


def _data(part: BaseEvent) -> object:
    return part.data if isinstance(part, DataInput) else part.to_dict()
