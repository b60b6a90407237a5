"""The MCP servers of an agent, connected while runs of it need them: a module that makes an agent
has no loop yet to connect them in."""

from __future__ import annotations

from asyncio import Lock
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from agents import Agent
from agents.mcp import MCPServer, MCPServerManager

from sayso.adapters.openai_agents.checks import agents_within


@asynccontextmanager
async def connected_servers(agent: Agent[Any]) -> AsyncIterator[None]:
    """Connect what the agent and those behind it use, as far as the application has not."""
    async with AsyncExitStack() as stack:
        for _, each in agents_within(agent, ""):
            for server in each.mcp_servers:
                await stack.enter_async_context(_connected(server))
        yield


@dataclass
class _Connection:
    """A server's connection, which the first run makes and the last one ends."""

    runs: int = 0
    manager: MCPServerManager | None = None
    lock: Lock = field(default_factory=Lock)


_connections: WeakKeyDictionary[MCPServer, _Connection] = WeakKeyDictionary()


@asynccontextmanager
async def _connected(server: MCPServer) -> AsyncIterator[None]:
    here = _connections.setdefault(server, _Connection())
    async with here.lock:
        if not here.runs and getattr(server, "session", server) is None:
            here.manager = MCPServerManager([server], strict=True)
            await here.manager.connect_all()
        here.runs += 1
    try:
        yield
    finally:
        async with here.lock:
            here.runs -= 1
            if not here.runs and here.manager is not None:
                await here.manager.cleanup_all()
                here.manager = None
