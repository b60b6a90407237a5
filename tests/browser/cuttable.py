"""A wire that can be cut: a TCP relay on loopback between a browser and a server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


class Wire:
    """All that goes through it ends with `cut`; while it is `down`, nothing new gets through."""

    def __init__(self, server_port: int) -> None:
        self._server_port = server_port
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._relays: set[asyncio.Task[None]] = set()
        self.is_down = False
        #: What the server says is lost on the way; what the browser says arrives.
        self.is_deaf = False
        self.cuts = 0

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def cut(self) -> None:
        """As when a train goes into a tunnel: no goodbye, all connections at once."""
        self.cuts += 1
        for writer in self._open:
            writer.transport.abort()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        await asyncio.gather(*self._relays)
        await self._server.wait_closed()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._relays.add(task)
        task.add_done_callback(self._relays.discard)
        self._open.add(writer)
        try:
            if self.is_down:
                return
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._server_port)
            self._open.add(far_writer)
            try:
                await asyncio.gather(
                    self._carry(reader, far_writer), self._carry_back(far_reader, writer)
                )
            finally:
                self._open.discard(far_writer)
                far_writer.transport.abort()
        except OSError:
            pass  # the server is away: so is the wire
        finally:
            self._open.discard(writer)
            writer.transport.abort()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        # One direction has ended; half-open connections are of no use to a browser.
        writer.transport.abort()

    async def _carry_back(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                if self.is_deaf:
                    continue
                writer.write(data)
                await writer.drain()
        writer.transport.abort()


@asynccontextmanager
async def wire_to(server_port: int) -> AsyncIterator[Wire]:
    wire = Wire(server_port)
    await wire.start()
    try:
        yield wire
    finally:
        await wire.stop()
