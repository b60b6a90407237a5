"""Half a request is waited for as long as its time, and holds nothing after that."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from sayso.settings import Settings
from tests.integration.world import World, running

#: As little as a busy machine needs to send a whole request.
SECONDS = 2.0
HALVES = {
    "nothing": b"",
    "the first line": b"GET /api/health HTTP/1.1\r\n",
    "no end of its headers": b"GET /api/health HTTP/1.1\r\nHost: localhost\r\nX: ",
    "half its body": b"POST /api/chats HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    "half a chunk": b"POST /api/chats HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
}
WHOLE = b"GET /api/version HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with running(Settings(port=0, request_seconds=SECONDS)) as world:
        yield world


async def connected(world: World) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, port = world.url.removeprefix("http://").split(":")
    return await asyncio.open_connection(host, int(port))


@pytest.mark.parametrize("half", HALVES.values(), ids=HALVES.keys())
async def test_half_a_request_is_cut_off(world: World, half: bytes):
    reader, writer = await connected(world)
    writer.write(half)
    async with asyncio.timeout(60):
        said = await reader.read()
    assert said == b"" or said.startswith((b"HTTP/1.1 408", b"HTTP/1.1 4")), said
    writer.close()


async def test_half_a_request_after_a_whole_one_is_cut_off(world: World):
    reader, writer = await connected(world)
    writer.write(WHOLE)
    async with asyncio.timeout(60):
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        writer.write(WHOLE[:20])
        await reader.read()
    writer.close()


async def test_one_that_trickles_in_is_cut_off_all_the_same(world: World):
    reader, writer = await connected(world)
    writer.write(b"GET /api/version HTTP/1.1\r\n")

    async def trickle() -> None:
        while not reader.at_eof():
            writer.write(b"X-More: yes\r\n")
            await writer.drain()
            await asyncio.sleep(0.1)

    trickling = asyncio.create_task(trickle())
    async with asyncio.timeout(60):
        await reader.read()
    trickling.cancel()
    await asyncio.gather(trickling, return_exceptions=True)
    writer.close()


async def test_what_has_arrived_is_answered_for_as_long_as_it_takes(world: World):
    """A stream, a live connection and a long answer outlast it."""
    reader, writer = await connected(world)
    writer.write(b"GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
    chat = await world.chat()
    live = await world.live(chat)
    hold = await world.start(chat)
    half_reader, half_writer = await connected(world)
    half_writer.write(WHOLE[:20])
    async with asyncio.timeout(60):
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        await half_reader.read()
        half_writer.close()
        await hold.say("still here")
        await live.until(lambda frame: "still here" in str(frame))
        while b"data:" not in await reader.readline():
            pass
    writer.close()
