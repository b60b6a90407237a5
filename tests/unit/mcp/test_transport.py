"""What comes from a server over HTTP."""

from __future__ import annotations

import httpx2
import pytest
from mcp.client import streamable_http

from sayso.mcp import transport


async def read(size: int) -> list[int]:
    """The sizes of the events of a response with one of this size, as the client reads them."""
    body = b"data: " + b"x" * size + b"\n\n"
    request = httpx2.Request("POST", "http://desk.test/mcp")
    headers = {"Content-Type": "text/event-stream"}
    events = vars(streamable_http)["EventSource"]
    response = httpx2.Response(200, headers=headers, content=body, request=request)
    return [len(event.data) async for event in events(response)]


async def test_an_event_may_hold_the_page_of_a_ui() -> None:
    assert await read(5 * 1024 * 1024) == [5 * 1024 * 1024]


async def test_an_event_is_bounded_all_the_same() -> None:
    assert 12 * 1024 * 1024 < transport.LARGEST_EVENT_BYTES < 64 * 1024 * 1024
    with pytest.raises(httpx2.SSEError):
        await read(transport.LARGEST_EVENT_BYTES + 1)


async def test_credentials_go_to_the_server_alone() -> None:
    """The same check stands before each request, and so before each that a redirect leads to."""
    async with transport.http_client("http://127.0.0.1:9/mcp", {"Authorization": "key"}) as client:
        assert client.headers["Authorization"] == "key"
        for elsewhere in ("http://127.0.0.1:10/mcp", "https://127.0.0.1:9/mcp", "http://x.test/"):
            with pytest.raises(httpx2.UnsupportedProtocol):
                await client.get(elsewhere)
