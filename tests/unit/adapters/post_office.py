"""A real MCP server over stdio that knows nothing of Sayso. Parcels go to the file it is given."""

import sys
from pathlib import Path

from mcp.server.mcpserver import MCPServer
from mcp.types import ToolAnnotations

server = MCPServer("post office")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def price(to: str) -> int:
    """What a parcel costs."""
    return len(to)


@server.tool(annotations=ToolAnnotations(destructive_hint=True))
def send(to: str, grams: int = 100) -> str:
    """Send a parcel."""
    with Path(sys.argv[1]).open("a") as ledger:
        ledger.write(f"{to} {grams}\n")
    return f"sent to {to}"


if __name__ == "__main__":
    server.run("stdio")
