"""The cards as an npm package, in a page that runs on React itself."""

import asyncio
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Browser, expect

from scripts import web
from tests.browser.accessibility import picture
from tests.browser.console import console
from tests.browser.server_process import ServerProcess, running
from tests.browser.test_elements import waiting
from tests.ports import free_port

START_SECONDS = 120.0
CONFIG = ("--config", "react-example.config.ts")


@asynccontextmanager
async def react_page(server: ServerProcess) -> AsyncIterator[str]:
    """The example, built with React and the packed cards, beside a running server."""
    await asyncio.to_thread(web.install_packages)
    await asyncio.to_thread(web.npm, "run", "pack:cards")
    await asyncio.to_thread(web.npm, "exec", "--", "vite", "build", *CONFIG, "--logLevel", "warn")
    port = free_port()
    vite = web.WEB / "node_modules/vite/bin/vite.js"
    process = await asyncio.create_subprocess_exec(
        *(str(web.find_node().node), str(vite), "preview", *CONFIG),
        *("--host", "127.0.0.1", "--port", str(port), "--strictPort"),
        cwd=web.WEB,
        env={**os.environ, "SAYSO_SERVER": server.url},
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(START_SECONDS):
            async for line in process.stdout:
                if str(port).encode() in line:
                    break
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        await process.communicate()


async def test_a_react_page_draws_and_answers_what_waits(browser: Browser, tmp_path: Path) -> None:
    async with running(tmp_path) as server, react_page(server) as url:
        interaction = await waiting(server)
        async with console(browser, url) as tab:
            page = tab.page
            await page.goto(url)
            await expect(page.get_by_role("heading", name="1 waiting")).to_be_visible()
            await page.get_by_role("button", name=re.compile("^Reject")).click()
            await expect(page.get_by_role("textbox", name="Reason for rejecting")).to_be_focused()
            await page.keyboard.type("not today")
            await page.get_by_role("button", name=re.compile("^Reject")).click()
            receipt = page.locator("article[data-state=settled]")
            await expect(receipt).to_contain_text("rejected")
            await expect(page.get_by_role("heading", name="0 waiting")).to_be_visible()
            await picture(page, "react-page")
            # It is React that draws here, and not what the console has in its place.
            drawn_by = await page.evaluate(
                "Object.keys(document.querySelector('article')).some(k => k.startsWith('__react'))"
            )
            assert drawn_by
        async with console(browser, url, locale="zh-CN") as tab:
            await tab.page.goto(url)
            await expect(tab.page.locator("article")).to_contain_text("已拒绝：not today")
        found = await server.get(f"/api/interactions/{interaction}")
        assert found["response"]["user_message"] == "not today"
