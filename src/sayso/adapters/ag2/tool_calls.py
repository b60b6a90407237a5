"""The middleware in every turn of an agent of AG2: calls pass the toolbox, and the turn stops where
a person is needed.

A call that waits gives a placeholder, never an error: where one call of several raises, AG2 cancels
the others. The next call of the model then ends the turn with `Suspended`, which is a
HumanInputError: the one kind that AG2 does not make a tool's result of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ag2.annotations import Context
from ag2.events import (
    BaseEvent,
    ClientToolCallEvent,
    DataInput,
    DrainedModelRequest,
    ModelRequest,
    ModelResponse,
    TextInput,
    ToolCallEvent,
    ToolErrorEvent,
    ToolResult,
    ToolResultEvent,
    ToolResultsEvent,
)
from ag2.middleware import BaseMiddleware
from ag2.middleware.base import AgentTurn, LLMCall, ToolExecution
from ag2.tools.final.function_tool import FunctionDefinition, FunctionToolSchema
from ag2.tools.tool import Tool

from sayso.adapters.ag2.call_batch import arguments_of, check_whole, mend_calls
from sayso.adapters.ag2.native_tool import FRAME, Ag2Tool
from sayso.adapters.ag2.segment_turns import Ag2Turns, Suspended, TurnPlace
from sayso.adapters.turn import WAITING
from sayso.core.errors import SaysoError
from sayso.tools.calls import Returned
from sayso.tools.tool import Runnable

#: What a model is told of; between classes of events `|` is a condition, not a union.
_SPOKEN = (ModelRequest, ModelResponse, ToolResultsEvent)


class TurnMiddleware(BaseMiddleware):
    """The outermost middleware of one turn."""

    def __init__(
        self,
        turns: Ag2Turns,
        agent: str,
        event: BaseEvent,
        context: Context,
        *,
        waits: bool | None = None,
    ) -> None:
        super().__init__(event, context)
        self._turns, self._frame = turns, FRAME.get()
        waits = self._frame.pending if waits is None else waits
        self._turn = TurnPlace(self._frame.path(agent), waits=waits)
        if not self._frame.key:
            turns.begin(self._turn, context)

    async def on_turn(
        self, call_next: AgentTurn, event: BaseEvent, context: Context
    ) -> ModelResponse:
        with self._turns.open_turn(context.stream):
            return await call_next(event, context)

    async def on_llm_call(
        self, call_next: LLMCall, events: Sequence[BaseEvent], context: Context
    ) -> ModelResponse:
        if self._turns.fatal is not None:
            raise self._over(self._turns.fatal)
        if not self._frame.key:
            if self._frame.pending:
                raise Suspended
            response = await self._turns.heard(call_next(events, context))
            check_whole(response, is_first=self._turn.replies == 0)
            mend_calls(response)
            self._turn.replies += 1
            await self._turns.replied(response)
            return response
        events = await self._with_enqueued(list(events), context)
        if self._turn.waits:
            raise Suspended
        shape = sum(isinstance(event, _SPOKEN) for event in events)
        try:
            known = self._turns.recorded_reply(self._turn, shape)
        except SaysoError as exc:  # the end of the run, not of a task that failed
            raise self._over(exc) from exc
        if known is None:
            known = await self._asked(call_next, events, context)
            self._turns.keep_reply(self._turn, shape, known)
            await self._turns.replied(known)
        self._turn.replies += 1
        return known

    async def _asked(
        self, call_next: LLMCall, events: Sequence[BaseEvent], context: Context
    ) -> ModelResponse:
        response = await call_next(events, context)
        try:
            check_whole(response, is_first=self._turn.replies == 0)
        except SaysoError as exc:
            raise self._over(exc) from exc
        mend_calls(response)
        return response

    def _over(self, why: BaseException) -> Suspended:
        """End the segment for this; what runs in here has not come to its end."""
        self._turns.end_with(why)
        self._frame.pending = True
        return Suspended()

    async def _with_enqueued(
        self, events: Sequence[BaseEvent], context: Context
    ) -> Sequence[BaseEvent]:
        """Return what was enqueued for this call of the model, also where the code that enqueued it
        does not run again."""
        said = max((n for n, e in enumerate(events) if isinstance(e, ModelResponse)), default=-1)
        found = [e for e in events[said + 1 :] if isinstance(e, DrainedModelRequest)]
        told = [*events, *self._turns.enqueued(self._turn, found)]
        for event in told[len(events) :]:
            await context.send(event)
        return told

    async def on_tool_execution(
        self, call_next: ToolExecution, event: ToolCallEvent, context: Context
    ) -> ToolResultEvent | ToolErrorEvent | ClientToolCallEvent:
        key = self._turn.key(event.id)
        native = None
        if event.name not in self._turns.ours or self._frame.key:
            native = Ag2Tool(self._turns, key, call_next, event, context)
        await self._turns.order_in(context.stream.id).turn_of(event.id)
        came = await self._turns.call(
            key, event.name, arguments_of(event), native, speaker=self._turns.name
        )
        if came is None:
            self._frame.pending = self._turn.waits = True
            return ToolResultEvent.from_call(event, result=WAITING)
        kept = self._turns.kept_event(key, came, context)
        return kept or _result(event, came)


class OurTools(Tool):
    """The tools of the toolbox, as AG2 knows tools.

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


def _around(middleware: BaseMiddleware, inner: ToolExecution) -> ToolExecution:
    async def call(event: ToolCallEvent, context: Context) -> Any:
        return await middleware.on_tool_execution(inner, event, context)

    return call


async def _never(event: ToolCallEvent, context: Context) -> Any:
    raise AssertionError("the middleware is before every tool")


def _result(event: ToolCallEvent, came: Returned) -> ToolResultEvent:
    value: Any = came.value
    part = TextInput(value) if isinstance(value, str) else DataInput(value)
    return ToolResultEvent.from_call(event, result=ToolResult(part))
