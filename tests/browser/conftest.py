"""A Chromium for the tests that look at pages.

Playwright's async API, since its sync one keeps an event loop of its own running on the main
thread, on which no async test of the other suites could start afterwards.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from anyio import to_thread
from playwright.async_api import Browser, Page, async_playwright

from scripts import chromium
from tests.browser.demo import Demo


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


@pytest.fixture
async def demo(tmp_path: Path) -> AsyncIterator[Demo]:
    """The demo, running."""
    demo = Demo(tmp_path / "data")
    await demo.start()
    yield demo
    demo.kill()
