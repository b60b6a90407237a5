"""A chat of ten thousand messages opens like one of a page, and is read upwards without a jump."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from playwright.async_api import Browser, Route, expect

from tests.browser.console import Console, console
from tests.browser.past import past
from tests.browser.server_process import ServerProcess, running
from tests.browser.waiting import until

LONG = 10_000
#: A page and a little, so that there is something above it as well.
SHORT = 60
PAGE = 50
#: What stands under the eye may not move further than a hair.
HAIR_PIXELS = 2

# Watches one entry, picture by picture: how far it ever was from where it stood.
WATCH = """
(name) => {
  const log = document.querySelector('[role=log]');
  const entry = [...log.querySelectorAll('.entry')].find((e) => e.textContent.includes(name));
  const top = () => entry.getBoundingClientRect().top - log.getBoundingClientRect().top;
  if (window.watched) watched.isOver = true;
  const mine = (window.watched = { from: top(), furthest: 0, isOver: false });
  mine.apart = () => Math.abs(top() - mine.from);
  // After a picture is drawn, since that is what is seen: the page may put right what came before.
  const look = () => {
    mine.furthest = Math.max(mine.furthest, mine.apart());
    if (!mine.isOver) requestAnimationFrame(() => setTimeout(look));
  };
  requestAnimationFrame(() => setTimeout(look));
}
"""
# What stands in the middle of the conversation, by its own words.
UNDER_THE_EYE = """
() => {
  const { left, top, width, height } = document.querySelector('[role=log]').getBoundingClientRect();
  for (let y = top + height / 2; y < top + height; y += 5) {
    const entry = document.elementFromPoint(left + width / 2, y)?.closest('.entry');
    if (entry) return entry.textContent.match(/No\\. \\d+\\./)[0];
  }
}
"""
PICTURES = """
(n) => new Promise((done) => {
  (function next() { n-- ? requestAnimationFrame(next) : done(); })();
})
"""


@dataclass
class Server:
    process: ServerProcess
    long: str
    short: str
    page: str


def words(n: int) -> str:
    """Of many heights, and each with its number."""
    if n % 2 == 0:
        return f"No. {n}. What about it?"
    body = " ".join(f"sentence {k} of this answer." for k in range(n * 7 % 60))
    table = "\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |" if n % 11 == 0 else ""
    code = "\n\n```\n" + "line\n" * (n % 9) + "```" if n % 13 == 0 else ""
    return f"No. {n}. {body}{table}{code}"


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    data: Path = tmp_path_factory.mktemp("long")
    async with past(data) as before:
        page = await before.chat("A page", *map(words, range(LONG - PAGE, LONG)))
        short = await before.chat("A short one", *map(words, range(LONG - SHORT, LONG)))
        long = await before.chat("A long one", *map(words, range(LONG)))
    async with running(data) as process:
        yield Server(process, long, short, page)


@pytest.fixture
async def tab(browser: Browser, server: Server) -> AsyncIterator[Console]:
    async with console(browser, server.process.url) as tab:
        yield tab


@dataclass
class Opening:
    """What it cost to open a chat, up to its last words on the screen."""

    requests: list[str]
    nodes: int
    heard: int


async def opening(browser: Browser, server: Server, chat: str) -> Opening:
    async with console(browser, server.process.url) as tab:
        requests: list[str] = []
        heard = 0

        def hear(payload: str | bytes) -> None:
            nonlocal heard
            heard += len(payload)

        def connected(socket: object) -> None:
            requests.append("a socket")
            socket.on("framereceived", hear)  # type: ignore[attr-defined]

        tab.page.on("request", lambda request: requests.append(request.url.rpartition("/")[2]))
        tab.page.on("websocket", connected)
        await tab.open(f"/chats/{chat}")
        await expect(tab.log.locator(".entry").last).to_be_in_viewport()
        await expect(tab.log).to_contain_text(f"No. {LONG - 1}.")
        await tab.page.wait_for_load_state("networkidle")
        nodes: int = await tab.main.evaluate("main => main.querySelectorAll('*').length")
        named = [name.replace(chat, "the chat") for name in requests]
        return Opening(sorted(named), nodes, heard)


async def test_ten_thousand_messages_open_like_a_page_of_them(
    browser: Browser, server: Server
) -> None:
    long, short, page = [
        await opening(browser, server, chat) for chat in (server.long, server.short, server.page)
    ]
    assert long.requests == short.requests == page.requests
    assert long.nodes == short.nodes
    assert 0 < long.nodes - page.nodes <= 3, "the way up to earlier messages, and nothing else"
    assert long.heard < short.heard * 1.05


async def test_it_opens_at_its_end_and_stays_there(tab: Console, server: Server) -> None:
    await tab.open(f"/chats/{server.long}")
    await expect(tab.log.locator(".entry")).to_have_count(PAGE)
    await until(partial(is_at_the_end, tab))
    await tab.page.evaluate(PICTURES, 5)
    assert await is_at_the_end(tab)


@pytest.mark.parametrize("width", [1280, 320])
async def test_what_is_read_does_not_move_when_earlier_messages_come(
    browser: Browser, server: Server, width: int
) -> None:
    async with console(browser, server.process.url, width=width) as tab:
        asked, may_come = asyncio.Event(), asyncio.Event()

        async def later(route: Route) -> None:
            """Not before somebody watches."""
            asked.set()
            await may_come.wait()
            may_come.clear()
            await route.continue_()

        await tab.page.route("**/api/chats/*?before=*", later)
        await tab.open(f"/chats/{server.long}")
        entries = tab.log.locator(".entry")
        await expect(entries).to_have_count(PAGE)
        box = await tab.log.bounding_box()
        assert box is not None
        await tab.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        for page in range(2, 8):
            while not asked.is_set():
                await wheel_up(tab)
                await watch(tab)
                await tab.page.evaluate(PICTURES, 3)
                assert await tab.page.evaluate("watched.furthest") < HAIR_PIXELS
            asked.clear()
            await watch(tab)
            may_come.set()
            await expect(entries).to_have_count(page * PAGE)
            # Until all that has come is laid out, and what is out of sight is skipped.
            await tab.page.evaluate(PICTURES, 12)
            assert await tab.page.evaluate("watched.furthest") < HAIR_PIXELS
        assert await tab.sideways_pixels() == 0


async def test_what_is_read_does_not_move_when_something_above_gets_its_height_late(
    tab: Console, server: Server
) -> None:
    await tab.open(f"/chats/{server.long}")
    entries = tab.log.locator(".entry")
    await expect(entries).to_have_count(PAGE)
    await tab.log.evaluate("log => log.scrollTop -= 1500")
    await tab.page.evaluate(PICTURES, 3)
    await watch(tab)
    for pixels in (300, 40, 900):
        await entries.first.evaluate("(entry, px) => (entry.style.minHeight = `${px}px`)", pixels)
        await tab.page.evaluate(PICTURES, 2)
        assert await tab.page.evaluate("watched.apart()") < HAIR_PIXELS


async def test_the_keyboard_reaches_what_is_above(tab: Console, server: Server) -> None:
    await tab.open(f"/chats/{server.short}")
    entries = tab.log.locator(".entry")
    await expect(entries).to_have_count(PAGE)
    await tab.tab_to(tab.log)
    # Going up to the button is going up: what is above comes by itself.
    await tab.page.keyboard.press("Tab")
    await expect(entries).to_have_count(SHORT)
    # All is here, and the button has gone: whoever stood at it is still in the conversation.
    await expect(tab.log).to_be_focused()
    await tab.hears("Earlier messages are shown")
    await expect(entries.first).to_contain_text(f"No. {LONG - SHORT}.")
    await tab.page.keyboard.press("Home")
    await expect(entries.first).to_be_in_viewport()


async def test_what_is_loaded_and_out_of_sight_is_there_for_all(
    tab: Console, server: Server
) -> None:
    await tab.open(f"/chats/{server.long}")
    entries = tab.log.locator(".entry")
    await expect(entries).to_have_count(PAGE)
    first = f"No. {LONG - 4 * PAGE}."
    while not await tab.log.get_by_text(first).count():
        loaded = await entries.count()
        await tab.press("Show earlier messages")
        await expect(entries).not_to_have_count(loaded)
    await tab.press("Jump to the latest")
    rest = tab.log.locator(".log-part[data-rests]")
    await expect(rest.nth(2)).to_be_attached()
    # Assistive technology reads it,
    assert first in await tab.log.aria_snapshot()
    # the page's own search finds it,
    assert await tab.page.evaluate("words => find(words, true, true)", first)
    await tab.page.evaluate("getSelection().anchorNode.parentElement.scrollIntoView()")
    await tab.page.evaluate(PICTURES, 5)
    await expect(entries.filter(has_text=first)).to_be_in_viewport()
    # and what is written in it can be read out whole.
    assert first in await tab.log.inner_text()


async def watch(tab: Console) -> None:
    await tab.page.evaluate(WATCH, await tab.page.evaluate(UNDER_THE_EYE))


async def wheel_up(tab: Console) -> None:
    """A wheel's turn up, and the pictures until it has come to rest."""
    before = await tab.log.evaluate("log => log.scrollTop")
    await tab.page.mouse.wheel(0, -700)
    await tab.page.wait_for_function(
        "before => document.querySelector('[role=log]').scrollTop !== before", arg=before
    )
    await tab.page.evaluate(PICTURES, 3)


async def is_at_the_end(tab: Console) -> bool:
    pixels: float = await tab.log.evaluate(
        "log => log.scrollHeight - log.scrollTop - log.clientHeight"
    )
    return pixels < HAIR_PIXELS
