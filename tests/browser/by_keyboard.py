"""What a person does who has a keyboard and no mouse, and what they hear of it.

No focus is set from outside: each press starts where the one before has left the focus.
"""

from __future__ import annotations

from functools import partial

from playwright.async_api import Locator, expect

from tests.browser.console import Console
from tests.browser.hosting import Guest
from tests.browser.waiting import until_it_is

HERE = "here"
#: Where the focus is, so that a failure tells who has it instead.
_WHERE = f"""element => {{
    const focused = element.getRootNode().activeElement;
    return focused === element ? '{HERE}' : (focused?.outerHTML ?? 'nowhere').slice(0, 300);
}}"""


async def typed(tab: Console, words: str) -> None:
    await expect(tab.composer).to_be_visible()
    await tab.may_send()
    await tab.tab_to(tab.composer)
    await tab.page.keyboard.type(words)
    await tab.page.keyboard.press("Enter")
    await expect(tab.log).to_contain_text(words)


async def asked(tab: Console, words: str, title: str) -> Locator:
    """Says it, and stands at the card that came of it: by the shortcut, from the composer. An
    element has no shortcut; there one is still in the composer, and Tab leads to the card."""
    await typed(tab, words)
    card = tab.card(title)
    await expect(card).to_have_attribute("data-waits", "")
    await heard(tab, f"Needs your answer: {title}")
    await expect(tab.composer).to_be_focused()
    if not isinstance(tab, Guest):
        await tab.page.keyboard.press("Alt+Shift+J")
        await expect(card).to_be_focused()
    return card


async def press(tab: Console, target: Locator, *, back: bool = False) -> None:
    """From wherever the focus is now; forward it comes round to what lies before it as well."""
    await expect(target).to_be_visible()
    await tab.tab_to(target, key="Shift+Tab" if back else "Tab")
    await tab.page.keyboard.press("Enter")


async def pick(tab: Console, radios: Locator, wanted: Locator) -> None:
    """Tab enters a set of radios at its checked one, else at its first; arrows go on from there."""
    for _ in range(60):
        if await radios.evaluate_all("all => all.includes(all[0].getRootNode().activeElement)"):
            break
        await tab.page.keyboard.press("Tab")
    else:
        raise AssertionError("No Tab leads there")
    await tab.page.keyboard.press("Space")
    for _ in range(await radios.count()):
        if await wanted.is_checked():
            break
        await tab.page.keyboard.press("ArrowRight")
    await expect(wanted).to_be_checked()
    await expect(wanted).to_be_focused()


async def retyped(tab: Console, field: Locator, words: str) -> None:
    """Other words in place of what stands in the field that has the focus."""
    await expect(field).to_be_focused()
    await tab.page.keyboard.press("ControlOrMeta+a")
    await tab.page.keyboard.press("Delete")
    await tab.page.keyboard.type(words)


async def settled(tab: Console, title: str, words: str) -> None:
    """The receipt says so, and the focus is on it or has been led on: never on the page."""
    await expect(tab.receipt(title)).to_contain_text(words)
    await until_it_is(HERE, partial(tab.receipt(title).locator("summary").evaluate, _WHERE))


async def heard(tab: Console, *lines: str, urgency: str = "polite") -> None:
    for line in lines:
        await tab.page.wait_for_function(
            "line => said.some(([how, words]) => how === line[0] && words === line[1])",
            arg=[urgency, line],
        )
