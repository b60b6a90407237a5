"""Every card in every state: accessible, in light, dark and at 320 px, on the page and in a shadow
root of a hostile one, and with SAYSO_PICTURES drawn for people to look at.
"""

import re
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.accessibility import TAKES_PICTURES, picture, violations
from tests.browser.reach import DARK, LIGHT, LOOKS, PHONE, PHONE_AT_NIGHT, SPACE_OUT, Look, look_at
from tests.browser.waiting import until

# What is searched: the gallery, wherever it is drawn.
ROOT = "(document.querySelector('#gallery').shadowRoot ?? document)"

# Decisions, and what leads to them: 44 px. Everything else that is pressed: 24 px, but for links in
# a sentence.
DECISIONS = (
    ".sy-button, .sy-option, .sy-choice, .sy-verdict-choice label, .sy-step-button,"
    " .sy-receipt summary"
)
PRESSED = "button, summary, select, textarea, input, a"
SMALL_TARGETS = f"""() => {{
    const sizes = (selector, least) => [...{ROOT}.querySelectorAll(selector)]
        .filter(e => !e.matches("p a, li a, .sy-md *, input[type=radio], input[type=checkbox]"))
        .filter(e => e.checkVisibility())
        .map(e => [e.textContent.slice(0, 60), e.getBoundingClientRect()])
        .filter(([, box]) => box.width < least - 0.1 || box.height < least - 0.1)
        .map(([text, box]) => [text, box.width, box.height]);
    return [...sizes("{DECISIONS}", 44), ...sizes("{PRESSED}", 24)];
}}"""
NOT_ON_SCREEN = f"""() => [...{ROOT}.querySelectorAll("*")]
    .filter(e => !e.closest(".sy-scroll, .sy-rows, .sy-hidden, .sy-option-list"))
    .filter(e => e.getBoundingClientRect().right > innerWidth + 0.5)
    .map(e => e.outerHTML.slice(0, 120))"""

#: A name may go on in the next line after a hyphen of its own.
BROKEN_NAMES = f"""() => [...{ROOT}.querySelectorAll(".sy-table tbody th")]
    .filter(e => e.checkVisibility())
    .flatMap(e => {{
        const walker = document.createTreeWalker(e, NodeFilter.SHOW_TEXT), found = [];
        while (walker.nextNode()) {{
            for (const word of walker.currentNode.data.matchAll(/[^\\s-]+/g)) {{
                const range = document.createRange();
                range.setStart(walker.currentNode, word.index);
                range.setEnd(walker.currentNode, word.index + word[0].length);
                const lines = new Set([...range.getClientRects()].map(box => box.top));
                if (lines.size > 1) found.push(word[0]);
            }}
        }}
        return found;
    }})
    .filter(word => word.length <= 10)"""
#: What stands in a card's values as a word of usual length, and takes more than one line.
BROKEN_VALUES = BROKEN_NAMES.replace(
    ".sy-table tbody th", ".sy-values :is(dt, .sy-text), .sy-values .sy-table :is(th, td)"
).replace("word.length <= 10", "word.length <= 12")
#: A mark that stands above its words, as if it were a paragraph of its own.
LONELY_MARKS = f"""() => [...{ROOT}.querySelectorAll(".sy-notice > .sy-glyph")]
    .map(e => [e, e.getBoundingClientRect(), e.nextElementSibling.getBoundingClientRect()])
    .filter(([, mark, words]) => mark.bottom <= words.top)
    .map(([e]) => e)
    .map(e => e.parentElement.textContent)"""


in_both_places = pytest.mark.parametrize(
    "place", ["index.html", "hostile.html#shadow"], ids=["page", "shadow"]
)


@in_both_places
@pytest.mark.parametrize(
    "looks", [(LIGHT, DARK), (PHONE, PHONE_AT_NIGHT)], ids=lambda looks: looks[0].name
)
async def test_every_card_in_every_state(
    browser: Browser, gallery_url: str, looks: tuple[Look, Look], place: str
) -> None:
    context = await browser.new_context(
        viewport={"width": looks[0].width, "height": 900}, reduced_motion="reduce"
    )
    page = await context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "console",
        lambda said: (
            complaints.append(said.text)
            if said.type == "error" and "favicon" not in str(said.location)
            else None
        ),
    )

    await page.goto(gallery_url + place)
    await all_is_drawn(page)
    for look in looks:
        await look_at(page, look, height=900)
        await take_pictures(page, look.name if place == "index.html" else f"shadow-{look.name}")

        assert complaints == []
        assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert await page.evaluate(NOT_ON_SCREEN) == []
        assert await small_targets(page) == []
        assert await page.evaluate(LONELY_MARKS) == []
        assert await violations(page, only_colours=look.scheme == "dark") == []
    await context.close()


async def test_no_name_of_usual_length_is_broken_within_a_word(
    page: Page, gallery_url: str
) -> None:
    await page.goto(gallery_url + "index.html")
    await all_is_drawn(page)
    for width in (660, 700, 760, 820, 1280):
        await page.set_viewport_size({"width": width, "height": 900})
        assert await page.evaluate(BROKEN_NAMES) == [], width
    for width in (320, 390, 760, 1280):
        await page.set_viewport_size({"width": width, "height": 900})
        assert await page.evaluate(BROKEN_VALUES) == [], width


@in_both_places
async def test_nothing_is_cut_off_right_to_left_in_large_or_spaced_text(
    page: Page, gallery_url: str, place: str
) -> None:
    await page.set_viewport_size({"width": 320, "height": 900})
    await page.goto(gallery_url + place)
    await all_is_drawn(page)

    async def fits() -> None:
        for look in (LIGHT, DARK):
            await page.emulate_media(color_scheme=look.scheme)
            assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0

    await page.evaluate("document.documentElement.dir = 'rtl'")
    await fits()

    await page.evaluate("document.documentElement.dir = 'ltr'")
    await page.evaluate(SPACE_OUT)
    await fits()

    await page.set_viewport_size({"width": 640, "height": 900})
    await page.evaluate("document.documentElement.style.fontSize = '200%'")
    await fits()


#: One card: on the page, in a shadow root, and in one of a page that is loud.
PLACES = ["one.html", "one.html#shadow", "one-hostile.html#shadow"]
in_each_place = pytest.mark.parametrize("place", PLACES)


@in_each_place
async def test_approve_by_keyboard(page: Page, gallery_url: str, place: str) -> None:
    await one_card(page, gallery_url + place)
    await tab_to(page, "Approve")
    await page.keyboard.press("Escape")
    await page.keyboard.press("Enter")
    await focus_is_on(page, "Sending…")

    await arrives(page)
    await page.get_by_text("approved by ana").wait_for()

    await focus_is_on(page, "• Refund €42.00 for order 1001 approved by")
    await page.keyboard.press("Enter")
    await page.get_by_text("What was shown").wait_for()
    await page.keyboard.press("Tab")
    await focus_is_on(page, "After the card")


@in_each_place
async def test_reject_by_keyboard_with_a_second_thought(
    page: Page, gallery_url: str, place: str
) -> None:
    for look in LOOKS:
        await look_at(page, look)
        await one_card(page, gallery_url + place.replace(".html", f".html?{look.name}"))
        await tab_to(page, "Reject…")
        await page.keyboard.press("Enter")
        await focus_is_on(page, "TEXTAREA")
        await page.keyboard.type("Only the teapot")
        await page.keyboard.press("Escape")
        await tab_to(page, "Back")
        await page.keyboard.press("Enter")
        await focus_is_on(page, "Reject…")

        await page.keyboard.press("Enter")
        await focus_is_on(page, "TEXTAREA")
        await page.keyboard.press("End")
        await page.keyboard.type(" broke")
        await tab_to(page, "Reject")
        await page.keyboard.press("Space")

        await arrives(page)
        await page.get_by_text("rejected: Only the teapot broke").wait_for()
        await focus_is_on(page, "✕ Refund €42.00 for order 1001 rejected")


@in_each_place
async def test_answered_elsewhere_while_somebody_writes(
    page: Page, gallery_url: str, place: str
) -> None:
    await one_card(page, gallery_url + place)
    await tab_to(page, "Reject…")
    await page.keyboard.press("Enter")
    await focus_is_on(page, "TEXTAREA")
    await page.keyboard.type("Only the teapot broke")

    await page.evaluate("dispatchEvent(new Event('answered-elsewhere'))")

    await page.get_by_text("approved by ana").wait_for()
    await focus_is_on(page, "• Refund €42.00 for order 1001 approved by")
    await page.get_by_text("What you had written was not sent").wait_for()
    await page.get_by_text("Reason: Only the teapot broke").wait_for()


@in_each_place
async def test_inputs_hold_still_while_the_answer_is_on_its_way(
    page: Page, gallery_url: str, place: str
) -> None:
    await one_card(page, gallery_url + place)
    await page.get_by_role("button", name="Change: Reason").click()
    reason = page.get_by_role("combobox", name="Reason")
    await reason.select_option("late")
    await page.get_by_role("button", name="Approve").click()
    await page.get_by_role("button", name="Sending…").wait_for()

    chosen = await reason.input_value()
    await reason.focus()
    await page.keyboard.press("ArrowDown")
    assert await reason.input_value() == chosen
    assert await reason.get_attribute("aria-disabled") == "true"
    assert await focused(page) != "BODY"
    await page.keyboard.press("Tab")
    await focus_is_on(page, "Keep damaged")


async def test_a_part_that_did_not_come_is_asked_for_again(page: Page, gallery_url: str) -> None:
    """What a card is drawn with comes in a file of its own, which the network may lose."""
    lost = "**/OpenCard-*.js"
    await page.route(lost, lambda route: route.abort())
    await page.goto(gallery_url + "one.html")
    await page.get_by_text("could not be loaded").wait_for()
    assert await page.get_by_role("heading", name="Refund €42.00 for order 1001").is_visible()

    await page.unroute(lost)
    await page.get_by_role("button", name="Try again").click()

    await page.get_by_role("button", name="Approve").wait_for()


async def test_two_hundred_rows_stay_in_hand(page: Page, gallery_url: str) -> None:
    await page.goto(gallery_url + "one.html?rows=200")
    card = page.locator("article")
    region = card.get_by_role("region", name="Rows")
    box = await region.bounding_box()
    assert box is not None
    assert box["height"] <= 512.5

    await card.get_by_role("button", name="Approve all without warnings").click()
    await card.get_by_role("radio", name="Still open (10)").check()
    await expect(card.locator("tbody tr")).to_have_count(10)
    await card.get_by_role("radio", name=re.compile("^Exclude(?!d)")).first.check()
    await expect(card.locator("tbody tr")).to_have_count(10)
    await card.get_by_role("button", name="Add 190 of 200 exchanges").wait_for()


async def one_card(page: Page, url: str) -> None:
    await page.goto(url)
    await page.get_by_role("button", name="Approve").wait_for()


async def arrives(page: Page) -> None:
    """The answer, which until then is on its way."""
    await page.get_by_role("button", name="Sending…").wait_for()
    await page.evaluate("dispatchEvent(new Event('arrives'))")


async def tab_to(page: Page, words: str) -> None:
    for _ in range(20):
        await page.keyboard.press("Tab")
        if (await focused(page)).startswith(words):
            return
    raise AssertionError(f"no Tab leads to {words!r}")


async def focus_is_on(page: Page, words: str) -> None:
    async def is_there() -> bool:
        return (await focused(page)).startswith(words)

    await until(is_there)


async def focused(page: Page) -> str:
    """The words of what has the focus, wherever it is; the tag of what has none."""
    words: str = await page.evaluate(
        """() => {
            let at = document.activeElement;
            while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
            return (at.tagName === "TEXTAREA" ? "" : at.textContent.trim()) || at.tagName;
        }"""
    )
    return words


async def all_is_drawn(page: Page) -> None:
    """What comes later has come, and the states that need a press have been pressed into being."""
    await page.locator('section[data-card="Rows"]').wait_for()
    await page.locator(".sy-skeleton").nth(1).wait_for(state="detached")
    for state, wanted in [("sending", "sending"), ("failed to send", "failed")]:
        drawn = page.locator(f'[data-state="{state}"] article')
        for place in range(await drawn.count()):
            await drawn.nth(place).and_(page.locator(f'[data-state="{wanted}"]')).wait_for()


async def take_pictures(page: Page, name: str) -> None:
    if not TAKES_PICTURES:
        return
    for section in await page.locator("section[data-card]").all():
        card = (await section.get_attribute("data-card") or "").lower()
        slug = "-".join("".join(c for c in card if c.isalpha() or c == " ").split())
        await picture(section, f"{slug}.{name}")


async def small_targets(page: Page) -> list[Any]:
    """Decisions that a finger would miss: buttons, options and row decisions under 44 px."""
    found: list[Any] = await page.evaluate(SMALL_TARGETS)
    return found
