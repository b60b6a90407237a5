"""The extension Tasks: a server takes a call, works on it for as long as it needs, and may ask a
person on the way. The package `mcp` has only the hook for it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Literal, Protocol, TypeVar

from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolResult,
    InputRequests,
    InputResponses,
    Request,
    RequestParams,
    Result,
)
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from sayso.core.errors import ToolMistake, ToolUnavailable
from sayso.mcp.replies import Asked, Broke, Progress, Silent, TaskBegun

EXTENSION_ID = "io.modelcontextprotocol/tasks"

#: Bounds of what a server may wish: looked at no more often, and no more rarely.
_SHORTEST_PAUSE, _LONGEST_PAUSE, _PAUSE = 0.1, 60.0, 1.0

#: How long a server is given to hear that nobody waits for its task any more.
_CANCEL_SECONDS = 2.0

R = TypeVar("R", bound=Result)


class Tasks(ClientExtension):
    """Says that such results are understood here, to servers of 2026 alone."""

    identifier = EXTENSION_ID

    def claims(self) -> Sequence[ResultClaim[TaskBegun]]:
        return [ResultClaim(result_type="task", model=TaskBegun, resolve=_unused)]


async def follow(
    line: Line, task_id: str, answers: InputResponses, told: Progress, *, seconds: float
) -> CallToolResult | Asked:
    """Wait until the task has its result, or asks what is not among these answers. Raises Broke and
    Silent where nobody knows what became of it, and MCPError where the server says that it failed.

    All answers are sent each time: a server skips those that it has, and one may have been lost.
    """
    try:
        return await _followed(line, task_id, answers, told, seconds=seconds)
    except asyncio.CancelledError:
        with suppress(Exception):
            async with asyncio.timeout(_CANCEL_SECONDS):
                await line.ask(_request("tasks/cancel", task_id), Result)
        raise


class Line(Protocol):
    """What requests go through: the connection."""

    name: str

    async def ask(self, request: Request[_TaskParams, str], kind: type[R]) -> R:
        """Raises as a call does."""


class _TaskParams(RequestParams):
    task_id: str
    input_responses: InputResponses | None = None


class _TaskRequest(Request[_TaskParams, str]):
    # A header names the task, so that what stands before several servers finds the one that has it.
    name_param = "taskId"


class _Error(BaseModel):
    code: int = 0
    message: str = ""


class _Working(BaseModel):
    status: Literal["working"]


class _Needs(BaseModel):
    status: Literal["input_required"]
    input_requests: InputRequests = Field(alias="inputRequests")


class _Completed(BaseModel):
    status: Literal["completed"]
    result: CallToolResult


class _Failed(BaseModel):
    status: Literal["failed"]
    error: _Error = _Error()


class _Cancelled(BaseModel):
    status: Literal["cancelled"]


_State = _Working | _Needs | _Completed | _Failed | _Cancelled
_STATE: TypeAdapter[_State] = TypeAdapter(Annotated[_State, Field(discriminator="status")])


class _Found(Result):
    model_config = ConfigDict(extra="allow")

    status: str
    poll_interval_ms: float | None = None
    status_message: str | None = None

    @property
    def state(self) -> _State:
        return _STATE.validate_python({"status": self.status, **(self.model_extra or {})})

    @property
    def pause(self) -> float:
        wished = _PAUSE if self.poll_interval_ms is None else self.poll_interval_ms / 1000
        return min(max(wished, _SHORTEST_PAUSE), _LONGEST_PAUSE)


async def _followed(
    line: Line, task_id: str, answers: InputResponses, told: Progress, *, seconds: float
) -> CallToolResult | Asked:
    if answers:
        update = _request("tasks/update", task_id, answers)
        await _insist(line, update, Result, seconds)
    while True:
        found = await _insist(line, _request("tasks/get", task_id), _Found, seconds)
        try:
            state = found.state
        except ValidationError as exc:
            raise Broke(f"How '{line.name}' stands with its task cannot be read.") from exc
        match state:
            case _Completed():
                return state.result
            case _Failed(error=error):
                raise MCPError(code=error.code, message=error.message or "The task has failed.")
            case _Cancelled():
                raise MCPError(code=0, message=f"'{line.name}' has cancelled its task.")
            case _Needs(input_requests=asked) if asked.keys() - answers.keys():
                new = {key: one for key, one in asked.items() if key not in answers}
                return Asked(input_requests=new, task_id=task_id)
        if found.status_message:
            told(0, None, found.status_message)
        await asyncio.sleep(found.pause)


async def _insist(
    line: Line, request: Request[_TaskParams, str], kind: type[R], seconds: float
) -> R:
    """Ask again where nothing came back: the task goes on without a connection."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    while True:
        try:
            return await line.ask(request, kind)
        except (ToolUnavailable, Broke, Silent) as exc:
            if loop.time() > until:
                raise Silent(f"'{line.name}' has not said how its task stands.") from exc
            await asyncio.sleep(_PAUSE)
        except (ToolMistake, MCPError, ValidationError) as exc:
            raise Broke(f"'{line.name}' no longer says how its task stands: {exc}") from exc


def _request(
    method: str, task_id: str, answers: InputResponses | None = None
) -> Request[_TaskParams, str]:
    params = _TaskParams(task_id=task_id, input_responses=answers)
    return _TaskRequest(method=method, params=params)


async def _unused(begun: TaskBegun, context: ClaimContext) -> CallToolResult:
    raise AssertionError("calls are sent as requests, and followed here")
