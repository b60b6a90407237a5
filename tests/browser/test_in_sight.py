"""What a person waits for, or works in, is in sight, and nothing stands before it."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Browser, expect

from tests.browser.console import console
from tests.browser.server_process import running


async def test_a_result_comes_into_sight_above_what_is_known(
    browser: Browser, tmp_path: Path
) -> None:
    command = ("serve", "sayso.packs.trips:app")
    explicit = {"SAYSO_TRIPS_TRIGGER": "explicit"}
    async with (
        running(tmp_path, *command, environment=explicit) as server,
        console(browser, server.url) as tab,
    ):
        await tab.begin("I'm flying from NYC to Tokyo for 10 days with my wife")
        known = tab.page.get_by_role("heading", name="Checklist: what is known")
        await expect(known).to_be_in_viewport()
        await tab.page.locator("#side").evaluate("side => { side.scrollTop = side.scrollHeight; }")
        await tab.say("create the checklist")
        title = tab.page.get_by_role("heading", name="Checklist for Tokyo", exact=True)
        await expect(title).to_be_in_viewport()


async def test_on_a_phone_the_conversation_has_the_height_and_nothing_covers_a_card_in_work(
    browser: Browser, tmp_path: Path
) -> None:
    async with (
        running(tmp_path) as server,
        console(browser, server.url, width=320, height=640) as phone,
    ):
        await phone.begin("refund order 1001")
        card = phone.card("Refund €42.00 for order 1001")
        await expect(phone.state).to_contain_text("Waits for you")
        await expect(card.get_by_role("heading", name="Refund")).to_be_in_viewport()
        await expect(phone.button("Stop")).to_be_visible()
        await expect(phone.button("Progress")).to_be_visible()
        above = await phone.log.evaluate("log => log.getBoundingClientRect().top")
        assert above <= 110, "the name with the menu, and all buttons, are in two rows"

        await phone.log.evaluate("log => { log.scrollTop = 0; }")
        await phone.press("Reject…", card)
        await expect(card.get_by_role("textbox", name="Reason for rejecting")).to_be_focused()
        await expect(phone.button("Jump to the latest")).to_be_hidden()

        # A card is read from its top, however long it is.
        await phone.begin("check my orders")
        report = phone.log.locator("article[data-card=validation]")
        await expect(report.get_by_role("heading").first).to_be_in_viewport()


async def test_nothing_is_left_to_jump_to_when_a_card_folds_and_the_end_is_in_sight(
    browser: Browser, tmp_path: Path
) -> None:
    async with running(tmp_path) as server, console(browser, server.url) as tab:
        await tab.begin("change my delivery")
        form = tab.card("Change a delivery")
        postcode = form.get_by_role("textbox", name="Postcode")
        await postcode.fill("!")
        await tab.press("Continue", form)
        await expect(form).to_contain_text("1 thing to correct")
        await postcode.fill("22359")
        await tab.press("Continue", form)
        await expect(tab.button("Approve")).to_be_in_viewport()
        await expect(tab.button("Jump to the latest")).to_have_count(0)
