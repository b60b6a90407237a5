"""What our transports say of a request that never left this process."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from sayso import AgentContext, HttpTransport, StepFailed, SyncHttpTransport, tool
from sayso.adapters.program import AgentProgram
from sayso.core.segments import Completed, Waiting
from sayso.testing.recorder import MemoryRun


def nobody_there() -> str:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}/"


@asynccontextmanager
async def somebody_there(got: list[bytes]) -> AsyncIterator[str]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        got.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"


async def agent(ctx: AgentContext) -> str:
    try:
        return str(await ctx.call("pay"))
    except StepFailed as exc:
        return exc.message


async def after_a_yes(pay: object) -> MemoryRun:
    run, program = MemoryRun(), AgentProgram(agent, tools=[pay])
    await run.go(program)
    run.approve("pay")
    await run.go(program)
    return run


def states(run: MemoryRun) -> list[str]:
    return [effect.state.value for effect in run.recorder.effects.values()]


async def test_a_server_that_cannot_be_reached_did_nothing() -> None:
    away = nobody_there()

    @tool(approval=True)
    async def pay() -> int:
        async with httpx.AsyncClient(transport=HttpTransport()) as client:
            return (await client.post(away)).status_code

    run = await after_a_yes(pay)
    assert isinstance(run.end, Completed)
    assert states(run) == ["not_executed"]
    assert "could not be reached" in run.said


async def test_the_same_in_a_thread() -> None:
    away = nobody_there()

    @tool(approval=True)
    def pay() -> int:
        with httpx.Client(transport=SyncHttpTransport()) as client:
            return client.post(away).status_code

    assert states(await after_a_yes(pay)) == ["not_executed"]


@pytest.mark.parametrize("within", [False, True], ids=["itself", "by a call within"])
async def test_what_was_sent_before_is_not_undone_by_it(within: bool) -> None:
    got: list[bytes] = []
    away = nobody_there()
    async with somebody_there(got) as here:

        @tool(read_only=True)
        async def post(where: str) -> int:
            async with httpx.AsyncClient(transport=HttpTransport()) as client:
                return (await client.post(where)).status_code

        @tool(approval=True)
        async def pay(ctx: AgentContext) -> int:
            async with httpx.AsyncClient(transport=HttpTransport()) as client:
                if within:
                    await ctx.call(post, where=here)
                else:
                    await client.post(here)
                return (await client.post(away)).status_code

        run = await after_a_yes(pay)
    assert isinstance(run.end, Waiting)
    assert states(run) == ["uncertain"]
    assert len(got) == 1


async def test_outside_of_a_tool_it_is_httpxs_own_error() -> None:
    async with httpx.AsyncClient(transport=HttpTransport()) as client:
        with pytest.raises(httpx.ConnectError):
            await client.get(nobody_there())
