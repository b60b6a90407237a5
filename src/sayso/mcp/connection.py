"""One connection to one MCP server: opened, kept, and opened again when it breaks, by one task."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal

from mcp.client import Client
from mcp.client.extension import advertise
from mcp.client.session import ClientRequestContext
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    REQUEST_TIMEOUT,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    ElicitRequestParams,
    ElicitResult,
    Implementation,
    InputRequiredResult,
    InputResponses,
    PaginatedRequestParams,
    ReadResourceRequest,
    ReadResourceRequestParams,
    ReadResourceResult,
    ServerNotification,
    Tool,
    ToolListChangedNotification,
)
from pydantic import TypeAdapter

from sayso._version import __version__
from sayso.core.digest import JsonObject
from sayso.core.errors import ToolMistake, ToolUnavailable
from sayso.core.tool_ui import APP_MEDIA_TYPE
from sayso.mcp.config import Server
from sayso.mcp.pins import ToolDefinition
from sayso.mcp.preview import address_of_preview
from sayso.mcp.stderr import ServerLog
from sayso.mcp.transport import UNSENT, WatchedTransport, http_client

log = logging.getLogger("sayso.mcp")

#: More is a mistake of the server, or worse: no model could choose among them.
MOST_TOOLS = 1000
#: A connection of one person that nobody has used for so long is closed; the next call opens it.
IDLE_SECONDS = 600.0
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.5, 60.0
_LISTEN_AGAIN_SECONDS = 5.0

#: The extension of MCP Apps.
EXTENSION_ID = "io.modelcontextprotocol/ui"

State = Literal["connecting", "ready", "away", "closed"]
Progress = Callable[[float, float | None, str | None], None]


class Silent(Exception):
    """The server has not answered in time: it may have acted, or not."""


class Broke(Exception):
    """The connection broke while the call was under way: it may have acted, or not."""


class StateExpired(ToolMistake):
    """The server no longer takes the state of a question that it has asked."""


class _SessionGone(ToolUnavailable):
    """The server knows our session no longer, so it has not looked at the call."""


#: How a call comes back: with its result, or with what the server needs to know first.
Reply = CallToolResult | InputRequiredResult
_REPLY: TypeAdapter[Reply] = TypeAdapter(InputRequiredResult | CallToolResult)


@dataclass(frozen=True, slots=True)
class Answered:
    """The answers to what a server has asked, and the state that it gave with its questions."""

    answers: InputResponses | None = None
    state: str | None = None


NOTHING_GIVEN = Answered()


@dataclass(slots=True)
class Secrets:
    """What must not stand in any message: the values that its entry or a person gave."""

    values: list[str] = field(default_factory=list)

    def clean(self, text: str) -> str:
        for value in sorted(self.values, key=len, reverse=True):
            text = text.replace(value, "•••")
        return text


class Connection:
    """Give `run` a task; everything else may then be called, on the same loop."""

    def __init__(
        self,
        name: str,
        server: Server,
        *,
        headers: Mapping[str, str],
        env: Mapping[str, str],
        on_tools: Callable[[list[ToolDefinition]], None],
        closes_when_idle: bool = False,
    ) -> None:
        self.name, self._server, self._on_tools = name, server, on_tools
        self._headers, self._env = dict(headers), dict(env)
        self._secrets = Secrets([v for v in (*headers.values(), *env.values()) if len(v) >= 6])
        self._closes_when_idle = closes_when_idle
        self.state: State = "connecting"
        #: Why it is not ready, in a sentence.
        self.problem = ""
        self.protocol = ""
        #: What the server offers now; None before it was asked.
        self.tools: dict[str, ToolDefinition] | None = None
        self._client: Client | None = None
        self._settled, self._wake, self._broken = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._changed = asyncio.Event()
        self._was_ready = False
        self._used_at = 0.0
        self._under_way = 0

    async def run(self) -> None:
        """Keep it open until this is cancelled, or nobody has used it for long."""
        pause = _SHORTEST_PAUSE
        try:
            while True:
                self._wake.clear()
                self._broken.clear()
                self.state, self._was_ready = "connecting", False
                try:
                    await self._live()
                    if self._is_idle:
                        return
                except Exception as exc:
                    self._is_away(exc)
                finally:
                    self._client = None
                if self._was_ready:
                    pause = _SHORTEST_PAUSE  # who waits for it now waits for the next attempt
                else:
                    self._settled.set()
                with suppress(TimeoutError):
                    async with asyncio.timeout(pause):
                        await self._wake.wait()
                pause = min(2 * pause, _LONGEST_PAUSE)
        finally:
            self.state = "closed"
            self._settled.set()

    async def ready(self) -> Client:
        """Return the client, once there is one. Raises ToolUnavailable where the next attempt
        fails."""
        self._used_at = asyncio.get_running_loop().time()
        if self._client is None and self.state != "closed":
            self._settled.clear()
            self._wake.set()
            await self._settled.wait()
        if self._client is None:
            raise ToolUnavailable(f"The MCP server '{self.name}' cannot be reached. {self.problem}")
        return self._client

    async def tried(self) -> None:
        """Wait until the first attempt has ended, whichever way."""
        await self._settled.wait()

    async def call(
        self, tool: str, arguments: JsonObject, told: Progress, given: Answered = NOTHING_GIVEN
    ) -> Reply:
        """Call a tool. Raises ToolUnavailable and ToolMistake where nothing was done, Silent and
        Broke where nobody knows, and MCPError where the server says that it failed."""
        try:
            return await self._sent(tool, arguments, told, given)
        except _SessionGone:
            return await self._sent(tool, arguments, told, given)

    async def _sent(
        self, tool: str, arguments: JsonObject, told: Progress, given: Answered
    ) -> Reply:
        client = await self.ready()
        seconds = self._server.sayso.call_seconds
        loop = asyncio.get_running_loop()
        request = CallToolRequest(
            params=CallToolRequestParams(
                name=tool,
                arguments=arguments,
                input_responses=given.answers,
                request_state=given.state,
            )
        )
        self._under_way += 1
        try:
            async with asyncio.timeout(seconds) as limit:

                async def heard(progress: float, total: float | None, message: str | None) -> None:
                    limit.reschedule(loop.time() + seconds)
                    told(progress, total, message)

                return await client.session.send_request(request, _REPLY, progress_callback=heard)
        except TimeoutError as exc:
            raise Silent(f"'{self.name}' has not answered for {seconds:g} seconds.") from exc
        except MCPError as exc:
            raise self._failed(exc) from exc
        finally:
            self._under_way -= 1
            self._used_at = loop.time()

    async def read_resource(self, uri: str) -> ReadResourceResult:
        """Read a resource. Raises ToolUnavailable, Silent, Broke and MCPError."""
        client = await self.ready()
        self._under_way += 1
        try:
            async with asyncio.timeout(self._server.sayso.start_seconds):
                return await client.session.send_request(
                    ReadResourceRequest(params=ReadResourceRequestParams(uri=uri)),
                    ReadResourceResult,
                )
        except TimeoutError as exc:
            raise Silent(f"'{self.name}' has not answered in time.") from exc
        except MCPError as exc:
            raise self._failed(exc) from exc
        finally:
            self._under_way -= 1

    async def resource_meta(self, uri: str) -> JsonObject:
        """Return what the list of resources says of one; some servers say it only there."""
        client = await self.ready()
        try:
            async with asyncio.timeout(self._server.sayso.start_seconds):
                page = await client.session.list_resources(params=PaginatedRequestParams())
        except (TimeoutError, MCPError):
            return {}
        return next((dict(one.meta or {}) for one in page.resources if str(one.uri) == uri), {})

    def _failed(self, exc: MCPError) -> Exception:
        words = self._secrets.clean(exc.error.message)
        code = exc.error.code
        if code == UNSENT:
            return ToolUnavailable(f"The MCP server '{self.name}' cannot be reached. {words}")
        if words == "Session terminated":
            self._client = None
            self._broken.set()
            return _SessionGone(f"The session with '{self.name}' is over.")
        if code == CONNECTION_CLOSED:
            return Broke(f"The connection to '{self.name}' broke: {words}")
        if code == REQUEST_TIMEOUT:
            return Silent(f"'{self.name}' has not answered in time.")
        if code == INVALID_PARAMS and "requeststate" in words.lower():
            return StateExpired(words)
        if code in (INVALID_PARAMS, METHOD_NOT_FOUND):
            return ToolMistake(words)
        return MCPError(code=code, message=words)

    async def _live(self) -> None:
        """Be connected, until the connection breaks or is idle."""
        async with asyncio.timeout(self._server.sayso.start_seconds) as limit, self._opened() as it:
            tools = await _all_tools(it)
            self.protocol = it.protocol_version
            self._offer(tools)
            self._client, self.state, self.problem = it, "ready", ""
            self._was_ready = True
            self._used_at = asyncio.get_running_loop().time()
            limit.reschedule(None)
            self._settled.set()
            async with asyncio.TaskGroup() as group:
                group.create_task(self._follow_changes(it))
                listening = group.create_task(self._listen(it))
                await self._until_broken()
                self._client = None
                listening.cancel()
                self._changed.set()
            self._changed.clear()

    @asynccontextmanager
    async def _opened(self) -> AsyncGenerator[Client, None]:
        async def heard(message: object) -> None:
            if isinstance(message, ServerNotification) and isinstance(
                getattr(message, "root", message), ToolListChangedNotification
            ):
                self._changed.set()

        server = self._server
        async with _no_log() if server.url else ServerLog(self.name, self._secrets.clean) as errors:
            if server.url is not None:
                http = http_client(server.url, self._headers)
                async with http:
                    transport = streamable_http_client(server.url, http_client=http)
                    async with self._client_of(WatchedTransport(transport), heard) as client:
                        yield client
                return
            assert server.command is not None
            assert errors is not None
            command = StdioServerParameters(
                command=server.command, args=list(server.args), env=self._env, cwd=server.cwd
            )
            transport = stdio_client(command, errlog=errors)
            watched = WatchedTransport(transport, on_end=self._broken.set)
            async with self._client_of(watched, heard) as client:
                yield client

    def _client_of(self, transport: WatchedTransport, heard: Callable[..., object]) -> Client:
        return Client(
            transport,
            message_handler=heard,  # type: ignore[arg-type]  # it takes what the session gives it
            elicitation_callback=self._cannot_wait,
            client_info=Implementation(name="sayso", version=__version__),
            cache=None,
            extensions=[advertise(EXTENSION_ID, {"mimeTypes": [APP_MEDIA_TYPE]})],
        )

    async def _cannot_wait(
        self, context: ClientRequestContext, params: ElicitRequestParams
    ) -> ElicitResult:
        """Answer a question of a server of before 2026: its call would have to stay open until a
        person comes, and a restart would lose it."""
        log.warning("MCP server %r asked something that cannot wait; it was cancelled", self.name)
        return ElicitResult(action="cancel")

    async def _until_broken(self) -> None:
        while not self._broken.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(IDLE_SECONDS / 10):
                    await self._broken.wait()
            if self._closes_when_idle and self._is_idle:
                return
        self.state = "away"
        self.problem = "It has closed the connection."

    async def _follow_changes(self, client: Client) -> None:
        """Ask for the tools again each time that the server says they have changed."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            if self._client is None:
                return
            try:
                async with asyncio.timeout(self._server.sayso.start_seconds):
                    self._offer(await _all_tools(client))
            except (MCPError, TimeoutError) as exc:
                log.warning("the tools of MCP server %r cannot be listed: %s", self.name, exc)

    async def _listen(self, client: Client) -> None:
        """Hear of changed tools as servers of 2026 tell it; older ones send a notification."""
        while True:
            try:
                async with client.listen(tools_list_changed=True) as changes:
                    async for _ in changes:
                        self._changed.set()
            except SubscriptionLost:
                await asyncio.sleep(_LISTEN_AGAIN_SECONDS)
                self._changed.set()  # nobody has told what happened meanwhile
            except (ListenNotSupportedError, MCPError, TimeoutError):
                return
            else:
                return

    def _offer(self, tools: list[ToolDefinition]) -> None:
        self.tools = {tool.name: tool for tool in tools}
        self._on_tools(tools)

    def _is_away(self, exc: Exception) -> None:
        self.state = "away"
        self.problem = self._secrets.clean(_why(exc))
        log.warning("MCP server %r cannot be reached: %s", self.name, self.problem)

    @property
    def _is_idle(self) -> bool:
        now = asyncio.get_running_loop().time()
        return not self._under_way and now - self._used_at > IDLE_SECONDS


@asynccontextmanager
async def _no_log() -> AsyncGenerator[None, None]:
    yield None


async def _all_tools(client: Client) -> list[ToolDefinition]:
    found: list[ToolDefinition] = []
    cursor: str | None = None
    while True:
        page = await client.session.list_tools(params=PaginatedRequestParams(cursor=cursor))
        found += map(_definition, page.tools)
        cursor = page.next_cursor
        if cursor is None or len(found) >= MOST_TOOLS or not page.tools:
            return found[:MOST_TOOLS]


def _definition(tool: Tool) -> ToolDefinition:
    hints = tool.annotations
    return ToolDefinition(
        name=tool.name,
        title=tool.title or "",
        description=tool.description or "",
        input_schema=tool.input_schema,
        annotations=hints.model_dump(mode="json", by_alias=True, exclude_none=True)
        if hints is not None
        else {},
        visibility=visibility_of(tool.meta),
        ui=ui_address(tool.meta),
        preview=address_of_preview(tool.meta),
    )


def visibility_of(meta: object) -> tuple[str, ...]:
    """Return who may call it. What cannot be read is for nobody."""
    ui = meta.get("ui") if isinstance(meta, dict) else None
    said = ui.get("visibility") if isinstance(ui, dict) else None
    if said is None:
        return ("model", "app")
    names = said if isinstance(said, list) else []
    return tuple(name for name in ("model", "app") if name in names)


def ui_address(meta: object) -> str:
    """Return the address of its UI, where it is one; older servers say it flat."""
    if not isinstance(meta, dict):
        return ""
    ui = meta.get("ui")
    said = ui.get("resourceUri") if isinstance(ui, dict) else None
    said = said if said is not None else meta.get("ui/resourceUri")
    return said if isinstance(said, str) and said.startswith("ui://") else ""


def _why(exc: BaseException) -> str:
    """Return the innermost reason in a sentence."""
    while isinstance(exc, BaseExceptionGroup):
        exc = exc.exceptions[0]
    match exc:
        case TimeoutError():
            return "It does not answer."
        case FileNotFoundError():
            return f"There is no program '{exc.filename}'."
        case MCPError() if exc.error.code == UNSENT:
            return exc.error.message
        case MCPError():
            return f"It says: {exc.error.message}"
        case _:
            return f"{type(exc).__name__}: {exc}"
