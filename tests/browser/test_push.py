"""A person without an open page gets a push, opens the card, decides, and the run goes on.

The service worker, its notice and the server's push are real. Chromium without a screen has no push
service of its maker: a local one stands in for it, and the browser's debugger hands over what came.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from anyio import to_thread
from playwright.async_api import Browser, CDPSession, Page, async_playwright, expect

from scripts import chromium
from tests.browser.console import Console
from tests.browser.desk import REFUND, Desk, desk_at
from tests.browser.waiting import PATIENCE_SECONDS, until, until_it_is
from tests.push_service import PushService, push_service

#: Of a browser that is signed up at the local push service.
SIGNED_UP = """(({ endpoint, keys }) => {
  let signedUp = null;
  const given = {
    endpoint,
    toJSON: () => ({ endpoint, expirationTime: null, keys }),
    unsubscribe: async () => ((signedUp = null), true),
  };
  PushManager.prototype.getSubscription = async () => signedUp;
  PushManager.prototype.subscribe = async ({ applicationServerKey, userVisibleOnly }) => {
    if (applicationServerKey.length !== 87 || !userVisibleOnly) throw new TypeError("no key");
    return (signedUp = given);
  };
})"""


#: A push by a test, until the worker has done with it: headless, a notice goes by itself in time.
PUSHED = """async (data) => {
  const push = new PushEvent("push", { data });
  const done = [];
  push.waitUntil = (promise) => done.push(promise);
  dispatchEvent(push);
  await Promise.all(done);
}"""


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """A whole one: the headless shell has no notices."""
    path = await to_thread.run_sync(chromium.find_whole)
    assert path is not None, "No whole Chromium here: run `make chromium`"
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        await browser.close()


@pytest.fixture
async def service() -> AsyncIterator[PushService]:
    async with push_service() as service:
        yield service


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with desk_at(tmp_path, SAYSO_WEBHOOK_NETWORKS='["127.0.0.0/8"]') as desk:
        yield desk


async def test_somebody_without_a_page_is_told_decides_and_the_run_goes_on(
    browser: Browser, desk: Desk, service: PushService
):
    context = await browser.new_context()
    try:
        await context.grant_permissions(["notifications"], origin=desk.url)
        await context.add_init_script(f"({SIGNED_UP})({json.dumps(service.subscription)})")
        tab = Console(await context.new_page(), desk.url)
        worker = await sign_up(tab)
        elsewhere = await context.new_page()
        await tab.page.close()

        async def pages() -> int:
            """The browser forgets a page a while after it is closed."""
            found: int = await worker.evaluate(
                "clients.matchAll({ type: 'window', includeUncontrolled: true })"
                ".then((all) => all.length)"
            )
            return found

        await until_it_is(0, pages)
        (card,) = await desk.ask("refund 1001")
        (pushed,) = await service.until(1)
        hand_over = await debugger_of(elsewhere, desk.url)

        async def notices() -> list[dict[str, Any]]:
            found: list[dict[str, Any]] = await worker.evaluate(
                "registration.getNotifications()"
                ".then((all) => all.map(({ title, tag, data }) => ({ title, tag, data })))"
            )
            return found

        path = f"/i/{card['interaction_id']}"
        title = f"Needs your answer: {REFUND}"
        shown = [{"title": title, "tag": card["interaction_id"], "data": {"path": path}}]

        async def is_shown() -> bool:
            return await notices() == shown

        for _ in range(4):
            # A busy browser was seen to drop what its debugger hands over; a push service tries on.
            await hand_over(pushed)
            with suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE_SECONDS / 4):
                    await until(is_shown)
                break
        await until_it_is(shown, notices)
        # An older notice, of what was settled since, goes when the next one comes.
        await worker.evaluate("registration.showNotification('Old', { tag: 'settled' })")
        await worker.evaluate(PUSHED, json.dumps(pushed))
        async with asyncio.timeout(PATIENCE_SECONDS / 4):
            await until(is_shown)
        # A press by a test is not a person's, so the browser would open no window for it.
        opened = await worker.evaluate(
            """async () => {
              let opened = null;
              clients.openWindow = async (path) => { opened = path; };
              const [notification] = await registration.getNotifications();
              const press = new NotificationEvent("notificationclick", { notification });
              const done = [];
              press.waitUntil = (promise) => done.push(promise);
              dispatchEvent(press);
              await Promise.all(done);
              return opened;
            }"""
        )
        assert opened == path
        nothing: list[dict[str, Any]] = []
        await until_it_is(nothing, notices)
        page = Console(await context.new_page(), desk.url)
        await page.open(opened)
        await page.button("Approve").click()
        await expect(page.receipt(REFUND)).to_be_visible()

        async def is_done() -> bool:
            view = await desk.server.get(f"/api/chats/{card['chat_id']}")
            return "€42.00 paid back for order 1001" in str(view["messages"])

        await until(is_done)
    finally:
        await context.close()


async def sign_up(tab: Console) -> Any:
    """As a person does it, in the preferences; the service worker that then runs."""
    await tab.open("/preferences")
    box = tab.page.get_by_role("checkbox", name="when no page of Sayso is open")
    async with (
        tab.page.context.expect_event("serviceworker") as started,
        tab.page.expect_response("**/api/push/subscriptions") as signed_up,
    ):
        await box.click()
    assert (await signed_up.value).ok
    await expect(box).to_be_checked()
    return await started.value


async def debugger_of(page: Page, origin: str) -> Callable[[dict[str, Any]], Awaitable[None]]:
    """Hands over what the push service sent, as the browser does once it has decrypted it."""
    debugger: CDPSession = await page.context.new_cdp_session(page)
    found: list[str] = []
    debugger.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda event: found.extend(
            it["registrationId"]
            for it in event["registrations"]
            if it["scopeURL"] == f"{origin}/" and not it["isDeleted"]
        ),
    )
    await debugger.send("ServiceWorker.enable")

    async def is_found() -> bool:
        return bool(found)

    await until(is_found)

    async def hand_over(pushed: dict[str, Any]) -> None:
        said = {"origin": origin, "registrationId": found[-1], "data": json.dumps(pushed)}
        await debugger.send("ServiceWorker.deliverPushMessage", said)

    return hand_over
