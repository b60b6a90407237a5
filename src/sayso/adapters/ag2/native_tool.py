"""A tool of an agent of AG2, as the toolbox sees it, and what its body may do while it runs: ask a
person, and run other agents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, field
from functools import wraps
from inspect import iscoroutinefunction, unwrap
from typing import Any

from ag2.annotations import Context
from ag2.events import (
    BaseEvent,
    ClientToolCallEvent,
    DataInput,
    HumanInputRequest,
    TextInput,
    ToolApprovalRequest,
    ToolCallEvent,
    ToolErrorEvent,
    ToolResultEvent,
)
from ag2.exceptions import HumanInputError, HumanInputFailedError
from ag2.middleware.base import ToolExecution
from ag2.tools.final import FunctionTool
from pydantic import JsonValue, ValidationError
from pydantic_core import to_jsonable_python

from sayso.adapters.ag2.segment_turns import Ag2Turns, Suspended
from sayso.adapters.ag2.state import dump_variables
from sayso.adapters.native import NativeTool
from sayso.adapters.registry import check_has
from sayso.adapters.turn import within
from sayso.core.digest import JsonObject
from sayso.tools.context import ToolContext
from sayso.tools.suspension import ProposalStale, Suspend, ToolMistake, Unanswered
from sayso.tools.tool import Traits


@dataclass
class CallFrame:
    """What encloses a turn: the segment itself, or the body of a call that runs another agent."""

    key: str
    ctx: ToolContext
    #: A call in here waits for a person: no turn that begins now asks its model.
    pending: bool = False
    #: Whether the function of the call itself has begun, and what it raised.
    entered: bool = False
    raised: Exception | None = None
    _agents: dict[str, int] = field(default_factory=dict)

    def path(self, agent: str) -> str:
        """Return where the next turn of this agent stands; the same when the body runs again."""
        if not self.key:
            return agent
        number = self._agents[agent] = self._agents.get(agent, -1) + 1
        return f"{self.key}>{agent}" + (f".{number}" if number else "")


FRAME: ContextVar[CallFrame] = ContextVar("sayso_ag2_frame")


class Ag2Tool(NativeTool):
    """One of the agents' own tools, in one call."""

    def __init__(
        self,
        turns: Ag2Turns,
        key: str,
        call_next: ToolExecution,
        event: ToolCallEvent,
        context: Context,
    ) -> None:
        tool = turns.native.get(event.name)
        self._function = tool if isinstance(tool, FunctionTool) else None
        super().__init__(
            event.name,
            self._function.schema.function.description if self._function is not None else "",
            # To pass a task on does nothing by itself: the other agent's calls are decided on
            # one by one.
            Traits(declared=False, read_only=event.name in turns.delegates),
            in_thread=self._function is not None
            and not iscoroutinefunction(unwrap(self._function.model.call)),
        )
        self._turns, self._key = turns, key
        self._call_next, self._event, self._context = call_next, event, context

    @property
    def schema(self) -> JsonObject:
        if self._function is None:
            return {}
        found: JsonObject = to_jsonable_python(self._function.schema.function.parameters)
        return found

    async def start(self, arguments: JsonObject, ctx: object) -> object:
        assert isinstance(ctx, ToolContext)
        event = copy(self._event)
        check_has(event, "_serialized_arguments")  # else the model's own arguments would run
        event.arguments = json.dumps(arguments)
        event._serialized_arguments = None
        frame, before = CallFrame(self._key, ctx), dump_variables(self._context)
        try:
            with within(FRAME, frame):
                came = await self._call_next(event, self._context)
        except HumanInputFailedError as exc:
            if isinstance(exc.cause, ProposalStale):
                raise exc.cause from exc
            raise
        except Suspended as exc:
            raise Suspend(()) from exc
        if frame.pending:
            raise Suspend(())
        if isinstance(came, ClientToolCallEvent):
            raise ToolMistake(f"{self.name} is run by a remote client, and there is none here.")
        if isinstance(came, ToolErrorEvent):
            if isinstance(came.error, ValidationError) and not frame.entered:
                raise ToolMistake(f"The arguments of '{self.name}' do not fit: {came.error}")
            raise came.error
        value = _value(came)
        now = dump_variables(self._context)
        changed = {name: row for name, row in now.items() if before.get(name) != row}
        self._turns.keep_event(self._key, came, value, changed)
        if frame.raised is not None:  # middleware made a result of it
            raise frame.raised
        return value


def watched(tool: FunctionTool) -> FunctionTool:
    """Return the tool with its function watched, below whatever middleware it has."""
    call = tool.model.call
    if tool.model.is_generator:
        return tool

    @wraps(call)
    async def awaiting(*args: Any, **kwargs: Any) -> Any:
        with _noting(FRAME.get()):
            return await call(*args, **kwargs)

    @wraps(call)
    def calling(*args: Any, **kwargs: Any) -> Any:
        with _noting(FRAME.get()):
            return call(*args, **kwargs)

    mine = copy(tool)
    mine.model = copy(tool.model)
    mine.model.call = awaiting if iscoroutinefunction(call) else calling
    return mine


@contextmanager
def _noting(frame: CallFrame) -> Iterator[None]:
    frame.entered, frame.raised = True, None
    try:
        yield
    except HumanInputError:
        raise
    except Exception as exc:
        frame.raised = exc
        raise


async def ask_person(event: HumanInputRequest) -> str:
    """Ask by a card; every agent has this as its `hitl_hook`. An approval was the toolbox's to
    ask."""
    ctx = FRAME.get().ctx
    if isinstance(event, ToolApprovalRequest):
        if ctx.proposal is None:
            raise ProposalStale("the tool asks for approval")
        return "y"
    try:
        return await ctx.ask(event.content)
    except Unanswered as exc:
        return f"The person did not answer ({exc.status})."


def _value(event: ToolResultEvent) -> JsonValue:
    """Return a native result as JSON: what the row in the chat shows."""
    values: list[JsonValue] = [
        part.content if isinstance(part, TextInput) else to_jsonable_python(_data(part))
        for part in event.result.parts
    ]
    return values[0] if len(values) == 1 else values


def _data(part: BaseEvent) -> object:
    return part.data if isinstance(part, DataInput) else part.to_dict()
