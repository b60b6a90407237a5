"""Transports for httpx: a request that never left this process becomes NotExecuted.

    client = httpx.AsyncClient(transport=sayso.HttpTransport())

That is said only where the tool's body has sent no other request: what an earlier one did is not
undone by a later one that finds no connection.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from sayso.core.errors import ToolUnavailable
from sayso.tools.body_results import sent_by_body

#: Raised before the first byte of a request is written.
_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


class HttpTransport(httpx.AsyncHTTPTransport):
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        with _watched(request):
            return await super().handle_async_request(request)


class SyncHttpTransport(httpx.HTTPTransport):
    def handle_request(self, request: httpx.Request) -> httpx.Response:
        with _watched(request):
            return super().handle_request(request)


@contextmanager
def _watched(request: httpx.Request) -> Iterator[None]:
    sent = sent_by_body()
    if sent is None:  # outside of any tool
        yield
        return
    sent.count(1)
    try:
        yield
    except _UNSENT as exc:
        sent.count(-1)
        if sent.begun:
            raise
        raise ToolUnavailable(f"{request.url.host} could not be reached: {exc}") from exc
