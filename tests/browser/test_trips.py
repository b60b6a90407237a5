"""The results of the trips pack in the console: checked off, changed, printed, taken along."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, expect

from tests.browser.console import Console, console
from tests.browser.reach import DARK, LIGHT, PHONE, PHONE_AT_NIGHT, look_at
from tests.browser.server_process import ServerProcess, running
from tests.loopback import client_of

ALL_SAID = "I'm flying from NYC to Tokyo for 10 days with my wife"


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[ServerProcess]:
    command = ("serve", "sayso.packs.trips:app")
    environment = {"SAYSO_TRIPS_TRIGGER": "explicit"}
    async with running(tmp_path, *command, environment=environment) as server:
        yield server


@pytest.fixture
async def tab(browser: Browser, server: ServerProcess) -> AsyncIterator[Console]:
    async with console(browser, server.url) as tab:
        yield tab


def result(tab: Console, title: str) -> Locator:
    return tab.page.get_by_role("region", name=title)


async def test_a_checklist_is_checked_off_and_changed_and_stays_so(tab: Console) -> None:
    await tab.begin(ALL_SAID)
    await expect(tab.state).to_contain_text("Done")
    await tab.say("create the checklist")
    mine = result(tab, "Checklist for Tokyo")
    phone = mine.get_by_role("checkbox", name="Phone and charger")
    await phone.check()
    tie = mine.get_by_role("textbox", name="Add to Clothes")
    await tie.fill("A tie")
    await tie.press("Enter")
    await expect(mine.get_by_role("checkbox", name="A tie")).to_be_visible()
    power = mine.get_by_role("textbox", name="Change: Power bank")
    await power.fill("Two power banks")
    await power.press("Enter")
    await expect(mine).to_contain_text("Version 4")
    await tab.page.reload()
    await expect(mine.get_by_role("checkbox", name="Phone and charger")).to_be_checked()
    await expect(mine.get_by_role("checkbox", name="A tie")).not_to_be_checked()
    await expect(mine.get_by_role("checkbox", name="Two power banks")).to_be_visible()
    for look in (LIGHT, DARK):
        await look_at(tab.page, look)
        assert await tab.violations(only_colours=look is DARK) == [], look


async def test_a_result_is_printed_alone(tab: Console) -> None:
    await tab.begin(ALL_SAID)
    await expect(tab.state).to_contain_text("Done")
    await tab.say("create the checklist")
    mine = result(tab, "Checklist for Tokyo")
    await mine.get_by_role("checkbox", name="Phone and charger").check()
    await tab.page.evaluate("window.print = () => {}")
    await tab.press("Print", mine)
    await tab.page.emulate_media(media="print")
    sheet = tab.page.locator("body > .print-sheet")
    await expect(sheet).to_be_visible()
    await expect(sheet).to_contain_text("☑ Phone and charger")
    await expect(sheet).to_contain_text("☐ Headphones")
    await expect(tab.page.get_by_role("main")).to_be_hidden()
    await tab.page.emulate_media(media="screen")
    await tab.page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    await expect(sheet).to_have_count(0)
    await expect(mine).to_be_visible()


async def test_an_itinerary_and_a_budget_on_a_phone(
    browser: Browser, server: ServerProcess
) -> None:
    async with console(browser, server.url, width=320, height=800) as phone:
        chat = await phone.begin("We go to Rome for 3 days")
        await expect(phone.state).to_contain_text("Done")
        given = {"current_location": "London", "interests": ["food", "art"], "total_budget": 900}
        async with client_of(server.url) as client:
            for field, value in given.items():
                body = {"field": field, "value": value}
                await client.patch(f"/api/chats/{chat}/requirements", json=body)
        beside = phone.page.locator("button[aria-controls=side]")
        await phone.say("create the itinerary")
        await expect(phone.log).to_contain_text("Here's your Rome itinerary!")
        await beside.click()
        plan = result(phone, "Itinerary for Rome")
        await expect(plan.get_by_role("link", name="Calendar (.ics)")).to_have_count(0)
        await plan.get_by_label("First day").fill("2027-05-01")
        async with phone.page.expect_download() as downloading:
            await plan.get_by_role("link", name="Calendar (.ics)").click()
        assert (await downloading.value).suggested_filename == "Itinerary for Rome.ics"
        await beside.click()
        await phone.say("create the budget")
        await expect(phone.log).to_contain_text("Here's your Rome budget!")
        await beside.click()
        budget = result(phone, "Budget for Rome")
        await budget.get_by_role("spinbutton", name="Amount for Food and drink").fill("1000")
        await budget.get_by_role("spinbutton", name="Amount for Food and drink").press("Enter")
        await expect(budget).to_contain_text("too much")
        await expect(budget).to_contain_text("Version 2")
        for look in (PHONE, PHONE_AT_NIGHT):
            await look_at(phone.page, look)
            assert await phone.violations(only_colours=look is PHONE_AT_NIGHT) == [], look
            assert await phone.sideways_pixels() <= 0, look
