"""What a person typed is there again: after a reload, a lost connection, a server that was killed,
a send that failed, and on their other device. Nobody else who uses the same browser finds it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, expect

from tests.browser.console import Console, another_tab, console
from tests.browser.cuttable import Wire, wire_to
from tests.browser.hosting import hosted, met_everywhere
from tests.browser.server_process import ServerProcess, running
from tests.browser.waiting import until

ASKED = "refund order 1001"
TITLE = "Refund €42.00 for order 1001"
REASON = "It came back whole, see the photo"


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[ServerProcess]:
    async with running(tmp_path) as server:
        yield server


@pytest.fixture
async def wire(server: ServerProcess) -> AsyncIterator[Wire]:
    async with wire_to(server.port) as wire:
        yield wire


@pytest.fixture
async def tab(browser: Browser, server: ServerProcess) -> AsyncIterator[Console]:
    async with console(browser, server.url) as tab:
        yield tab


def reason(tab: Console) -> Locator:
    return tab.card(TITLE).get_by_role("textbox", name="Reason for rejecting")


async def begin_to_reject(tab: Console, words: str = REASON) -> None:
    await tab.press("Reject…", tab.card(TITLE))
    await reason(tab).press_sequentially(words)


async def reason_is(tab: Console, words: str) -> None:
    """At once, without a press."""
    await expect(reason(tab)).to_have_value(words)


async def test_words_in_a_card_and_in_the_composer_outlive_the_server_and_the_page(
    browser: Browser, tmp_path: Path
) -> None:
    async with hosted(tmp_path) as site, met_everywhere(browser, site) as tabs:
        for tab in tabs.values():
            await tab.begin(ASKED)
            await begin_to_reject(tab, "It came back")
            await tab.composer.press_sequentially("And one more")

        await site.server.kill()
        for name, tab in tabs.items():
            await expect(tab.banner, name).to_be_visible()
            await reason(tab).press_sequentially(" whole")
            await tab.composer.press_sequentially(" thing")
        await site.server.start()
        for name, tab in tabs.items():
            await tab.comes_online()
            await expect(tab.banner, name).to_be_hidden()
            await expect(reason(tab), name).to_have_value("It came back whole")
            await expect(tab.composer, name).to_have_value("And one more thing")

        await site.server.restart_after_kill()
        for name, tab in tabs.items():
            await tab.page.reload()
            await expect(reason(tab), name).to_have_value("It came back whole")
            await expect(tab.composer, name).to_have_value("And one more thing")


async def test_the_last_letter_before_a_reload_is_not_lost_to_an_older_draft(
    tab: Console, server: ServerProcess
) -> None:
    await tab.begin(ASKED)
    await begin_to_reject(tab)
    await until_told(tab, REASON)
    # Typed and reloaded in one breath: the server still has the words before.
    await reason(tab).press_sequentially("!")
    await tab.page.reload()
    await reason_is(tab, REASON + "!")
    await until_told(tab, REASON + "!")


async def test_another_device_sees_what_was_typed_into_a_card(
    browser: Browser, tmp_path: Path
) -> None:
    async with hosted(tmp_path) as site, met_everywhere(browser, site) as devices:
        first, *others = devices.values()
        chat = await first.begin(ASKED)
        for device in others:
            await device.open(f"/chats/{chat}")
        for device in devices.values():
            await device.press("Reject…", device.card(TITLE))
            await device.composer.focus()
        words = ""
        for name, device in devices.items():
            await reason(device).press_sequentially(f"{name}, ")
            await device.composer.focus()
            words += f"{name}, "
            for place, other in devices.items():
                await expect(reason(other), f"{name} to {place}").to_have_value(words)


async def test_what_was_typed_without_a_connection_reaches_the_other_device_with_it(
    browser: Browser, server: ServerProcess, wire: Wire
) -> None:
    async with console(browser, wire.url) as desk, console(browser, server.url) as phone:
        chat = await desk.begin(ASKED)
        await phone.open(f"/chats/{chat}")
        await phone.press("Reject…", phone.card(TITLE))
        await phone.composer.focus()
        wire.is_down = True
        wire.cut()
        await expect(desk.banner).to_be_visible()
        await begin_to_reject(desk)
        await desk.composer.focus()
        wire.is_down = False
        await desk.comes_online()
        await expect(reason(phone)).to_have_value(REASON)


async def test_a_message_sent_while_the_server_is_away_arrives_once(
    tab: Console, server: ServerProcess
) -> None:
    chat = await tab.begin("hello")
    await expect(tab.state).to_contain_text("Done")
    await server.kill()
    await expect(tab.banner).to_be_visible()
    await tab.say("hello again")
    await expect(tab.composer).to_have_value("hello again")
    # It is on its way; what is typed behind it is the next one.
    await tab.composer.press_sequentially(" and something else")
    await expect(tab.composer).to_have_value("hello again and something else")
    await server.start()
    await tab.comes_online()
    await expect(tab.composer).to_have_value("and something else")
    await tab.page.reload()
    await expect(tab.composer).to_have_value("and something else")
    await expect(tab.log.locator(".said-by-you")).to_have_count(2)
    assert await said_by_people(server, chat) == ["hello", "hello again"]


async def test_a_message_whose_receipt_was_lost_is_still_one_message(
    browser: Browser, server: ServerProcess, wire: Wire
) -> None:
    async with console(browser, wire.url) as tab:
        chat = await tab.begin("hello")
        await expect(tab.state).to_contain_text("Done")
        wire.is_deaf = True
        await tab.say("hello again")

        async def arrived() -> bool:
            return len(await said_by_people(server, chat)) == 2

        await until(arrived)
        # The page never heard of it, and is gone.
        await tab.page.goto("about:blank")
        wire.cut()
        wire.is_deaf = False
        await tab.open(f"/chats/{chat}")
        await expect(tab.composer).to_have_value("hello again")
        await tab.composer.press("Enter")
        await expect(tab.composer).to_have_value("")
        assert await said_by_people(server, chat) == ["hello", "hello again"]


async def test_only_the_server_says_that_a_card_is_completed(
    tab: Console, server: ServerProcess
) -> None:
    chat = await tab.begin(ASKED)
    await begin_to_reject(tab)
    await server.kill()
    await expect(tab.banner).to_be_visible()
    await tab.press("Reject", tab.card(TITLE))
    await expect(tab.card(TITLE).locator("article")).to_have_attribute("data-state", "sending")
    await expect(tab.receipt(TITLE)).to_have_count(0)
    await server.start()
    await tab.comes_online()
    await expect(tab.receipt(TITLE)).to_contain_text("rejected")
    await expect(tab.receipt(TITLE)).to_contain_text(REASON)
    found = await server.get(f"/api/interactions?chat={chat}")
    assert [one["status"] for one in found["interactions"]] == ["rejected"]
    await tab.page.reload()
    await expect(tab.receipt(TITLE)).to_contain_text(REASON)


async def test_who_comes_next_to_the_same_browser_does_not_find_the_words(
    browser: Browser, tmp_path: Path
) -> None:
    ana, ben = "ana-0123456789abcdef", "ben-0123456789abcdef"
    tokens = json.dumps([f"ana:responder:{ana}", f"ben:responder:{ben}"])
    async with (
        running(tmp_path, environment={"SAYSO_TOKENS": tokens}) as server,
        console(browser, server.url) as tab,
    ):
        await sign_in(tab, ana)
        chat = await tab.begin(ASKED)
        await begin_to_reject(tab)
        await tab.composer.press_sequentially("My words")
        await until_told(tab, REASON)

        await tab.page.context.clear_cookies()
        await sign_in(tab, ben)
        await tab.open(f"/chats/{chat}")
        await expect(tab.button("Reject…", tab.card(TITLE))).to_be_visible()
        await expect(tab.composer).to_have_value("")
        await tab.composer.press_sequentially("Ben's")

        await tab.page.context.clear_cookies()
        await sign_in(tab, ana)
        await tab.open(f"/chats/{chat}")
        await reason_is(tab, REASON)
        await expect(tab.composer).to_have_value("My words")
        second = await another_tab(tab)
        await second.open(f"/chats/{chat}")
        await expect(second.composer).to_have_value("My words")


async def sign_in(tab: Console, token: str) -> None:
    await tab.open()
    await tab.page.get_by_label("Access token").fill(token)
    await tab.page.get_by_role("button", name="Sign in").click()
    await expect(tab.composer).to_be_visible()


async def until_told(tab: Console, words: str) -> None:
    """Until this browser knows that the server has them."""
    await tab.page.wait_for_function(
        """words => Object.values(localStorage)
        .some((kept) => kept.includes(words) && JSON.parse(kept).told)""",
        arg=words,
    )


async def said_by_people(server: ServerProcess, chat: str) -> list[str]:
    view = await server.get(f"/api/chats/{chat}")
    return [one["content"] for one in view["messages"] if one["role"] == "user"]
