"""While a card waits its decision is in reach: in view and uncovered from the first paint, however
low the window and long the card; and words beside it never decide or drop anything unseen."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, expect

from tests.browser.console import Console, console
from tests.browser.desk import Desk
from tests.browser.hosting import Guest, hosted
from tests.browser.server_process import running

REFUND = "Refund €42.00 for order 1001"
#: Whether a press in the middle of the element, and near its corners, would reach it.
IS_HIT = """(button) => {
  const { left, right, top, bottom, width, height } = button.getBoundingClientRect();
  const root = button.getRootNode();
  const reaches = (x, y) => button.contains(root.elementFromPoint(x, y));
  return {
    isWhole: top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth,
    isReached: reaches((left + right) / 2, (top + bottom) / 2)
      && reaches(left + 6, top + 6) && reaches(right - 6, bottom - 6),
    isLarge: width >= 44 && height >= 44,
  };
}"""


async def in_reach(button: Locator) -> bool:
    return all((await button.evaluate(IS_HIT)).values())


@pytest.mark.parametrize(("width", "height"), [(320, 480), (390, 844), (1280, 800), (844, 390)])
async def test_the_decision_is_in_reach_in_every_window(
    browser: Browser, tmp_path: Path, width: int, height: int
) -> None:
    async with (
        running(tmp_path) as server,
        console(browser, server.url, width=width, height=height) as tab,
    ):
        chat = await tab.begin("refund orders 1001, 1002 and 1003")
        await expect(tab.cards).to_have_count(3)
        for _ in range(2):
            card = tab.card(REFUND)
            for name in ("Approve", "Reject…"):
                await expect(tab.button(name, card)).to_be_visible()
                assert await in_reach(tab.button(name, card)), name
            await tab.open(f"/chats/{chat}")
            await expect(tab.cards).to_have_count(3)
        # The counter leads from one to the next, and each of them is in reach there.
        for title in (REFUND, "Refund €18.00 for order 1002"):
            await tab.press("3 waiting")
            await expect(tab.card(title)).to_be_focused()
            assert await in_reach(tab.button("Approve", tab.card(title))), title


async def test_it_is_in_reach_in_a_small_box_on_somebody_elses_page(
    browser: Browser, tmp_path: Path
) -> None:
    async with hosted(tmp_path) as site, console(browser, site.server.url) as tab:
        guest = Guest(tab, site.host, site.server, style="width: 400px; height: 500px")
        await guest.begin("refund order 1001")
        await expect(guest.cards).to_have_count(1)
        for name in ("Approve", "Reject…"):
            button = guest.page.get_by_role("button", name=f"{name}: {REFUND}")
            await expect(button).to_be_visible()
            assert await in_reach(button), name


async def test_it_is_in_reach_below_the_longest_card(browser: Browser, tmp_path: Path) -> None:
    async with hosted(tmp_path, "serve", "tests.browser.desk_agent:app") as site:
        (card,) = await Desk(site.server).ask("publish Returns")
        path, title = f"/chats/{card['chat_id']}", card["title"]
        for width, height in ((320, 480), (390, 844), (1280, 800)):
            async with console(browser, site.server.url, width=width, height=height) as tab:
                await tab.open(path)
                await is_in_reach_below(tab.card(title), title, at_least=2 * height)
        async with console(browser, site.server.url) as tab:
            guest = Guest(tab, site.host, site.server, style="width: 400px; height: 500px")
            await guest.open(path)
            await is_in_reach_below(guest.card(title), title, at_least=1000)


async def is_in_reach_below(card: Locator, title: str, *, at_least: int) -> None:
    for name in ("Approve", "Reject…"):
        button = card.get_by_role("button", name=f"{name}: {title}")
        await expect(button).to_be_visible()
        assert await in_reach(button), name
    box = await card.bounding_box()
    assert box is not None
    assert box["height"] >= at_least, "it is no long card"


async def test_a_typed_yes_offers_the_decision_and_never_makes_it(
    browser: Browser, tmp_path: Path
) -> None:
    async with running(tmp_path) as server, console(browser, server.url) as tab:
        await tab.begin("refund order 1001")
        await expect(tab.card(REFUND)).to_be_visible()
        await tab.say("Yes!")
        offer = tab.button(f"Approve “{REFUND}”?")
        await expect(offer).to_be_focused()
        await expect(tab.cards).to_have_count(1)
        assert await said_by_me(tab) == ["refund order 1001"]

        await tab.composer.fill("no")
        await expect(offer).to_have_count(0)
        await tab.composer.press("Enter")
        await tab.press(f"Reject “{REFUND}”?")
        why = tab.card(REFUND).get_by_role("textbox", name="Reason for rejecting")
        await expect(why).to_be_focused()
        await tab.press("Back", tab.card(REFUND))

        await tab.say("yes please")
        await offer.click()
        await expect(tab.receipt(REFUND)).to_contain_text("approved by you")
        await expect(tab.composer).to_have_value("")
        assert await said_by_me(tab) == ["refund order 1001"]


async def test_other_words_say_that_a_decision_waits(browser: Browser, tmp_path: Path) -> None:
    async with running(tmp_path) as server, console(browser, server.url) as tab:
        await tab.begin("refund order 1001")
        await expect(tab.card(REFUND)).to_be_visible()
        await expect(tab.composer).to_have_attribute("placeholder", "Write instead…")
        await tab.composer.fill("yes, but only half of it")
        choice = tab.page.get_by_role("group", name=f"“{REFUND}” waits for your decision above.")
        await expect(choice.get_by_role("radio", name="after this")).to_be_checked()

        # What waits for its turn is not out of one's hands.
        await tab.composer.press("Enter")
        await tab.composer.fill("and hurry")
        await tab.press("Edit", tab.log)
        await expect(tab.composer).to_have_value("yes, but only half of it\nand hurry")
        await expect(tab.log).to_contain_text("Withdrawn before the agent read it")
        await tab.composer.fill("only the parcel")
        await tab.composer.press("Enter")
        await tab.press("Withdraw", tab.log)
        await expect(tab.log.get_by_text("Withdrawn before the agent read it")).to_have_count(2)
        await expect(tab.card(REFUND)).to_be_visible()


async def test_stopping_asks_first_where_decisions_would_be_dropped(
    browser: Browser, tmp_path: Path
) -> None:
    async with running(tmp_path) as server, console(browser, server.url) as tab:
        await tab.begin("refund orders 1001, 1002 and 1003")
        await expect(tab.cards).to_have_count(3)
        await tab.press("Stop")
        question = tab.page.get_by_role("dialog", name="Stop and drop 3 open decisions?")
        await expect(question.get_by_role("listitem")).to_have_count(3)
        await expect(question).to_contain_text(REFUND)
        await tab.press("Keep waiting", question)
        await expect(tab.cards).to_have_count(3)

        await tab.press("Stop")
        await tab.press("Stop", question)
        await expect(tab.cards).to_have_count(0)
        await expect(tab.state).to_contain_text("Stopped")
        progress = tab.page.get_by_role("region", name="Progress", exact=True)
        await expect(progress).to_contain_text("stopped here")
        await expect(progress.locator("[aria-current]")).to_have_count(0)


async def said_by_me(tab: Console) -> list[str]:
    return await tab.log.locator(".said-by-you p").all_inner_texts()
