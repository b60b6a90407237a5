"""Every flow of approval payloads and UI tools by keyboard alone: Tab, Space, Enter, arrows and
letters; in light, dark and at 320 px, in the console and inside the shadow root of `<sayso-chat>`
in a hostile page.

No mouse, and no focus set from outside: each press starts where the one before has left the focus,
and at the end of each flow stands where it is now and what was said aloud.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.async_api import Browser, expect

from tests.browser.by_keyboard import asked, heard, pick, press, retyped, settled, typed
from tests.browser.console import Console, console
from tests.browser.desk import LCA, TABLE
from tests.browser.hosting import Site, hosted, met
from tests.browser.plan_agent import APPROVAL, REVISION
from tests.browser.reach import DARK, EVERYWHERE, LOOKS, Look, Place, look_at
from tests.browser.server_process import running
from tests.browser.waiting import until

#: An order and its price, one for each way to come: of what is paid back in part, less is left.
PAID = [("1001", "42.00"), ("1005", "32.40"), ("1006", "12.20"), ("1007", "23.30")]
DROP = "Drop the database shop"
WHICH = "Which of your orders should I refund?"
DELIVERY = "Change a delivery"
CARRIER = "Pigeon Post does not deliver here"
FAILURE = "The warehouse does not answer"
PLAN, REVISE = str(APPROVAL["title"]), str(REVISION["title"])


@pytest.fixture(scope="module")
async def demo(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    async with hosted(tmp_path_factory.mktemp("demo")) as site:
        yield site


@pytest.fixture(scope="module")
async def office(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    command = ("serve", "tests.browser.desk_agent:app")
    async with hosted(tmp_path_factory.mktemp("office"), *command) as site:
        yield site


@pytest.fixture(scope="module")
async def planner(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    data: Path = tmp_path_factory.mktemp("planner")
    command = ("serve", "tests.browser.plan_agent:app")
    async with hosted(data, *command, PLAN_LEDGER=str(data / "ledger")) as site:
        yield site


class Come(NamedTuple):
    """Somebody, and where they meet a chat."""

    browser: Browser
    place: Place
    look: Look

    @asynccontextmanager
    async def to(self, site: Site, chat: str | None = None) -> AsyncIterator[Console]:
        """That chat, open; without one, where one begins."""
        async with met(self.browser, site, self.place, self.look) as here:
            await here.open("/" if chat is None else f"/chats/{chat}")
            yield here


@pytest.fixture(params=EVERYWHERE, ids=[f"{place}-{look.name}" for place, look in EVERYWHERE])
def come(browser: Browser, request: pytest.FixtureRequest) -> Come:
    return Come(browser, *request.param)


# ── approval payloads ──


async def test_an_approval_is_changed_and_approved(come: Come, demo: Site) -> None:
    order, euros = PAID[EVERYWHERE.index((come.place, come.look))]
    title = f"Refund €{euros} for order {order}"
    async with come.to(demo) as tab:
        card = await asked(tab, f"refund order {order}", title)
        await press(tab, tab.button("Change", card).first)
        await retyped(tab, card.get_by_role("textbox", name="Amount"), "10.50")
        await press(tab, tab.button("Approve", card))
        await settled(tab, f"Refund €10.50 for order {order}", "approved")
        await heard(tab, f"Needs your answer: {title}", "The answer is complete")
        await expect(tab.log).to_contain_text(f"€10.50 for order {order} goes back")


async def test_a_rejection_has_a_reason_and_suggestions(come: Come, demo: Site) -> None:
    title = "Refund €18.00 for order 1002"
    async with come.to(demo) as tab:
        card = await asked(tab, "refund order 1002", title)
        await press(tab, tab.button("Reject…", card))
        why = card.get_by_role("textbox", name="Reason for rejecting")
        await expect(why).to_be_focused()
        await press(tab, tab.button("Reject", card))
        await expect(why).to_be_focused()
        await expect(why).to_have_attribute("aria-invalid", "true")
        await tab.page.keyboard.type("The bread was good")
        await tab.page.keyboard.press("Tab")
        await expect(card.get_by_role("textbox", name="Suggest alternatives")).to_be_focused()
        await tab.page.keyboard.type("A voucher")
        await press(tab, tab.button("Reject", card))
        await settled(tab, title, "rejected")
        await heard(tab, "The answer is complete")


async def test_what_cannot_be_taken_back_is_confirmed_once_more(come: Come, office: Site) -> None:
    async with come.to(office) as tab:
        card = await asked(tab, "drop shop", DROP)
        await press(tab, tab.button("Approve", card))
        await expect(
            card.get_by_role("heading", name="Confirm: this can’t be undone")
        ).to_be_focused()
        await press(tab, tab.button("Back", card))
        await expect(tab.button("Approve", card)).to_be_focused()
        await tab.page.keyboard.press("Enter")
        await press(tab, tab.button("Yes, approve", card))
        await settled(tab, DROP, "approved")
        await expect(tab.log).to_contain_text("shop is gone")


async def test_the_exchanges_are_decided_row_by_row_and_a_cell_is_changed(
    come: Come, office: Site
) -> None:
    chat = (await office.server.post("/api/chats", {"agent": LCA}))["id"]
    async with come.to(office, chat) as tab:
        card = await asked(tab, "exchanges", TABLE)
        rows = card.locator("tbody tr")
        amount = card.get_by_role("textbox", name="Amount of Portland cement")
        await tab.tab_to(amount)
        await retyped(tab, amount, "")
        for at, choice in ((0, "approved"), (1, "left_out"), (2, "approved")):
            wanted = rows.nth(at).locator(f"[data-choice={choice}] input")
            await pick(tab, rows.nth(at).get_by_role("radio"), wanted)
        await tab.page.keyboard.press("Shift+Tab")
        # What is missing in a row is where one is led to, and said there.
        await press(tab, card.locator(".sy-button").first)
        await expect(amount).to_be_focused()
        await expect(amount).to_have_attribute("aria-invalid", "true")
        await tab.page.keyboard.type("310 kg")
        await press(tab, card.locator(".sy-button").first)
        await settled(tab, TABLE, "approved")
        await heard(tab, f"Needs your answer: {TABLE}", "The answer is complete")
        said = "2 exchanges added to Fabrication of reinforced concrete"
        await expect(tab.log).to_contain_text(f"{said}: 310 kg of Portland cement, 110 kg of Steel")


async def test_an_option_is_chosen_with_a_note(come: Come, demo: Site) -> None:
    # What was answered in another place would be chosen beforehand.
    await demo.server.delete("/api/preferences/choices")
    async with come.to(demo) as tab:
        card = await asked(tab, "refund my order", WHICH)
        await press(tab, tab.button("Send answer", card))
        await expect(card.get_by_role("radio").first).to_be_focused()
        await tab.page.keyboard.press("ArrowDown")
        await expect(card.get_by_role("radio").nth(1)).to_be_checked()
        await tab.tab_to(card.get_by_role("textbox", name="Notes"))
        await tab.page.keyboard.type("It was scratchy")
        await press(tab, tab.button("Send answer", card))
        await settled(tab, WHICH, "completed")
        await expect(tab.cards).to_contain_text("It was scratchy")
        await heard(tab, f"Needs your answer: {WHICH}")


async def test_a_form_leads_to_what_is_wrong(come: Come, demo: Site) -> None:
    async with come.to(demo) as tab:
        card = await asked(tab, "change my delivery", DELIVERY)
        city = card.get_by_role("textbox", name="City")
        await tab.tab_to(city)
        await retyped(tab, city, "")
        await press(tab, tab.button("Continue", card))
        await expect(card.locator(".sy-summary")).to_be_focused()
        await tab.page.keyboard.press("Tab")
        await tab.page.keyboard.press("Enter")
        await expect(city).to_be_focused()
        await expect(city).to_have_attribute("aria-invalid", "true")
        await tab.page.keyboard.type("Lund")
        await press(tab, tab.button("Continue", card))
        await settled(tab, DELIVERY, "completed")
        confirmation = "Change the delivery of order 1004?"
        await heard(tab, f"Needs your answer: {confirmation}")
        await press(tab, tab.button("Approve", tab.card(confirmation)))
        await settled(tab, confirmation, "approved")


async def test_a_next_step_of_a_report_goes_to_the_composer(come: Come, demo: Site) -> None:
    async with come.to(demo) as tab:
        await typed(tab, "check my orders")
        await heard(tab, "The answer is complete")
        step = tab.log.locator('article[data-card="validation"] button').first
        words = (await step.inner_text()).strip()
        await press(tab, step, back=True)
        await expect(tab.composer).to_be_focused()
        await expect(tab.composer).to_have_value(words)


async def test_an_error_is_put_right_and_tried_again(come: Come, demo: Site) -> None:
    async with come.to(demo) as tab:
        await typed(tab, "fail softly")
        await heard(tab, CARRIER, urgency="assertive")
        card = tab.card(CARRIER)
        carrier = card.get_by_role("textbox", name="Carrier")
        await tab.tab_to(carrier, key="Shift+Tab")
        await retyped(tab, carrier, "DHL")
        await press(tab, tab.button("Try again", card))
        done = tab.log.locator('details[data-status="done"]')
        await expect(done).to_contain_text("create_return_label")
        await until(partial(tab.focus_is_in, card))


async def test_a_critical_failure_says_what_to_do_and_is_tried_again(
    come: Come, demo: Site
) -> None:
    async with come.to(demo) as tab:
        await typed(tab, "fail badly")
        await heard(tab, FAILURE, urgency="assertive")
        card = tab.card(FAILURE).first
        await expect(card.get_by_role("listitem")).to_have_count(3)
        await press(tab, tab.button("Try again", card))
        await expect(tab.log.locator('details[data-status="failed"]')).to_have_count(2)


# ── UI tools ──


async def test_the_plan_is_approved_and_the_receipt_is_there_after_a_reload(
    come: Come, planner: Site
) -> None:
    async with come.to(planner) as tab:
        card = await asked(tab, "Make a plan", PLAN)
        await press(tab, tab.button("Approve", card))
        await settled(tab, PLAN, "✓ ActionPlanApprovalForm completed")
        await heard(tab, f"Needs your answer: {PLAN}", "The answer is complete")
        await tab.page.reload()
        receipt = tab.receipt(PLAN).locator("summary")
        await tab.tab_to(receipt)
        await tab.page.keyboard.press("Enter")
        await expect(tab.receipt(PLAN).locator("details").first).to_have_attribute("open", "")


async def test_a_revision_is_half_written_found_again_and_sent(come: Come, planner: Site) -> None:
    async with come.to(planner) as tab:
        card = await asked(tab, "Make a plan", PLAN)
        await press(tab, tab.button("Request Revisions", card))
        await settled(tab, PLAN, "✓ ActionPlanApprovalForm completed")
        await heard(tab, f"Needs your answer: {REVISE}")
        form = tab.card(REVISE)
        words = form.get_by_role("textbox", name="Revisions")
        await tab.tab_to(words)
        await tab.page.keyboard.type("Shorter")
        await tab.page.reload()
        await expect(words).to_have_value("Shorter")
        await heard(tab, "1 card waits for your answer")
        await tab.tab_to(words)
        await tab.page.keyboard.press("End")
        await tab.page.keyboard.type(", please")
        await press(tab, tab.button("Send", form))
        await settled(tab, REVISE, "✓ RevisionRequestForm completed")
        await expect(tab.log).to_contain_text("I'll revise the plan: Shorter, please")


async def test_what_stands_beside_the_chat_is_reached_and_answered(
    come: Come, planner: Site
) -> None:
    async with come.to(planner) as tab:
        await typed(tab, "Show the plan beside the chat with an artifact")
        await heard(tab, "Needs your answer: Look at the plan")
        if come.place == "page":
            beside = tab.page.get_by_role("complementary")
            await press(tab, tab.button("Go there"), back=True)
            await expect(tab.card("Look at the plan").first).to_be_visible()
            await expect(beside.locator(":focus")).to_have_count(1)
        else:
            # Nothing stands beside an element: there it is one of the cards of the chat.
            beside = tab.log
        await press(tab, tab.button("Continue", beside))
        await expect(beside).to_contain_text("✓ PlanViewer completed")
        await expect(beside.locator(":focus")).to_have_count(1)
        await heard(tab, f"Needs your answer: {PLAN}")
        if come.place == "page":
            await tab.page.keyboard.press("Alt+Shift+J")
            await expect(tab.card(PLAN)).to_be_focused()
        await press(tab, tab.button("Approve", tab.card(PLAN)))
        await settled(tab, PLAN, "completed")


async def test_what_may_have_happened_is_settled_by_who_has_looked(
    come: Come, planner: Site
) -> None:
    ledger = planner.server.data / "ledger"
    async with come.to(planner) as tab:
        card = await asked(tab, "Make a plan and fall over halfway", PLAN)
        before = ledger.read_text() if ledger.exists() else ""
        await press(tab, tab.button("Approve", card))
        await planner.server.until_dead()
        await expect(tab.banner).to_be_visible()
        await planner.server.start()
        await tab.comes_online()
        question = tab.page.locator("article[data-card=uncertain_effect]")
        await expect(question).to_contain_text("record the decision")
        title = await question.get_by_role("heading").first.inner_text()
        await heard(tab, f"Needs your answer: {title}")
        await expect(tab.receipt(PLAN).locator("summary")).to_be_focused()
        assert await tab.violations() == []

        card = tab.card(title)
        await press(tab, tab.button("Send answer", card))
        await expect(card.get_by_role("radio").first).to_be_focused()
        await expect(card).to_contain_text("Choose how to continue.")
        await pick(tab, card.get_by_role("radio"), card.get_by_role("radio", name="was done"))
        await tab.tab_to(card.get_by_role("textbox", name="What was the result?"))
        await tab.page.keyboard.type("It stands in the ledger")
        await press(tab, tab.button("Send answer", card))
        await settled(tab, title, "completed")
        await heard(tab, "The answer is complete")
        assert ledger.read_text().removeprefix(before).count("Approve") == 1


# ── for both ──


async def test_several_cards_wait_and_one_goes_from_one_to_the_next(come: Come, demo: Site) -> None:
    refunds = {"1012": "24.50", "1003": "41.00", "1011": "30.00"}
    titles = [f"Refund €{euros} for order {order}" for order, euros in refunds.items()]
    async with come.to(demo) as tab:
        await typed(tab, f"refund orders {', '.join(refunds)}")
        await heard(tab, *(f"Needs your answer: {title}" for title in titles))
        await expect(tab.composer).to_be_focused()
        waits = tab.page.locator("[data-waits]")
        await expect(waits).to_have_count(3)
        # An element leaves the keys to its page; what is out of sight is one press away in both.
        if come.place == "page":
            await tab.page.keyboard.press("Alt+Shift+J")
        else:
            jump = tab.page.get_by_role("button", name="3 waiting")
            await press(tab, jump, back=True)
        await expect(tab.card(titles[0])).to_be_focused()
        await press(tab, tab.button("Approve", tab.card(titles[0])))
        await settled(tab, titles[0], "approved")

        if come.place == "page":
            await tab.page.keyboard.press("Alt+Shift+J")
            await expect(tab.card(titles[1])).to_be_focused()
        await press(tab, tab.button("Reject…", tab.card(titles[1])))
        why = tab.card(titles[1]).get_by_role("textbox", name="Reason for rejecting")
        await expect(why).to_be_focused()
        await tab.page.keyboard.type("The ink was good")
        await press(tab, tab.button("Reject", tab.card(titles[1])))
        await settled(tab, titles[1], "rejected: The ink was good")

        await press(tab, tab.button("Skip", tab.card(titles[2])))
        await settled(tab, titles[2], "skipped")
        await heard(tab, "The answer is complete")
        await expect(waits).to_have_count(0)


async def test_25_signing_in_takes_a_pasted_token_and_says_what_is_wrong(
    browser: Browser, tmp_path: Path
) -> None:
    secret = "ana-0123456789abcdef"
    tokens = json.dumps([f"ana:responder:{secret}"])
    async with (
        running(tmp_path, environment={"SAYSO_TOKENS": tokens}) as server,
        console(browser, server.url) as tab,
    ):
        await tab.open()
        field = tab.page.get_by_label("Access token")
        await tab.tab_to(field)
        await tab.page.keyboard.type("not this")
        await tab.page.keyboard.press("Enter")
        await expect(tab.page.get_by_role("alert")).not_to_be_empty()
        await expect(field).to_be_focused()
        await expect(field).to_have_attribute("aria-invalid", "true")
        for look in LOOKS:
            await look_at(tab.page, look)
            assert await tab.violations(only_colours=look is DARK) == [], look
        await tab.page.keyboard.press("ControlOrMeta+a")
        # What a paste does.
        await tab.page.keyboard.insert_text(secret)
        await tab.page.keyboard.press("Enter")
        await expect(tab.composer).to_be_visible()
