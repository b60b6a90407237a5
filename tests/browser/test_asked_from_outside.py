"""What is asked from outside looks and answers like any card: phone, inbox, chat, history."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from tests.browser.console import console
from tests.browser.desk import Desk, desk_at, looks, looks_well

DEPLOY = "Deploy 4.2 to production?"
BACKUP = "The backup is done"
ASK = {
    "kind": "approve",
    "title": DEPLOY,
    "tool_name": "deploy",
    "arguments": {"version": "4.2", "note": "the usual"},
    "digest_over": ["version"],
    "asker": {"client": "ci", "session": "build-7", "folder": "/src", "host": "runner-1"},
}


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with desk_at(tmp_path) as desk:
        yield desk


async def asked(desk: Desk, **more: object) -> Any:
    return await desk.server.post("/api/asks", {**ASK, **more})


async def test_it_is_answered_on_a_phone_and_told_in_the_history(browser: Browser, desk: Desk):
    ask = await asked(desk)
    async with console(browser, desk.url, width=320, height=640) as phone:
        await phone.open(f"/i/{ask['interaction_id']}")
        card = phone.card(DEPLOY)
        await expect(card.get_by_text("It says it is ci")).to_be_visible()
        await expect(card.get_by_text("Not part of what you approve")).to_be_visible()
        await looks(phone, "ask-open")
        await phone.press("Approve", card)
        receipt = phone.receipt(DEPLOY).locator("summary")
        await expect(receipt).to_contain_text("answered without sign-in")
        await desk.server.post(f"/api/asks/{ask['interaction_id']}/start", {})
        await desk.server.post(f"/api/asks/{ask['interaction_id']}/report", {"state": "done"})
        chat = (await desk.card(ask))["chat_id"]
        await phone.open(f"/chats/{chat}")
        await expect(phone.receipt(DEPLOY).locator("summary")).to_contain_text("done")
        await expect(phone.composer).to_have_count(0)
        await phone.open("/history")
        await expect(phone.main.get_by_text(DEPLOY).first).to_be_visible()


async def test_it_stands_in_the_inbox_and_among_no_conversations(browser: Browser, desk: Desk):
    await asked(
        desk, kind="choose", options=["eu", "us"], title="Where?", arguments={}, digest_over=[]
    )
    await asked(desk)
    async with console(browser, desk.url) as tab:
        await tab.open("/inbox")
        session = tab.main.get_by_role("list", name="Session build-7")
        await expect(session.get_by_role("group")).to_have_count(2)
        row = session.get_by_role("group", name=DEPLOY)
        await expect(row.get_by_text("from outside, says it is ci")).to_be_visible()
        await expect(tab.button("Approve", row)).to_have_count(0)  # something does not bind: look
        await expect(tab.page.get_by_role("navigation").get_by_text(DEPLOY)).to_have_count(0)
    await looks_well(browser, desk, "/inbox", "ask-inbox", DEPLOY)


async def test_a_notice_is_done_when_it_was_shown(browser: Browser, desk: Desk):
    context = {f"file {number}": "written" for number in range(40)}
    notice = {"kind": "notice", "title": BACKUP, "context": context, "arguments": {}}
    ask = await asked(desk, **notice, digest_over=[])
    path = f"/api/asks/{ask['interaction_id']}"
    async with console(browser, desk.url, width=320, height=640) as phone:
        await phone.open("/inbox")
        row = phone.main.get_by_role("group", name=BACKUP)
        await expect(row.get_by_text("File 0", exact=True)).to_be_visible()
        assert (await desk.server.get(path))["state"] == "pending", "its end is not in sight yet"
        await row.get_by_text("File 39", exact=True).scroll_into_view_if_needed()
        receipt = phone.receipt(BACKUP).locator("summary")
        await expect(receipt).to_contain_text("seen by you")
        await expect(row.get_by_text("File 0", exact=True)).to_be_visible()
        assert (await desk.server.get(path))["state"] == "shown"
        await looks(phone, "ask-notice")
        await phone.open("/history")
        session = phone.main.get_by_role("heading", name="Session build-7")
        await expect(session).to_be_visible()
        await looks(phone, "ask-history")
