"""A chat for everyone: what is said aloud, where the focus is, and that nothing moves by itself.

The numbers are those of the test list in WCAG terms that the product keeps: 1 a card arrives,
2 a text streams, 3 the live regions, 4 the shortcut, 7 answered elsewhere, 8 a focus that is seen,
19 motion, 24 the connection. Each is looked at in light, in dark and on a phone, in the console and
inside the shadow root of `<sayso-chat>` in a hostile page.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from playwright.async_api import Browser, ElementHandle, expect

from tests.browser.console import Console, another_tab
from tests.browser.hosting import Site, hosted, met, met_everywhere
from tests.browser.reach import DARK, FOCUSED, LIGHT, PHONE, PLACES, ROOTS, Look, Place
from tests.browser.teller_agent import TELLER, let_tell
from tests.browser.waiting import until

ASKED = "refund order 1001"
TITLE = "Refund €42.00 for order 1001"
THREE = "refund orders 1001, 1002 and 1003"
STORY = "tell me a story"
HAIR_PIXELS = 2
NOT_SENT = (
    "Not sent. The server could not be reached. "
    "What you wrote is kept. Try again when you are connected."
)
TOP = """entry => entry.getBoundingClientRect().top
  - entry.closest('[role=log]').getBoundingClientRect().top"""


@pytest.fixture(scope="module")
async def site(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    data: Path = tmp_path_factory.mktemp("reach")
    async with hosted(data) as site:
        yield site


@pytest.fixture(scope="module")
async def teller(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    """It tells a story as far as a test lets it."""
    data = tmp_path_factory.mktemp("teller")
    async with hosted(data, *TELLER, TELLER_MAY=str(data / "may")) as site:
        yield site


#: What is wide is looked at in the dark, too, before it is left.
WIDTHS = [LIGHT, PHONE]


@pytest.fixture(params=WIDTHS, ids=[look.name for look in WIDTHS])
def look(request: pytest.FixtureRequest) -> Look:
    found: Look = request.param
    return found


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> Place:
    found: Place = request.param
    return found


#: What an element leaves to the page around it.
in_the_console = pytest.mark.parametrize("place", ["page"])


@pytest.fixture
async def tab(browser: Browser, site: Site, look: Look, place: Place) -> AsyncIterator[Console]:
    async with tab_at(browser, site, look, place) as tab:
        yield tab


@pytest.fixture
async def listener(
    browser: Browser, teller: Site, look: Look, place: Place
) -> AsyncIterator[Console]:
    async with tab_at(browser, teller, look, place) as tab:
        yield tab


@asynccontextmanager
async def tab_at(browser: Browser, site: Site, look: Look, place: Place) -> AsyncIterator[Console]:
    async with met(browser, site, place, look) as here:
        yield here
        assert await here.sideways_pixels() == 0
        assert await here.violations() == []
        if look is LIGHT:
            await here.page.emulate_media(color_scheme=DARK.scheme)
            assert await here.violations(only_colours=True) == []


async def said(tab: Console, urgency: str) -> list[str]:
    return [words for how, words in await tab.said() if how == urgency]


async def test_1_a_card_arrives_and_takes_nothing_away(
    tab: Console, look: Look, place: str
) -> None:
    await tab.begin("hello")
    await expect_said(tab, "The answer is complete")
    await tab.say(ASKED)
    await tab.composer.press_sequentially("half a thou")
    await expect(tab.cards).to_have_count(1)
    await expect(tab.composer).to_be_focused()
    await expect(tab.composer).to_have_value("half a thou")
    await tab.hears(f"Needs your answer: {TITLE}")
    await tab.picture(f"reach-card-{place}-{look.name}")


async def test_2_a_stream_is_two_announcements_and_nothing_jumps(
    listener: Console, teller: Site
) -> None:
    tab = listener
    await tab.begin("hello")
    await expect_said(tab, "The answer is complete")
    assert await tab.log.get_attribute("aria-live") == "off"
    already = len(await tab.said())
    let_tell(1, teller.server.data)
    await tab.say(STORY)
    # At the end it follows; whoever goes up reads on undisturbed.
    await expect(tab.log.locator("[data-streaming]")).to_be_visible()
    log = await tab.log.element_handle()
    await tab.page.wait_for_function("l => l.scrollHeight > l.clientHeight * 1.5", arg=log)
    await until(partial(is_at_the_end, tab))
    await tab.log.evaluate("log => log.scrollTo(0, 30)")
    mine = tab.log.locator(".said-by-you").last
    await expect(tab.button("Jump to the latest")).to_be_visible()
    before = await mine.evaluate(TOP)
    height = await tab.log.evaluate("log => log.scrollHeight")
    let_tell(2, teller.server.data)
    await tab.page.wait_for_function(
        "([log, height]) => log.scrollHeight > height + 200", arg=[log, height]
    )
    assert abs(await mine.evaluate(TOP) - before) < HAIR_PIXELS
    let_tell(3, teller.server.data)
    await tab.page.wait_for_function(
        "([already]) => said.slice(already).some(([, line]) => line === 'The answer is complete')",
        arg=[already],
    )
    assert abs(await mine.evaluate(TOP) - before) < HAIR_PIXELS

    heard = (await tab.said())[already:]
    assert heard == [("polite", "The agent is answering"), ("polite", "The answer is complete")]


async def test_3_the_live_regions_are_there_before_they_speak(tab: Console) -> None:
    await tab.open()
    for urgency in ("polite", "assertive"):
        region = tab.page.locator(f"#announce-{urgency}")
        await expect(region).to_have_attribute("aria-live", urgency)
        await expect(region).to_be_empty()
    await expect(tab.page.locator("[aria-live]:not([aria-live=off])")).to_have_count(2)
    # What failed interrupts; everything else waits its turn.
    await tab.page.route("**/api/chats", lambda route: route.abort())
    await tab.say("hello")
    await expect_said(tab, NOT_SENT)
    assert NOT_SENT in await said(tab, "assertive")
    assert await said(tab, "polite") == []
    await expect(tab.composer).to_have_value("hello")


@in_the_console
async def test_4_the_shortcut_goes_from_card_to_card_and_can_be_switched_off(
    tab: Console,
) -> None:
    await tab.begin(THREE)
    await expect(tab.cards).to_have_count(3)
    slots = tab.page.locator("[data-waits]")
    for n in (0, 1, 2, 0):
        await tab.page.keyboard.press("Alt+Shift+J")
        await expect(slots.nth(n)).to_be_focused()
    await tab.page.keyboard.press("Escape")
    await expect(tab.cards).to_have_count(3)
    # What waits is counted in the chat's head, and one press away.
    await expect(tab.button("3 waiting")).to_be_visible()

    await set_shortcut(tab, False)
    await tab.composer.focus()
    await tab.page.keyboard.press("Alt+Shift+J")
    await expect(tab.composer).to_be_focused()
    await set_shortcut(tab, True)
    await tab.composer.focus()
    await tab.page.keyboard.press("Alt+Shift+J")
    await expect(slots.first).to_be_focused()


async def test_7_answered_elsewhere_the_focus_goes_to_the_receipt_and_it_is_said(
    tab: Console,
) -> None:
    chat = await tab.begin(ASKED)
    await tab.button("Approve", tab.card(TITLE)).focus()
    other = await another_tab(tab)
    await other.open(f"/chats/{chat}")
    await other.press("Approve", other.card(TITLE))
    await expect(tab.receipt(TITLE)).to_be_visible()
    await until(partial(tab.focus_is_in, tab.receipt(TITLE)))
    await tab.hears(f"{TITLE} approved")
    await other.page.close()


async def test_8_whatever_has_the_focus_is_seen(tab: Console) -> None:
    await tab.begin(THREE)
    await expect(tab.cards).to_have_count(3)
    await tab.log.focus()
    seen = 0
    for _ in range(40):
        await tab.page.keyboard.press("Tab")
        focused = (await tab.page.evaluate_handle(FOCUSED)).as_element()
        if focused is None:
            break
        assert await _is_in_sight(focused), await focused.evaluate("e => e.outerHTML")
        seen += 1
    assert seen > 15


async def test_19_nothing_moves_for_those_who_want_no_motion(
    listener: Console, teller: Site
) -> None:
    tab = listener
    let_tell(1, teller.server.data)
    await tab.begin(STORY)
    await expect(tab.log.locator("[data-streaming]")).to_be_visible()
    moving = (
        f"() => {ROOTS}.flatMap((root) => root.getAnimations())"
        + """
        .filter((a) => a.playState === 'running' && a.effect.getComputedTiming().duration > 1)
        .map((a) => a.animationName ?? a.transitionProperty)"""
    )
    assert await tab.page.evaluate(moving) == []
    smooth = f"() => {ROOTS}.flatMap((root) => [...root.querySelectorAll('*')])" + (
        ".filter((e) => getComputedStyle(e).scrollBehavior === 'smooth').length"
    )
    assert await tab.page.evaluate(smooth) == 0
    # It can be stopped.
    await tab.press("Stop")
    await expect_said(tab, "The run was stopped")
    await expect(tab.composer).to_be_focused()


async def test_24_a_lost_connection_is_said_once_and_its_return_once(
    browser: Browser, tmp_path: Path
) -> None:
    """Everywhere at once, since it takes a server that goes away."""
    async with hosted(tmp_path) as site, met_everywhere(browser, site) as tabs:
        for tab in tabs.values():
            await tab.begin(ASKED)
            await expect(tab.cards).to_have_count(1)
        had = {name: await tab.connections() for name, tab in tabs.items()}
        await site.server.kill()
        for name, tab in tabs.items():
            await expect(tab.banner).to_be_visible()
            await expect(tab.banner).to_contain_text("What you write is kept")
            # Try after try in vain, and not a word about them.
            for tried in range(1, 4):
                await tab.comes_online()
                await tab.page.wait_for_function(
                    "n => sockets.length >= n && sockets.at(-1).readyState === 3",
                    arg=had[name] + tried,
                )
            await expect_said(tab, "Connection lost. Trying again.")
            await tab.picture(f"reach-lost-{name}")
            assert await tab.violations() == []
            await tab.page.emulate_media(color_scheme=DARK.scheme)
            assert await tab.violations(only_colours=True) == []
        await site.server.start()
        for tab in tabs.values():
            await tab.comes_online()
            await expect(tab.banner).to_be_hidden()
            await expect_said(tab, "Connected again")
            heard = [words for _, words in await tab.said()]
            assert heard.count("Connection lost. Trying again.") == 1
            assert heard.count("Connected again") == 1


@in_the_console
async def test_cards_and_results_beside_the_chat_are_reached_on_a_phone(tab: Console) -> None:
    await tab.begin(ASKED)
    await expect(tab.cards).to_have_count(1)
    side = tab.page.get_by_role("complementary")
    button = tab.button("Progress")
    if await button.is_visible():
        await expect(side).to_be_hidden()
        await button.press("Enter")
        # The chat gives way to it; what waits there is still counted.
        await expect(
            tab.main.get_by_role("button", name="Back to the chat 1 waits for an answer")
        ).to_be_visible()
        await tab.picture("reach-side-320")
    await expect(side.get_by_role("heading", name="Progress")).to_be_visible()
    await tab.page.keyboard.press("Alt+Shift+J")
    await expect(tab.page.locator("[data-waits]")).to_be_focused()
    await expect(tab.card(TITLE)).to_be_in_viewport()


async def set_shortcut(tab: Console, on: bool) -> None:
    menu = tab.page.get_by_role("button", name="Menu")
    if await menu.is_visible():
        await menu.click()
    await tab.page.get_by_role("button", name="Keyboard").click()
    dialog = tab.page.get_by_role("dialog")
    await expect(dialog).to_contain_text("Alt Shift J")
    assert await tab.violations() == []
    await dialog.get_by_label("Use shortcuts").set_checked(on)
    await dialog.get_by_role("button", name="Close").click()
    if await menu.is_visible():
        await menu.click()


async def is_at_the_end(tab: Console) -> bool:
    left: float = await tab.log.evaluate(
        "log => log.scrollHeight - log.scrollTop - log.clientHeight"
    )
    return left < HAIR_PIXELS


async def expect_said(tab: Console, words: str) -> None:
    await tab.page.wait_for_function("words => said.some(([, line]) => line === words)", arg=words)


async def _is_in_sight(element: ElementHandle) -> bool:
    """Its middle is on the screen, and nothing else lies over it."""
    seen: bool = await element.evaluate(
        """element => {
        const { left, top, width, height } = element.getBoundingClientRect();
        const whole = document.documentElement.getBoundingClientRect();
        const [upper, lower] = [Math.max(0, whole.top), Math.min(innerHeight, whole.bottom)];
        const y = Math.min(Math.max(top + height / 2, upper + 1), lower - 1);
        const over = element.getRootNode().elementFromPoint(left + width / 2, y);
        const isIn = top < lower && top + height > upper;
        return isIn && over !== null
          && (element.contains(over) || over.contains(element) || over.closest('label') !== null);
        }"""
    )
    return seen
