"""One connection to one MCP server: opened, kept, and opened again when it breaks, by one task."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Literal, TypeVar

from mcp.client import Client
from mcp.client.session import ClientRequestContext
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolRequest,
    CallToolRequestParams,
    ElicitRequestParams,
    ElicitResult,
    InputResponses,
    PaginatedRequestParams,
    ReadResourceRequest,
    ReadResourceRequestParams,
    ReadResourceResult,
    Request,
    Result,
)
from pydantic import BaseModel, TypeAdapter

from sayso.core.digest import JsonObject
from sayso.core.errors import ToolUnavailable
from sayso.core.held_calls import CallOfRun
from sayso.mcp.config import Server
from sayso.mcp.definitions import all_tools
from sayso.mcp.open_calls import OpenCall, OpenCalls, Patience
from sayso.mcp.opening import Opening, Secrets
from sayso.mcp.pins import ToolDefinition
from sayso.mcp.replies import (
    NOTHING_GIVEN,
    REPLY,
    Answered,
    Asked,
    PagesFirst,
    Progress,
    Reply,
    SessionGone,
    Silent,
    TaskBegun,
    failure_of,
)
from sayso.mcp.tasks import follow
from sayso.mcp.transport import UNSENT

log = logging.getLogger("sayso.mcp")

#: A connection of one person that nobody has used for so long is closed; the next call opens it.
IDLE_SECONDS = 600.0
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.5, 60.0
_LISTEN_AGAIN_SECONDS = 5.0

State = Literal["connecting", "ready", "away", "closed"]
AnyRequest = Request[Any, Any]
T = TypeVar("T", bound=BaseModel)
R = TypeVar("R", bound=Result)


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
        calls: OpenCalls,
        closes_when_idle: bool = False,
    ) -> None:
        self.name, self._server, self._on_tools = name, server, on_tools
        self._calls = calls
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
        self._opening = Opening(
            name=name,
            server=server,
            headers=headers,
            env=env,
            secrets=self._secrets,
            on_end=self._broken.set,
            on_changed=self._changed.set,
            on_asked=self._asked,
        )
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
        self,
        tool: str,
        arguments: JsonObject,
        told: Progress,
        given: Answered = NOTHING_GIVEN,
        *,
        of: CallOfRun | None = None,
        person: str | None = None,
    ) -> Reply:
        """Call a tool. Raises ToolUnavailable and ToolMistake where nothing was done, Silent and
        Broke where nobody knows, and MCPError where the server says that it failed."""
        send = partial(self._sent, tool, arguments, told, given)
        try:
            return await self._calls.call(self, send, of=of, person=person)
        except SessionGone:
            return await self._calls.call(self, send, of=of, person=person)

    async def _sent(
        self, tool: str, arguments: JsonObject, told: Progress, given: Answered, call: OpenCall
    ) -> Reply:
        if given.task_id is not None:
            return await self._followed(given.task_id, given.answers, told)
        params = CallToolRequestParams(
            name=tool,
            arguments=arguments,
            input_responses=given.answers,
            request_state=given.state,
        )

        async def heard(progress: float, total: float | None, message: str | None) -> None:
            self._calls.is_heard(call)
            told(progress, total, message)

        call.patience = Patience(self._server.sayso.call_seconds)
        try:
            reply = await self._request(CallToolRequest(params=params), REPLY, call.patience, heard)
        except PagesFirst as refused:
            return refused.asked
        if isinstance(reply, TaskBegun):
            return await self._followed(reply.task_id, None, told)
        if isinstance(reply, Asked):  # what is ours in it no server says
            return reply.model_copy(update={"task_id": None, "call_id": None, "is_refused": False})
        return reply

    async def _asked(
        self, context: ClientRequestContext, params: ElicitRequestParams
    ) -> ElicitResult:
        return await self._calls.asked(self, params)

    async def _followed(
        self, task_id: str, answers: InputResponses | None, told: Progress
    ) -> Reply:
        seconds = self._server.sayso.call_seconds
        return await follow(self, task_id, answers or {}, told, seconds=seconds)

    async def read_resource(self, uri: str) -> ReadResourceResult:
        """Read a resource. Raises ToolUnavailable, Silent, Broke and MCPError."""
        request = ReadResourceRequest(params=ReadResourceRequestParams(uri=uri))
        return await self.ask(request, ReadResourceResult)

    async def ask(self, request: AnyRequest, kind: type[R]) -> R:
        """Ask what a server answers at once. Raises ToolUnavailable, Silent, Broke and MCPError."""
        patience = Patience(self._server.sayso.start_seconds)
        return await self._request(request, TypeAdapter(kind), patience)

    async def _request(
        self,
        request: AnyRequest,
        kind: TypeAdapter[T],
        patience: Patience,
        heard: ProgressFnT | None = None,
    ) -> T:
        client = await self.ready()
        self._under_way += 1
        try:
            async with patience:
                return await client.session.send_request(request, kind, progress_callback=heard)
        except TimeoutError as exc:
            words = f"'{self.name}' has not answered for {patience.seconds:g} seconds."
            raise Silent(words) from exc
        except MCPError as exc:
            raise self._failed(exc) from exc
        finally:
            self._under_way -= 1
            self._used_at = asyncio.get_running_loop().time()

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
        failure = failure_of(exc, self.name, self._secrets.clean)
        if isinstance(failure, SessionGone):
            self._client = None
            self._broken.set()
        return failure

    async def _live(self) -> None:
        """Be connected, until the connection breaks or is idle."""
        opened = self._opening.opened()
        async with asyncio.timeout(self._server.sayso.start_seconds) as limit, opened as it:
            tools = await all_tools(it)
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
                    self._offer(await all_tools(client))
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
    def is_broken(self) -> bool:
        return self._broken.is_set()

    @property
    def _is_idle(self) -> bool:
        now = asyncio.get_running_loop().time()
        return not self._under_way and now - self._used_at > IDLE_SECONDS


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
