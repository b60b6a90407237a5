"""A browser that is used again knows nothing of who used it before."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Browser, Page

from tests.browser.devices import Device, page_of
from tests.browser.server_process import running

KEEP = """async () => {
  localStorage.setItem('mine', '1');
  sessionStorage.setItem('mine', '1');
  document.cookie = 'mine=1';
  await (await caches.open('mine')).put('/mine', new Response('1'));
  await new Promise((done, failed) => {
    const open = indexedDB.open('mine');
    open.onsuccess = () => { open.result.close(); done(); };
    open.onerror = failed;
  });
}"""
KEPT = """async () => [
  localStorage.length, sessionStorage.length, document.cookie, Notification.permission,
  (await caches.keys()).length, (await indexedDB.databases()).length,
]"""


async def test_nothing_is_left_in_a_browser_that_is_used_again(browser: Browser, tmp_path: Path):
    other_than_any_tests = Device(width=999)

    async def kept(page: Page, url: str) -> object:
        await page.goto(f"{url}/api/version")
        return await page.evaluate(KEPT)

    async with running(tmp_path) as server:
        async with page_of(browser, other_than_any_tests) as page:
            first, nothing = page, await kept(page, server.url)
            await page.context.grant_permissions(["notifications"])
            await page.evaluate(KEEP)
            assert await kept(page, server.url) != nothing
            await page.context.new_page()
        async with page_of(browser, other_than_any_tests) as page:
            assert page.context is first.context
            assert page.context.pages == [page]
            assert await kept(page, server.url) == nothing


async def test_two_at_once_are_two_browsers(browser: Browser):
    async with page_of(browser) as one, page_of(browser) as other:
        assert one.context is not other.context
