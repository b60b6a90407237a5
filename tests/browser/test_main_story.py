"""What issue 2 promises a newcomer: talk to an agent, see it stop, kill the server, find the page
as it was, answer, and it goes on once. Then everything else a person does in the console."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, closing
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from sayso.packs.support.orders import OrderBook
from tests.browser.console import Console, another_tab, console
from tests.browser.reach import DARK, LOOKS
from tests.browser.server_process import ServerProcess, running
from tests.browser.waiting import until

QUESTION = "What was the best thing in your last box?"
WHICH = "Which of your orders should I refund?"
DELIVERY = "Change a delivery"
SUMMARY = "Summary of your orders"
CARRIER = "Pigeon Post does not deliver here"
#: The ring around the line of a receipt follows the corners of its box.
RING_IS_ROUND = """line => {
  const [of, box] = [line, line.closest('.sy-receipt')].map(e => getComputedStyle(e).borderRadius);
  return parseFloat(of) >= parseFloat(box) - 1;
}"""


@pytest.fixture(scope="module")
async def desk(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ServerProcess]:
    """The demo, for all tests that let it live; each has a chat and orders of its own."""
    # A story is not over before somebody stops it.
    slowly = {"SAYSO_DEMO_TOKEN_MS": "50"}
    async with running(tmp_path_factory.mktemp("desk"), environment=slowly) as server:
        yield server


@pytest.fixture
async def tab(browser: Browser, desk: ServerProcess) -> AsyncIterator[Console]:
    async with console(browser, desk.url) as tab:
        yield tab


async def test_the_main_story(browser: Browser, tmp_path: Path) -> None:
    title = "Refund €42.00 for order 1001"
    async with running(tmp_path) as server, console(browser, server.url) as tab:
        chat = await tab.begin("hello")
        await expect(tab.log).to_contain_text("I am the support desk of a small shop")
        await expect(tab.state).to_contain_text("Done")

        await tab.composer.fill("While I write this, a card arrives")
        await say_elsewhere(server, chat, "refund order 1001")
        await expect(tab.card(title)).to_be_visible()
        await expect(tab.log).to_contain_text("This refund needs your approval.")
        await expect(tab.composer).to_be_focused()
        await expect(tab.composer).to_have_value("While I write this, a card arrives")
        await tab.hears(f"Needs your answer: {title}")
        said = await tab.said()
        assert [words for urgency, words in said if urgency == "assertive"] == []
        assert not [
            words for _, words in said if "Lindqvist" in words or "support desk of" in words
        ]
        await tab.picture("main-story-card")

        await tab.press("Change", tab.card(title))
        amount = tab.card(title).get_by_role("textbox", name="Amount")
        await expect(amount).to_be_focused()
        await amount.fill("30.50")
        await expect(tab.state).to_contain_text("Waits for you")
        before = await tab.tree()

        await server.kill()
        await expect(tab.banner).to_contain_text("No connection")
        await expect(amount).to_have_value("30.50")
        await expect(amount).to_be_focused()
        await tab.picture("main-story-banner")
        await tab.hears("Connection lost. Trying again.")
        await server.start()
        await expect(tab.banner).to_have_count(0)
        await tab.looks_like(before)
        await tab.hears("Connected again")

        await expect(tab.page.get_by_role("link", name="Hello Waits for you")).to_be_visible()
        await expect(tab.page.get_by_role("link", name="Inbox 1 waits")).to_be_visible()

        await tab.tab_to(tab.button("Approve", tab.card(title)))
        await tab.page.keyboard.press("Enter")
        paid = title.replace("42.00", "30.50")
        await expect(tab.receipt(paid)).to_contain_text("amount was")
        await expect(tab.receipt(paid)).to_contain_text("approved by you")
        await expect(tab.receipt(paid).locator("summary")).to_be_focused()
        await expect(tab.log).to_contain_text("Done: €30.50 for order 1001 goes back")
        await expect(tab.composer).to_have_value("While I write this, a card arrives")
        await expect(tab.state).to_contain_text("Done")
        assert OrderBook(tmp_path / "orders.db").refunds() == [("1001", 3050)]
        await tab.hears("The answer is complete", times=2)
        await tab.picture("main-story-receipt")

        after = await tab.tree()
        await server.restart_after_kill()
        await tab.page.reload()
        await expect(tab.composer).to_have_value("While I write this, a card arrives")
        await expect(tab.receipt(paid)).to_be_visible()
        await tab.looks_like(after)
        assert OrderBook(tmp_path / "orders.db").refunds() == [("1001", 3050)]
        async with tab.page.expect_download() as saving:
            await tab.page.get_by_role("link", name="Export").click()
        assert chat in (await (await saving.value).path()).read_text()

        # The record has what was paid, what was proposed, what was said and what became of it.
        await tab.open("/history")
        line = tab.page.locator(".history-line")
        became = rf"{re.escape(paid)} · amount was 42 · approved by you · done"
        await expect(line).to_have_text(re.compile(became))
        await line.click()
        await expect(tab.page.locator(".history-kept")).to_contain_text("Support desk")


async def test_a_rejection_needs_a_reason_and_back_leads_back(
    desk: ServerProcess, tab: Console
) -> None:
    await tab.begin("refund order 1002")
    card = tab.card("Refund €18.00 for order 1002")
    reason = card.get_by_role("textbox", name="Reason for rejecting")
    await tab.press("Reject…", card)
    await expect(reason).to_be_focused()

    await tab.press("Back", card)
    await expect(tab.button("Reject…", card)).to_be_focused()

    await tab.press("Reject…", card)
    await tab.press("Reject", card)
    await expect(reason).to_be_focused()
    await expect(reason).to_have_attribute("aria-invalid", "true")
    await expect(card).to_contain_text("Add a reason; the agent will use it.")

    await reason.fill("The bread was good")
    await tab.press("Reject", card)
    receipt = tab.receipt("Refund €18.00 for order 1002")
    await expect(receipt).to_contain_text("rejected")
    await expect(receipt.locator("summary")).to_be_focused()
    assert await receipt.locator("summary").evaluate(RING_IS_ROUND)
    await expect(tab.log).to_contain_text("Your reason: The bread was good")
    assert "1002" not in [order for order, _ in refunds(desk)]


async def test_an_option_is_chosen_and_the_agent_goes_on_with_it(tab: Console) -> None:
    await tab.begin("refund my order")
    card = tab.card(WHICH)
    await tab.press("Send answer", card)
    await expect(card).to_contain_text("Choose one.")
    await expect(card.get_by_role("radio").first).to_be_focused()

    await card.get_by_role("radio", name="Order 1009").check()
    await card.get_by_role("textbox", name="Notes").fill("It was scratchy")
    await tab.press("Send answer", card)

    await expect(tab.receipt(WHICH)).to_contain_text("completed")
    proposal = tab.card("Refund €43.20 for order 1009")
    await expect(proposal).to_contain_text("It was scratchy")
    # What the tool refuses is asked again, at its field and with what was typed; nothing has run.
    await tab.press("Change", proposal)
    await proposal.get_by_role("textbox", name="Amount").fill("50")
    await tab.press("Approve", proposal)
    await expect(tab.cards).to_contain_text("€50.00 is more than can be paid back")
    await expect(tab.cards.get_by_role("textbox", name="Amount")).to_have_value("50")
    await tab.press("Skip", tab.cards)
    await expect(tab.log).to_contain_text("You skipped order 1009")


async def test_a_form_says_what_is_wrong_and_a_confirmation_follows(tab: Console) -> None:
    await tab.begin("change my delivery")
    card = tab.card(DELIVERY)
    offered = await card.get_by_label("Delivery date").input_value()
    assert offered >= datetime.now(UTC).date().isoformat(), "a day that is over"
    await card.get_by_role("textbox", name="Postcode").fill("?")
    await card.get_by_role("textbox", name="City").fill("")
    await tab.press("Continue", card)

    summary = card.locator(".sy-summary")
    await expect(summary).to_be_focused()
    await expect(summary.get_by_role("link")).to_have_count(2)
    await tab.page.keyboard.press("Tab")
    await tab.page.keyboard.press("Enter")
    city = card.get_by_role("textbox", name="City")
    await expect(city).to_be_focused()
    await expect(city).to_have_attribute("aria-invalid", "true")

    await city.fill("Malmö")
    await card.get_by_role("textbox", name="Postcode").fill("21145")
    await tab.press("Continue", card)
    await expect(tab.receipt(DELIVERY)).to_be_visible()

    confirmation = tab.card("Change the delivery of order 1004?")
    await expect(confirmation).to_contain_text("Kastanjegatan 12, 21145 Malmö")
    day = date.fromisoformat(offered)
    await expect(confirmation).to_contain_text(f"On{day.day} {day:%B} {day.year}")
    await tab.press("Approve", confirmation)
    await expect(tab.log).to_contain_text("Done: order 1004 comes to Kastanjegatan 12, Malmö")


async def test_an_error_that_can_be_put_right_is_put_right(
    desk: ServerProcess, tab: Console
) -> None:
    await tab.begin("hello")
    await expect(tab.state).to_contain_text("Done")
    await tab.say("fail softly")
    card = tab.card(CARRIER)
    await expect(card).to_be_visible()
    await tab.hears(CARRIER, urgency="assertive")
    await card.get_by_role("textbox", name="Carrier").fill("DHL")
    await tab.press("Try again", card)

    await expect(tab.log.locator('details[data-status="done"]')).to_contain_text(
        "create_return_label"
    )
    with closing(sqlite3.connect(desk.data / "orders.db")) as db:
        assert db.execute("SELECT order_id, carrier FROM labels").fetchall() == [("1001", "DHL")]


async def test_a_story_is_cancelled_in_the_middle_and_the_chat_goes_on(tab: Console) -> None:
    await tab.begin("tell me a story")
    await expect(tab.log).to_contain_text("At the narrow end of the lake")
    await tab.press("Stop")
    await expect(tab.state).to_contain_text("Stopped")
    await expect(tab.log).to_contain_text("Stopped here")
    await expect(tab.log).not_to_contain_text("puts out a hand.")
    await expect(tab.composer).to_be_focused()
    await tab.hears("The run was stopped")

    await tab.say("hello")
    await expect(tab.log).to_contain_text("I am the support desk of a small shop")


async def test_an_answer_in_the_inbox_updates_the_open_chat_in_another_tab(
    desk: ServerProcess, tab: Console
) -> None:
    title = "Refund €41.00 for order 1003"
    await tab.begin("refund order 1003")
    await expect(tab.card(title)).to_be_visible()
    inbox = await another_tab(tab)
    await inbox.open("/inbox")
    await inbox.press("Open", inbox.card(title))
    await inbox.press("Approve", inbox.card(title))

    await expect(inbox.receipt(title)).to_contain_text("approved by you")
    # At what came of it, or led on to the next row where something else still waits.
    here = inbox.page.locator(".in-item:focus, .in-item summary:focus")
    await expect(here).to_have_count(1)
    await expect(tab.receipt(title)).to_contain_text("approved by you")
    await expect(tab.log).to_contain_text("€41.00 for order 1003 goes back")
    assert ("1003", 4100) in refunds(desk)


async def test_what_is_answered_elsewhere_says_so_and_keeps_the_focus(
    browser: Browser, desk: ServerProcess, tab: Console
) -> None:
    title = "Refund €19.50 for order 1004"
    chat = await tab.begin("refund order 1004")
    card = tab.card(title)
    await tab.press("Reject…", card)
    await card.get_by_role("textbox", name="Reason for rejecting").fill("I was about to say")
    spoken = len(await tab.said())

    async with console(browser, desk.url) as other:
        await other.open(f"/chats/{chat}")
        # The reason that was begun in one place may stand open in the other.
        back = other.button("Back", other.card(title))
        approve = other.button("Approve", other.card(title))
        await expect(back.or_(approve)).to_be_visible()
        if await back.is_visible():
            await back.click()
        await approve.click()
        await expect(other.receipt(title)).to_be_visible()

    await expect(tab.receipt(title)).to_contain_text("approved by you")
    await expect(tab.receipt(title).locator("summary")).to_be_focused()

    async def is_told() -> bool:
        return any(title in words for _, words in (await tab.said())[spoken:])

    await until(is_told)
    await expect(tab.log).to_contain_text("€19.50 for order 1004 goes back")


async def test_a_message_while_it_waits_is_queued_or_supersedes(tab: Console) -> None:
    title = "Refund €32.40 for order 1005"
    await tab.begin("refund order 1005")
    await expect(tab.card(title)).to_be_visible()

    await tab.composer.fill("check my orders")
    choice = tab.page.get_by_role(
        "group", name=f"“{title}” waits for your decision above. Send this"
    )
    await expect(choice.get_by_role("radio", name="after this")).to_be_checked()
    await tab.composer.press("Enter")
    await expect(tab.log).to_contain_text("Queued")
    await expect(tab.cards).to_have_count(1)
    await tab.press("Skip", tab.card(title))
    await expect(tab.log).to_contain_text("You skipped order 1005")
    await expect(tab.card("The order book is valid")).to_be_visible()
    await expect(tab.log).not_to_contain_text("Queued")

    await tab.say("refund order 1005")
    await expect(tab.cards).to_have_count(1)
    await tab.composer.fill("hello")
    await choice.get_by_role("radio", name="now (stops it)").check()
    await tab.press("Send")
    await expect(tab.cards).to_have_count(0)
    await expect(tab.card(title).last).to_contain_text("replaced")
    await expect(tab.log).to_contain_text("I am the support desk of a small shop")


async def test_a_free_question_is_answered_by_a_plain_message(tab: Console) -> None:
    await tab.begin("ask me something")
    await expect(tab.main).to_contain_text(f"This answers “{QUESTION}”.")
    await tab.say("The honey")
    await expect(tab.log).to_contain_text("You said: The honey")
    await expect(tab.receipt(QUESTION)).to_contain_text("completed")
    await expect(tab.cards).to_have_count(0)


async def test_an_artifact_is_changed_by_hand_and_stays_changed(tab: Console) -> None:
    """Its card in the log leads to it and says the same as it does, live and after a reload."""
    await tab.begin("write a summary")
    side = tab.page.get_by_role("complementary")
    card = tab.log.get_by_role("group", name=SUMMARY)
    await expect(card).to_contain_text("3 rows · Order, Box, Paid, Status")
    await expect(card.get_by_role("time")).to_have_count(1)
    await tab.tab_to(tab.button("Open", card), key="Shift+Tab")
    await tab.page.keyboard.press("Enter")
    await expect(side.get_by_role("heading", name=SUMMARY)).to_be_focused()
    await tab.page.keyboard.press("Escape")
    await expect(tab.button("Open", card)).to_be_focused()
    await tab.press("Edit", side)
    box = side.get_by_role("textbox")
    await expect(box).to_be_focused()
    await box.fill("# Mine now")
    await tab.press("Save", side)
    await expect(side.get_by_role("heading", name="Mine now")).to_be_visible()
    await expect(side).to_contain_text("Version 2")
    await expect(card).to_contain_text("Mine now")
    await expect(card).to_contain_text("Version 2 · changed by you")
    before = await tab.tree()
    await tab.page.reload()
    await expect(side.get_by_role("heading", name="Mine now")).to_be_visible()
    await tab.looks_like(before)


async def test_every_kind_of_card_on_one_page_in_light_dark_and_at_320_px(
    browser: Browser, desk: ServerProcess
) -> None:
    async with AsyncExitStack() as people:
        tabs = {
            look.name: await people.enter_async_context(
                console(browser, desk.url, width=look.width, scheme=look.scheme)
            )
            for look in LOOKS
        }
        light, dark, phone = tabs.values()
        chat = await light.begin("check my orders")
        await expect(light.state).to_contain_text("Done")
        for look in (dark, phone):
            await look.open(f"/chats/{chat}")

        for words in ("fail softly", "fail badly", "write a summary"):
            await light.say(words)
            await expect(light.log).to_contain_text(words)
            await expect(light.state).to_contain_text("Done")
        await phone.button("Open", phone.log.get_by_role("group", name=SUMMARY)).press("Enter")
        for look in tabs.values():
            side = look.page.get_by_role("complementary")
            await expect(side.get_by_role("heading", name=SUMMARY)).to_be_visible()
        await all_is_well(tabs, None, "artifact")
        await phone.page.keyboard.press("Escape")
        await light.say("refund my order")
        await all_is_well(tabs, WHICH, "options")
        await light.card(WHICH).get_by_role("radio", name="Order 1004").check()
        await light.press("Send answer", light.card(WHICH))
        await expect(light.cards).to_have_count(1)
        await light.press("Skip")

        await light.say("change my delivery")
        await light.card(DELIVERY).get_by_role("textbox", name="City").fill("")
        await light.press("Continue", light.card(DELIVERY))
        await all_is_well(tabs, DELIVERY, "form")
        await light.card(DELIVERY).get_by_role("textbox", name="City").fill("Lund")
        await light.press("Continue", light.card(DELIVERY))
        confirmation = "Change the delivery of order 1004?"
        await all_is_well(tabs, confirmation, "confirmation")
        await light.press("Reject…", light.card(confirmation))
        await (
            light.card(confirmation)
            .get_by_role("textbox", name="Reason for rejecting")
            .fill("Later")
        )
        await light.press("Reject", light.card(confirmation))
        await expect(light.log).to_contain_text("Then the delivery stays as it was.")

        await light.say("ask me something")
        await all_is_well(tabs, QUESTION, "question")
        await light.say("Nothing")
        await expect(light.log).to_contain_text("You said: Nothing")

        await light.say("refund orders 1010, 1011 and 1012")
        approval = "Refund €24.50 for order 1012"
        await light.press("Change", light.card(approval))
        await light.press("Reject…", light.card("Refund €25.60 for order 1010"))
        await all_is_well(tabs, approval, "approvals")

        for tab in tabs.values():
            await tab.open("/inbox")
        await all_is_well(tabs, approval, "inbox")
        pending = (await desk.get("/api/interactions?status=pending"))["interactions"]
        (this,) = (each for each in pending if each["title"] == approval)
        for tab in tabs.values():
            await tab.open(f"/i/{this['interaction_id']}")
        await all_is_well(tabs, approval, "one-interaction")
        for tab in tabs.values():
            await tab.open("/")
            await expect(tab.composer).to_be_visible()
        await all_is_well(tabs, None, "welcome")


# ── words of this suite ──


async def all_is_well(tabs: dict[str, Console], title: str | None, name: str) -> None:
    """Nothing that axe finds, nothing that scrolls sideways, in any look."""
    for look, tab in tabs.items():
        if title is not None:
            await expect(tab.card(title)).to_be_visible()
        await tab.picture(f"{name}.{look}")
        assert await tab.violations(only_colours=look == DARK.name) == [], (name, look)
        assert await tab.sideways_pixels() <= 0, (name, look)


async def say_elsewhere(server: ServerProcess, chat: str, words: str) -> None:
    """As from another device."""
    await server.post(f"/api/chats/{chat}/messages", {"content": words, "client_message_id": words})


def refunds(server: ServerProcess) -> list[tuple[str, int]]:
    return OrderBook(server.data / "orders.db").refunds()
