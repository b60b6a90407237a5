"""On a wide screen the card of the row one is at stands beside the list."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.browser.console import Console, console
from tests.browser.desk import LCA, REFUND, WHICH, Desk, desk_at


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with desk_at(tmp_path) as desk:
        yield desk


@pytest.fixture
async def tab(browser: Browser, desk: Desk) -> AsyncIterator[Console]:
    async with console(browser, desk.url) as tab:
        await tab.page.set_viewport_size({"width": 1440, "height": 900})
        yield tab


async def test_the_card_of_the_row_stands_beside_the_list(desk: Desk, tab: Console):
    await desk.ask("refund 1001")
    await desk.ask("drop shop")
    await desk.ask("which", LCA)
    await tab.open("/inbox")
    row, drop = tab.card(REFUND), tab.card("Drop the database shop")
    pane = tab.page.locator(".in-pane")
    await expect(pane).to_have_count(1)
    await expect(row.locator(".in-pane")).to_contain_text("ending 4411")
    # The rows stay as they are, and say from which chat they come.
    await expect(row).to_have_attribute("data-state", "closed")
    await expect(row).to_contain_text("in “refund 1001”")
    words, beside = await row.locator(".in-words").bounding_box(), await pane.bounding_box()
    assert words is not None
    assert beside is not None
    assert words["x"] + words["width"] <= beside["x"]
    # Below it is what led to it: a person's words, and what was looked up.
    led = pane.get_by_role("region", name="What led here")
    await expect(led).to_contain_text("refund 1001")
    assert await tab.violations() == []
    await tab.picture("inbox-beside")

    await tab.tab_to(row)
    await tab.page.keyboard.press("j")
    await expect(drop.locator(".in-pane")).to_contain_text("It cannot be taken back.")
    await expect(pane).to_have_count(1)
    await tab.page.keyboard.press("k")
    await tab.page.keyboard.press("Enter")
    await expect(row.locator(".in-pane")).to_be_focused()
    await tab.tab_to(tab.button("Approve", row.locator(".in-pane")))
    await tab.page.keyboard.press("Enter")
    await expect(tab.receipt(REFUND)).to_contain_text("approved by you")
    await expect(drop).to_be_focused()
    await expect(drop.locator(".in-pane")).to_be_visible()

    # Where there is no room, it opens within its row.
    await tab.page.set_viewport_size({"width": 1280, "height": 800})
    await expect(pane).to_have_count(0)
    await tab.button("Open", tab.card(WHICH)).click()
    await expect(tab.card(WHICH)).to_have_attribute("data-state", "open")
