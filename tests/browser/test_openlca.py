"""'Fabrication of reinforced concrete', from a goal to a product system, in the console: each card
refused with a suggestion, revised and approved, and one exchange left out alone."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

import pytest
from playwright.async_api import Browser, Locator, expect

from tests.browser.console import Console, console
from tests.browser.reach import DARK, LIGHT, look_at
from tests.browser.server_process import ServerProcess, running

EXAMPLE = "model the fabrication of reinforced concrete"
PRODUCT = "Output product flow: Reinforced concrete"
PROCESS = "Process: Fabrication of reinforced concrete (unit_process)"
PROVIDER = "Which process provides Concrete?"
EXCHANGES = "Add 3 exchanges to process 'Fabrication of reinforced concrete'"
SYSTEM = "Product system from process 'Fabrication of reinforced concrete'"
HEADS = ["Flow Name", "Amount", "Type", "Quantitative Reference", "Default Provider"]


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ServerProcess]:
    data = tmp_path_factory.mktemp("openlca")
    async with running(data, "serve", "sayso.packs.openlca:app") as server:
        yield server


@dataclass(frozen=True)
class Words:
    """What the page says in a language."""

    approve: str = "Approve"
    approve_all: str = r"^Approve all \d+ rows"
    yes: str = "^Yes, approve"
    reject: str = "Reject"
    reject_all: str = "Reject all"
    reason: str = "Reason for rejecting"
    suggest: str = "Suggest alternatives"
    send: str = "Send answer"
    last: str = "Your last answer"


CHINESE = Words(
    approve="批准",
    approve_all=r"^批准全部 \d+ 行",
    yes="^是的，批准",
    reject="拒绝",
    reject_all="全部拒绝",
    reason="为什么不同意？",
    suggest="希望怎么做？",
    send="发送答复",
    last="你上次的回答",
)


class Mouse:
    def __init__(self, tab: Console, words: Words) -> None:
        self.tab, self.words = tab, words

    async def press(self, target: Locator) -> None:
        await target.click()

    async def write(self, target: Locator, words: str) -> None:
        await target.fill(words)

    async def choose(self, options: Locator, number: int) -> None:
        """Choose one of a group of radio buttons."""
        await options.nth(number).check()

    async def waiting(self, title: str) -> Locator:
        card = self.tab.card(title).and_(self.tab.page.locator("[data-waits]"))
        await expect(card).to_be_visible()
        return card

    async def press_named(self, name: str | re.Pattern[str], card: Locator) -> None:
        named = name if isinstance(name, re.Pattern) else re.compile(rf"^{name}( ?:|$)")
        button = card.get_by_role("button", name=named)
        await expect(button).to_be_visible()
        await self.press(button)

    async def refuse(self, card: Locator, reject: str, reason: str, suggestion: str) -> None:
        await self.press_named(f"{reject}…", card)
        await self.write(card.get_by_role("textbox", name=self.words.reason), reason)
        await self.write(card.get_by_role("textbox", name=self.words.suggest), suggestion)
        await self.press_named(reject, card)


class Keyboard(Mouse):
    async def press(self, target: Locator) -> None:
        await self.tab.tab_to(target, presses=200)
        await self.tab.page.keyboard.press("Enter")

    async def write(self, target: Locator, words: str) -> None:
        await self.tab.tab_to(target, presses=200)
        await self.tab.page.keyboard.type(words)

    async def choose(self, options: Locator, number: int) -> None:
        await self.tab.tab_to(options.first, presses=200)
        await self.tab.page.keyboard.press("Space")
        for _ in range(number):
            await self.tab.page.keyboard.press("ArrowRight")


#: Looks at the card of exchanges.
Look = Callable[[Locator], Awaitable[None]]


async def from_a_goal_to_a_product_system(
    hand: Mouse, renamed: str, no_to_the_product: tuple[str, str], looks: Look
) -> Locator:
    """Answer each card; returns that of the product system, revised and not yet approved."""
    tab, words = hand.tab, hand.words
    card = await hand.waiting(PRODUCT)
    await expect(card).to_contain_text("demo (synthetic demo data)")
    await hand.refuse(card, words.reject, *no_to_the_product)
    await hand.press_named(words.approve, await hand.waiting(renamed))

    card = await hand.waiting(PROCESS)
    await expect(card).to_contain_text("The location 'Europe' is stored as RER.")
    await hand.refuse(card, words.reject, "It stands in Sweden", "Move it to Sweden")
    card = await hand.waiting(PROCESS)
    await expect(card).to_contain_text("Sweden")
    await hand.press_named(words.approve, card)

    card = await with_a_provider(hand, "first")
    await expect(card).to_contain_text("Concrete production (RER)")
    await hand.refuse(card, words.reject_all, "It needs more", "Use 12 kg Concrete")
    card = await with_a_provider(hand, "as last time")
    # On a phone each cell has its head beside it.
    await expect(card.locator("thead th")).to_contain_text(HEADS)
    await looks(card)
    rows = card.locator("tbody tr:not(.sy-row-more)")
    for at, choice in enumerate((0, 1, 0)):
        await hand.choose(rows.nth(at).locator("[data-choice] input"), choice)
    await hand.press_named(re.compile(r"2 \S+ 3"), card)
    await expect(tab.log).to_contain_text("Left out, as you said: Steel rebar.")

    card = await hand.waiting(SYSTEM)
    await expect(card).to_contain_text("PREFER_DEFAULTS")
    await expect(card).to_contain_text("default provider")
    await hand.refuse(card, words.reject_all, "Not by defaults", "Ignore the default providers")
    card = await hand.waiting(SYSTEM)
    await expect(card).to_contain_text("IGNORE_DEFAULTS")
    return card


async def with_a_provider(hand: Mouse, which: Literal["first", "as last time"]) -> Locator:
    """Choose the provider; returns the card of the exchanges, which comes after it."""
    card = await hand.waiting(PROVIDER)
    if which == "first":
        await hand.choose(card.get_by_role("radio"), 0)
    else:
        last = card.get_by_role("radio", name=hand.words.last)
        await expect(last).to_be_checked()
    await hand.press_named(hand.words.send, card)
    return await hand.waiting(EXCHANGES)


async def test_each_card_is_refused_revised_and_approved(
    browser: Browser, server: ServerProcess
) -> None:
    async with console(browser, server.url) as tab:
        hand = Mouse(tab, Words())
        await tab.begin(EXAMPLE)

        async def looks(card: Locator) -> None:
            for look in (DARK, LIGHT):
                await look_at(tab.page, look)
                await tab.picture(f"openlca-exchanges-{look.name}")
                assert await tab.violations(only_colours=look is DARK) == [], look
                assert await tab.sideways_pixels() <= 0, look

        refusal = ("Change the flow property from Mass to Volume", "Use Volume instead of Mass")
        card = await from_a_goal_to_a_product_system(hand, PRODUCT, refusal, looks)
        await tab.picture("openlca-system")
        assert await tab.violations() == []
        await hand.press_named(re.compile(hand.words.approve_all), card)
        await hand.press_named(re.compile(hand.words.yes), card)
        await expect(tab.log).to_contain_text("Done: the product system")
        await expect(tab.log).to_contain_text("93a60a56-a3c8-22da-a746-0800200c9a66")


async def test_by_keyboard_on_a_phone_in_chinese(browser: Browser, server: ServerProcess) -> None:
    async with console(browser, server.url, width=320, locale="zh-CN") as tab:
        hand = Keyboard(tab, CHINESE)
        await tab.open()
        await tab.page.get_by_role("textbox", name="消息").fill(EXAMPLE)
        await tab.page.keyboard.press("Enter")

        async def looks(card: Locator) -> None:
            await tab.picture("openlca-exchanges-zh")
            assert await tab.violations() == []
            assert await tab.sideways_pixels() <= 0

        renamed = "Output product flow: Ferroconcrete"
        refusal = ("Too long", "Call it 'Ferroconcrete'")
        card = await from_a_goal_to_a_product_system(hand, renamed, refusal, looks)
        await expect(tab.log).to_contain_text("12 kg go in and 1 kg come out")
        await hand.press_named(re.compile(hand.words.approve_all), card)
        await hand.press_named(re.compile(hand.words.yes), card)
        await expect(tab.log).to_contain_text("Done: the product system")
