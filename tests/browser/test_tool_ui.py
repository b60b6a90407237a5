"""A tool's own UI in the console: it shows what its tool gave, and nothing leaves its frame."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.async_api import Browser, FrameLocator, expect

from tests.browser.accessibility import violations
from tests.browser.console import Console, console
from tests.browser.server_process import ServerProcess, running

HERE = Path(__file__).parent
#: What the hostile page tries, and the words in which it says that it got nowhere.
ATTEMPTS = json.loads((HERE / "tool_ui/attempts.json").read_text())


class Outside:
    """A server that nobody should ever reach."""

    def __init__(self) -> None:
        hits = self.hits = list[str]()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                hits.append(self.path)
                self.send_response(200)
                self.send_header("Access-Control-Allow-Origin", "*")
                self.end_headers()

            do_POST = do_GET

            def log_message(self, format: str, *args: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture(scope="module")
def outside() -> Iterator[Outside]:
    made = Outside()
    thread = threading.Thread(target=made.server.serve_forever)
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, outside: Outside) -> Path:
    folder = tmp_path_factory.mktemp("mcp")
    tools = [
        {
            "name": name,
            "inputSchema": {"type": "object"},
            "annotations": {"readOnlyHint": True},
            "_meta": {"ui": {"resourceUri": f"ui://{name}/app.html"}},
        }
        for name in ("pods_list", "hostile")
    ]
    (folder / "offer.json").write_text(json.dumps(tools))
    (folder / "pods_list.html").write_text((HERE / "tool_ui/pods_list.html").read_text())
    hostile = (HERE / "tool_ui/hostile.html").read_text().replace("OUTSIDE", outside.url)
    (folder / "hostile.html").write_text(hostile)
    return folder


@pytest.fixture(scope="module")
async def server(
    tmp_path_factory: pytest.TempPathFactory, folder: Path
) -> AsyncIterator[ServerProcess]:
    data = tmp_path_factory.mktemp("data")
    environment = {"SAYSO_TEST_MCP": str(folder)}
    agent = "tests.browser.tool_ui_agent:app"
    async with running(data, "serve", agent, environment=environment) as server:
        yield server


async def opened(tab: Console, name: str) -> FrameLocator:
    await tab.page.get_by_role("button", name=f"{name} UI", exact=True).click()
    dialog = tab.page.get_by_role("dialog", name=f"{name} UI", exact=True)
    await expect(dialog).to_be_visible()
    return dialog.frame_locator("iframe")


async def test_show_me_the_pods_in_my_cluster(
    browser: Browser, server: ServerProcess, folder: Path
) -> None:
    async with console(browser, server.url) as tab:
        await tab.begin("Show me the pods in my cluster")
        await expect(tab.log.get_by_text("Here they are.")).to_be_visible()
        called = (folder / "done").read_text().count("pods_list")
        frame = await opened(tab, "pods_list")
        await expect(frame.get_by_role("status")).to_have_text("nobody: pods_list")
        dialog = tab.page.get_by_role("dialog")
        raw = dialog.locator("details")
        await expect(raw).not_to_have_attribute("open", re.compile(".*"))
        assert await violations(tab.page, "dialog.tool-ui > :not(iframe)") == []
        await tab.picture("tool-ui")
        await raw.get_by_text("Show raw output").click()
        await expect(raw.get_by_text("nobody: pods_list")).to_be_visible()
        # Escape closes it, and the focus goes back to where it was.
        await dialog.get_by_role("heading").focus()
        await tab.page.keyboard.press("Escape")
        await expect(dialog).to_be_hidden()
        button = tab.page.get_by_role("button", name="pods_list UI", exact=True)
        await expect(button).to_be_focused()
        # A reload shows the same, and calls nothing.
        await tab.page.reload()
        frame = await opened(tab, "pods_list")
        await expect(frame.get_by_role("status")).to_have_text("nobody: pods_list")
        assert (folder / "done").read_text().count("pods_list") == called


async def test_a_hostile_ui_stays_in_its_frame(
    browser: Browser, server: ServerProcess, outside: Outside
) -> None:
    async with console(browser, server.url) as tab:
        await tab.begin("Be hostile")
        await expect(tab.log.get_by_text("Here they are.")).to_be_visible()
        frame = await opened(tab, "hostile")
        told = frame.locator("#outcomes")
        await expect(told).to_have_attribute("data-done", "yes")
        outcomes = json.loads(await told.inner_text())
        assert outcomes == dict.fromkeys(ATTEMPTS, "stopped")
        # Then it leads its own frame away, which its policy of frames stops.
        await frame.locator("#leave").click()
        await tab.page.get_by_role("dialog").get_by_role("button", name="Close").click()
        await tab.say("And again?")
        await expect(tab.log.get_by_text("Here they are.")).to_have_count(2)
        assert tab.page.url.startswith(server.url)
        assert len(tab.page.context.pages) == 1
    assert outside.hits == []
