"""A real MCP server, for tests of the host: over stdio, or over HTTP with `--http PORT`.

What it has done it writes to the file `--done`, a line each.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from pathlib import Path
from typing import Annotated, Any

from mcp.server.apps import Apps, ResourceCsp, ResourcePermissions
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.server.request_state import RequestStateSecurity
from mcp_types import (
    CallToolResult,
    ElicitRequest,
    ElicitRequestURLParams,
    ElicitResult,
    InputRequiredResult,
    TextContent,
    ToolAnnotations,
)
from pydantic import BaseModel, Field

from tests.mcp_tasks import Rendering

PAGE = "<!doctype html><title>Pods</title><main>pods</main>"


class Size(BaseModel):
    cores: int = Field(ge=1, le=64)


class Key(BaseModel):
    password: str


def ask_size(name: str) -> Elicit[Size]:
    return Elicit(f"How large should {name} be?", Size)


def ask_key() -> Elicit[Key]:
    return Elicit("What is the password?", Key)


def server(done: Path, state_key: str) -> MCPServer[Any]:
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
    made = MCPServer(
        "desk",
        extensions=[apps, Rendering(done, note)],
        # So that another process of this server knows its own questions again.
        request_state_security=RequestStateSecurity(keys=[state_key * 32], ttl=7 * 86_400),
    )

    @made.tool()
    def book(name: str, size: Annotated[Size, Resolve(ask_size)]) -> str:
        """Book a machine."""
        note(f"book {name} {size.cores}")
        return f"booked {name} with {size.cores} cores"

    @made.tool(annotations=ToolAnnotations(idempotent_hint=True))
    def rebook(name: str, size: Annotated[Size, Resolve(ask_size)]) -> str:
        """Book it again."""
        note(f"rebook {name} {size.cores}")
        return f"rebooked {name} with {size.cores} cores"

    @made.tool(annotations=ToolAnnotations(destructive_hint=True))
    async def demolish(name: str, size: Annotated[Size, Resolve(ask_size)]) -> str:
        """Begin, and never end."""
        note(f"demolish {name} {size.cores}")
        return await asyncio.Future[str]()

    @made.tool()
    def unlock(key: Annotated[Key, Resolve(ask_key)]) -> str:
        """Ask for what nobody should type into a form."""
        note(f"unlock {key.password}")
        return "unlocked"

    @made.tool()
    def pay(ctx: Context[Any]) -> str | InputRequiredResult:
        """Send the person to a page."""
        said = (ctx.input_responses or {}).get("page")
        if not isinstance(said, ElicitResult):
            page = ElicitRequestURLParams(message="Pay there.", url="https://bücher.test/pay?n=1")
            return InputRequiredResult(input_requests={"page": ElicitRequest(params=page)})
        note(f"pay {said.action}")
        return f"the page was {said.action}ed"

    @made.tool()
    def render(name: str) -> str:
        """Render a film, as a task."""
        raise ToolError("this is no call for a client without tasks")

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
    async def grow(name: str, ctx: Context[Any]) -> str:
        """Offer one tool more."""
        made.add_tool(lambda: name, name=name)
        await ctx.notify_tools_changed()
        return name

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
    parser.add_argument("--state-key", default="k")
    given = parser.parse_args()
    # For a test that kills it.
    given.done.with_suffix(".pid").write_text(str(os.getpid()))
    made = server(given.done, given.state_key)
    if given.http is None:
        made.run("stdio")
    else:
        made.run("streamable-http", host="127.0.0.1", port=given.http)


if __name__ == "__main__":
    main()
