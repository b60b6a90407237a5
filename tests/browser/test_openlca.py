"""'Fabrication of reinforced concrete', from a goal to a product system, in the console."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, Locator, expect

from tests.browser.console import Console, console
from tests.browser.reach import DARK, LIGHT, PHONE, PHONE_AT_NIGHT, look_at
from tests.browser.server_process import ServerProcess, running

EXAMPLE = "model the fabrication of reinforced concrete"
PRODUCT = "Output product flow: Reinforced concrete"
PROCESS = "Process: Fabrication of reinforced concrete (unit_process)"
PROVIDER = "Which process provides Concrete?"
EXCHANGES = "Add 3 exchanges to process 'Fabrication of reinforced concrete'"
SYSTEM = "Product system from process 'Fabrication of reinforced concrete'"
REPORT = "Fabrication of reinforced concrete"


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ServerProcess]:
    data = tmp_path_factory.mktemp("openlca")
    async with running(data, "serve", "sayso.packs.openlca:app") as server:
        yield server


async def waiting(tab: Console, title: str) -> Locator:
    card = tab.card(title).and_(tab.page.locator("[data-waits]"))
    await expect(card).to_be_visible()
    return card


async def refuse(tab: Console, card: Locator, reason: str, suggestion: str) -> None:
    await tab.press("Reject…", card)
    await card.get_by_role("textbox", name="Reason for rejecting").fill(reason)
    await card.get_by_role("textbox", name="Suggest alternatives").fill(suggestion)
    await tab.press("Reject", card)


async def test_each_card_is_refused_revised_and_approved(
    browser: Browser, server: ServerProcess
) -> None:
    async with console(browser, server.url) as tab:
        await tab.begin(EXAMPLE)
        card = await waiting(tab, PRODUCT)
        await expect(card).to_contain_text("demo (synthetic demo data)")
        await tab.picture("openlca-product")
        await refuse(
            tab,
            card,
            "Change the flow property from Mass to Volume",
            "Use Volume instead of Mass",
        )
        card = await waiting(tab, PRODUCT)
        await expect(card).to_contain_text("93a60a56-a3c8-22da-a746-0800200c9a66")
        await tab.press("Approve", card)
        card = await waiting(tab, PROCESS)
        await expect(card).to_contain_text("The location 'Europe' is stored as RER.")
        await refuse(tab, card, "It stands in Sweden", "Move it to Sweden")
        card = await waiting(tab, PROCESS)
        await expect(card).to_contain_text("Sweden")
        await tab.press("Approve", card)
        card = await waiting(tab, PROVIDER)
        await card.get_by_role("radio", name="Concrete production (RER)").check()
        await tab.press("Send answer", card)
        card = await waiting(tab, EXCHANGES)
        heads = await card.get_by_role("columnheader").all_inner_texts()
        assert heads[:5] == [
            "Flow Name",
            "Amount",
            "Type",
            "Quantitative Reference",
            "Default Provider",
        ]
        await expect(card).to_contain_text("Concrete production (RER)")
        for look in (LIGHT, DARK, PHONE, PHONE_AT_NIGHT):
            await look_at(tab.page, look)
            await tab.picture(f"openlca-exchanges-{look.name}")
            assert await tab.violations(only_colours=look in (DARK, PHONE_AT_NIGHT)) == [], look
            assert await tab.sideways_pixels() <= 0, look
        await look_at(tab.page, LIGHT)
        rows = card.locator("tbody tr:not(.sy-row-more)")
        for at, choice in ((0, "approved"), (1, "left_out"), (2, "approved")):
            await rows.nth(at).locator(f"[data-choice={choice}]").click()
        await tab.press("Add 2 of 3 exchanges", card)
        await expect(tab.log).to_contain_text("Left out, as you said: Steel rebar.")
        await expect(tab.log).to_contain_text("Total exchanges")
        card = await waiting(tab, SYSTEM)
        await expect(card).to_contain_text("default provider")
        await tab.picture("openlca-system")
        assert await tab.violations() == []
        await card.get_by_role("button", name=re.compile(r"^Approve all \d+ rows")).click()
        await card.get_by_role("button", name=re.compile("^Yes, approve")).click()
        await expect(tab.log).to_contain_text("Done: the product system")


async def test_by_keyboard_on_a_phone_in_chinese(browser: Browser, server: ServerProcess) -> None:
    async with console(browser, server.url, width=320, locale="zh-CN") as tab:
        await tab.open()
        await tab.page.get_by_role("textbox", name="消息").fill(EXAMPLE)
        await tab.page.keyboard.press("Enter")

        async def press(target: Locator) -> None:
            await expect(target).to_be_visible()
            await tab.tab_to(target, presses=120)
            await tab.page.keyboard.press("Enter")

        for title in (PRODUCT, PROCESS):
            await press(tab.button("批准", await waiting(tab, title)))
        card = await waiting(tab, PROVIDER)
        await tab.tab_to(card.get_by_role("radio").first, presses=120)
        await tab.page.keyboard.press("Space")
        await press(tab.button("发送答复", card))
        card = await waiting(tab, EXCHANGES)
        await tab.picture("openlca-exchanges-zh")
        assert await tab.violations() == []
        assert await tab.sideways_pixels() <= 0
        await press(card.locator(".sy-button").first)
        await expect(tab.log).to_contain_text("15 kg go in and 1 kg come out")
        card = await waiting(tab, SYSTEM)
        await press(tab.button("全部拒绝…", card))
        await tab.page.keyboard.type("Not yet")
        await press(tab.button("全部拒绝", card))
        await expect(tab.log).to_contain_text("No product system was made. Not yet")
