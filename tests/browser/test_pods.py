"""The pods pack in the console, on the sample cluster: its UI, and a deletion that asks."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from playwright.async_api import Browser, Frame, FrameLocator, Locator, Page, expect

from sayso.packs.pods.sample import Sample
from sayso.packs.pods.server import page as page_of
from sayso.packs.pods.server import pods_server
from tests.browser.accessibility import violations
from tests.browser.console import Console, console
from tests.browser.reach import DARK, LIGHT, PHONE, look_at
from tests.browser.server_process import ServerProcess, running
from tests.browser.waiting import until_it_is
from tests.loopback import client_of

HERE = Path(__file__).parent
ASKED = "Show me the pods in my cluster"


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ServerProcess]:
    data = tmp_path_factory.mktemp("pods")
    environment = {"SAYSO_PODS_CLUSTER": "sample"}
    command = ("serve", "sayso.packs.pods:app")
    async with running(data, *command, environment=environment) as server:
        yield server


async def opened(tab: Console, name: str = "pods_list") -> tuple[Locator, FrameLocator]:
    await tab.page.get_by_role("button", name=f"{name} UI", exact=True).last.click()
    dialog = tab.page.get_by_role("dialog", name=f"{name} UI", exact=True)
    await expect(dialog).to_be_visible()
    return dialog, dialog.frame_locator("iframe")


async def inside(dialog: Locator) -> Frame:
    handle = await dialog.locator("iframe").element_handle()
    frame = await handle.content_frame()
    assert frame is not None
    return frame


def said(tab: Console, words: str) -> Locator:
    return tab.log.get_by_role("paragraph").filter(has_text=words)


def rows(ui: FrameLocator) -> Locator:
    return ui.locator("tbody tr:not(.detail)")


async def test_show_me_the_pods_in_my_cluster(browser: Browser, server: ServerProcess) -> None:
    async with console(browser, server.url) as tab:
        # Ask, see the call, and press its label.
        await tab.begin(ASKED)
        await expect(said(tab, "21 pods in 5 namespaces")).to_be_visible()
        dialog, ui = await opened(tab)
        # An interactive table in a frame, and the raw output below it, folded.
        await expect(rows(ui)).to_have_count(21)
        await expect(dialog.get_by_title("pods_list UI")).to_be_visible()
        raw = dialog.locator("iframe ~ details")
        await expect(raw).not_to_have_attribute("open", re.compile(".*"))
        await expect(raw.get_by_text("Show raw output")).to_be_visible()

        # Sorted, filtered and looked into, all of it by keyboard.
        restarts = ui.get_by_role("button", name="Restarts")
        await restarts.press("Enter")
        await expect(ui.get_by_role("columnheader", name="Restarts")).to_have_attribute(
            "aria-sort", "descending"
        )
        await expect(rows(ui).first).to_contain_text("CrashLoopBackOff")
        await expect(restarts).to_be_focused()
        await ui.get_by_role("button", name="Failing 2").press("Space")
        await expect(rows(ui)).to_have_count(2)
        await ui.get_by_role("combobox", name="Namespace").select_option("payments")
        await expect(rows(ui)).to_have_count(1)
        await ui.get_by_role("searchbox", name="Find").fill("node-1")
        await expect(ui.get_by_text("No pod fits.")).to_be_visible()
        await ui.get_by_role("searchbox", name="Find").fill("canary")
        pod = ui.get_by_role("button", name=re.compile("^api-canary"))
        await pod.press("Enter")
        await expect(pod).to_have_attribute("aria-expanded", "true")
        await expect(
            ui.get_by_text('Back-off pulling image "payments/api:7.2-rc1"')
        ).to_be_visible()
        frame = await inside(dialog)
        for look in (LIGHT, PHONE, DARK):
            await look_at(tab.page, look)
            assert await violations(frame, only_colours=look is DARK) == [], look
            sideways = "document.documentElement.scrollWidth - innerWidth"
            assert await frame.evaluate(sideways) <= 0, look
            await tab.picture(f"pods-{look.name}")


async def test_its_stream_carries_the_page_for_clients_that_want_it(server: ServerProcess) -> None:
    async with client_of(server.url) as client:
        chat_id = (await client.post("/api/chats", json={})).json()["id"]
        answer = await client.post(
            f"/api/chats/{chat_id}/messages?ui=inline",
            headers={"Prefer": "stream"},
            json={"content": "Which pods use the most?", "client_message_id": "top"},
        )
    told = [json.loads(line) for line in answer.text.splitlines()]
    data = {line["event"]: line["data"] for line in told}
    assert data["tool_call"]["name"] == "pods_top"
    result, shown = data["tool_result"], data["tool_ui"]
    assert (result["status"], result["truncated"], result["round"]) == ("done", False, 1)
    assert shown["id"] == result["id"] == data["tool_call"]["id"]
    assert (shown["has_ui"], shown["type"], shown["round"]) == (True, "tool_ui", 1)
    assert shown["ui_content"] == page_of("pods_top", "Pods by use")


async def test_a_pod_is_deleted_after_a_yes_and_stays_after_a_no(
    browser: Browser, server: ServerProcess
) -> None:
    async with console(browser, server.url) as tab:
        await tab.begin("delete pod debug-shell")
        card = tab.card("Delete pod debug-shell")
        for shown in ("default", "debug-shell", "node-2", "12d", "gone for good"):
            await expect(card.get_by_text(shown).first).to_be_visible()
        await tab.press("Approve", card)
        await expect(said(tab, "Pod default/debug-shell is deleted.")).to_be_visible()

        await tab.say("delete pod ledger-0")
        card = tab.card("Delete pod ledger-0")
        await tab.press("Reject…", card)
        reason = card.get_by_role("textbox", name="Reason for rejecting")
        await reason.fill("It holds the books.")
        await tab.press("Reject", card)
        await expect(said(tab, "Your reason: It holds the books.")).to_be_visible()

        await tab.say(ASKED)
        await expect(said(tab, "20 pods in 5 namespaces")).to_be_visible()
        _, ui = await opened(tab)
        await expect(rows(ui)).to_have_count(20)
        await expect(ui.get_by_role("button", name="ledger-0")).to_be_visible()
        await expect(ui.get_by_role("button", name="debug-shell")).to_have_count(0)


async def test_its_page_speaks_with_any_host(page: Page) -> None:
    """Refresh, live and a deletion that is refused and then allowed, in Chinese, with a host that
    is a page of plain JavaScript."""
    called: list[str] = []
    refusals = [{"content": [{"type": "text", "text": "rejected: not today"}], "isError": True}]
    async with Client(pods_server(Sample())) as client:

        async def answer_of(name: str, arguments: dict[str, str]) -> Any:
            called.append(f"{name} {arguments['namespace']}")
            if name == "pods_delete" and refusals:
                return refusals.pop()
            result = await client.call_tool(name, arguments)
            return result.model_dump(mode="json", by_alias=True, exclude_none=True)

        async def first_three() -> list[str]:
            return called[:3]

        await page.expose_function("answerOf", answer_of)
        await page.set_content((HERE / "tool_ui/host.html").read_text())
        await page.evaluate(
            """html => {
                window.given = { namespace: 'default' };
                document.querySelector('iframe').srcdoc = html;
            }""",
            page_of("pods_list", "Pods"),
        )
        ui = page.frame_locator("iframe")
        await expect(rows(ui)).to_have_count(2)
        await ui.get_by_role("button", name="刷新").click()
        await ui.get_by_role("checkbox", name="实时，每 5 秒").check()
        await until_it_is(["pods_list default"] * 3, first_three)
        await ui.get_by_role("checkbox").uncheck()

        await ui.get_by_role("button", name="debug-shell", exact=True).click()
        delete = ui.get_by_role("button", name="删除 debug-shell")
        await delete.click()
        await expect(ui.get_by_text("未删除：rejected: not today")).to_be_visible()
        await expect(rows(ui)).to_have_count(2)
        await delete.click()
        await expect(ui.get_by_text("Pod default/debug-shell is deleted.")).to_be_visible()
        await expect(rows(ui)).to_have_count(1)

        await page.evaluate(
            """() => tell({ method: 'ui/notifications/host-context-changed',
                            params: { theme: 'light', locale: 'en' } })"""
        )
        await expect(ui.get_by_role("heading", name="Pods", exact=True)).to_be_visible()
        # What it gets is text, whatever it looks like.
        hostile = "<img src=x onerror=alert(1)>"
        told = {"isError": True, "content": [{"type": "text", "text": hostile}]}
        await page.evaluate(
            "params => tell({ method: 'ui/notifications/tool-result', params })", told
        )
        await expect(ui.get_by_text(hostile)).to_be_visible()
        await expect(ui.locator("img")).to_have_count(0)


async def test_its_ui_refreshes_and_has_a_pod_deleted(
    browser: Browser, server: ServerProcess
) -> None:
    async with console(browser, server.url) as tab:
        await tab.begin(ASKED)
        await expect(said(tab, "pods in 5 namespaces")).to_be_visible()
        dialog, ui = await opened(tab)
        await ui.get_by_role("searchbox", name="Find").fill("web-")
        await expect(rows(ui)).to_have_count(3)
        pod = rows(ui).first.get_by_role("button")
        name = await pod.inner_text()
        await pod.press("Enter")
        await ui.get_by_role("button", name=f"Delete {name}").press("Enter")
        await expect(ui.get_by_text("Asked. Nothing is deleted before")).to_be_visible()
        # The same card as for an agent's call, over the page that asked for it.
        await expect(dialog.get_by_text("then starts another in its place")).to_be_visible()
        await dialog.get_by_role("button", name="Approve").press("Enter")
        # The page hears of it, and asks for the pods anew.
        await expect(ui.get_by_text(f"Pod shop/{name} is deleted.")).to_be_visible()
        await expect(ui.get_by_role("button", name=name, exact=True)).to_have_count(0)
        await expect(rows(ui)).to_have_count(3)
        time = await ui.get_by_text("As of").inner_text()
        # It tells seconds: one that is refreshed within the same looks the same.
        second = "Math.floor(Date.now() / 1000)"
        seen = await tab.page.evaluate(second)
        await tab.page.wait_for_function(f"seen => {second} > seen", arg=seen)
        await ui.get_by_role("button", name="Refresh").press("Enter")
        await expect(ui.get_by_text("As of")).not_to_have_text(time)
