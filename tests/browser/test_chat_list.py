"""The chats at the side: found again among many, by their names and by what was said in them."""

from __future__ import annotations

import re
import shutil
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Browser, Locator, expect

from tests.browser.console import Console, console
from tests.browser.past import past
from tests.browser.server_process import ServerProcess, running
from tests.contract.store.story import question

#: More than the API gives at once, whatever one asks for.
MANY = 230


@pytest.fixture(scope="module")
async def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("filled")
    async with past(data, at=datetime.now(UTC) - timedelta(days=3)) as before:
        for n in range(MANY):
            await before.chat(f"Order {n}", f"Where is parcel {n}?", "On its way.")
    async with past(data) as today:
        await today.chat("Refunds of the day", "The blue kettle came broken", "I am sorry.")
        await today.waiting("Offer to Meyer", [question()], "Write an offer")
    return data


@pytest.fixture
async def server(filled: Path, tmp_path: Path) -> AsyncIterator[ServerProcess]:
    async with running(Path(shutil.copytree(filled, tmp_path / "data"))) as server:
        yield server


@pytest.fixture
async def tab(browser: Browser, server: ServerProcess) -> AsyncIterator[Console]:
    async with console(browser, server.url) as tab:
        await tab.open()
        yield tab


def chats(tab: Console) -> Locator:
    return tab.page.get_by_role("navigation", name="Chats")


async def test_what_waits_comes_first_and_the_rest_under_its_day(tab: Console) -> None:
    tree = chats(tab)
    await expect(tree.get_by_role("heading")).to_have_text(["Waits for you", "Today", "Earlier"])
    first, second, third = (tree.get_by_role("link").nth(n) for n in (1, 2, 3))
    await expect(first).to_have_text(re.compile("^Offer to MeyerWaits for you, "))
    await expect(second).to_contain_text("Refunds of the dayDone, ")
    await expect(third).to_contain_text(f"Order {MANY - 1}Done, ")
    await tab.picture("chat-list")


async def test_all_of_many_chats_are_reached_page_by_page(tab: Console) -> None:
    links = chats(tab).locator(".chatlink")
    await expect(links).to_have_count(30)
    more = chats(tab).get_by_role("button", name="Show more chats")
    while await more.is_visible():
        shown = await links.count()
        await more.press("Enter")
        await expect(links).not_to_have_count(shown)
    await expect(links).to_have_count(MANY + 2)
    assert len(set(await links.all_inner_texts())) == MANY + 2
    await tab.hears("30 more chats", times=6)
    await tab.hears("22 more chats")

    # A change anywhere reads the newest page again, and takes none away below it.
    await tab.say("refund order 1001")
    await expect(links).to_have_count(MANY + 3)
    await expect(links.first).to_contain_text("Refund order 1001")


async def test_a_chat_is_found_by_its_name_and_by_what_was_said_in_it(tab: Console) -> None:
    field = tab.page.get_by_role("searchbox", name="Search chats")
    links = chats(tab).locator(".chatlink")
    await field.fill("KETTLE")
    await expect(links).to_have_count(1)
    await expect(links).to_contain_text("Refunds of the day")

    await field.fill("parcel 17")
    await expect(chats(tab).get_by_role("heading")).to_have_text("11 chats with these words")
    await field.fill("order")
    await expect(chats(tab).get_by_role("heading")).to_have_text(
        "The newest 30 chats with these words"
    )
    await chats(tab).get_by_role("button", name="Show more chats").click()
    await expect(links).to_have_count(60)
    await field.fill("100%_sure")
    await expect(chats(tab).get_by_role("heading")).to_have_text("No chat has these words")
    await tab.hears("1 chat with these words")
    await tab.hears("11 chats with these words")

    await field.press("Escape")
    await expect(field).to_have_value("")
    await expect(links).to_have_count(30)


async def test_a_chat_is_renamed_in_place_by_keyboard(tab: Console) -> None:
    page = tab.page
    await chats(tab).get_by_role("link", name="Refunds of the day").click()
    heading = tab.main.get_by_role("heading", level=2)
    await expect(heading).to_have_text("Refunds of the day")
    await tab.tab_to(tab.button("Rename"))
    await page.keyboard.press("Enter")
    field = tab.main.get_by_role("textbox", name="Name of this chat")
    await expect(field).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(tab.button("Rename")).to_be_focused()

    await page.keyboard.press("Enter")
    await expect(field).to_be_focused()
    await page.keyboard.type("Kettles")
    await page.keyboard.press("Enter")
    await expect(tab.button("Rename")).to_be_focused()
    await expect(heading).to_have_text("Kettles")
    await expect(chats(tab).get_by_role("link", name="Kettles")).to_be_visible()
    await expect(page).to_have_title("(1) Kettles · Sayso")
    await tab.hears("The chat is now called Kettles")
    assert await tab.violations() == []


async def test_a_name_that_could_not_be_saved_stays_to_be_tried_again(
    tab: Console, server: ServerProcess
) -> None:
    await chats(tab).get_by_role("link", name="Refunds of the day").click()
    await tab.press("Rename")
    await server.kill()
    field = tab.main.get_by_role("textbox", name="Name of this chat")
    await field.fill("Kettles")
    await field.press("Enter")
    await expect(tab.main.get_by_text("The server could not be reached.")).to_be_visible()
    await expect(field).to_have_value("Kettles")
    await server.start()
    await field.press("Enter")
    await expect(tab.main.get_by_role("heading", level=2)).to_have_text("Kettles")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_the_list_on_a_phone(browser: Browser, server: ServerProcess, scheme: str) -> None:
    look: Literal["light", "dark"] = "dark" if scheme == "dark" else "light"
    async with console(browser, server.url, width=320, height=640, scheme=look, touch=True) as tab:
        await tab.open()
        menu = tab.page.get_by_role("button", name="Menu")
        await menu.click()
        # Where nobody has keys, nothing is said of them.
        await expect(tab.page.get_by_role("button", name="Find anything")).to_be_visible()
        await expect(tab.page.get_by_role("button", name="Keyboard")).to_be_hidden()
        await expect(tab.page.get_by_text("Enter starts a new line.", exact=True)).to_have_count(1)
        field = tab.page.get_by_role("searchbox", name="Search chats")
        await field.fill("kettle")
        await expect(chats(tab).locator(".chatlink")).to_have_count(1)
        assert await tab.violations() == []
        assert await tab.sideways_pixels() == 0
        await tab.picture(f"chat-list-320-{scheme}")
        await field.press("Escape")
        await field.press("Escape")
        await expect(menu).to_be_focused()
