"""Browsers that know nothing, as another person or device would have them. One that was used is
emptied and used again: to make one takes Chromium longer than what most tests do with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal, NamedTuple

from playwright.async_api import Browser, BrowserContext, Page


class Device(NamedTuple):
    width: int = 1280
    height: int = 720
    scheme: Literal["light", "dark"] = "light"
    locale: str = "en-GB"
    forced_colors: Literal["active", "none"] = "none"


_idle: defaultdict[tuple[Browser, Device], list[Page]] = defaultdict(list)


@asynccontextmanager
async def page_of(browser: Browser, device: Device = Device()) -> AsyncIterator[Page]:
    """A page of a browser of its own. After a failure that one is not used again."""
    idle = _idle[browser, device]
    page = idle.pop() if idle else await _new(browser, device)
    try:
        yield page
    except BaseException:
        await page.context.close()
        raise
    idle.append(await _emptied(page.context))


async def _new(browser: Browser, device: Device) -> Page:
    context = await browser.new_context(
        viewport={"width": device.width, "height": device.height},
        color_scheme=device.scheme,
        reduced_motion="reduce",
        locale=device.locale,
        forced_colors=device.forced_colors,
        timezone_id="UTC",
    )
    return await context.new_page()


async def _emptied(context: BrowserContext) -> Page:
    """A new page, for which all that the others have kept is gone."""
    page = await context.new_page()
    for other in context.pages:
        if other is not page:
            await other.close()
    await context.clear_cookies()
    await context.clear_permissions()
    storage = await context.new_cdp_session(page)
    await storage.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
    await storage.detach()
    return page
