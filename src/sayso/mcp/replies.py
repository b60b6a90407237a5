"""How a request to a server comes back: a reply, or an error that says whether it acted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from mcp.shared.exceptions import MCPError, UrlElicitationRequiredError
from mcp_types import (
    CONNECTION_CLOSED,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    REQUEST_TIMEOUT,
    URL_ELICITATION_REQUIRED,
    CallToolResult,
    ElicitRequest,
    ElicitRequestURLParams,
    InputRequests,
    InputRequiredResult,
    InputResponses,
    Result,
)
from pydantic import TypeAdapter, ValidationError

from sayso.core.errors import ToolMistake, ToolUnavailable
from sayso.mcp.transport import UNSENT


class Silent(Exception):
    """The server has not answered in time: it may have acted, or not."""


class Broke(Exception):
    """The connection broke while the call was under way: it may have acted, or not."""


class StateExpired(ToolMistake):
    """The server no longer knows of a question that it has asked."""


class SessionGone(ToolUnavailable):
    """The server knows our session no longer, so it has not looked at the call."""


class Asked(InputRequiredResult):
    """What the server needs to know first."""

    #: The task that asks, where the server has taken the call as one.
    task_id: str | None = None
    #: The call that stays open meanwhile, where the server is of before 2026.
    call_id: str | None = None
    #: The call has not begun: after a yes it is made as if for the first time.
    is_refused: bool = False


class PagesFirst(MCPError):
    """The server does not begin before somebody has been to its pages."""

    def __init__(self, words: str, pages: Sequence[ElicitRequestURLParams]) -> None:
        super().__init__(code=URL_ELICITATION_REQUIRED, message=words)
        requests: InputRequests = {page.url: ElicitRequest(params=page) for page in pages}
        self.asked = Asked(input_requests=requests, is_refused=True)


class TaskBegun(Result):
    """The server has taken the call, and works on it."""

    result_type: Literal["task"]
    task_id: str


#: Told how far a call has come: what is done, of how much, in which words.
Progress = Callable[[float, float | None, str | None], None]

#: How a call comes back: with its result, or with what the server needs to know first.
Reply = CallToolResult | Asked
REPLY: TypeAdapter[Reply | TaskBegun] = TypeAdapter(Asked | TaskBegun | CallToolResult)


@dataclass(frozen=True, slots=True)
class Answered:
    """The answers to what a server has asked, and the state that it gave with its questions, its
    task, or the call that is open."""

    answers: InputResponses | None = None
    state: str | None = None
    task_id: str | None = None
    call_id: str | None = None


NOTHING_GIVEN = Answered()


def failure_of(exc: MCPError, server: str, clean: Callable[[str], str]) -> Exception:
    """Return what an error of the protocol means, in words without secrets."""
    words = clean(exc.error.message)
    code = exc.error.code
    if code == UNSENT:
        return ToolUnavailable(f"The MCP server '{server}' cannot be reached. {words}")
    if words == "Session terminated":
        return SessionGone(f"The session with '{server}' is over.")
    if code == CONNECTION_CLOSED:
        return Broke(f"The connection to '{server}' broke: {words}")
    if code == REQUEST_TIMEOUT:
        return Silent(f"'{server}' has not answered in time.")
    if code == INVALID_PARAMS and "requeststate" in words.lower():
        return StateExpired(words)
    if code == URL_ELICITATION_REQUIRED:
        with suppress(ValidationError):
            pages = UrlElicitationRequiredError.from_error(exc.error).elicitations
            return PagesFirst(words, pages)
    if code in (INVALID_PARAMS, METHOD_NOT_FOUND):
        return ToolMistake(words)
    return MCPError(code=code, message=words)
