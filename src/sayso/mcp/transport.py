"""What lies between a client and its server: the end of the stream is noticed, and what a header
carries goes to that server alone."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import Self

import httpx2
from mcp.client import streamable_http
from mcp.client._transport import ReadStream, TransportStreams
from mcp.shared.message import SessionMessage
from mcp_types import CONNECTION_CLOSED

#: The code of the error that stands for a request which never left this process.
UNSENT = -32090
_UNSENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)

#: A page of a UI comes as one event, as text or in base64.
LARGEST_EVENT_BYTES = 32 * 1024 * 1024

Streams = AbstractAsyncContextManager[TransportStreams]
_Read = ReadStream[SessionMessage | Exception]


@asynccontextmanager
async def watched(
    transport: Streams, on_end: Callable[[], None] = lambda: None
) -> AsyncGenerator[TransportStreams, None]:
    """Be connected by this transport, and say when its server has gone."""
    async with transport as (read, write):
        yield _Watched(read, on_end), write


class _Watched:
    """A stream to read from, that tells of its end."""

    def __init__(self, inner: _Read, on_end: Callable[[], None]) -> None:
        self._inner, self._on_end = inner, on_end

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    def __aiter__(self) -> Self:
        return self

    async def receive(self) -> SessionMessage | Exception:
        return await self._inner.receive()

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self._inner.__anext__()
        except StopAsyncIteration:
            self._on_end()
            raise

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool | None:
        return await self._inner.__aexit__(kind, exc, traceback)


class _Events(httpx2.EventSource):
    """The events of a response, of the size that a server's answers may have."""

    def __init__(
        self, response: httpx2.Response, max_event_size: int | None = LARGEST_EVENT_BYTES
    ) -> None:
        super().__init__(response, max_event_size)


# The client has no option for it, and reads 1 MiB: two of the six reference servers have more.
streamable_http.EventSource = _Events  # type: ignore[attr-defined]


def http_client(url: str, headers: Mapping[str, str]) -> httpx2.AsyncClient:
    """Return a client for this server. It follows redirects within the server's own origin; what
    leads elsewhere would take the credentials along."""
    home = _origin(httpx2.URL(url))

    async def stay(request: httpx2.Request) -> None:
        if _origin(request.url) != home:
            raise httpx2.UnsupportedProtocol(f"It sends elsewhere, to {request.url.host}.")

    return httpx2.AsyncClient(
        transport=_Transport(),
        headers=dict(headers),
        follow_redirects=True,
        # A stream may be silent for long; calls have a limit of their own.
        timeout=httpx2.Timeout(30, read=None),
        event_hooks={"request": [stay]},
    )


class _Transport(httpx2.AsyncHTTPTransport):
    """Turns an error of the network into the answer to the one request that met it: raised, it
    would end the client with everything else that is under way."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        try:
            return await super().handle_async_request(request)
        except httpx2.TransportError as exc:
            if request.method != "POST":
                raise
            unsent = isinstance(exc, _UNSENT)
            words = "Nothing answers at its address." if unsent else f"{type(exc).__name__}: {exc}"
            error = {"code": UNSENT if unsent else CONNECTION_CLOSED, "message": words}
            body = {"jsonrpc": "2.0", "id": None, "error": error}
            return httpx2.Response(503, json=body, request=request)


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
