"""Where a chat begins there is something to begin with; and what then fails is told once."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, Route, expect

from tests.browser.console import Console, console
from tests.browser.desk import looks, looks_well
from tests.browser.hosting import hosted, page_with
from tests.browser.server_process import ServerProcess, running

AGENT = ("serve", "tests.browser.first_steps_agent:app")


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[ServerProcess]:
    async with running(tmp_path, *AGENT) as server:
        yield server


@pytest.fixture
async def tab(browser: Browser, server: ServerProcess) -> AsyncIterator[Console]:
    async with console(browser, server.url) as tab:
        yield tab


def starters(tab: Console) -> Locator:
    return tab.page.get_by_role("group", name="Try one of these")


async def test_the_demo_offers_what_can_be_tried_in_every_look(
    browser: Browser, tmp_path: Path
) -> None:
    async with running(tmp_path) as server:
        await looks_well(browser, server, "/", "first-steps", "refund orders 1001, 1002 and 1003")
        async with console(browser, server.url, locale="zh-CN") as tab:
            await tab.open()
            group = tab.page.get_by_role("group", name="可以试试这些")
            await expect(group.get_by_role("button")).to_have_count(5)
        async with console(browser, server.url) as tab:
            await tab.open()
            first = tab.button("refund order 1001", starters(tab))
            await expect(first).to_be_visible()
            await tab.tab_to(first)
            await tab.page.keyboard.press("Enter")
            await expect(tab.card("Refund €42.00 for order 1001")).to_be_visible()
            await expect(tab.log.locator(".said-by-you")).to_contain_text("refund order 1001")
            await expect(tab.composer).to_have_value("")


async def test_a_starter_that_could_not_be_sent_stands_in_the_composer(tab: Console) -> None:
    async def refuse(route: Route) -> None:
        if route.request.method == "POST":
            await route.abort()
        else:
            await route.fallback()

    await tab.page.route("**/api/chats", refuse)
    await tab.open()
    await tab.press("say hello", starters(tab))
    await expect(tab.main.locator(".composer-error")).to_be_visible()
    await expect(tab.composer).to_have_value("say hello")
    await expect(tab.composer).to_be_focused()
    # Whoever has words of their own needs none; who takes them back has the choice again.
    await expect(tab.page.locator(".starters")).to_be_hidden()
    await tab.composer.fill("")
    await expect(starters(tab)).to_be_visible()

    await tab.page.unroute("**/api/chats")
    await tab.press("say hello", starters(tab))
    await tab.page.wait_for_url(re.compile("/chats/"))
    await expect(tab.log.get_by_text("You began with: say hello")).to_have_count(1)
    await expect(tab.state).to_contain_text("Clerk")


async def test_a_run_that_failed_is_told_once_with_what_was_reported(tab: Console) -> None:
    await tab.open()
    await tab.press("fall over", starters(tab))
    card = tab.card("The agent stopped with an error")
    await expect(card).to_contain_text("ValueError: the *till* is locked")
    await expect(tab.state).to_contain_text("Stopped with an error")
    await tab.page.reload()
    await expect(card.get_by_text("ValueError: the *till* is locked")).to_be_visible()
    await expect(tab.main.get_by_text("The agent stopped with an error")).to_have_count(1)
    await expect(tab.main.get_by_text("the *till* is locked")).to_have_count(1)
    await looks(tab, "run-failed")


async def test_a_chat_in_somebodys_page_offers_them_too(browser: Browser, tmp_path: Path) -> None:
    async with hosted(tmp_path, *AGENT) as (server, host), console(browser, host) as tab:
        await tab.page.goto(page_with(host, server, "sayso-chat"))
        await expect(starters(tab)).to_be_visible()
        await tab.picture("first-steps.element")
        await starters(tab).get_by_role("button", name="say hello").click()
        await expect(tab.page.get_by_text("You began with: say hello")).to_be_visible()
        await expect(starters(tab)).to_have_count(0)
