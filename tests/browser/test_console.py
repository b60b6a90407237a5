"""The console as a page: whom it asks, and what it does when its server is not there."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, expect

from tests.browser.console import Console, console
from tests.browser.desk import looks_well
from tests.browser.server_process import ServerProcess, running

FIRST, SECOND = "Refund €42.00 for order 1001", "Refund €18.00 for order 1002"


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ServerProcess]:
    async with running(tmp_path_factory.mktemp("console")) as server:
        yield server


@pytest.fixture
async def tab(browser: Browser, server: ServerProcess) -> AsyncIterator[Console]:
    async with console(browser, server.url) as tab:
        yield tab


async def test_it_opens_without_complaint_and_asks_nobody_else(tab: Console) -> None:
    complaints: list[str] = []
    requested: list[str] = []
    tab.page.on("console", lambda message: complaints.append(message.text))
    tab.page.on("request", lambda request: requested.append(request.url))

    answer = await tab.page.goto(tab.url)
    await tab.begin("refund order 1001")
    await expect(tab.card(FIRST)).to_be_visible()

    assert answer is not None
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert complaints == []
    assert [url for url in requested if not url.startswith((tab.url, "data:"))] == []


async def test_an_answer_given_while_the_server_is_dead_arrives_once_it_lives(
    server: ServerProcess, tab: Console
) -> None:
    await tab.begin("refund orders 1001, 1002 and 1003")
    await expect(tab.cards).to_have_count(3)
    await tab.press("Reject…", tab.card(FIRST))
    why_not = tab.card(FIRST).get_by_role("textbox", name="Reason for rejecting")
    await why_not.fill("not this one")

    await server.kill()
    await expect(tab.banner).to_contain_text("No connection")
    await tab.press("Approve", tab.card(SECOND))
    await expect(tab.button("Sending…", tab.card(SECOND))).to_be_visible()

    await tab.hears("Connection lost. Trying again.")
    await server.start()
    await expect(tab.receipt(SECOND)).to_contain_text("approved by you")
    await expect(tab.banner).to_have_count(0)
    await expect(why_not).to_have_value("not this one")
    await tab.hears("Connected again")

    refunded = tab.log.locator('details[data-status="done"]', has_text="refund_order")
    await expect(refunded).to_have_count(1)
    await expect(tab.state).to_contain_text("Waits for you")
    # What a page sees that was there all along is what a new page sees.
    seen = await tab.tree()
    await tab.page.reload()
    await tab.looks_like(seen)


async def test_a_view_that_did_not_come_comes_by_itself(tab: Console) -> None:
    """As when the server is started anew just when somebody goes there."""
    await tab.open()
    await expect(tab.composer).to_be_visible()
    await tab.page.route("**/assets/*", lambda route: route.abort())
    await tab.page.get_by_role("link", name="History").click()
    lost = tab.page.get_by_role("heading", name="This part of the page could not be loaded.")
    await expect(lost).to_be_visible()
    await tab.page.unroute("**/assets/*")
    await expect(tab.page.get_by_role("heading", name="History")).to_be_visible()
    # Every page begins at the same edge; an address that leads nowhere is a page too.
    edges = set()
    for place in ("History", "Inbox", "Preferences"):
        await tab.page.get_by_role("link", name=re.compile(f"^{place}")).click()
        heading = tab.main.get_by_role("heading", name=place, exact=True)
        await expect(heading).to_be_visible()
        edges.add(await heading.evaluate("heading => heading.getBoundingClientRect().left"))
    assert len(edges) == 1, edges
    answer = await tab.page.goto(f"{tab.url}/foo/bar")
    assert answer is not None
    assert answer.status == 404
    await expect(tab.main.get_by_role("heading", name="There is no such page")).to_be_visible()


async def test_a_chat_that_is_not_there_says_so(browser: Browser, server: ServerProcess) -> None:
    words = "This chat cannot be opened"
    await looks_well(browser, server, "/chats/no-such-chat", "no-chat", words)


async def test_a_browser_that_goes_offline_says_so_and_takes_it_back(
    tab: Console, server: ServerProcess
) -> None:
    """The socket stays open and notices nothing: what is sent would only be on its way."""
    chat = (await server.post("/api/chats", {}))["id"]
    await tab.open(f"/chats/{chat}")
    await tab.composer.wait_for()
    await tab.page.context.set_offline(True)
    await expect(tab.banner).to_contain_text("No connection.")
    await tab.hears("Connection lost. Trying again.")
    await tab.page.context.set_offline(False)
    await expect(tab.banner).to_be_hidden()
    await tab.hears("Connected again")
