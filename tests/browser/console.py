"""The console as a person meets it: by role and name, and with all it says aloud written down."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

from playwright.async_api import Browser, Locator, Page, expect

from tests.browser import accessibility
from tests.browser.waiting import PATIENCE_SECONDS, until_it_is

PATIENCE_MILLISECONDS = PATIENCE_SECONDS * 1000
expect.set_options(timeout=PATIENCE_MILLISECONDS)

# What is announced goes away after a while, so it is written down where it comes in. And the page
# does not say which connection it has; its sockets do.
_LISTEN = """
window.said = [];
new MutationObserver((changes) => {
  for (const { target, addedNodes } of changes) {
    const [, urgency] = /^announce-(.*)/.exec(target.id ?? '') ?? [];
    if (urgency) for (const node of addedNodes) said.push([urgency, node.textContent]);
  }
}).observe(document, { childList: true, subtree: true });
window.sockets = [];
window.WebSocket = class extends WebSocket {
  constructor(...of) { super(...of); sockets.push(this); }
};
"""
#: Grey lines, and words that are not yet read as Markdown.
_ON_ITS_WAY = "main :is(.skeleton, .sy-skeleton, .sy-md > p.sy-text)"
_CHANGING = [
    (re.compile(r'\n *- button "Jump to the latest"'), ""),
    (re.compile(r"\d{1,2}:\d{2}(:\d{2})?(\s?[AP]M)?"), "<time>"),
    (re.compile(r"/api/chats/[^/]+/"), "/api/chats/<chat>/"),
    (re.compile(r"· (\d+ ms|[\d.]+ s|\d+ min)\b"), "· <took>"),
]


class Console:
    """One tab."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.complaints: list[str] = []
        page.set_default_timeout(PATIENCE_MILLISECONDS)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    # ── going places ──

    async def open(self, path: str = "/") -> None:
        await self.page.goto(self.url + path)

    async def begin(self, words: str) -> str:
        """A new chat that begins with these words; its id."""
        await self.open()
        await self.say(words)
        await self.page.wait_for_url(re.compile("/chats/"))
        return self.chat_id

    @property
    def chat_id(self) -> str:
        return self.page.url.rpartition("/")[2]

    # ── what is there ──

    @property
    def main(self) -> Locator:
        return self.page.get_by_role("main")

    @property
    def log(self) -> Locator:
        return self.page.get_by_role("log")

    @property
    def composer(self) -> Locator:
        return self.page.get_by_role("textbox", name="Message", exact=True)

    @property
    def banner(self) -> Locator:
        return self.page.get_by_role("region", name="Connection")

    @property
    def cards(self) -> Locator:
        """The ones that wait."""
        return self.page.locator("[data-waits] article")

    def card(self, title: str) -> Locator:
        """A card, or its receipt."""
        group = self.page.get_by_role("group", name=title, exact=True)
        return self.page.locator(".card-slot").and_(group)

    def receipt(self, title: str) -> Locator:
        return self.card(title).locator('article[data-state="settled"]')

    @property
    def state(self) -> Locator:
        """Which agent it is, and how its run stands."""
        return self.main.locator(".top p")

    async def tree(self) -> str:
        """What assistive technology finds in the page, once all parts of it have come, without the
        hours of the day, and without the two buttons that are there only while the log is scrolled
        up."""
        await expect(self.page.locator(_ON_ITS_WAY)).to_have_count(0)
        tree = await self.main.aria_snapshot()
        for pattern, name in _CHANGING:
            tree = pattern.sub(name, tree)
        return tree

    async def said(self) -> list[tuple[str, str]]:
        """Every announcement since the page was loaded, as (urgency, words)."""
        found: list[list[str]] = await self.page.evaluate("said")
        return [(urgency, words) for urgency, words in found]

    async def hears(self, words: str, *, times: int = 1, urgency: str = "polite") -> None:
        """It is announced, so often: the page says a thing after it has drawn it."""

        async def announced() -> int:
            return (await self.said()).count((urgency, words))

        await until_it_is(times, announced)

    async def looks_like(self, tree: str) -> None:
        await until_it_is(tree, self.tree)

    async def focus_is_in(self, place: Locator) -> bool:
        inside: bool = await place.evaluate(
            "element => element.contains(element.getRootNode().activeElement)"
        )
        return inside

    # ── what a person does ──

    async def say(self, words: str) -> None:
        await self.may_send()
        await self.composer.fill(words)
        await self.composer.press("Enter")

    async def may_send(self) -> None:
        """The page knows that the message before has arrived: it sends one at a time, and the
        server may show a message before it has answered who sent it."""
        await expect(self.page.locator(".composer button[aria-disabled=true]")).to_have_count(0)

    async def press(self, name: str, within: Locator | None = None) -> None:
        await self.button(name, within).click()

    def button(self, name: str, within: Locator | None = None) -> Locator:
        """By its words; those of a card go on with the card's title."""
        words = re.compile(rf"^{re.escape(name)}( ?:|$)")
        return (within or self.main).get_by_role("button", name=words)

    async def comes_online(self) -> None:
        """Try again now, as when a device is back in the net, rather than after the next pause."""
        await self.page.evaluate("dispatchEvent(new Event('online'))")

    async def connections(self) -> int:
        """How many this page has ever opened."""
        count: int = await self.page.evaluate("sockets.length")
        return count

    async def until_connected(self, *, after: int = 0) -> None:
        """On a connection that is newer than the first so many."""
        await self.page.wait_for_function(
            "after => sockets.length > after && sockets.at(-1).readyState === 1", arg=after
        )

    async def tab_to(self, target: Locator, *, key: str = "Tab", presses: int = 60) -> None:
        """By keyboard only, as far as it is."""
        for _ in range(presses):
            if await target.evaluate("element => element === element.getRootNode().activeElement"):
                return
            await self.page.keyboard.press(key)
        raise AssertionError(f"{presses} presses of {key} do not lead to {target}")

    # ── what must always hold ──

    async def violations(self, *, only_colours: bool = False) -> list[Any]:
        return await accessibility.violations(self.page, only_colours=only_colours)

    async def sideways_pixels(self) -> int:
        """How far the page, or the conversation in it, scrolls sideways."""
        found: int = await self.page.evaluate(
            """() => Math.max(...['html', 'main', '[role=log]', 'aside', '.page'].flatMap(
            (part) => [...document.querySelectorAll(part)])
            .map(e => e.scrollWidth - e.clientWidth))"""
        )
        return found

    async def picture(self, name: str) -> None:
        await accessibility.picture(self.page, name)


@asynccontextmanager
async def console(
    browser: Browser,
    url: str,
    *,
    width: int = 1280,
    height: int = 800,
    scheme: Literal["light", "dark"] = "light",
    locale: str = "en-GB",
    forced_colors: Literal["active", "none"] = "none",
    touch: bool = False,
) -> AsyncIterator[Console]:
    """A tab of a browser of its own, as another person or device would have it."""
    context = await browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        reduced_motion="reduce",
        locale=locale,
        forced_colors=forced_colors,
        has_touch=touch,
        timezone_id="UTC",
    )
    await context.add_init_script(_LISTEN)
    try:
        tab = Console(await context.new_page(), url)
        yield tab
        assert tab.complaints == [], tab.complaints
    finally:
        await context.close()


async def another_tab(tab: Console) -> Console:
    """A tab of the same browser: it shares what the first one keeps."""
    return Console(await tab.page.context.new_page(), tab.url)
