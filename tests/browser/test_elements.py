"""The elements in a hostile page of another origin: they look and behave as in the console."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import APIResponse, Browser, Locator, Page, Route, expect

from tests.browser.accessibility import picture, violations
from tests.browser.console import console
from tests.browser.hosting import Guest, Site, hosted, page_with
from tests.browser.reach import LOOKS, look_at
from tests.browser.server_process import ServerProcess
from tests.browser.waiting import until, until_it_is
from tests.loopback import client_of

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
async def demo(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    """The demo, for the tests that look at one chat or one card; each has its own."""
    async with hosted(tmp_path_factory.mktemp("demo")) as site:
        yield site


@pytest.fixture(scope="module")
async def gated(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    command = ("serve", "tests.gate_app:confirm")
    async with hosted(tmp_path_factory.mktemp("gate"), *command) as site:
        yield site


async def waiting(server: ServerProcess, words: str = "refund order 1001") -> str:
    """The id of an interaction that waits for a person."""
    chat = (await server.post("/api/chats", {}))["id"]
    message = {"content": words, "client_message_id": "m1"}
    headers = {"Prefer": "wait=30"}
    await server.post(f"/api/chats/{chat}/messages", message, **headers)
    found = await server.get(f"/api/interactions?status=pending&chat={chat}")
    interaction_id: str = found["interactions"][0]["interaction_id"]
    return interaction_id


async def told(page: Page, name: str) -> list[Any]:
    return [detail for event, detail in await page.evaluate("window.told") if event == name]


async def first_told(page: Page, name: str) -> list[Any]:
    """All of this name, once there are any."""
    await page.wait_for_function("name => told.some(([event]) => event === name)", arg=name)
    return await told(page, name)


async def last_told(page: Page, name: str) -> list[Any]:
    return (await told(page, name))[-1:]


async def focus_is_on(page: Page, start: str) -> None:
    """What has the focus begins so: its tag and its text, seen through shadow roots."""
    await page.wait_for_function(
        """start => { let at = document.activeElement;
        while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
        return `${at.tagName} ${at.textContent}`.startsWith(start); }""",
        arg=start,
    )


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=re.compile(rf"^{re.escape(name)}( ?:|$)"))


async def test_a_card_is_answered_in_a_hostile_page(browser: Browser, demo: Site) -> None:
    server, host = demo
    async with console(browser, host) as tab:
        interaction = await waiting(server)
        page = tab.page
        await page.goto(page_with(host, server, "sayso-card", interaction=interaction))
        await expect(page.get_by_role("heading", name="Refund €42.00")).to_be_visible()
        looks = await button(page, "Approve").evaluate(
            """e => { const s = getComputedStyle(e), box = e.getBoundingClientRect();
            return [s.backgroundColor, s.letterSpacing, s.textTransform, box.height >= 44,
                    parseFloat(s.fontSize) >= 15]; }"""
        )
        assert looks == ["rgb(11, 110, 99)", "normal", "none", True, True]
        assert await violations(page, "#place") == []
        await picture(page, "element-card-hostile")

        # Reject asks why, with the focus there; Back gives it back; Esc decides nothing.
        await button(page, "Reject…").focus()
        await page.keyboard.press("Enter")
        await focus_is_on(page, "TEXTAREA")
        await page.keyboard.press("Escape")
        await button(page, "Back").focus()
        await page.keyboard.press("Enter")
        await focus_is_on(page, "BUTTON Reject")

        await button(page, "Approve").focus()
        await page.keyboard.press("Enter")
        receipt = page.locator("article[data-state=settled]")
        await expect(receipt).to_contain_text("Refund €42.00 for order 1001 approved")
        await focus_is_on(page, "SUMMARY")
        [settled] = await first_told(page, "sayso-settled")
        assert (settled["interaction_id"], settled["status"]) == (interaction, "completed")
        assert await violations(page, "#place") == []


async def test_settled_elsewhere_while_the_focus_is_in_it(browser: Browser, demo: Site) -> None:
    server, host = demo
    async with console(browser, host) as tab:
        interaction = await waiting(server, "refund order 1002")
        page = tab.page
        await page.goto(page_with(host, server, "sayso-card", interaction=interaction))
        await button(page, "Reject…").click()
        await focus_is_on(page, "TEXTAREA")
        await page.keyboard.type("not this one")
        found = await server.get(f"/api/interactions/{interaction}")
        digest = found["payload"]["sayso"]["digest"]
        body = {"approved": True, "metadata": {"digest": digest}}
        await server.post(f"/api/interactions/{interaction}/response", body)
        receipt = page.locator("article[data-state=settled]")
        await expect(receipt).to_contain_text("approved")
        await focus_is_on(page, "SUMMARY")


@pytest.mark.parametrize("tag", ["sayso-card", "sayso-inbox"])
async def test_what_was_read_before_an_answer_and_comes_late_undoes_nothing(
    browser: Browser, tmp_path: Path, tag: str
) -> None:
    async with hosted(tmp_path) as (server, host), console(browser, host) as tab:
        interaction = await waiting(server)
        page = tab.page
        await page.goto(page_with(host, server, tag, interaction=interaction))
        await expect(button(page, "Approve")).to_be_visible()
        on_their_way: list[tuple[Route, APIResponse]] = []
        is_slow = asyncio.Event()
        is_slow.set()

        async def slowly(route: Route) -> None:
            if route.request.method != "GET":
                return await route.continue_()
            answer = await route.fetch()
            if is_slow.is_set():
                on_their_way.append((route, answer))
            else:
                await route.fulfill(response=answer)

        async def are_read(times: int) -> bool:
            return len(on_their_way) >= times

        await page.route(re.compile("/api/interactions"), slowly)
        chat = (await server.get(f"/api/interactions/{interaction}"))["chat_id"]
        news = {"content": "hello", "client_message_id": "m2", "mode": "queue"}
        await server.post(f"/api/chats/{chat}/messages", news)
        await until(partial(are_read, 1))
        await button(page, "Approve").click()
        await until(partial(are_read, 2))
        is_slow.clear()
        for route, answer in reversed(on_their_way):
            await route.fulfill(response=answer)
        receipt = page.locator("article[data-state=settled]")
        await expect(receipt).to_contain_text("approved")
        # Whatever was asked for meanwhile has come, too.
        await page.wait_for_load_state("networkidle")
        await expect(receipt).to_contain_text("approved")
        assert len(await told(page, "sayso-settled")) == 1
        await page.unroute_all(behavior="wait")


async def test_the_inbox_shows_all_that_waits(browser: Browser, tmp_path: Path) -> None:
    async with hosted(tmp_path) as (server, host), console(browser, host) as tab:
        first = await waiting(server)
        page = tab.page
        await page.goto(page_with(host, server, "sayso-inbox"))
        cards = page.locator("[data-waits]")
        await expect(cards).to_have_count(1)
        second = await waiting(server, "refund order 1002")
        await expect(cards).to_have_count(2)
        await until_it_is([{"count": 2}], partial(last_told, page, "sayso-waiting"))
        assert await violations(page, "#place") == []
        await button(cards.last.page, "Approve").first.click()
        await expect(cards).to_have_count(1)
        assert {first, second} >= {d["interaction_id"] for d in await told(page, "sayso-settled")}


async def test_a_chat_begins_goes_on_after_a_reload_and_asks(
    browser: Browser, tmp_path: Path
) -> None:
    async with hosted(tmp_path) as (server, host), console(browser, host) as tab:
        page = tab.page
        await page.goto(page_with(host, server, "sayso-chat"))
        composer = page.get_by_role("textbox", name="Message")
        await composer.fill("refund order 1001")
        await composer.press("Enter")
        await expect(page.locator("[data-waits]")).to_be_visible()
        [begun] = await first_told(page, "sayso-chat")
        assert await violations(page, "#place") == []
        await picture(page, "element-chat-hostile")
        # An inbox beside the chat does not draw its card a second time.
        await page.evaluate("document.body.append(document.createElement('sayso-inbox'))")
        await button(page, "Go to it").click()
        await expect(page.locator("sayso-chat [data-waits]")).to_be_focused()
        await expect(page.locator("sayso-inbox article")).to_have_count(0)
        await page.reload()
        await expect(page.locator("[data-waits]")).to_be_visible()
        await server.restart_after_kill()
        await button(page, "Approve").click()
        await expect(page.locator("article[data-state=settled]")).to_be_visible()

        async def is_done() -> bool:
            view = await server.get(f"/api/chats/{begun['chat_id']}")
            return bool(view["run"]["status"] == "completed")

        await until(is_done)


async def test_every_look(browser: Browser, tmp_path: Path) -> None:
    directory = ROOT / "examples/embed"
    async with (
        hosted(tmp_path, directory=directory) as (server, host),
        console(browser, host) as tab,
    ):
        await waiting(server)
        page = tab.page
        for look in LOOKS:
            await look_at(page, look)
            await page.goto(f"{host}/?server={server.url}")
            await expect(page.locator("sayso-inbox [data-waits]")).to_be_visible()
            await expect(page.locator("#count")).to_have_text("(1)")
            await expect(page.locator("link[rel=icon]")).to_have_count(1)
            await picture(page, f"embed-{look.name}", full_page=True)
            wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, look


async def test_a_token_says_who_answers(browser: Browser, tmp_path: Path) -> None:
    tokens = json.dumps(
        [{"person": "ana", "role": "responder", "secret": "open-sesame-open-sesame"}]
    )
    async with (
        hosted(tmp_path, SAYSO_TOKENS=tokens) as (server, host),
        console(browser, host) as tab,
        client_of(
            server.url, headers={"Authorization": "Bearer open-sesame-open-sesame"}
        ) as client,
    ):
        chat = (await client.post("/api/chats", json={})).json()["id"]
        message = {"content": "refund order 1001", "client_message_id": "m1"}
        await client.post(
            f"/api/chats/{chat}/messages", json=message, headers={"Prefer": "wait=30"}
        )
        page = tab.page
        await page.goto(
            page_with(host, server, "sayso-chat", chat=chat, token="open-sesame-open-sesame")
        )
        await button(page, "Approve").click()
        await expect(page.locator("article[data-state=settled]")).to_contain_text("by you")
        history = (await client.get("/api/history")).json()
        assert history["entries"][0]["settled_by"] == "ana"
        await page.goto(page_with(host, server, "sayso-chat", chat=chat))
        await expect(page.locator("#place")).to_contain_text("asks who you are")


async def test_a_card_that_stands_beside_a_chat_stands_in_the_element(
    browser: Browser, tmp_path: Path
) -> None:
    app = ("serve", "tests.browser.plan_agent:app")
    async with hosted(tmp_path, *app) as (server, host), console(browser, host) as tab:
        page = tab.page
        await page.goto(page_with(host, server, "sayso-chat"))
        composer = page.get_by_role("textbox", name="Message")
        await composer.fill("a plan beside the chat, with an artifact")
        await composer.press("Enter")
        waits = page.locator("[data-waits]")
        await expect(waits).to_be_visible()
        await expect(page.get_by_role("button", name="Go there")).to_have_count(0)
        result = page.get_by_role("group", name="Action Plan")
        await expect(result).to_contain_text("Measure · Order · Build")
        panel = page.get_by_role("region", name="Results")
        await expect(panel).to_be_hidden()
        open_it = result.get_by_role("button", name="Open")
        await open_it.press("Enter")
        await expect(panel.get_by_role("heading", name="Action Plan", exact=True)).to_be_focused()
        await page.keyboard.press("Escape")
        await expect(open_it).to_be_focused()
        await expect(panel).to_be_hidden()
        await button(page, "Skip").first.click()
        await expect(waits.filter(has_text="Look at the plan")).to_have_count(0)


async def test_a_result_that_still_loads_is_led_to_once_it_is_there(
    browser: Browser, tmp_path: Path
) -> None:
    app = ("serve", "tests.browser.plan_agent:app")
    async with hosted(tmp_path, *app) as (server, host), console(browser, host) as tab:
        page, may_load = tab.page, asyncio.Event()

        async def later(route: Route) -> None:
            await may_load.wait()
            await route.continue_()

        await page.route("**/ArtifactPanel*", later)
        await page.goto(page_with(host, server, "sayso-chat"))
        composer = page.get_by_role("textbox", name="Message")
        await composer.fill("a plan beside the chat, with an artifact")
        await composer.press("Enter")
        result = page.get_by_role("group", name="Action Plan")
        await result.get_by_role("button", name="Open").press("Enter")
        panel = page.locator("#side")
        await expect(panel).to_be_focused()
        may_load.set()
        await expect(panel.get_by_role("heading", name="Action Plan", exact=True)).to_be_focused()


SAID = "flying to Tokyo for 10 days with my wife"


async def test_what_is_known_stands_beside_an_embedded_chat(browser: Browser, gated: Site) -> None:
    server, host = gated
    async with console(browser, host) as tab:
        guest = Guest(tab, host, server)
        loaded: list[str] = []
        tab.page.on("request", lambda request: loaded.append(request.url))
        await guest.open()
        await expect(guest.composer).to_be_visible()
        assert not any("RequirementsPanel" in url for url in loaded), "Nobody needs it yet"
        await guest.say(SAID)
        panel = tab.page.get_by_role("region", name="Checklist: what is known")
        await expect(panel).to_contain_text("3 of 4 known")
        await expect(panel).to_contain_text("Ready to create the checklist? Add current location")
        assert any(url.startswith(f"{server.url}/elements/RequirementsPanel") for url in loaded)
        await expect(button(tab.page, "What is known")).to_be_hidden()
        assert await guest.violations() == []
        await guest.picture("element-known-1280")

        # A value is given in its row, by keyboard alone, and the focus comes back to the row.
        add = panel.get_by_role("button", name=re.compile("^Add ?: Current location"))
        await guest.tab_to(add)
        await tab.page.keyboard.press("Enter")
        field = panel.get_by_role("textbox", name="Current location")
        await expect(field).to_be_focused()
        await tab.page.keyboard.type("New York")
        await tab.page.keyboard.press("Enter")
        await expect(panel).to_contain_text("Current location: New York")
        await expect(panel.get_by_role("button", name="Edit : Current location")).to_be_focused()
        await expect(panel).to_contain_text("Ready to create the checklist")
        await guest.hears("Known now: Current location: New York")
        await guest.say("create the checklist")
        await expect(tab.page.locator("[data-waits]")).to_contain_text("New York")


async def test_on_a_small_host_the_chat_and_what_is_known_take_turns(
    browser: Browser, gated: Site
) -> None:
    server, host = gated
    async with console(browser, host, width=320) as tab:
        guest = Guest(tab, host, server)
        await guest.begin(SAID)
        panel = tab.page.get_by_role("region", name="Checklist: what is known")
        turn = button(tab.page, "What is known")
        await expect(turn).to_have_attribute("aria-expanded", "false")
        await expect(panel).to_be_hidden()
        await guest.tab_to(turn, key="Shift+Tab")
        await tab.page.keyboard.press("Enter")
        await expect(panel).to_contain_text("Current location: Not specified")
        await expect(guest.composer).to_be_hidden()
        back = button(tab.page, "Back to the chat")
        await expect(back).to_be_focused()
        await expect(back).to_have_attribute("aria-expanded", "true")
        assert await guest.violations() == []
        assert await guest.sideways_pixels() <= 0
        await guest.picture("element-known-320")
        await tab.page.keyboard.press("Enter")
        await expect(guest.composer).to_be_visible()
        await expect(panel).to_be_hidden()


async def test_the_choices_of_a_question_are_pressed_in_an_embedded_chat(
    browser: Browser, tmp_path: Path
) -> None:
    app = ("serve", "tests.browser.choices_app:app")
    async with hosted(tmp_path, *app) as (server, host), console(browser, host) as tab:
        guest = Guest(tab, host, server)
        await guest.begin("plan the walk")
        asked = tab.page.get_by_role("group", name="How fast do you walk?")
        await asked.get_by_role("button", name="steady").click()
        await expect(guest.composer).to_be_focused()
        walk = tab.page.get_by_role("region", name="Walk: what is known")
        await expect(walk).to_contain_text("Pace: steady")
        await expect(asked).to_have_count(0)
