"""A real MCP server, for tests of the host: over stdio, or over HTTP with `--http PORT`.

What it has done it writes to the file `--done`, a line each.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import Any

from mcp.server.apps import Apps, ResourceCsp, ResourcePermissions
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent, ToolAnnotations

PAGE = "<!doctype html><title>Pods</title><main>pods</main>"


def server(done: Path) -> MCPServer[Any]:
    apps = Apps()

    def note(line: str) -> None:
        with done.open("a") as file:
            file.write(f"{line}\n")

    @apps.tool(resource_uri="ui://desk/app.html", visibility=["app"])
    def poll() -> str:
        """Only for its app."""
        return "polled"

    @apps.tool(resource_uri="ui://desk/app.html", annotations=ToolAnnotations(read_only_hint=True))
    def pods_list() -> CallToolResult:
        """List the pods."""
        note("pods_list")
        return CallToolResult(
            content=[TextContent(text="web-1, web-2")],
            structured_content={"pods": ["web-1", "web-2"]},
            meta={"viewUUID": "for-the-app-alone"},
        )

    apps.add_html_resource(
        "ui://desk/app.html",
        PAGE,
        csp=ResourceCsp(connect_domains=["https://api.test", "*"]),
        permissions=ResourcePermissions(clipboard_write={}),
    )
    # It takes an extension's tools as they are now.
    made = MCPServer("desk", extensions=[apps])

    @made.tool(annotations=ToolAnnotations(read_only_hint=True))
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        note(f"add {a} {b}")
        return a + b

    @made.tool(annotations=ToolAnnotations(destructive_hint=True))
    def delete_pod(name: str) -> str:
        """Delete a pod."""
        note(f"delete {name}")
        return f"deleted {name}"

    @made.tool()
    def restart(name: str) -> str:
        """Restart a pod."""
        note(f"restart {name}")
        return f"restarted {name}"

    @made.tool(annotations=ToolAnnotations(read_only_hint=True))
    def long_text(characters: int) -> str:
        """Return much."""
        return "x" * characters

    @made.tool()
    def fail(words: str) -> str:
        """Fail."""
        raise ToolError(words)

    @made.tool(annotations=ToolAnnotations(read_only_hint=True))
    def secret_meta() -> CallToolResult:
        """Return what is not for models."""
        return CallToolResult(
            content=[TextContent(text="seen")],
            structured_content={"rows": [1]},
            meta={"viewUUID": "for-the-app-alone"},
        )

    @made.tool()
    def propose(name: str) -> dict[str, Any]:
        """Ask for an approval, as tools of other applications do."""
        return {
            "status": "approval_required",
            "message": f"Create {name}?",
            "approval_request": {"entity_type": "process", "entity_summary": name},
        }

    @made.tool(annotations=ToolAnnotations(read_only_hint=True))
    async def slow(ctx: Context[Any], name: str) -> str:
        """Report progress, and then wait until somebody cancels it, or the test lets it go."""
        note(f"slow {name} began")
        await ctx.report_progress(1, 4, "a quarter")
        try:
            while True:
                if done.with_name(f"let-{name}-go").exists():
                    break
                await asyncio.sleep(0.02)
        except BaseException:
            note(f"slow {name} cancelled")
            raise
        return "at last"

    return made


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--done", type=Path, required=True)
    parser.add_argument("--http", type=int)
    given = parser.parse_args()
    made = server(given.done)
    if given.http is None:
        made.run("stdio")
    else:
        made.run("streamable-http", host="127.0.0.1", port=given.http)


if __name__ == "__main__":
    main()
