"""The inbox: triage by keyboard alone, filters, pages, several at once, and how it looks."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import anyio
import pytest
from playwright.async_api import Browser, Locator, Route, expect

from tests.browser.console import Console, console
from tests.browser.desk import LCA, REFUND, SUPPORT, TABLE, WHICH, Desk, desk_at, looks, looks_well
from tests.browser.waiting import until


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with desk_at(tmp_path) as desk:
        yield desk


@pytest.fixture
async def tab(browser: Browser, desk: Desk) -> AsyncIterator[Console]:
    async with console(browser, desk.url) as tab:
        yield tab


async def lists(tab: Console, *titles: str) -> None:
    """These wait, in this order."""
    await expect(tab.page.locator(".in-rows h3")).to_have_text(list(titles))


async def press(tab: Console, *keys: str) -> None:
    for key in keys:
        await tab.page.keyboard.press(key)


# ── by keyboard alone ──


async def test_rows_are_answered_by_keyboard_alone_and_one_is_led_on(desk: Desk, tab: Console):
    (refund,) = await desk.ask("refund 1001")
    (which,) = await desk.ask("which", LCA)
    (offer,) = await desk.ask("offer Spring")
    await tab.open("/inbox")
    await tab.tab_to(tab.card(REFUND))
    await tab.tab_to(tab.button("Approve", tab.card(REFUND)))
    await press(tab, "Enter")

    await expect(tab.receipt(REFUND)).to_contain_text("approved by you")
    await expect(tab.card(WHICH)).to_be_focused()
    await press(tab, "Enter")
    await expect(tab.card(WHICH)).to_be_focused()
    await tab.tab_to(tab.card(WHICH).get_by_role("radio").first)
    await press(tab, "Space")
    await tab.tab_to(tab.button("Send answer", tab.card(WHICH)))
    await press(tab, "Enter")

    spring = "Send “Spring” to 214 customers"
    await expect(tab.card(spring)).to_be_focused()
    await tab.tab_to(tab.button("Reject…", tab.card(spring)))
    await press(tab, "Enter")
    why = tab.card(spring).get_by_role("textbox", name="Reason for rejecting")
    await expect(why).to_be_focused()
    await tab.tab_to(tab.button("Reject", tab.card(spring)))
    await press(tab, "Enter")
    await expect(why).to_be_focused()
    await expect(why).to_have_attribute("aria-invalid", "true")
    await tab.page.keyboard.type("wrong list")
    await tab.tab_to(tab.button("Reject", tab.card(spring)))
    await press(tab, "Enter")

    # Nothing waits any more, so one stays at what came of it.
    await expect(tab.receipt(spring).locator("summary")).to_be_focused()
    await tab.hears(f"{spring} rejected")
    said = [words for _, words in await tab.said()]
    assert said[0] == "3 cards wait for your answer"
    assert said[1:] == [f"{REFUND} approved", f"{WHICH} completed", f"{spring} rejected"]
    states = [(await desk.card(card))["status"] for card in (refund, which, offer)]
    assert states == ["completed", "completed", "rejected"]
    assert (await desk.card(offer))["response"]["user_message"] == "wrong list"


async def test_arrows_and_letters_lead_from_row_to_row(desk: Desk, tab: Console):
    for words in ("refund 1001", "refund 1002", "refund 1003"):
        await desk.ask(words)
    await tab.open("/inbox")
    rows = tab.page.locator(".in-item")
    await expect(rows).to_have_count(3)
    await tab.tab_to(rows.nth(0))
    for keys, place in (
        (["ArrowDown"], 1),
        (["j"], 2),
        (["ArrowDown"], 2),
        (["k"], 1),
        (["Home"], 0),
        (["ArrowUp"], 0),
        (["End"], 2),
    ):
        await press(tab, *keys)
        await expect(rows.nth(place)).to_be_focused()
    # The keys that every page has: to write, to find, to see them all; Escape leads back.
    for key, place_of_key in (
        ("/", tab.main.get_by_role("searchbox", name="Search")),
        ("Control+k", tab.page.get_by_role("dialog", name="Find anything")),
        ("?", tab.page.get_by_role("dialog", name="Keyboard")),
    ):
        await press(tab, key)
        await until(partial(tab.focus_is_in, place_of_key))
        await tab.page.keyboard.press("Escape")
        await rows.nth(2).focus()
    # What is on a card finds it, and what was said finds its chat.
    await press(tab, "Control+k")
    find = tab.page.get_by_role("dialog", name="Find anything")
    await find.get_by_role("searchbox").fill("1001")
    await expect(find.get_by_role("link", name=REFUND)).to_have_count(1)
    await expect(find.get_by_role("link", name="refund 1001 Support agent")).to_have_count(1)
    await find.get_by_role("searchbox").fill("")
    await tab.page.keyboard.press("Escape")
    await expect(find).to_have_count(0)
    await rows.nth(2).focus()
    # One stop for the whole list: Tab goes on from the row one is at.
    await press(tab, "Enter")
    await expect(rows.nth(2)).to_have_attribute("data-state", "open")
    await press(tab, "Enter")
    await expect(rows.nth(2)).to_have_attribute("data-state", "closed")
    # Neither Escape nor a letter that is not listed decides anything.
    await press(tab, "Escape", "a", "r", "y", "n")
    await expect(tab.page.locator("[data-waits]")).to_have_count(3)

    await tab.open("/preferences")
    await tab.page.get_by_role("checkbox", name="Use shortcuts").uncheck()
    await tab.open("/inbox")
    await tab.tab_to(rows.nth(0))
    await press(tab, "j")
    await expect(rows.nth(0)).to_be_focused()
    await expect(tab.page.locator(".in-keys")).to_have_count(0)
    await press(tab, "/")
    await expect(rows.nth(0)).to_be_focused()
    await press(tab, "ArrowDown")
    await expect(rows.nth(1)).to_be_focused()


async def test_it_is_claimed_handed_over_and_put_off(desk: Desk, tab: Console):
    (refund,) = await desk.ask("refund 1001")
    await desk.ask("which", LCA)
    await tab.open("/inbox")
    row = tab.card(REFUND)
    await tab.tab_to(row)
    await press(tab, "c")
    await expect(row).to_contain_text("you are looking at it until")
    await press(tab, "c")
    await expect(row).not_to_contain_text("looking at it")
    await tab.hears("Nobody is looking at it")

    await press(tab, "Enter")
    await tab.press("Hand over…", row)
    await row.get_by_label("To whom").fill("kim")
    await row.get_by_label("What they should know").fill("You know her")
    await row.get_by_role("button", name="Hand over", exact=True).click()
    await expect(row.get_by_label("To whom")).to_have_count(0)
    assert (await desk.card(refund))["claim"]["person"] == "kim"
    await tab.tab_to(row)
    await press(tab, "Enter")
    await expect(row).to_contain_text("handed to kim: “You know her”")

    # It leaves as a signed document, and on paper without what is pressed.
    await press(tab, "Enter")
    await tab.press("Copy and export…", row)
    async with tab.page.expect_download() as download:
        await row.get_by_role("link", name="Export as signed JSON").click()
    saved = anyio.Path(await (await download.value).path())
    document = json.loads(await saved.read_text(encoding="utf-8"))
    assert document["body"]["interaction"]["interaction_id"] == refund["interaction_id"]
    await tab.page.emulate_media(media="print")
    await expect(row.get_by_text("ending 4411")).to_be_visible()
    for gone in (tab.page.locator(".rail"), row.locator(".sy-actions")):
        await expect(gone).to_be_hidden()
    await tab.page.emulate_media(media="screen")
    await tab.tab_to(row)
    await press(tab, "Enter")

    # Put off, it is out of the list and out of the count, and it can be had back.
    await expect(tab.page).to_have_title(re.compile(r"^\(2\) "))
    await press(tab, "s")
    await lists(tab, WHICH)
    await expect(tab.card(WHICH)).to_be_focused()
    await expect(tab.page).to_have_title(re.compile(r"^\(1\) "))
    await tab.page.get_by_text("Snoozed (1)").click()
    assert await tab.violations() == []
    await tab.press("Back to the list now")
    await lists(tab, REFUND, WHICH)
    await expect(tab.page).to_have_title(re.compile(r"^\(2\) "))


async def test_from_a_card_to_a_rule_to_the_next_call_unasked_by_keyboard_alone(
    desk: Desk, tab: Console
):
    for order in ("1001", "1002", "1003"):
        (one,) = await desk.ask(f"refund {order}")
        said = {"approved": True} if order != "1003" else {"approved": False, "reason": "no"}
        await desk.answer(one, **said)
    (waits,) = await desk.ask("refund 1004")
    await tab.open("/inbox")
    row = tab.page.locator(".in-item[data-waits]")

    async def go(place: Locator, *keys: str) -> None:
        await tab.tab_to(place, presses=120)
        await press(tab, *keys)

    await go(tab.button("Details", row), "Enter")
    await go(tab.button("Similar decisions", row), "Enter")
    await expect(row.locator(".in-similar")).to_contain_text("2 of 3")
    await go(tab.button("Write a rule…", row), "Enter")
    form = row.get_by_role("form", name="Write a rule")
    # As narrow as this very call, until somebody widens it.
    await expect(form).to_contain_text("it would have allowed 0")
    await go(form.get_by_role("combobox", name="Order"), "ArrowUp")
    await expect(form).to_contain_text("allowed 3: 2 were approved without changes, 2 by you")
    await expect(form).to_contain_text("People decided 1 of these otherwise")
    await expect(form.get_by_role("listitem")).to_contain_text("rejected by")
    await looks(tab, "inbox-rule")
    await go(tab.button("Keep this rule", form), "Enter")
    await expect(row.locator(".in-kept")).to_be_focused()
    assert (await desk.card(waits))["status"] == "pending"

    chat = (await desk.server.post("/api/chats", {"agent": SUPPORT}))["id"]
    await tab.open(f"/chats/{chat}")
    await tab.say("refund 1005")
    ran = tab.log.locator(".sy-tool[data-status=done]")
    await expect(ran).to_contain_text("by a rule from you: Amount: €42.00, Card: ending 4411")
    await tab.picture("chat-by-rule")
    await tab.open("/preferences")
    rules = tab.page.get_by_role("region", name="Rules")
    await expect(rules).to_contain_text("used 1 time")
    assert await tab.violations() == []
    await tab.picture("preferences-rules")
    await go(tab.button("Revoke", rules), "Enter")
    await expect(rules).to_contain_text("None. A rule is written from a card")
    await desk.ask("refund 1006")


async def test_a_reason_that_was_begun_survives_a_reload(desk: Desk, tab: Console):
    await desk.ask("refund 1001")
    await tab.open("/inbox")
    await tab.press("Reject…", tab.card(REFUND))
    why = tab.card(REFUND).get_by_role("textbox", name="Reason for rejecting")
    await expect(why).to_be_focused()
    await tab.page.keyboard.type("wrong customer")
    await tab.page.reload()
    await expect(why).to_have_value("wrong customer")
    await expect(why).not_to_be_focused()
    await tab.press("Back", tab.card(REFUND))
    await expect(tab.button("Reject…", tab.card(REFUND))).to_be_focused()
    # The whole card has it too.
    await tab.press("Details", tab.card(REFUND))
    await expect(tab.card(REFUND).get_by_label("Reason for rejecting")).to_have_value(
        "wrong customer"
    )


async def test_only_what_is_whole_in_its_row_is_answered_from_it(desk: Desk, tab: Console):
    await desk.ask("refund 1001")
    await desk.ask("exchanges", LCA)
    await desk.ask("drop shop")
    await tab.open("/inbox")
    row = tab.card(REFUND)
    await expect(row).to_contain_text("Order 1001")
    await expect(row).to_contain_text("Amount €42.00")
    await expect(row).to_contain_text("Card ending 4411")
    for title in (TABLE, "Drop the database shop"):
        await expect(tab.button("Open", tab.card(title))).to_be_visible()
        await expect(tab.button("Approve", tab.card(title))).to_have_count(0)


# ── several at once ──


async def test_what_a_policy_allows_is_approved_together_and_every_one_is_shown(
    desk: Desk, tab: Console
):
    one, two, three = [(await desk.ask(f"label {n} gift"))[0] for n in (1, 2, 3)]
    (refund,) = await desk.ask("refund 1001")
    await tab.open("/inbox")
    await expect(tab.card(REFUND)).to_be_visible()
    every = tab.page.get_by_role("checkbox", name="Choose all 3")
    await tab.tab_to(every)
    await press(tab, "Space")
    await tab.tab_to(tab.page.get_by_role("button", name="Review and approve 3…"))
    await press(tab, "Enter")

    dialog = tab.page.get_by_role("dialog")
    await expect(dialog.get_by_role("heading", level=2)).to_be_focused()
    for n in (1, 2, 3):
        item = dialog.get_by_role("listitem").nth(n - 1)
        await expect(item).to_contain_text(f"Label order {n} “gift”")
        await expect(item.get_by_role("definition")).to_have_text([str(n), "gift"])
    await looks(tab, "inbox-together")
    await tab.tab_to(tab.button("Exclude", dialog.get_by_role("listitem").nth(1)))
    await press(tab, "Enter")
    await expect(dialog.get_by_role("listitem")).to_have_count(2)
    # Somebody else is faster with one of them, and the page has not heard of it yet: the others
    # still go, and each is told of.
    lists = "**/api/interactions?*"
    await tab.page.route(lists, lambda route: route.abort())
    await desk.answer(three, approved=False, user_message="not this one")
    await tab.tab_to(dialog.get_by_role("button", name="Approve 2 proposals"))
    await press(tab, "Enter")

    heading = dialog.get_by_role("heading", level=2, name="1 approved, 1 not")
    await expect(heading).to_be_focused()
    await expect(dialog.get_by_role("listitem").nth(0)).to_contain_text("approved")
    await expect(dialog.get_by_role("listitem").nth(1)).to_contain_text("already rejected")
    await tab.page.unroute(lists)
    await tab.tab_to(dialog.get_by_role("button", name="Close"))
    await press(tab, "Enter")
    states = [(await desk.card(card))["status"] for card in (one, two, three, refund)]
    assert states == ["completed", "pending", "rejected", "pending"]
    await expect(tab.receipt("Label order 1 “gift”")).to_contain_text("approved by you")


async def test_many_are_rejected_with_one_reason(desk: Desk, tab: Console):
    cards = [(await desk.ask(words))[0] for words in ("refund 1001", "refund 1002 €18.00")]
    await tab.open("/inbox")
    rows = tab.page.locator(".in-item")
    await tab.tab_to(rows.nth(0))
    await press(tab, "x", "j")
    await expect(rows.nth(1)).to_be_focused()
    await press(tab, "x")
    bar = tab.page.locator(".in-bulk")
    await expect(bar).to_contain_text("2 selected · €60.00 · 2 must be approved one by one")
    await expect(tab.page.get_by_role("button", name="Review and approve")).to_have_count(0)
    await tab.press("Reject 2…")

    dialog = tab.page.get_by_role("dialog", name="Reject 2 proposals")
    await expect(dialog.get_by_role("listitem")).to_have_count(2)
    await looks(tab, "inbox-reject")
    send = dialog.get_by_role("button", name="Reject 2 proposals")
    await send.click()
    why = dialog.get_by_role("textbox", name="Reason for rejecting")
    await expect(why).to_be_focused()
    await expect(why).to_have_attribute("aria-invalid", "true")
    await tab.page.keyboard.type("the parcels came back")
    await send.click()
    await expect(
        tab.page.get_by_role("dialog").get_by_role("heading", name="2 proposals rejected")
    ).to_be_focused()
    await tab.page.keyboard.press("Escape")
    for card in cards:
        kept = await desk.card(card)
        assert kept["status"] == "rejected"
        assert kept["response"]["user_message"] == "the parcels came back"


async def test_one_that_was_asked_before_is_compared_and_not_approved_in_passing(
    desk: Desk, tab: Console
):
    first, again = [(await desk.ask("refund 1001"))[0] for _ in range(2)]
    await tab.open("/inbox")
    rows = tab.page.locator(".in-item")
    await expect(rows.nth(0)).not_to_contain_text("asked before")
    await expect(rows.nth(1)).to_contain_text("asked before")
    await expect(tab.button("Approve", rows.nth(1))).to_have_count(0)
    await tab.tab_to(rows.nth(0))
    await press(tab, "j")
    await expect(rows.nth(1)).to_be_focused()
    await press(tab, "e")
    dialog = tab.page.get_by_role("dialog", name="Two requests for the same")
    await expect(dialog).to_contain_text("If you approve both, it is done twice.")
    await expect(dialog.get_by_role("link", name="Open the chat")).to_have_count(2)
    await looks(tab, "inbox-compare")
    await press(tab, "Escape", "k")
    await expect(rows.nth(0)).to_be_focused()
    await press(tab, "e")
    await expect(tab.receipt(REFUND)).to_contain_text("approved by you")
    # With the first one settled, the other is a request like any other.
    await expect(rows.nth(1)).not_to_contain_text("asked before")
    assert [(await desk.card(card))["status"] for card in (first, again)] == [
        "completed",
        "pending",
    ]


async def test_a_hundred_mixed_cards_are_cleared_with_two_keys_for_each(desk: Desk, tab: Console):
    await desk.ask("mixed 92", cards=92)
    for _ in range(2):
        await desk.ask("which", LCA)
        await desk.ask("publish")
    for name in ("a", "b", "c", "d"):
        await desk.ask(f"drop {name}")
    await tab.open("/inbox")
    keys = "window.keys = 0; addEventListener('keydown', () => window.keys++, true)"
    await tab.page.evaluate(keys)
    await expect(tab.page.locator(".in-item[data-waits]")).to_have_count(50)
    await tab.tab_to(tab.page.locator(".in-item").nth(0))
    here = tab.page.locator(".in-item[data-waits]:focus")
    for _ in range(100):
        # One is led on to the next that waits, and from page to page.
        await expect(here).to_have_count(1)
        row = tab.page.locator(f"#{await here.get_attribute('id')}")
        if await tab.button("Approve", row).count() == 1:
            await press(tab, "e")
        else:
            await decided_within(tab, row)
        await expect(row).to_have_attribute("data-state", "settled")
    assert await tab.page.evaluate("window.keys") <= 200
    await expect(tab.page.locator(".in-item[data-waits]")).to_have_count(0)
    await press(tab, "?")
    await expect(tab.page.get_by_role("dialog", name="Keyboard")).to_be_visible()


async def decided_within(tab: Console, row: Locator) -> None:
    """Open it, and decide it in the card: by an option, or with a last look."""
    await press(tab, "Enter")
    go = row.locator(".sy-button[data-look=go]")
    await expect(go).to_be_visible()
    if await row.get_by_role("radio").count() > 0:
        await tab.tab_to(row.get_by_role("radio").first)
        await press(tab, "Space")
    await tab.tab_to(go)
    await press(tab, "Enter")
    if (await row.get_attribute("aria-label") or "").startswith(("Drop", "Publish")):
        await tab.tab_to(tab.button("Yes, approve", row))
        await press(tab, "Enter")


# ── finding ──


async def test_the_list_is_filtered_and_the_address_keeps_it(desk: Desk, tab: Console):
    for words, agent in (("refund 1001", ""), ("which", LCA), ("offer Spring", ""), ("drop x", "")):
        await desk.ask(words, agent or "Support agent")
    offer, drop = "Send “Spring” to 214 customers", "Drop the database x"
    await tab.open("/inbox")
    await expect(tab.page.get_by_role("button", name="All 4")).to_be_visible()
    await lists(tab, REFUND, WHICH, offer, drop)

    await tab.press("Questions 1")
    await expect(tab.card(REFUND)).to_have_count(0)
    await lists(tab, WHICH)
    await tab.page.reload()
    await expect(tab.card(WHICH)).to_be_visible()
    await lists(tab, WHICH)

    await tab.press("All 4")
    await tab.press("Expires soon")
    await expect(tab.card(REFUND)).to_have_count(0)
    await lists(tab, offer, drop)
    await tab.press("Save this filter")
    await expect(tab.page.get_by_label("Name of this filter")).to_be_focused()
    await tab.page.keyboard.type("Exjek")
    await tab.page.keyboard.press("Enter")
    await tab.press("Exjek")
    await expect(tab.card(REFUND)).to_be_visible()
    await tab.press("Exjek")
    await expect(tab.card(REFUND)).to_have_count(0)
    await tab.press("Mine")
    await expect(tab.card(offer)).to_have_count(0)
    await tab.press("Expires soon")
    await expect(tab.card(REFUND)).to_be_visible()
    await lists(tab, REFUND, WHICH, drop)
    await tab.press("Mine")

    await tab.page.get_by_label("Order", exact=True).select_option("Least time left first")
    await expect(tab.page.locator(".in-rows h3").first).to_have_text(offer)
    await lists(tab, offer, drop, REFUND, WHICH)
    await tab.page.get_by_label("Search", exact=True).fill("order 1001")
    await expect(tab.card(drop)).to_have_count(0)
    await lists(tab, REFUND)
    await tab.page.get_by_label("Search", exact=True).fill("nothing like this")
    await expect(tab.main.get_by_text("No waiting request matches this filter.")).to_be_visible()
    await tab.press("Show everything")
    await expect(tab.card(drop)).to_be_visible()
    await tab.page.get_by_label("Agent", exact=True).select_option("openLCA agent")
    await expect(tab.card(drop)).to_have_count(0)
    await lists(tab, WHICH)


async def test_more_than_a_page_is_shown_page_by_page(desk: Desk, tab: Console):
    await desk.ask("labels 70", cards=70)
    await tab.open("/inbox")
    rows = tab.page.locator(".in-item")
    await expect(rows).to_have_count(50)
    await expect(tab.page.get_by_role("button", name="All 70")).to_be_visible()
    await expect(tab.page).to_have_title("(70) Inbox · Sayso")
    await tab.press("Show more")
    await expect(rows).to_have_count(70)
    await expect(rows.nth(50)).to_be_focused()
    await expect(tab.button("Show more")).to_have_count(0)


# ── while one looks ──


async def test_news_and_answers_from_elsewhere_come_in_without_moving_anything(
    desk: Desk, tab: Console
):
    (refund,) = await desk.ask("refund 1001")
    await tab.open("/inbox")
    await tab.tab_to(tab.card(REFUND))
    await desk.ask("which", LCA)
    await expect(tab.card(WHICH)).to_be_visible()
    await expect(tab.card(REFUND)).to_be_focused()
    await desk.answer(refund, approved=False, user_message="no")
    await expect(tab.receipt(REFUND)).to_contain_text("rejected")
    await lists(tab, WHICH)
    await tab.hears(f"Needs your answer: {WHICH}")
    await tab.hears(f"{REFUND} rejected")
    await tab.page.reload()
    settled = tab.page.get_by_role("region", name="Decided today")
    await expect(settled).to_contain_text(f"{REFUND} rejected: no")


async def test_news_leave_those_who_give_a_reason_where_they_are(desk: Desk, tab: Console):
    await desk.ask("refund 1001")
    await tab.open("/inbox")
    await tab.press("Reject…", tab.card(REFUND))
    await expect(
        tab.card(REFUND).get_by_role("textbox", name="Reason for rejecting")
    ).to_be_focused()
    await tab.page.keyboard.type("It came whole")
    await tab.tab_to(tab.button("Reject", tab.card(REFUND)))
    await desk.ask("which", LCA)
    await expect(tab.card(WHICH)).to_be_visible()
    await expect(tab.button("Reject", tab.card(REFUND))).to_be_focused()


async def test_an_answer_that_does_not_arrive_is_told_and_nothing_is_lost(desk: Desk, tab: Console):
    (refund,) = await desk.ask("refund 1001")
    await tab.open("/inbox")
    await tab.page.route("**/response", lambda route: route.abort())
    await tab.press("Approve", tab.card(REFUND))
    await expect(tab.card(REFUND)).to_contain_text("Not sent. The server could not be reached.")
    await tab.hears("Not sent. The server could not be reached.", urgency="assertive")
    await tab.page.unroute("**/response")
    await tab.press("Approve", tab.card(REFUND))
    await expect(tab.receipt(REFUND)).to_contain_text("approved by you")
    assert (await desk.card(refund))["status"] == "completed"


# ── how it looks ──


async def test_every_state_is_well_in_every_look(browser: Browser, desk: Desk, tab: Console):
    await looks_well(browser, desk, "/inbox", "inbox-empty", "Nothing waits for you.")
    await desk.ask("refund 1001")
    await desk.ask("exchanges", LCA)
    await desk.ask("which", LCA)
    await desk.ask("label 1 gift")
    await desk.ask("label 2 gift")
    await desk.ask("offer Spring")
    (done,) = await desk.ask("refund 900")
    await desk.answer(done, approved=True)
    await looks_well(browser, desk, "/inbox", "inbox-full", "Choose all 2", "Decided today")
    await looks_well(browser, desk, "/inbox?q=nothing", "inbox-nothing", "Show everything")

    asked = asyncio.Event()
    go_on = asyncio.Event()

    async def slowly(route: Route) -> None:
        asked.set()
        await go_on.wait()
        await route.abort()

    inbox = re.compile(r"/api/interactions\?order=")
    async with console(browser, desk.url) as other:
        await other.page.route(inbox, slowly)
        await other.open("/inbox")
        await asked.wait()
        await looks(other, "inbox-loading")
        go_on.set()
        await other.main.get_by_text("The server could not be reached.").wait_for()
        await looks(other, "inbox-failed")
        await other.page.unroute(inbox)
        await other.press("Try again")
        await other.press("Reject…", other.card(REFUND))
        for title in (TABLE, WHICH):
            await other.press("Open", other.card(title))
        await looks(other, "inbox-open")


async def test_targets_on_a_phone_are_big_enough(browser: Browser, desk: Desk):
    await desk.ask("refund 1001")
    async with console(browser, desk.url, width=320) as tab:
        await tab.open("/inbox")
        for name in ("Approve", "Reject…", "Details"):
            assert await height(tab.button(name, tab.card(REFUND))) >= 44, name


async def height(target: Locator) -> float:
    box = await target.bounding_box()
    assert box is not None
    return float(box["height"])
