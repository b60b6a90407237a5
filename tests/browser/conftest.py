"""A Chromium for the tests that look at pages.

Playwright's async API, since its sync one keeps an event loop of its own running on the main
thread, on which no async test of the other suites could start afterwards.
"""

import fcntl
import os
import threading
from collections.abc import AsyncIterator, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from anyio import to_thread
from playwright.async_api import Browser, Page, async_playwright

from scripts import chromium, web

GALLERY = Path(__file__).parent / "gallery/dist"


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    # In a thread: it may ask Playwright's sync API, which refuses where a loop runs.
    path = await to_thread.run_sync(chromium.find)
    assert path is not None, "No Chromium here: run `make chromium`"
    async with async_playwright() as playwright:
        # Chromium's own sandbox does not start for root, as which CI runs; the pages are ours.
        browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        await browser.close()


@pytest.fixture
async def page(browser: Browser) -> AsyncIterator[Page]:
    """A page with cookies and storage of its own."""
    context = await browser.new_context()
    yield await context.new_page()
    await context.close()


class StrictHandler(SimpleHTTPRequestHandler):
    def end_headers(self) -> None:
        self.send_header(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'",
        )
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture(scope="session")
def gallery_url() -> Iterator[str]:
    """Every card in every state, on one page (`gallery/`)."""
    _build_gallery()
    handler = partial(StrictHandler, directory=str(GALLERY))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def _build_gallery() -> None:
    """Once per run of the tests, also where several processes share them out."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    built = GALLERY.parent / "dist-built-by"
    with built.open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.seek(0)
        if lock.read() == run:
            return
        web.install_packages()
        web.npm(
            "exec", "--", "vite", "build", "--config", "gallery.config.ts", "--logLevel", "warn"
        )
        lock.truncate(0)
        lock.write(run)
