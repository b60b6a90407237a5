"""All MCP servers of an application: their connections, and the tools that agents are given."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from inspect import isawaitable
from pathlib import Path
from typing import TYPE_CHECKING

from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput, NotSupportedError, ToolUnavailable
from sayso.core.held_calls import CallOfRun, HeldCall
from sayso.core.tool_ui import ToolUi
from sayso.mcp.background import Background
from sayso.mcp.config import Server, as_entries, read_servers
from sayso.mcp.pins import Held, Pins, ToolDefinition
from sayso.tools.tool import Runnable

if TYPE_CHECKING:
    from mcp_types import ReadResourceResult

    from sayso.mcp.connection import Connection
    from sayso.mcp.replies import Answered, Progress, Reply
    from sayso.mcp.ui_tools import McpUiTool

log = logging.getLogger("sayso.mcp")

#: What a person has for a server: headers of HTTP, or variables of a command's environment.
Credentials = Callable[[str, str | None], Mapping[str, str] | Awaitable[Mapping[str, str]]]


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """How a server stands. A server whose people have connections of their own is told by the
    newest of them."""

    name: str
    state: str
    problem: str
    protocol: str
    offered: tuple[str, ...]
    held: tuple[str, ...]


class Servers:
    """Servers by name, or the path of a file in the form `{"mcpServers": {…}}`.

    What was agreed of their tools is kept in `pins`: for a file, beside it (mcp.tools.json).
    `credentials(server, person)` gives what is a person's own, for the servers that are
    `perPerson`.
    """

    def __init__(
        self,
        servers: str | Path | Mapping[str, object],
        *,
        pins: Path | str | None = None,
        credentials: Credentials | None = None,
    ) -> None:
        _check_installed()
        from sayso.mcp.open_calls import OpenCalls

        if isinstance(servers, str | Path):
            path = Path(servers)
            self.servers = read_servers(path)
            pins = pins or path.with_name(f"{path.stem}.tools.json")
        else:
            self.servers = as_entries(servers)
        self.servers = {name: it for name, it in self.servers.items() if not it.disabled}
        lacking = [name for name, it in self.servers.items() if it.sayso.per_person]
        if lacking and credentials is None:
            raise InvalidInput(
                f"The MCP server '{lacking[0]}' is `perPerson`, and nobody says with what.",
                fix="Give Servers(…, credentials=…): a function of the server and the person.",
            )
        self._credentials = credentials
        self.pins = Pins(Path(pins) if pins is not None else None)
        self._background = Background("sayso-mcp")
        self._calls = OpenCalls()
        self._open: dict[tuple[str, str | None], tuple[Connection, asyncio.Task[None]]] = {}

    # ── what agents are given ──

    @property
    def known(self) -> list[Runnable]:
        """The tools that were agreed to; of a server that was never reached, none."""
        from sayso.mcp.tool import McpTool

        found: dict[str, Runnable] = {}
        for name, server in self.servers.items():
            own = server.sayso
            for tool in self.pins.agreed(name).values():
                if not tool.is_for_models or not _is_chosen(tool.name, own.tools):
                    continue
                made = McpTool(self, name, tool, own)
                first = found.setdefault(made.name, made)
                if first is not made:
                    log.warning("%r is left out: %r has its name. Give a `prefix`.", made, first)
        return list(found.values())

    async def tools(self, person: str | None) -> list[Runnable]:
        """Return the tools for a person's agents. Only a server of which nothing was ever agreed
        is waited for."""
        await self._background.run(self._connect(person))
        return self.known

    def agreed(self, server: str, name: str) -> ToolDefinition | None:
        return self.pins.agreed(server).get(name)

    def begin_call(
        self,
        server: str,
        tool: ToolDefinition,
        arguments: JsonObject,
        *,
        person: str | None,
        progress: Progress,
        given: Answered,
        of: CallOfRun | None = None,
    ) -> Future[Reply]:
        made = self._call(
            server, tool, arguments, person=person, progress=progress, given=given, of=of
        )
        return self._background.submit(made)

    # ── what is held for runs that wait (core.held_calls.HoldsCalls) ──

    def watch_calls(self, on_moved: Callable[[], None]) -> None:
        self._calls.on_moved = on_moved

    def held_calls(self) -> list[HeldCall]:
        return self._calls.held

    def give_up(self, call_id: str) -> None:
        self._background.submit(self._give_up(call_id))

    def begin_reading(
        self, server: str, uri: str, *, person: str | None
    ) -> Future[tuple[ToolUi, bytes]]:
        return self._background.submit(self._read_ui(server, uri, person))

    def begin_reading_resource(
        self, server: str, uri: str, *, person: str | None
    ) -> Future[ReadResourceResult]:
        return self._background.submit(self._read_resource(server, uri, person))

    # ── what tools' own UIs are given (tools.tool_ui.UiSource) ──

    def tool_for_ui(self, server: str, name: str) -> McpUiTool:
        from sayso.mcp.ui_tools import for_uis

        own = self._server(server).sayso
        tool = self.pins.agreed(server).get(name)
        return for_uis(self, server, tool if _is_chosen(name, own.tools) else None, own)

    async def call_for_ui(
        self, server: str, name: str, arguments: JsonObject, person: str | None
    ) -> JsonObject | None:
        from sayso.mcp.ui_tools import call_at_once

        return await call_at_once(self, self.tool_for_ui(server, name), arguments, person)

    async def read_for_ui(self, server: str, uri: str, person: str | None) -> JsonObject:
        from sayso.mcp.ui_tools import read_resource

        self._server(server)
        return await read_resource(self, server, uri, person)

    def _server(self, name: str) -> Server:
        if name not in self.servers:
            raise ToolUnavailable(f"The MCP server '{name}' is not among those of this host.")
        return self.servers[name]

    # ── what an operator sees ──

    async def look(self) -> list[ServerStatus]:
        """Try every server once, and tell how each of them stands."""
        await self._background.run(self._connect(None, every=True))
        return self.statuses()

    def statuses(self) -> list[ServerStatus]:
        found = []
        for name in self.servers:
            lines = [line for (server, _), (line, _) in [*self._open.items()] if server == name]
            newest = lines[-1] if lines else None
            found.append(
                ServerStatus(
                    name,
                    newest.state if newest else "not used",
                    newest.problem if newest else "",
                    newest.protocol if newest else "",
                    tuple(self.pins.agreed(name)),
                    tuple(held.now.name for held in self.held() if held.server == name),
                )
            )
        return found

    def held(self) -> list[Held]:
        """What waits for an agreement."""
        return [held for held in self.pins.held() if held.server in self.servers]

    def agree(
        self, server: str, tool: str | None = None, *, digest: str | None = None, by: str = ""
    ) -> list[str]:
        """Agree to what a server offers now, or to the one of this digest alone. Raises NotFound
        and StaleDigest."""
        names = self.pins.agree(server, tool, digest=digest, by=by)
        log.info("%s agreed to %s of MCP server %r", by or "an operator", names, server)
        return names

    async def aclose(self) -> None:
        """Close every connection; servers that run here end."""
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        self._background.stop()
        self._open.clear()

    # ── in the background ──

    async def _connect(self, person: str | None, *, every: bool = False) -> None:
        waited = []
        for name in self.servers:
            try:
                connection = await self._connection(name, person)
            except Exception as exc:
                log.warning("no credentials for MCP server %r: %s", name, type(exc).__name__)
                continue
            if every or not self.pins.knows(name):
                waited.append(connection.tried())
        await asyncio.gather(*waited)

    async def _call(
        self,
        server: str,
        tool: ToolDefinition,
        arguments: JsonObject,
        *,
        person: str | None,
        progress: Progress,
        given: Answered,
        of: CallOfRun | None,
    ) -> Reply:
        if given.call_id is not None:
            return await self._calls.go_on(given.call_id, given.answers or {})
        connection = await self._connection(server, person)
        if given.task_id is not None:
            # It was sent already, to the tool that was agreed to.
            return await connection.call(tool.name, arguments, progress, given)
        await connection.ready()
        offered = (connection.tools or {}).get(tool.name)
        if offered is None or offered.digest != tool.digest:
            what = "no longer has" if offered is None else "has changed"
            raise ToolUnavailable(
                f"The MCP server '{server}' {what} the tool '{tool.name}' that was agreed to.",
                fix="Nothing was done. Ask an administrator to look at its tools.",
            )
        return await connection.call(tool.name, arguments, progress, given, of=of, person=person)

    async def _give_up(self, call_id: str) -> None:
        self._calls.give_up(call_id)

    async def _read_ui(self, server: str, uri: str, person: str | None) -> tuple[ToolUi, bytes]:
        from sayso.mcp.apps import read_ui

        return await read_ui(await self._connection(server, person), uri)

    async def _read_resource(self, server: str, uri: str, person: str | None) -> ReadResourceResult:
        return await (await self._connection(server, person)).read_resource(uri)

    async def _connection(self, name: str, person: str | None) -> Connection:
        """Return the connection of this person, or of all; open it where there is none."""
        from sayso.mcp.connection import Connection

        server = self.servers[name]
        key = (name, person if server.sayso.per_person else None)
        known = self._open.get(key)
        if known is not None and not known[1].done():
            return known[0]
        given = await self._given(name, person) if server.sayso.per_person else {}
        is_http = server.url is not None
        connection = Connection(
            name,
            server,
            headers={**server.headers, **given} if is_http else server.headers,
            env=server.env if is_http else {**server.env, **given},
            on_tools=partial(self.pins.see, name),
            calls=self._calls,
            closes_when_idle=server.sayso.per_person,
        )
        # Another call may have been here meanwhile.
        known = self._open.get(key)
        if known is not None and not known[1].done():
            return known[0]
        self._open[key] = connection, asyncio.create_task(connection.run(), name=f"mcp-{name}")
        return connection

    async def _given(self, server: str, person: str | None) -> Mapping[str, str]:
        assert self._credentials is not None
        found = self._credentials(server, person)
        return await found if isawaitable(found) else found


def as_servers(given: Servers | str | Path | Mapping[str, object] | None) -> Servers | None:
    """Return Servers as they are, or make them. Raises NotSupportedError where the extra is
    missing."""
    return given if isinstance(given, Servers) or given is None else Servers(given)


def _is_chosen(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _check_installed() -> None:
    from importlib.util import find_spec

    if find_spec("mcp") is None or find_spec("mcp_types") is None:
        raise NotSupportedError(
            "MCP servers are named, but the MCP client (2.1 or later) is not installed.",
            fix="Install it with `pip install 'sayso[mcp]'`.",
        )


__all__ = ["Credentials", "Server", "ServerStatus", "Servers", "as_servers"]
