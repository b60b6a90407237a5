"""The history: read, opened and filtered by keyboard alone, and exported as it is filtered."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, expect

from tests.browser.console import Console, console
from tests.browser.desk import LCA, REFUND, WHICH, Desk, desk_at, looks, looks_well

OFFER = "Send “Spring” to 214 customers"


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with desk_at(tmp_path) as desk:
        yield desk


@pytest.fixture
async def tab(browser: Browser, desk: Desk) -> AsyncIterator[Console]:
    async with console(browser, desk.url) as tab:
        yield tab


async def three_decisions(desk: Desk) -> None:
    (refund,) = await desk.ask("refund 1001")
    (offer,) = await desk.ask("offer Spring")
    (which,) = await desk.ask("which", LCA)
    await desk.answer(refund, approved=True)
    await desk.answer(offer, approved=False, user_message="wrong list")
    await desk.answer(which, selected_option="Mass")


def lines(tab: Console) -> Locator:
    return tab.page.locator(".history-line")


async def test_who_decided_what_and_why_by_keyboard_alone(desk: Desk, tab: Console):
    await three_decisions(desk)
    await tab.open("/history")
    await expect(lines(tab)).to_have_count(3)
    await expect(lines(tab).nth(0)).to_contain_text(f"{WHICH} answered by you")
    await expect(lines(tab).nth(1)).to_contain_text(f"{OFFER} rejected by you")
    await expect(lines(tab).nth(1)).to_contain_text("wrong list")
    await expect(lines(tab).nth(2)).to_contain_text(f"{REFUND} approved by you")
    await expect(tab.main.get_by_role("heading", level=3, name="Today")).to_be_visible()

    third = tab.page.locator(".history-entry").nth(2)
    await tab.tab_to(third.locator("summary"))
    await tab.page.keyboard.press("Enter")
    await expect(third).to_contain_text(re.compile("sha256:[0-9a-f]{64}"))
    await expect(third).to_contain_text("What was shown")
    await expect(third).to_contain_text("ending 4411")
    await looks(tab, "history-open")
    await tab.tab_to(third.get_by_role("link", name=re.compile("^Open the chat")))
    await tab.page.keyboard.press("Enter")
    await tab.page.wait_for_url(re.compile("/chats/"))
    await expect(tab.log).to_contain_text("paid back for order 1001")


async def test_it_is_filtered_kept_in_the_address_and_exported_as_it_is_filtered(
    browser: Browser, desk: Desk, tab: Console
):
    await three_decisions(desk)
    await tab.open("/history")
    await expect(lines(tab)).to_have_count(3)
    for quick, count in (("Decided by me", 3), ("Changed before approval", 0)):
        await tab.press(quick)
        await expect(lines(tab)).to_have_count(count)
        await tab.press(quick)
        await expect(lines(tab)).to_have_count(3)
    await tab.press("More filters")
    await tab.page.get_by_label("Decision").select_option("Rejected")
    await expect(lines(tab)).to_have_count(1)
    rejected = tab.page.get_by_role("button", name="Rejected")
    await expect(rejected).to_have_attribute("aria-pressed", "true")
    await expect(lines(tab)).to_contain_text(OFFER)
    await tab.page.reload()
    await expect(lines(tab)).to_have_count(1)
    async with tab.page.expect_download() as loading:
        await tab.page.get_by_role("link", name="Export as JSON lines").click()
    exported = (await (await loading.value).path()).read_text().splitlines()
    assert [json.loads(line)["title"] for line in exported] == [OFFER]
    async with tab.page.expect_download() as loading:
        await tab.page.get_by_role("link", name="Export as CSV").click()
    sheet = (await (await loading.value).path()).read_text(encoding="utf-8-sig").splitlines()
    assert len(sheet) == 2
    assert "wrong list" in sheet[1]

    # A filter is kept by name, on every device, until it is removed.
    await tab.press("Save this filter")
    await expect(tab.page.get_by_label("Name of this filter")).to_be_focused()
    assert await tab.violations() == []
    await tab.picture("history-saving")
    await tab.page.keyboard.type("Said no")
    await tab.page.keyboard.press("Enter")
    await expect(tab.button("Said no")).to_have_attribute("aria-pressed", "true")
    await tab.hears("Saved")
    async with console(browser, desk.url, width=320) as other:
        await other.open("/history")
        await expect(lines(other)).to_have_count(3)
        await other.press("Said no")
        await expect(lines(other)).to_have_count(1)
        await other.picture("history-saved")
        assert await other.sideways_pixels() <= 0
    await tab.press("Remove the filter “Said no”")
    await expect(tab.button("Said no")).to_have_count(0)
    await expect(tab.button("Save this filter")).to_be_focused()

    await tab.press("Show everything")
    await expect(lines(tab)).to_have_count(3)
    await tab.page.get_by_label("Kind").select_option("Questions")
    await expect(lines(tab)).to_have_count(1)
    await expect(lines(tab)).to_contain_text(WHICH)
    await tab.press("Show everything")
    # Whoever filters by a tool or a person chooses among those that are there.
    known = tab.page.locator("datalist option[value^=refund]")
    await expect(known).to_have_count(1)
    await tab.page.get_by_label("Tool").fill("refund")
    await expect(lines(tab)).to_have_count(1)
    await tab.press("Show everything")
    await tab.page.get_by_label("Search", exact=True).fill("wrong list")
    await expect(lines(tab)).to_have_count(1)
    await tab.press("Show everything")
    await tab.page.get_by_label("Person").fill("nobody")
    await expect(tab.main).to_contain_text("No decision matches this filter.")
    await tab.press("Show everything")
    await tab.page.get_by_label("To", exact=True).fill("2001-01-01")
    await expect(lines(tab)).to_have_count(0)
    await tab.page.get_by_label("To", exact=True).fill("")
    await tab.page.get_by_label("From", exact=True).fill("2001-01-01")
    await expect(lines(tab)).to_have_count(3)
    await tab.page.locator(".history-entry summary").nth(1).click()
    await tab.press("Only this chat")
    await expect(lines(tab)).to_have_count(1)
    await expect(lines(tab)).to_contain_text(OFFER)


async def test_earlier_decisions_come_page_by_page(desk: Desk, tab: Console):
    cards = await desk.ask("labels 60", cards=60)
    chat = cards[0]["chat_id"]
    await desk.server.post(f"/api/chats/{chat}/cancel", {"reason": "enough"})
    await tab.open("/history")
    await expect(lines(tab)).to_have_count(50)
    more = tab.button("Show earlier decisions")
    await more.focus()
    await tab.page.keyboard.press("Enter")
    await expect(lines(tab)).to_have_count(60)
    await expect(tab.page.locator(".history-entry summary").nth(50)).to_be_focused()
    await expect(more).to_have_count(0)


async def test_every_state_is_well_in_every_look(browser: Browser, desk: Desk):
    await looks_well(browser, desk, "/history", "history-empty", "Nothing has been decided yet.")
    await three_decisions(desk)
    await looks_well(browser, desk, "/history", "history-full", OFFER)
    async with console(browser, desk.url, width=320, scheme="dark") as tab:
        await tab.open("/history?outcome=rejected")
        await tab.page.locator(".history-entry summary").click()
        await expect(tab.main).to_contain_text("What was shown")
        await looks(tab, "history-rejected")
        await tab.page.route("**/api/history?*", lambda route: route.abort())
        await tab.page.reload()
        await tab.main.get_by_text("The server could not be reached.").wait_for()
        await looks(tab, "history-failed")
        await tab.page.unroute("**/api/history?*")
        await tab.press("Try again")
        await expect(lines(tab)).to_have_count(1)


async def test_the_admin_sees_what_waits_as_it_is_stored_and_that_the_audit_is_whole(
    browser: Browser, desk: Desk, tab: Console
):
    await looks_well(browser, desk, "/admin", "admin-empty", "Nothing waits in any chat.")
    (refund,) = await desk.ask("refund 1001")
    (done,) = await desk.ask("refund 900")
    await desk.answer(done, approved=True)
    await tab.open("/admin")
    pending = tab.page.get_by_role("region", name="Waiting requests")
    await tab.tab_to(pending.locator("summary"))
    await tab.page.keyboard.press("Enter")
    await expect(pending).to_contain_text(refund["run_id"])
    await expect(pending.get_by_role("region", name="Payload")).to_contain_text('"entity_details"')
    await tab.tab_to(tab.button("Verify audit log"))
    await tab.page.keyboard.press("Enter")
    intact = "Intact: every line fits the one before it."
    await expect(tab.main).to_contain_text(intact)
    await tab.hears(intact)
    agents = tab.page.get_by_role("region", name="Agents")
    await agents.locator("summary").first.click()
    await expect(agents).to_contain_text("label_order")
    await looks(tab, "admin-open")
    await looks_well(browser, desk, "/admin", "admin-full", REFUND)


async def test_the_audit_of_one_chat_is_found_by_its_line_or_its_address_and_kept_in_the_address(
    desk: Desk, tab: Console
):
    (first,) = await desk.ask("refund 1001")
    (second,) = await desk.ask("offer Spring")
    await desk.answer(first, approved=False, user_message="wrong order")
    await desk.answer(second, approved=False, user_message="wrong list")
    await tab.open("/admin")
    audit = tab.page.get_by_role("region", name="Audit log")
    lines = audit.locator("summary")
    what_and_how = [f"{OFFER}.*rejected.*wrong list", f"{REFUND}.*rejected.*wrong order"]
    await expect(lines).to_have_text([re.compile(words) for words in what_and_how])
    await tab.tab_to(lines.last)
    await tab.page.keyboard.press("Enter")
    only = audit.get_by_role("button", name="Only this chat")
    await tab.tab_to(only)
    await tab.page.keyboard.press("Enter")
    await expect(lines).to_have_count(1)
    await expect(only).to_be_focused()
    await expect(audit).to_contain_text(first["chat_id"])
    await tab.hears("1 is shown")
    await tab.page.reload()
    await expect(lines).to_have_count(1)
    box = audit.get_by_label("Chat", exact=True)
    await expect(box).to_have_value(first["chat_id"])

    await box.fill(f"{desk.url}/chats/{second['chat_id']}")
    await expect(box).to_have_value(second["chat_id"])
    # What is there stays until what is wanted now has come.
    whose = re.compile(second["chat_id"])
    await expect(audit.locator("pre")).to_have_attribute("aria-label", whose)
    await lines.click()
    await expect(audit).to_contain_text("wrong list")
    await looks(tab, "admin-one-chat")
    await box.fill("no-such-chat")
    await expect(audit).to_contain_text("Nothing is recorded of this chat.")
    await audit.get_by_role("button", name="Show all chats").press("Enter")
    await expect(lines).to_have_count(2)
    await expect(audit.get_by_role("heading", name="Audit log")).to_be_focused()
