"""The built console opens under a strict policy: nothing inline, nothing from elsewhere."""

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "src/sayso/console/static"
AXE = ROOT / "web/node_modules/axe-core/axe.min.js"


class StrictHandler(SimpleHTTPRequestHandler):
    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", "default-src 'self'")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture
def console_url() -> Iterator[str]:
    handler = partial(StrictHandler, directory=str(STATIC))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


async def test_console_opens_without_complaint_and_is_accessible(
    page: Page, console_url: str
) -> None:
    complaints: list[str] = []
    requested: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: requested.append(request.url))

    await page.goto(console_url)

    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    await page.evaluate(AXE.read_text())
    assert await page.evaluate("axe.run().then(found => found.violations.map(v => v.id))") == []
    assert complaints == []
    assert [url for url in requested if not url.startswith(console_url)] == []
