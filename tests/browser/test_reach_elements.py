"""A card and an inbox for everyone, on the page and inside the shadow root of a hostile one: the
focus, what is said, errors, sizes, and words that are kept. The numbers are those of the test list
in docs/explanation/accessibility.md. One browser each: the looks are emulated, not opened anew.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.async_api import Browser, expect

from tests.browser.console import Console, console
from tests.browser.desk import Desk
from tests.browser.hosting import Guest, hosted, page_with
from tests.browser.reach import (
    CUT,
    DARK,
    LIGHT,
    LOOKS,
    PHONE,
    SIZES,
    SPACE_OUT,
    Look,
    look_at,
    read_at_twice_the_size,
    told_without_colours,
)
from tests.browser.server_process import ServerProcess
from tests.browser.waiting import until, until_it_is

REFUND = "Refund €42.00 to order 1001"
DROP = "Drop the database shop"
WORDS = "the wrong order"
TARGETS = """() => { const small = [];
  const roots = [document, ...[...document.querySelectorAll('*')].flatMap(e => e.shadowRoot ?? [])];
  for (const e of roots.flatMap(root => [...root.querySelectorAll('button, summary, textarea')])) {
    if (!e.checkVisibility()) continue;
    const { width, height } = e.getBoundingClientRect();
    const least = /^(Approve|Reject)/.test(e.textContent) ? 44 : 24;
    const isSmall = width < least - 0.1 || height < least - 0.1;
    if (isSmall) small.push([e.outerHTML.slice(0, 120), height]);
  }
  return small; }"""
NAMES = """() => { const all = [];
  const roots = [document, ...[...document.querySelectorAll('*')].flatMap(e => e.shadowRoot ?? [])];
  for (const e of roots.flatMap(root => [...root.querySelectorAll('[data-waits] button')]))
    if (e.checkVisibility()) all.push([e.textContent.trim(), e.ariaLabel ?? e.textContent.trim()]);
  return all; }"""


class Site(NamedTuple):
    desk: Desk
    host: str


@pytest.fixture(scope="module")
async def site(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    data: Path = tmp_path_factory.mktemp("elements")
    async with hosted(data, "serve", "tests.browser.desk_agent:app") as (server, host):
        yield Site(Desk(server), host)


class Here(Guest):
    """One card or an inbox in the hostile page."""

    def __init__(self, tab: Console, host: str, server: ServerProcess, tag: str, **of: str) -> None:
        super().__init__(tab, host, server)
        self._address = page_with(host, server, tag, **of)

    async def sideways_pixels(self) -> int:
        found: int = await self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        return found


@pytest.fixture(params=["page", "shadow"])
def place(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


async def card_at(tab: Console, site: Site, place: str, interaction: str) -> Console:
    if place == "page":
        await tab.open(f"/i/{interaction}")
        return tab
    here = Here(tab, site.host, site.desk.server, "sayso-card", interaction=interaction)
    await here.open()
    return here


async def well_in_every_look(tab: Console, name: str) -> None:
    for look in LOOKS:
        await look_at(tab.page, look)
        await tab.picture(f"{name}.{look.name}")
        assert await tab.violations(only_colours=look is DARK) == [], (name, look)
        assert await tab.sideways_pixels() <= 0, (name, look)
        assert await tab.page.evaluate(TARGETS) == [], (name, look)


async def test_5_6_9_12_14_a_rejection_leads_the_focus_and_keeps_its_words(
    browser: Browser, site: Site, place: str
) -> None:
    (card,) = await site.desk.ask("refund 1001")
    async with console(browser, site.desk.url) as tab:
        here = await card_at(tab, site, place, card["interaction_id"])
        slot = here.page.locator("[data-waits]")
        await expect(here.button("Approve", slot)).to_be_visible()
        await well_in_every_look(here, f"reach-approval-{place}")

        why = slot.get_by_role("textbox", name="Reason for rejecting")
        await here.tab_to(here.button("Reject…", slot))
        for look in LOOKS:
            await look_at(here.page, look)
            await here.page.keyboard.press("Enter")
            await expect(why).to_be_focused()
            await here.tab_to(here.button("Back", slot))
            await here.page.keyboard.press("Enter")
            await expect(here.button("Reject…", slot)).to_be_focused()
        await here.page.keyboard.press("Enter")
        await here.tab_to(here.button("Reject", slot))
        await here.page.keyboard.press("Enter")
        await expect(why).to_be_focused()
        await expect(why).to_have_attribute("aria-invalid", "true")
        await expect(slot).to_contain_text("Add a reason; the agent will use it.")
        await well_in_every_look(here, f"reach-missing-{place}")

        await here.page.keyboard.type(WORDS)
        await here.page.keyboard.press("Escape")
        for look in LOOKS:
            await look_at(here.page, look)
            await here.page.reload()
            await expect(why).to_have_value(WORDS)
            await expect(why).not_to_be_focused()
        await here.tab_to(why)
        await here.tab_to(here.button("Reject", slot))
        await here.page.keyboard.press("Enter")
        receipt = here.page.locator("article[data-state=settled]")
        await expect(receipt).to_contain_text("rejected")
        await expect(receipt.locator("summary").first).to_be_focused()
        await well_in_every_look(here, f"reach-receipt-{place}")
    assert (await site.desk.card(card))["response"]["user_message"] == WORDS


async def test_7_answered_elsewhere_it_is_said_and_the_focus_stays(
    browser: Browser, site: Site, place: str
) -> None:
    (card,) = await site.desk.ask("refund 1001")
    async with console(browser, site.desk.url) as tab:
        here = await card_at(tab, site, place, card["interaction_id"])
        slot = here.page.locator("[data-waits]")
        await here.tab_to(here.button("Approve", slot))
        await site.desk.answer(card, approved=False, user_message="no")
        receipt = here.page.locator("article[data-state=settled]")
        await expect(receipt).to_contain_text("rejected")
        await expect(receipt.locator("summary").first).to_be_focused()
        await heard(here, f"{REFUND} rejected")


async def test_13_15_what_cannot_be_taken_back_is_shown_once_more_and_time_is_given(
    browser: Browser, site: Site, place: str
) -> None:
    (card,) = await site.desk.ask("drop shop")
    async with console(browser, site.desk.url) as tab:
        here = await card_at(tab, site, place, card["interaction_id"])
        slot = here.page.locator("[data-waits]")
        clock = slot.locator(".sy-time")
        await expect(clock).to_contain_text("Answer by")
        assert await clock.evaluate("e => e.closest('[aria-live], [role=timer]')") is None
        await here.tab_to(here.button("More time", slot))
        for look in LOOKS:
            await look_at(here.page, look)
            before = await clock.locator("time").get_attribute("datetime")
            await here.page.keyboard.press("Enter")
            await expect(clock.locator("time")).not_to_have_attribute("datetime", before or "")
            await expect(here.button("More time", slot)).to_be_focused()

        await here.tab_to(here.button("Approve", slot), key="Shift+Tab")
        for look in LOOKS:
            await look_at(here.page, look)
            await here.page.keyboard.press("Enter")
            await expect(
                slot.get_by_role("heading", name="Confirm: this can’t be undone")
            ).to_be_focused()
            await here.tab_to(here.button("Back", slot))
            await here.page.keyboard.press("Enter")
            await expect(here.button("Approve", slot)).to_be_focused()
        await here.page.keyboard.press("Enter")
        await expect(
            slot.get_by_role("heading", name="Confirm: this can’t be undone")
        ).to_be_focused()
        await well_in_every_look(here, f"reach-review-{place}")
        await here.tab_to(here.button("Back", slot))
        await here.page.keyboard.press("Enter")
        await expect(here.button("Approve", slot)).to_be_focused()
        assert (await site.desk.card(card))["status"] == "pending"
        await here.page.keyboard.press("Enter")
        await here.tab_to(here.button("Yes, approve", slot))
        await here.page.keyboard.press("Enter")
        receipt = here.page.locator("article[data-state=settled]")
        await expect(receipt).to_contain_text("approved")
        await expect(receipt.locator("summary").first).to_be_focused()


async def test_10_only_a_press_that_ends_on_a_button_counts(
    browser: Browser, site: Site, place: str
) -> None:
    (card,) = await site.desk.ask("refund 1001")
    async with console(browser, site.desk.url) as tab:
        here = await card_at(tab, site, place, card["interaction_id"])
        slot = here.page.locator("[data-waits]")
        for look in LOOKS:
            await look_at(here.page, look)
            await here.button("Approve", slot).hover()
            await here.page.mouse.down()
            await here.page.mouse.move(1, 1)
            await here.page.mouse.up()
            await expect(here.button("Approve", slot)).to_be_visible()
            await expect(here.page.locator("[draggable=true]")).to_have_count(0)
            assert (await site.desk.card(card))["status"] == "pending", look
    await site.desk.answer(card, approved=True)


async def test_1_3_4_11_an_inbox_says_what_comes_and_every_button_has_its_own_name(
    browser: Browser, tmp_path: Path
) -> None:
    async with (
        hosted(tmp_path, "serve", "tests.browser.desk_agent:app") as (server, host),
        console(browser, server.url) as tab,
    ):
        desk = Desk(server)
        await desk.ask("refund 1001")
        here = Here(tab, host, server, "sayso-inbox")
        await here.open()
        await here.tab_to(here.page.get_by_role("button", name=f"Reject…: {REFUND}"))
        await here.page.keyboard.press("Enter")
        why = here.page.get_by_role("textbox", name="Reason for rejecting")
        await expect(why).to_be_focused()
        await here.page.keyboard.type("half a thou")
        await desk.ask("drop shop")
        await expect(here.cards).to_have_count(2)
        await heard(here, f"Needs your answer: {DROP}")
        said = await here.said()
        assert said == [("polite", f"Needs your answer: {DROP}")]
        # Nothing was taken away, and neither Escape nor a letter outside a field decides anything.
        await expect(why).to_be_focused()
        await expect(why).to_have_value("half a thou")
        await here.page.keyboard.press("Escape")
        await here.tab_to(here.page.get_by_role("button", name=f"Back: {REFUND}"))
        for look in LOOKS:
            await look_at(here.page, look)
            for key in ("Escape", "y", "n", "a", "r", "j", "Alt+Shift+J"):
                await here.page.keyboard.press(key)
            await expect(here.cards).to_have_count(2)
            seen = await here.page.evaluate(NAMES)
            assert all(name.startswith(words) for words, name in seen), seen
            names = [name for _, name in seen]
            assert len(names) == len(set(names)) > 5
        for urgency in ("polite", "assertive"):
            region = here.page.locator(f"body > #announce-{urgency}")
            await expect(region).to_have_attribute("aria-live", urgency)
        await expect(here.page.locator("[aria-live]:not([aria-live=off])")).to_have_count(2)
        await well_in_every_look(here, "reach-inbox-shadow")


@pytest.mark.parametrize(
    ("where", "look"),
    [
        *(("/chats/{chat_id}", LIGHT), ("/i/{interaction_id}", DARK), ("/inbox", PHONE)),
        *(("sayso-card", LIGHT), ("sayso-inbox", DARK), ("sayso-chat", PHONE)),
    ],
    ids=["chat", "one", "inbox", "sayso-card", "sayso-inbox", "sayso-chat"],
)
async def test_15_two_minutes_before_the_end_it_is_said_once_and_at_once(
    browser: Browser, site: Site, where: str, look: Look
) -> None:
    """Three hours are left; the browser's clock goes on to the last minutes of them."""
    name = where.strip("/").partition("/")[0]
    (card,) = await site.desk.ask(f"drop {name}")
    warning = f"Less than two minutes left to answer: Drop the database {name}"
    async with console(browser, site.desk.url, width=look.width, scheme=look.scheme) as tab:
        await tab.page.clock.install()
        if where.startswith("/"):
            here = tab
            await tab.open(where.format(**card))
        else:
            of = {"interaction": card["interaction_id"], "chat": card["chat_id"]}
            here = Here(tab, site.host, site.desk.server, where, style="height: 90vh", **of)
            await here.open()
        slot = here.card(f"Drop the database {name}")
        await expect(slot).to_be_visible()
        assert [line for _, line in await here.said() if line == warning] == []

        async def until_left(seconds: int) -> None:
            end = datetime.fromisoformat((await site.desk.card(card))["expires_at"])
            now: float = await here.page.evaluate("Date.now()")
            await here.page.clock.fast_forward(int((end.timestamp() - seconds) * 1000 - now))

        await until_left(105)
        await heard(here, warning)
        if where == "/inbox":
            await here.press("Open", slot)
        time = slot.locator(".sy-time")
        await expect(time).to_contain_text("1 min left")
        await until_left(45)
        await expect(time).to_contain_text("less than a minute left")
        assert (await here.said()).count(("assertive", warning)) == 1

        # More time is a press away; the new end has a warning of its own.
        await here.tab_to(here.button("More time", slot))
        await here.page.keyboard.press("Enter")
        await expect(time).to_contain_text("1 h left")
        await until_left(105)

        async def said_again() -> bool:
            return (await here.said()).count(("assertive", warning)) == 2

        await until(said_again)
    await site.desk.answer(card, approved=False, user_message="no")


@pytest.mark.parametrize("tag", ["sayso-card", "sayso-inbox", "sayso-chat"])
async def test_16_17_an_element_bears_forced_colours_and_large_and_spaced_text(
    browser: Browser, site: Site, tag: str
) -> None:
    (card,) = await site.desk.ask("drop shop")
    of = {"interaction": card["interaction_id"], "chat": card["chat_id"]}
    async with console(browser, site.desk.url, forced_colors="active") as tab:
        here = Here(tab, site.host, site.desk.server, tag, style="height: 90vh", **of)
        await here.open()
        approve = here.button("Approve", here.card(DROP).first)
        await expect(approve).to_be_visible()
        for look in LOOKS:
            await look_at(here.page, look)
            await here.picture(f"forced-colours.{tag}.{look.name}")
            assert await told_without_colours(here.page, stops=8) == [], look

        async def nothing_is_lost(width: int) -> None:
            for look in LOOKS:
                await look_at(here.page, look._replace(width=width))
                await expect(approve).to_be_visible()
                await here.picture(f"large.{tag}.{width}.{look.name}")
                assert await here.sideways_pixels() <= 0, (width, look)
                assert await here.page.evaluate(CUT) == [], (width, look)

        await here.page.emulate_media(forced_colors="none")
        await here.page.evaluate(SPACE_OUT)
        await nothing_is_lost(PHONE.width)
        await here.page.reload()
        await expect(approve).to_be_visible()
        sizes = await here.page.evaluate(SIZES, tag)
        await read_at_twice_the_size(here.page)
        await here.page.reload()
        await expect(approve).to_be_visible()
        await until_it_is([2 * size for size in sizes], partial(here.page.evaluate, SIZES, tag))
        await nothing_is_lost(2 * PHONE.width)
    await site.desk.answer(card, approved=False, user_message="no")


async def test_17_a_narrow_element_is_laid_out_as_a_narrow_page(
    browser: Browser, site: Site
) -> None:
    """No rule of the sheet is lost on the way into a shadow root, whatever the page's own root."""
    (card,) = await site.desk.ask("refund 1001")
    async with console(browser, site.desk.url, width=320) as tab:
        here = await card_at(tab, site, "shadow", card["interaction_id"])
        await expect(here.button("Approve")).to_be_visible()
        conditions = await here.page.evaluate(
            """() => [...document.querySelector('sayso-card').shadowRoot.adoptedStyleSheets[0]
            .cssRules].map(rule => rule.conditionText ?? '')
            .filter(text => text.includes('width'))"""
        )
        assert len(conditions) > 5
        assert [text for text in conditions if "var(" in text or "not all" in text] == []
        # The rule of the narrowest card: its facts and buttons have the width, not its margin.
        margin = "e => parseFloat(getComputedStyle(e).paddingInlineStart) < 16"
        assert await here.page.locator("[data-waits] .sy-card").first.evaluate(margin)
    await site.desk.answer(card, approved=True)


async def test_14_words_typed_in_an_element_are_their_writers_alone(
    browser: Browser, tmp_path: Path
) -> None:
    ana, ben = "ana-0123456789abcdef", "ben-0123456789abcdef"
    tokens = json.dumps([f"ana:responder:{ana}", f"ben:responder:{ben}"])
    async with (
        hosted(tmp_path, SAYSO_TOKENS=tokens) as (server, host),
        console(browser, server.url) as tab,
    ):
        composer = tab.page.get_by_role("textbox", name="Message", exact=True)
        for token, found in ((ana, ""), (ben, ""), (ana, "of ana"), (ben, "of ben")):
            await Here(tab, host, server, "sayso-chat", token=token).open()
            await expect(composer).to_have_value(found)
            await composer.fill("of ana" if token == ana else "of ben")


async def heard(tab: Console, words: str) -> None:
    await tab.page.wait_for_function("words => said.some(([, line]) => line === words)", arg=words)
