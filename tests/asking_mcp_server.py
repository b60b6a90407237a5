"""A real MCP server of before 2026, which asks in the middle of its calls: over stdio, or over HTTP
with `--http PORT`. What it has done it writes to the file `--done`, a line each.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.runner import serve_loop
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError, UrlElicitationRequiredError
from mcp_types import METHOD_NOT_FOUND, ElicitRequestURLParams, RequestParams, ToolAnnotations
from pydantic import BaseModel, Field

PAGE = "https://bücher.test/pay?n=1"


class Size(BaseModel):
    cores: int = Field(ge=1, le=64)


class Rack(BaseModel):
    rack: str


class Key(BaseModel):
    password: str


def server(done: Path) -> MCPServer[Any]:
    made = MCPServer[Any]("asking")
    visited = set[str]()

    def note(line: str) -> None:
        with done.open("a") as file:
            file.write(f"{line}\n")

    @asynccontextmanager
    async def watched(name: str) -> AsyncIterator[None]:
        try:
            yield
        except asyncio.CancelledError:
            note(f"{name} was cancelled")
            raise

    async def sized(name: str, ctx: Context[Any]) -> str:
        async with watched(name):
            said = await ctx.elicit(f"How large should {name} be?", Size)
        if said.action != "accept":
            return f"{name}: {said.action}"
        note(f"{name} {said.data.cores}")
        return f"booked {name} with {said.data.cores} cores"

    @made.tool()
    async def book(name: str, ctx: Context[Any]) -> str:
        """Book a machine."""
        return await sized(name, ctx)

    @made.tool(annotations=ToolAnnotations(idempotent_hint=True))
    async def rebook(name: str, ctx: Context[Any]) -> str:
        """Book it again."""
        return await sized(name, ctx)

    @made.tool()
    async def place(name: str, ctx: Context[Any]) -> str:
        """Ask two things, one after the other."""
        told = await sized(name, ctx)
        where = await ctx.elicit(f"Where should {name} stand?", Rack)
        return f"{told}, in {where.data.rack}" if where.action == "accept" else told

    @made.tool()
    async def unlock(ctx: Context[Any]) -> str:
        """Ask for what nobody should type into a form."""
        return (await ctx.elicit("What is the password?", Key)).action

    @made.tool()
    async def pay(ctx: Context[Any]) -> str:
        """Send the person to a page."""
        return (await ctx.elicit_url("Pay there.", PAGE, "page-1")).action

    @made.tool()
    async def enter(name: str) -> str:
        """Refuse to begin before somebody has been to a page."""
        if name not in visited:
            visited.add(name)
            page = ElicitRequestURLParams(message="Sign.", url=PAGE, elicitation_id=name)
            raise UrlElicitationRequiredError([page])
        note(f"{name} entered")
        return f"{name} has entered"

    @made.tool()
    async def hurry(name: str, ctx: Context[Any]) -> str:
        """Ask, and wait no longer than until there is a file."""
        asking = asyncio.create_task(sized(name, ctx))
        while not done.with_name(f"{name}-gives-up").exists():  # noqa: ASYNC110  # a test makes it
            await asyncio.sleep(0.02)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        return f"nobody came for {name}"

    @made.tool()
    async def slow(name: str) -> str:
        """Wait until there is a file."""
        note(f"{name} began")
        while not done.with_name(f"let-{name}-go").exists():  # noqa: ASYNC110  # a test makes it
            await asyncio.sleep(0.02)
        return f"{name} has gone"

    async def discover(ctx: object, params: RequestParams | None) -> None:
        raise MCPError(code=METHOD_NOT_FOUND, message="What is that?")

    made._lowlevel_server.add_request_handler("server/discover", RequestParams, discover)
    return made


async def serve(made: MCPServer[Any]) -> None:
    """Serve the older handshake alone, which `run` does not."""
    inner = made._lowlevel_server
    async with stdio_server() as (read, write), inner.lifespan(inner) as state:
        await serve_loop(inner, read, write, lifespan_state=state)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--done", type=Path, required=True)
    parser.add_argument("--http", type=int)
    given = parser.parse_args()
    given.done.with_suffix(".pid").write_text(str(os.getpid()))
    made = server(given.done)
    if given.http is None:
        asyncio.run(serve(made))
    else:
        made.run("streamable-http", host="127.0.0.1", port=given.http)


if __name__ == "__main__":
    main()
