"""Run the reference servers of MCP Apps behind our registry, and print what each of them gives:

    make mcp-apps      installs them first, and looks at each in Chromium as well

They have 236 MB with what they need, so `make test` does without.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

from sayso.mcp import Servers
from sayso.mcp.pins import ToolDefinition
from sayso.tools.signature import ArgumentsInvalid

START_SECONDS = 120


async def main(packages: list[Path]) -> None:
    print(f"{'server':24} {'start':>7} {'tools':>5} {'apps':>5} {'UI bytes':>10} {'read':>7}  call")
    for package in packages:
        await _look(package)


async def _look(package: Path) -> None:
    name = package.name.removeprefix("server-")
    command = {"command": "node", "args": [str(package / "dist/index.js"), "--stdio"]}
    servers = Servers({name: {**command, "sayso": {"startSeconds": START_SECONDS}}})
    try:
        began = time.perf_counter()
        [status] = await servers.look()
        started = time.perf_counter() - began
        tools = servers.pins.agreed(name)
        if not tools:
            print(f"{name:24} {status.state}: {status.problem}")
            return
        with_ui = next((tool for tool in tools.values() if tool.ui), None)
        apps = sum(not tool.is_for_models for tool in tools.values())
        began = time.perf_counter()
        told = await _ui(servers, name, with_ui) if with_ui is not None else "none"
        read = time.perf_counter() - began
        called = await _call(servers, name, with_ui) if with_ui is not None else ""
        line = (
            f"{name:24} {started:6.1f}s {len(tools):5} {apps:5} {told:>10} {read:6.2f}s  {called}"
        )
        print(line, flush=True)
    finally:
        await servers.aclose()


async def _ui(servers: Servers, name: str, tool: ToolDefinition) -> str:
    ui, page = await asyncio.wrap_future(servers.begin_reading(name, tool.ui, person=None))
    return f"{len(page):,}" if ui.has_ui else f"{ui.problem}: {ui.detail}"


async def _call(servers: Servers, name: str, tool: ToolDefinition) -> str:
    """Call it as its own UI would, without arguments: many draw what they have."""
    try:
        arguments = servers.tool_for_ui(name, tool.name).check({})
    except ArgumentsInvalid as exc:
        return f"{tool.name} needs arguments ({exc})"
    result = await servers.call_for_ui(name, tool.name, arguments, None)
    is_error = result is not None and result.get("isError") is True
    return f"{tool.name}: {'an error' if is_error else 'a result'}"


if __name__ == "__main__":
    folder = Path(sys.argv[1]) / "node_modules/@modelcontextprotocol"
    asyncio.run(main(sorted(folder.glob("server-*"))))
