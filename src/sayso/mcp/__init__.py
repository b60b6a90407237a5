"""MCP servers: Sayso holds the connections, and every call of their tools passes the toolbox.

    app = sayso.App(agent, mcp="mcp.json")

It needs the extra `sayso[mcp]`.
"""

from sayso.mcp.config import Own, Server, Trust
from sayso.mcp.pins import Held, ToolDefinition
from sayso.mcp.registry import Servers, ServerStatus, as_servers

__all__ = [
    "Held",
    "Own",
    "Server",
    "ServerStatus",
    "Servers",
    "ToolDefinition",
    "Trust",
    "as_servers",
]
