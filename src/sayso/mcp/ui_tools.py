"""What the UI of a server's tool reaches on that server: tools that are for UIs, and resources."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable
from concurrent.futures import Future
from typing import Protocol, TypeVar

from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ReadResourceResult

from sayso.core.digest import JsonObject
from sayso.core.errors import Forbidden, InvalidInput, ToolUnavailable
from sayso.core.ui_calls import LARGEST_RESULT_BYTES, failed_result
from sayso.mcp.config import Own
from sayso.mcp.pins import ToolDefinition
from sayso.mcp.replies import NOTHING_GIVEN, Asked, Broke, Silent
from sayso.mcp.tool import Caller, McpTool

T = TypeVar("T")

#: Addresses that lead out of the server, to files or pages that it may reach and a UI may not.
_ELSEWHERE = {"file", "http", "https", "ftp", "data", "javascript", "blob", "about"}
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.I)


class UiCaller(Caller, Protocol):
    def begin_reading_resource(
        self, server: str, uri: str, *, person: str | None
    ) -> Future[ReadResourceResult]: ...


class McpUiTool(McpTool):
    """A tool as UIs may call it: it opens no UI of its own, and its result is kept whole."""

    def __init__(self, caller: Caller, server: str, tool: ToolDefinition, own: Own) -> None:
        super().__init__(caller, server, tool, own)
        self._returned: dict[str, JsonObject] = {}

    @property
    def leaves_nothing(self) -> bool:
        if self.traits.read_only:
            return True
        says_more = {"readOnlyHint", "destructiveHint", "idempotentHint"} & {
            *self.definition.annotations
        }
        return not self.definition.is_for_models and not says_more

    def take_result(self, call_id: str) -> JsonObject | None:
        return self._returned.pop(call_id, None)

    async def read_ui(self, call_id: str, person: str | None) -> None:
        return None

    def _came(self, call_id: str, result: CallToolResult) -> None:
        self._returned[call_id] = as_told(result)


def for_uis(caller: Caller, server: str, tool: ToolDefinition | None, own: Own) -> McpUiTool:
    """Raises Forbidden where no UI may call it."""
    if tool is None or "app" not in tool.visibility:
        raise Forbidden("A UI may call only what its own server offers to UIs.", fix="")
    return McpUiTool(caller, server, tool, own)


async def call_at_once(
    caller: Caller, tool: McpUiTool, arguments: JsonObject, person: str | None
) -> JsonObject | None:
    """Call a tool without a run. Raises ToolUnavailable."""
    begun = caller.begin_call(
        tool.server,
        tool.definition,
        arguments,
        person=person,
        progress=lambda *_: None,
        given=NOTHING_GIVEN,
    )
    try:
        reply = await _reached(asyncio.wrap_future(begun))
    except MCPError as exc:
        return failed_result(exc.error.message)
    return None if isinstance(reply, Asked) else as_told(reply)


async def read_resource(caller: UiCaller, server: str, uri: str, person: str | None) -> JsonObject:
    """Read what this server has under an address of its own. Raises Forbidden, InvalidInput,
    ToolUnavailable."""
    scheme = _SCHEME.match(uri)
    if scheme is None:
        raise InvalidInput("This is no address of a resource.", fix="Give it with its scheme.")
    if scheme.group(1).lower() in _ELSEWHERE:
        raise Forbidden("A UI reads what its own server names, and nothing beyond.", fix="")
    begun = caller.begin_reading_resource(server, uri, person=person)
    try:
        result = await _reached(asyncio.wrap_future(begun))
    except MCPError as exc:
        raise InvalidInput(f"The server says: {exc.error.message}", fix="") from exc
    told = result.model_dump_json(by_alias=True, exclude_none=True)
    _check_size(len(told))
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


async def _reached(reply: Awaitable[T]) -> T:
    try:
        return await reply
    except (Broke, Silent) as exc:
        raise ToolUnavailable(str(exc)) from exc


def as_told(result: CallToolResult) -> JsonObject:
    """Return a result as a UI gets it, `_meta` and all."""
    told = result.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"result_type"})
    size = len(result.model_dump_json(by_alias=True, exclude_none=True))
    if size > LARGEST_RESULT_BYTES:
        return failed_result(_too_large(size))
    return told


def _check_size(size: int) -> None:
    if size > LARGEST_RESULT_BYTES:
        raise InvalidInput(_too_large(size), fix="")


def _too_large(size: int) -> str:
    return f"It has {size:,} bytes; a UI gets {LARGEST_RESULT_BYTES:,} at most."
