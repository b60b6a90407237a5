"""One interaction by its link, on a phone: answered by keyboard, and every other end explained."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from tests.browser.console import Console, console
from tests.browser.desk import LCA, REFUND, WHICH, Desk, desk_at, looks, looks_well
from tests.browser.waiting import until, until_it_is


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with desk_at(tmp_path) as desk:
        yield desk


@pytest.fixture
async def phone(browser: Browser, desk: Desk) -> AsyncIterator[Console]:
    async with console(browser, desk.url, width=320, height=640) as tab:
        yield tab


async def test_a_cold_link_is_answered_by_keyboard_and_says_what_happens_next(
    desk: Desk, phone: Console
):
    (card,) = await desk.ask("refund 1001")
    await desk.ask("which", LCA)
    await phone.open(f"/i/{card['interaction_id']}")
    approve = phone.button("Approve", phone.card(REFUND))
    for name in ("Approve", "Reject…"):
        box = await phone.button(name, phone.card(REFUND)).bounding_box()
        assert box is not None
        assert box["height"] >= 48, name
    await phone.tab_to(approve)
    await phone.page.keyboard.press("Enter")

    await expect(phone.main.get_by_role("heading", name="Thank you")).to_be_visible()
    await expect(phone.receipt(REFUND).locator("summary")).to_be_focused()
    goes_on = "The agent continues with your answer now."
    await expect(phone.main.get_by_text(goes_on)).to_be_visible()
    end = f"{REFUND} approved. {goes_on} You can close this page."
    await until_it_is([("polite", end)], phone.said)
    await looks(phone, "one-answered")
    assert (await desk.card(card))["status"] == "completed"

    following = phone.page.get_by_role("link", name=f"Next: {WHICH}")
    await phone.tab_to(following)
    await phone.page.keyboard.press("Enter")
    await expect(phone.main.get_by_role("heading", name="Your decision is needed")).to_be_focused()
    await expect(phone.card(WHICH)).to_be_visible()


async def test_who_comes_late_is_told_what_happened_instead(
    browser: Browser, desk: Desk, phone: Console
):
    (done,) = await desk.ask("refund 1001")
    await desk.answer(done, approved=False, user_message="wrong order")
    (gone,) = await desk.ask("soon")

    async def is_over() -> bool:
        return bool((await desk.card(gone))["status"] == "expired")

    await until(is_over)
    await phone.open(f"/i/{done['interaction_id']}")
    await expect(phone.main.get_by_role("heading", name="Already answered")).to_be_visible()
    await expect(phone.main).to_contain_text("You answered this")
    await phone.open(f"/i/{gone['interaction_id']}")
    await expect(
        phone.main.get_by_role("heading", name="The time to answer is over")
    ).to_be_visible()
    await expect(phone.main).to_contain_text("and counts as rejected")
    await looks(phone, "one-expired")
    await phone.open("/i/nothing")
    await expect(phone.main.get_by_role("heading", name="There is nothing here")).to_be_visible()
    await expect(phone.main).to_contain_text("it belongs to another account")
    await looks(phone, "one-missing")
    await phone.page.get_by_role("link", name="Go to your inbox").click()
    await expect(phone.main.get_by_role("heading", name="Inbox")).to_be_focused()

    (card,) = await desk.ask("offer Spring")
    title = "Send “Spring” to 214 customers"
    await looks_well(browser, desk, f"/i/{card['interaction_id']}", "one", title)


async def test_a_yes_is_taken_back_before_it_runs_and_evidence_is_seen(
    browser: Browser, desk: Desk, phone: Console
):
    (card,) = await desk.ask("letter")
    letter = "Send the letter to Ada"
    await phone.open(f"/i/{card['interaction_id']}")
    picture = phone.card(letter).get_by_role("img", name="A red stamp")
    await expect(picture).to_be_visible()
    assert await picture.evaluate("image => image.decode().then(() => image.naturalWidth)") == 5
    async with phone.page.expect_download() as saving:
        await phone.button("letter.pdf", phone.card(letter)).click()
    assert (await saving.value).suggested_filename == "letter.pdf"
    link = phone.card(letter).get_by_role("link", name="https://post.example/letters/7")
    await expect(link).to_have_attribute("rel", "noopener noreferrer")
    await looks(phone, "one-evidence")

    await phone.tab_to(phone.button("Approve", phone.card(letter)))
    await phone.page.keyboard.press("Enter")
    await expect(phone.button("Undo")).to_be_visible()
    await expect(phone.main).to_contain_text(re.compile(r"runs in \d+ min"))
    news = f"{letter} runs in a moment, unless you undo it"
    await phone.hears(news)
    await looks(phone, "one-held")
    async with console(browser, desk.url) as desktop:
        # Another tab, and a reload of it: it is held still, and nothing counts it as waiting.
        await desktop.open(f"/chats/{card['chat_id']}")
        await expect(desktop.button("Undo", desktop.card(letter))).to_be_visible()
        await expect(desktop.page).to_have_title("letter · Sayso")
        await expect(desktop.state).to_contain_text("Approved, not begun")
        await expect(desktop.log.get_by_text("approved, not begun")).to_be_visible()
        await desktop.picture("chat-held")
        await desktop.open("/inbox")
        await desktop.tab_to(desktop.button("Undo", desktop.card(letter)))
        await desktop.picture("inbox-held")
        await desktop.page.keyboard.press("Enter")
        await expect(
            desktop.main.get_by_text("did not run: The yes was taken back")
        ).to_be_visible()
        await expect(phone.main.get_by_text("Nothing has run: it asks again.")).to_be_visible()
        await phone.tab_to(phone.page.get_by_role("link", name=f"Next: {letter}"))
        await phone.page.keyboard.press("Enter")
        await expect(phone.card(letter)).to_contain_text("revision 2")
        again = phone.page.url.rpartition("/")[2]
        revised = await desk.card({"interaction_id": again})
        # What was approved and held is one decision, with how it ended.
        await desktop.open("/history")
        became = desktop.page.locator(".history-entry > summary")
        not_run = f"^✕ *{letter} approved by you.*did not run: The yes was taken back"
        await expect(became).to_have_text(re.compile(not_run))
        await desktop.open(f"/chats/{card['chat_id']}")
        await expect(desktop.button("Approve", desktop.cards)).to_be_visible()
        await desk.answer(revised, approved=True, digest=revised["payload"]["sayso"]["digest"])
        await desktop.hears(news)
    held: list[Any] = []

    async def is_held() -> bool:
        path = f"/api/interactions?status=pending&chat={card['chat_id']}"
        held[:] = (await desk.server.get(path))["interactions"]
        return [it["card"] for it in held] == ["hold"]

    await until(is_held)
    await desk.answer(held[0], approved=True)

    async def has_run() -> bool:
        return bool((await desk.card(revised))["outcome"]["state"] == "ran")

    await until(has_run)
    assert (await desk.card(card))["outcome"]["state"] == "not_run"


async def test_it_is_answered_elsewhere_while_one_reads(desk: Desk, phone: Console):
    (card,) = await desk.ask("refund 1001")
    await phone.open(f"/i/{card['interaction_id']}")
    await phone.tab_to(phone.button("Approve", phone.card(REFUND)))
    await desk.answer(card, approved=False, user_message="no")
    await expect(phone.receipt(REFUND).locator("summary")).to_be_focused()
    await until_it_is([("polite", f"{REFUND} rejected")], phone.said)


async def test_what_is_for_others_is_read_and_not_answered(browser: Browser, tmp_path: Path):
    tokens = [
        {"secret": f"secret-of-{name}-0123456789", "person": name, "role": "responder"}
        for name in ("ben", "mara")
    ]
    async with (
        desk_at(tmp_path / "tokens", SAYSO_TOKENS=json.dumps(tokens)) as desk,
        console(browser, desk.url, width=320) as tab,
    ):
        card = await _asked_as(tab, "ben")
        await tab.open(f"/i/{card}")
        await expect(tab.main).to_contain_text("This is for mara to answer. You can read it.")
        title = "Send “Spring” to 214 customers"
        await expect(tab.button("Approve", tab.card(title))).to_be_disabled()
        await looks(tab, "one-for-others")
        await _sign_in(tab, "mara")
        await tab.page.reload()
        await expect(tab.button("Approve", tab.card(title))).to_be_enabled()
        await expect(tab.main).not_to_contain_text("You can read it.")


async def _sign_in(tab: Console, name: str) -> None:
    body = {"token": f"secret-of-{name}-0123456789"}
    answer = await tab.page.request.post(f"{tab.url}/api/session", data=body)
    assert answer.ok, await answer.text()


async def _asked_as(tab: Console, name: str) -> str:
    """An offer, which mara has to answer; its interaction."""
    await _sign_in(tab, name)
    made = await tab.page.request.post(f"{tab.url}/api/chats", data={"agent": "Support agent"})
    chat = (await made.json())["id"]
    message = {"content": "offer Spring", "client_message_id": "m1"}
    await tab.page.request.post(f"{tab.url}/api/chats/{chat}/messages", data=message)
    found: list[str] = []

    async def there() -> bool:
        answer = await tab.page.request.get(f"{tab.url}/api/interactions?chat={chat}")
        found[:] = [it["interaction_id"] for it in (await answer.json())["interactions"]]
        return bool(found)

    await until(there)
    return found[0]
