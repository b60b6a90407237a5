"""Any file of a part of the page may fail to come, and the part comes all the same once it can:
by itself or by "Try again", without a reload, in the console and on somebody else's page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, Route, expect

from tests.browser.console import Console, console
from tests.browser.desk import looks
from tests.browser.hosting import Guest, Site, hosted, page_with
from tests.browser.server_process import ServerProcess, running
from tests.browser.waiting import until

LOST = "This part of the page could not be loaded."
REFUND = "Refund €42.00 for order 1001"
#: Of the view itself, of what only it and others like it import, of its styles.
HISTORY = ("History-*.js", "Search-*.js", "Failed-*.js", "History-*.css", "*")
#: A file that is a part of its own can be asked for under another name.
ALONE = ("elements-*.js", "blocks-*.js")
ELEMENTS = (
    *ALONE,
    "conversation-*.js",
    "rolldown-runtime-*.js",
    "OpenCard-*.js",
    "inputs-*.js",
)
#: A page that comes back by nothing but what a person presses.
NO_SECOND_TRY = """
const wait = setTimeout;
window.setTimeout = (then, ms, ...rest) => wait(then, ms >= 1000 ? 1e9 : ms, ...rest);
"""


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ServerProcess]:
    async with running(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture(scope="module")
async def site(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    async with hosted(tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture
async def tab(browser: Browser, server: ServerProcess) -> AsyncIterator[Console]:
    async with console(browser, server.url) as tab:
        yield tab


class Hole:
    """Swallows every request for a file, whatever is asked of it, until it is closed."""

    def __init__(self, page: Page, files: str) -> None:
        self._page, self._files = page, f"{files}*"
        self.swallowed: list[str] = []

    async def open(self) -> None:
        await self._page.route(self._files, self._swallow)

    async def close(self) -> None:
        assert self.swallowed != [], f"Nobody asked for {self._files}"
        await self._page.unroute(self._files)

    def was_only_looked_for(self) -> bool:
        """Never imported, which many browsers remember: Chromium did until 150 at least."""
        return set(self.swallowed) <= {"fetch", "stylesheet"}

    async def has_swallowed(self) -> bool:
        return self.swallowed != []

    async def _swallow(self, route: Route) -> None:
        self.swallowed.append(route.request.resource_type)
        await route.abort()


async def hole(page: Page, files: str) -> Hole:
    it = Hole(page, files)
    await it.open()
    return it


async def stays(page: Page) -> None:
    """Marks the page, so that a reload would show."""
    await page.evaluate("window.stayed = true")


async def stayed(page: Page) -> bool:
    it_did: bool = await page.evaluate("window.stayed === true")
    return it_did


async def goes_to_history(tab: Console, files: str) -> Hole:
    await tab.open()
    await tab.composer.fill("not sent yet")
    await stays(tab.page)
    lost = await hole(tab.page, f"**/assets/{files}")
    await tab.page.get_by_role("link", name="History").click()
    await expect(tab.page.get_by_role("heading", name=LOST)).to_be_visible()
    # Of all files, some belong to parts that are one file, which the page fetches beforehand.
    assert files == "*" or lost.was_only_looked_for()
    return lost


async def history_is_whole(tab: Console) -> None:
    await expect(tab.page.get_by_role("heading", name="History")).to_be_visible()
    # Drawn by Search, with the view's own styles.
    box = tab.main.get_by_role("searchbox", name="Search")
    await expect(box).to_be_visible()
    styled = "[...document.styleSheets].filter(({ href }) => href?.includes('/History-')).length"
    assert await tab.page.evaluate(styled) == 1
    assert await stayed(tab.page)
    await tab.page.get_by_role("link", name="New chat").click()
    await expect(tab.composer).to_have_value("not sent yet")


@pytest.mark.parametrize("files", HISTORY)
async def test_a_view_comes_by_itself_whichever_of_its_files_was_lost(
    tab: Console, files: str
) -> None:
    lost = await goes_to_history(tab, files)
    await lost.close()
    await history_is_whole(tab)


@pytest.mark.parametrize("files", HISTORY)
async def test_a_view_comes_when_it_is_tried_again(tab: Console, files: str) -> None:
    await tab.page.add_init_script(NO_SECOND_TRY)
    lost = await goes_to_history(tab, files)
    await lost.close()
    await tab.press("Try again")
    await history_is_whole(tab)


async def test_a_view_comes_when_the_server_is_there_again(
    browser: Browser, tmp_path: Path
) -> None:
    async with running(tmp_path) as server, console(browser, server.url) as tab:
        await tab.open()
        await tab.composer.fill("not sent yet")
        await stays(tab.page)
        await server.kill()
        await tab.page.get_by_role("link", name="History").click()
        await expect(tab.page.get_by_role("heading", name=LOST)).to_be_visible()
        await looks(tab, "lost-part")
        await server.start()
        await history_is_whole(tab)
        await tab.page.get_by_role("link", name="History").click()
        await expect(tab.main.get_by_role("searchbox", name="Search")).to_be_visible()
        await looks(tab, "lost-part-is-back")


async def test_a_view_that_other_parts_import_comes_under_its_own_name(tab: Console) -> None:
    """What a chat knows of its actions imports the chat's own file."""
    lost = await hole(tab.page, "**/assets/ChatPage-*.js")
    await tab.open()
    await tab.say("refund order 1001")
    await expect(tab.page.get_by_role("button", name="Try again")).to_be_visible()
    await lost.close()
    await expect(tab.card(REFUND)).to_be_visible()
    # Under another name it would be a second file to whatever imports it.
    renamed = (
        "performance.getEntriesByType('resource').filter(e => e.name.includes('?again')).length"
    )
    assert await tab.page.evaluate(renamed) == 0


@pytest.mark.parametrize("files", ELEMENTS)
async def test_a_chat_on_a_page_of_others_comes_whichever_of_its_files_was_lost(
    browser: Browser, site: Site, files: str
) -> None:
    async with console(browser, site.server.url) as tab:
        lost = await hole(tab.page, f"**/elements/{files}")
        guest = Guest(tab, site.host, site.server)
        await guest.open()
        await stays(tab.page)
        if files in ("OpenCard-*.js", "inputs-*.js"):
            await guest.say("refund order 1001")
            await expect(guest.page.get_by_text("could not be loaded").first).to_be_visible()
        await until(lost.has_swallowed)
        assert files in ALONE or lost.was_only_looked_for()
        await lost.close()
        if await guest.card(REFUND).count() == 0:
            await guest.say("refund order 1001")
        await guest.press("Approve", guest.card(REFUND))
        await expect(guest.receipt(REFUND)).to_be_visible()
        assert await stayed(tab.page)


async def test_an_inbox_on_a_page_of_others_comes(browser: Browser, site: Site) -> None:
    async with console(browser, site.server.url) as tab:
        lost = await hole(tab.page, "**/elements/items-*.js")
        await tab.page.goto(page_with(site.host, site.server, "sayso-inbox"))
        await stays(tab.page)
        await expect(tab.page.get_by_role("button", name="Try again")).to_be_visible()
        await lost.close()
        await expect(tab.page.get_by_role("button", name="Try again")).to_have_count(0)
        assert await stayed(tab.page)


@pytest.mark.parametrize("files", ["zh-Hans-*.js", "renderMessage-*.js"])
async def test_a_language_comes_late_rather_than_never(
    browser: Browser, server: ServerProcess, files: str
) -> None:
    async with console(browser, server.url, locale="zh-CN") as tab:
        lost = await hole(tab.page, f"**/assets/{files}")
        await tab.open()
        await expect(tab.composer).to_be_visible()
        await lost.close()
        await expect(tab.page.get_by_role("textbox", name="消息")).to_be_visible()
        await expect(tab.page.locator("html")).to_have_attribute("lang", "zh-Hans")
