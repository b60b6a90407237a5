"""How a server is reached: a program that is run here, or an address. What a program writes beside
the protocol goes to our log, a line each."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TextIO

from mcp.client import Client
from mcp.client.extension import advertise
from mcp.client.session import ElicitationFnT
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import (
    Implementation,
    ServerNotification,
    ToolListChangedNotification,
)

from sayso._version import __version__
from sayso.core.tool_ui import APP_MEDIA_TYPE, SCHEMA_MEDIA_TYPE
from sayso.mcp.config import Server
from sayso.mcp.tasks import Tasks
from sayso.mcp.transport import Streams, http_client, watched

log = logging.getLogger("sayso.mcp")

_LONGEST_LINE = 2000
#: The extension of MCP Apps.
EXTENSION_ID = "io.modelcontextprotocol/ui"

_MEDIA_TYPES = [APP_MEDIA_TYPE, SCHEMA_MEDIA_TYPE]


@dataclass(slots=True)
class Secrets:
    """What must not stand in any message: the values that its entry or a person gave."""

    values: list[str] = field(default_factory=list)

    def clean(self, text: str) -> str:
        for value in sorted(self.values, key=len, reverse=True):
            text = text.replace(value, "•••")
        return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What it takes to reach a server."""

    name: str
    server: Server
    headers: Mapping[str, str]
    env: Mapping[str, str]
    secrets: Secrets

    #: Told that a program has ended.
    on_end: Callable[[], None]
    #: Told that the tools are others.
    on_changed: Callable[[], None]
    #: Answers what a server of before 2026 asks.
    on_asked: ElicitationFnT

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator[Client, None]:
        """Be connected."""
        server = self.server
        if server.url is not None:
            async with http_client(server.url, self.headers) as http:
                transport = streamable_http_client(server.url, http_client=http)
                async with self._client(watched(transport)) as client:
                    yield client
            return
        assert server.command is not None
        async with server_log(self.name, self.secrets.clean) as errors:
            command = StdioServerParameters(
                command=server.command, args=list(server.args), env=dict(self.env), cwd=server.cwd
            )
            transport = stdio_client(command, errlog=errors)
            async with self._client(watched(transport, self.on_end)) as client:
                yield client

    def _client(self, transport: Streams) -> Client:
        async def heard(message: object) -> None:
            if isinstance(message, ServerNotification) and isinstance(
                getattr(message, "root", message), ToolListChangedNotification
            ):
                self.on_changed()

        return Client(
            transport,
            message_handler=heard,
            elicitation_callback=self.on_asked,
            client_info=Implementation(name="sayso", version=__version__),
            cache=None,
            extensions=[advertise(EXTENSION_ID, {"mimeTypes": _MEDIA_TYPES}), Tasks()],
        )


@asynccontextmanager
async def server_log(name: str, clean: Callable[[str], str]) -> AsyncGenerator[TextIO, None]:
    """Give the file that a program gets as its standard error."""

    def tell(line: bytes) -> None:
        log.debug("%s: %s", name, clean(line[:_LONGEST_LINE].decode(errors="replace").rstrip()))

    reading, writing = os.pipe()
    file, pipe = os.fdopen(writing, "w"), os.fdopen(reading, "rb", 0)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: _Lines(tell), pipe)
    try:
        yield file
    finally:
        file.close()
        transport.close()


class _Lines(asyncio.Protocol):
    def __init__(self, on_line: Callable[[bytes], None]) -> None:
        self._on_line, self._rest = on_line, b""

    def data_received(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._on_line(line)
        if len(self._rest) > _LONGEST_LINE:
            self._on_line(self._rest)
            self._rest = b""
