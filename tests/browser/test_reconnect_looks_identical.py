"""What you see after a cut is what you would have seen without it.

A scripted chat with three cards at once and a long story is held three times over: by a page that
is never cut, by one whose wire is cut at random moments while its server is killed and started
again, and at the end by one that has just been opened. Their accessible trees are equal.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from functools import partial
from importlib.resources import files
from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, expect

from tests.browser.console import Console, console
from tests.browser.cuttable import Wire, wire_to
from tests.browser.server_process import ServerProcess, running
from tests.browser.waiting import until
from tests.seeds import SEED, SOAK

THREE = "refund orders 1001, 1002 and 1003"
FIRST, SECOND, THIRD = (
    "Refund €42.00 for order 1001",
    "Refund €18.00 for order 1002",
    "Refund €41.00 for order 1003",
)
STORY = files("sayso.packs.support").joinpath("story.md").read_text(encoding="utf-8")
LAST_WORDS = STORY.split()[-6:]
#: Enough to be in the middle of it many times, and not to wait for it.
TOKEN_MS = {"SAYSO_DEMO_TOKEN_MS": "1"}


# The script: what is done, and what the page shows when nothing more happens by itself.
async def three_cards(tab: Console) -> None:
    await expect(tab.cards).to_have_count(3)
    await waits(tab)


async def approve_the_second(tab: Console) -> None:
    await tab.press("Approve", tab.card(SECOND))


async def second_is_approved(tab: Console) -> None:
    await expect(tab.receipt(SECOND)).to_contain_text("approved")
    await expect(tab.cards).to_have_count(2)
    await expect(rows(tab, "done")).to_have_count(1)
    await waits(tab)


async def type_into_the_third(tab: Console) -> None:
    await tab.press("Change", tab.card(THIRD))
    await tab.card(THIRD).get_by_role("textbox", name="Amount").fill("30.5")
    await tab.composer.fill("Not sent yet")
    await tab.composer.focus()


async def third_is_typed_in(tab: Console) -> None:
    await expect(tab.card(THIRD).get_by_role("textbox", name="Amount")).to_have_value("30.5")
    await expect(tab.composer).to_have_value("Not sent yet")


async def reject_the_first(tab: Console) -> None:
    await tab.press("Reject…", tab.card(FIRST))
    await (
        tab.card(FIRST).get_by_role("textbox", name="Reason for rejecting").fill("It arrived whole")
    )
    await tab.press("Reject", tab.card(FIRST))


async def first_is_rejected(tab: Console) -> None:
    await expect(tab.receipt(FIRST)).to_contain_text("rejected")
    await expect(tab.cards).to_have_count(1)
    await expect(rows(tab, "rejected")).to_have_count(1)
    await waits(tab)


async def approve_the_third(tab: Console) -> None:
    await tab.press("Approve", tab.card(THIRD))


async def all_are_settled(tab: Console) -> None:
    await expect(tab.log).to_contain_text("€30.50 for order 1003 goes back to the card")
    await expect(tab.state).to_contain_text("Done")


async def ask_for_a_story(tab: Console) -> None:
    await tab.composer.fill("")
    await tab.say("tell me a story")


async def story_is_told(tab: Console) -> None:
    await expect(tab.log).to_contain_text(" ".join(LAST_WORDS[-3:]), use_inner_text=True)
    await expect(tab.state).to_contain_text("Done")


Step = Callable[[Console], Awaitable[None]]
SCRIPT: list[tuple[Step, Step]] = [
    (approve_the_second, second_is_approved),
    (type_into_the_third, third_is_typed_in),
    (reject_the_first, first_is_rejected),
    (approve_the_third, all_are_settled),
    (ask_for_a_story, story_is_told),
]


async def waits(tab: Console) -> None:
    await expect(tab.state).to_contain_text("Waits for you")


def rows(tab: Console, status: str) -> Locator:
    return tab.log.locator(f'details[data-status="{status}"]', has_text="refund_order")


@pytest.fixture(scope="module")
async def uncut(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The trees, at its resting places, of the chat that is never cut."""
    async with (
        running(tmp_path_factory.mktemp("uncut"), environment=TOKEN_MS) as server,
        console(browser, server.url) as tab,
    ):
        await tab.begin(THREE)
        await three_cards(tab)
        trees = [await tab.tree()]
        for act, comes_to_rest in SCRIPT:
            await act(tab)
            await comes_to_rest(tab)
            trees.append(await tab.tree())
        return trees


@pytest.mark.parametrize("number", range(SOAK))
async def test_a_chat_that_is_cut_at_random_looks_like_one_that_never_was(
    browser: Browser, tmp_path: Path, uncut: list[str], number: int
) -> None:
    chance = random.Random(SEED + number)
    async with (
        running(tmp_path, environment=TOKEN_MS) as server,
        wire_to(server.port) as wire,
        console(browser, wire.url) as tab,
    ):
        chat = await tab.begin(THREE)
        wire.cut()
        await three_cards(tab)
        await tab.looks_like(uncut[0])
        for (act, comes_to_rest), expected in zip(SCRIPT, uncut[1:], strict=True):
            if act is ask_for_a_story:
                # While it is told the server lives: the words of a dead one stay, as broken off.
                await act(tab)
                await cut_while_it_is_told(chance, wire, tab, cuts=5)
            else:
                await something_breaks(chance, wire, server, tab)
                await act(tab)
                wire.cut()
            await comes_to_rest(tab)
            await something_breaks(chance, wire, server, tab)
            await comes_to_rest(tab)
            await tab.looks_like(expected)
        assert wire.cuts >= 10

        async with console(browser, server.url) as fresh:
            await fresh.open(f"/chats/{chat}")
            await story_is_told(fresh)
            await fresh.looks_like(uncut[-1])


async def test_a_page_beside_it_that_is_never_cut_sees_the_same_at_every_moment(
    browser: Browser, tmp_path: Path
) -> None:
    """Two pages on one chat, one of them cut in the middle of words: the one never has a word that
    the story has not, nor anything else that differs."""
    chance = random.Random(5)
    async with (
        running(tmp_path, environment={"SAYSO_DEMO_TOKEN_MS": "2"}) as server,
        wire_to(server.port) as wire,
        console(browser, wire.url) as cut,
        console(browser, server.url) as whole,
    ):
        chat = await cut.begin("tell me a story")
        await whole.open(f"/chats/{chat}")
        for _ in range(6):
            connections = await cut.connections()
            await more_is_told(cut, chance.randint(1, 400))
            wire.cut()
            await cut.comes_online()
            await cut.until_connected(after=connections)
            await more_is_told(cut, 1)
            # What one page shows of it is how the other one begins, now or a little later.
            here = await told(cut)
            await until(partial(starts_with, whole, here))
        await story_is_told(cut)
        await story_is_told(whole)
        await cut.looks_like(await whole.tree())


async def test_a_story_whose_teller_is_killed_goes_on_and_all_pages_agree(
    browser: Browser, tmp_path: Path
) -> None:
    async with (
        running(tmp_path, environment=TOKEN_MS) as server,
        console(browser, server.url) as tab,
        console(browser, server.url) as other,
    ):
        chat = await tab.begin("tell me a story")
        await other.open(f"/chats/{chat}")
        await more_is_told(tab, 300)
        await server.restart_after_kill()
        await story_is_told(tab)
        await story_is_told(other)
        await tab.looks_like(await other.tree())
        async with console(browser, server.url) as fresh:
            await fresh.open(f"/chats/{chat}")
            await story_is_told(fresh)
            await fresh.looks_like(await tab.tree())


# ── what breaks, and how far things are ──


async def something_breaks(
    chance: random.Random, wire: Wire, server: ServerProcess, tab: Console
) -> None:
    connections = await tab.connections()
    match chance.choice(["cut", "cut twice", "reload", "kill"]):
        case "cut":
            wire.cut()
        case "cut twice":
            wire.cut()
            await tab.comes_online()
            wire.cut()
        case "reload":
            connections = 0
            await tab.page.reload()
        case _:
            await server.restart_after_kill()
            wire.cut()
            await tab.comes_online()
    await tab.until_connected(after=connections)


async def cut_while_it_is_told(
    chance: random.Random, wire: Wire, tab: Console, *, cuts: int
) -> None:
    for _ in range(cuts):
        connections = await tab.connections()
        await more_is_told(tab, chance.randint(1, 300))
        wire.cut()
        await tab.comes_online()
        await tab.until_connected(after=connections)


async def told(tab: Console) -> str:
    """The text of the agent's last words, as far as it is on the page."""
    return await tab.log.locator(".said-by-agent").last.inner_text()


async def more_is_told(tab: Console, characters: int) -> None:
    """So many more than now, or all."""
    await tab.log.locator(".said-by-agent").first.wait_for()
    now = len(await told(tab))

    async def has_grown() -> bool:
        return len(await told(tab)) >= now + characters or await is_done(tab)

    await until(has_grown)


async def is_done(tab: Console) -> bool:
    return "Done" in await tab.state.inner_text()


async def starts_with(tab: Console, words: str) -> bool:
    return (await told(tab)).startswith(words)
