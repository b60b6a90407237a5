"""What is on the page stays where it is while an agent works: every story of the demo, with its
panel."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from playwright.async_api import Browser, Route, expect

from tests.browser.console import Console, console
from tests.browser.server_process import ServerProcess, running

#: Nobody presses or types here, so no shift is excused by it.
WATCH = """
window.shifts = [];
const note = (entries) => shifts.push(...entries.map(({ value, sources }) => [
  value, sources.map(({ node }) => node?.className ?? node?.nodeName)]));
window.watcher = new PerformanceObserver((list) => note(list.getEntries()));
watcher.observe({ type: "layout-shift", buffered: true });
window.shiftsSoFar = () => new Promise((tell) => requestAnimationFrame(() => requestAnimationFrame(
  () => (note(watcher.takeRecords()), tell(shifts)))));
"""
MOST = 0.02
#: How much of the page moved how far, and what did.
Shifts = list[tuple[float, list[str]]]


async def test_nothing_moves_in_any_story_of_the_demo(browser: Browser, tmp_path: Path) -> None:
    async with running(tmp_path) as server:
        (agent,) = (await server.get("/api/agents"))["agents"]
        for words in agent["starters"]:
            async with console(browser, server.url) as tab:
                await tab.page.add_init_script(WATCH)
                await slow_down(tab)
                shifts = await shifts_of(tab, server, words)
                assert sum(value for value, _ in shifts) < MOST, (words, shifts)


async def test_nothing_moves_on_a_phone_whose_parts_come_late(
    browser: Browser, tmp_path: Path
) -> None:
    async with running(tmp_path) as server:
        (agent,) = (await server.get("/api/agents"))["agents"]
        for words in agent["starters"]:
            async with console(browser, server.url) as tab:
                await tab.page.set_viewport_size({"width": 390, "height": 844})
                await tab.page.add_init_script(WATCH)
                shifts = await shifts_when_late(tab, server, words)
                assert sum(value for value, _ in shifts) < MOST, (words, shifts)


async def shifts_when_late(tab: Console, server: ServerProcess, words: str) -> Shifts:
    """The code of open cards comes when all that the agent says stands there already."""
    there = asyncio.Event()

    async def late(route: Route) -> None:
        await there.wait()
        await route.continue_()

    await tab.page.route("**/assets/OpenCard-*.js", late)
    await told(tab, server, words)
    there.set()
    await expect(tab.page.locator(".sy-skeleton")).to_have_count(0)
    found: Shifts = await tab.page.evaluate("shiftsSoFar()")
    return found


async def slow_down(tab: Console) -> None:
    """What a quick machine draws in two pictures a slow one draws in one, as one larger shift."""
    devtools = await tab.page.context.new_cdp_session(tab.page)
    await devtools.send("Emulation.setCPUThrottlingRate", {"rate": 8})


async def shifts_of(tab: Console, server: ServerProcess, words: str) -> Shifts:
    await told(tab, server, words)
    found: Shifts = await tab.page.evaluate("shiftsSoFar()")
    return found


async def told(tab: Console, server: ServerProcess, words: str) -> None:
    """Say this in a new chat, and wait until the agent has come to its end or waits."""
    chat = (await server.post("/api/chats", {}))["id"]
    await tab.open(f"/chats/{chat}")
    await tab.composer.wait_for()
    message = {"content": words, "client_message_id": "1"}
    await server.post(f"/api/chats/{chat}/messages", message)

    await expect(tab.state).to_contain_text(re.compile("Waits for you|Done"))
    await expect(tab.page.locator(".working")).to_have_count(0)
