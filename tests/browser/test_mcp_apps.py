"""The reference servers of MCP Apps, from npm, over stdio and HTTP: each draws what it can draw
without a network, and says what it cannot. `make mcp-apps` installs and runs them (236 MB)."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.async_api import Browser, FrameLocator, Locator, expect

from scripts import web
from tests.browser.console import console
from tests.browser.server_process import ServerProcess, running
from tests.loopback import GUARD_SECONDS, client_of
from tests.ports import free_port

PACKAGES = Path(__file__).parents[1] / "mcp_apps/node_modules/@modelcontextprotocol"
WANTED = "SAYSO_MCP_APPS"
pytestmark = pytest.mark.skipif(
    WANTED not in os.environ, reason="needs 236 MB of npm packages: run `make mcp-apps`"
)


@dataclass(frozen=True, slots=True)
class App:
    package: str
    tool: str
    #: What its frame shows at last.
    shows: str
    #: A canvas or svg at least so wide is drawn.
    draws: int = 0
    #: It never gets ready, so the raw output opens by itself.
    falls_back: bool = False


APPS = [
    App("budget-allocator", "get-budget-data", "Growth", draws=100),
    App("customer-segmentation", "get-customer-data", r"SMB\s*\(\d+\)", draws=500),
    # Its graphs come from a tool for UIs alone.
    App("system-monitor", "get-system-info", "Uptime", draws=500),
    App("threejs", "show_threejs_scene", "'unsafe-eval' is not an allowed source", draws=500),
    App("map", "show-map", "Failed to load CesiumJS from CDN", falls_back=True),
    # 4.3 MB; its tool fails, since the document lies in the web.
    App("pdf", "display_pdf", "Invalid tool result"),
]


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("apps")
    node = str(web.find_node().node)
    async with AsyncExitStack() as stack:
        entries: dict[str, Any] = {}
        for app in APPS:
            main = str(PACKAGES / f"server-{app.package}/dist/index.js")
            own = {"startSeconds": 240}
            entries[f"{app.package}-stdio"] = {
                "command": node,
                "args": [main, "--stdio"],
                "sayso": {**own, "prefix": "stdio_"},
            }
            url = await stack.enter_async_context(listening(node, main))
            entries[f"{app.package}-http"] = {"url": url, "sayso": {**own, "prefix": "http_"}}
        file = folder / "mcp.json"
        file.write_text(json.dumps({"mcpServers": entries}))
        agent = ("serve", "tests.integration.mcp.asking_agent:app", "--mcp", str(file))
        yield await stack.enter_async_context(running(folder / "data", *agent))


@asynccontextmanager
async def listening(node: str, main: str) -> AsyncIterator[str]:
    port = free_port()
    environment, nowhere = {**os.environ, "PORT": str(port)}, asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        node, main, env=environment, stdout=nowhere, stderr=nowhere
    )
    try:
        async with asyncio.timeout(2 * GUARD_SECONDS), client_of(f"http://127.0.0.1:{port}") as it:
            while True:
                try:
                    await it.get("/mcp")
                    break
                except httpx.TransportError:
                    await asyncio.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        await process.wait()


@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("app", APPS, ids=lambda app: app.package)
async def test_it_draws_what_it_can_and_says_what_it_cannot(
    browser: Browser, server: ServerProcess, app: App, transport: str
) -> None:
    async with console(browser, server.url) as tab:
        tool = f"{transport}_{app.tool}"
        await tab.begin(tool)
        await tab.page.get_by_role("button", name=f"{tool} UI", exact=True).click()
        dialog = tab.page.get_by_role("dialog", name=f"{tool} UI", exact=True)
        frame = dialog.frame_locator("iframe")
        await expect(frame.locator("body")).to_contain_text(re.compile(app.shows))
        if app.draws:
            await until_drawn(frame, app.draws)
        raw = dialog.locator("iframe ~ details")
        if app.falls_back:
            await expect(dialog.get_by_text("This UI is not ready.")).to_be_visible()
            await expect(raw).to_have_attribute("open", "")
        else:
            await raw.get_by_text("Show raw output").click()
        await expect(raw.locator(".sy-record")).not_to_be_empty()
        await tab.picture(f"app-{app.package}-{transport}")
        # Whatever it is, it can be closed, and the chat goes on.
        await dialog.get_by_role("button", name="Close").click()
        await expect(dialog).to_be_hidden()
        await expect(tab.composer).to_be_visible()


async def until_drawn(frame: FrameLocator, width: int) -> None:
    drawn: Locator = frame.locator("canvas, svg")
    async with asyncio.timeout(GUARD_SECONDS):
        while True:
            widths = await drawn.evaluate_all("all => all.map((one) => one.clientWidth)")
            if any(one >= width for one in widths):
                return
            await asyncio.sleep(0.05)
