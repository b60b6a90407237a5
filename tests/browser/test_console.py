"""The console and the real server: by keyboard alone, read aloud, through kills, on a phone."""

import re
from pathlib import Path
from typing import Literal

import httpx
import pytest
from playwright.async_api import Browser, Locator, Page, expect

from tests.browser.demo import Demo

ROOT = Path(__file__).parents[2]
AXE = (ROOT / "web/node_modules/axe-core/axe.min.js").read_text()
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

#: Keeps what the live regions say, in order, from the moment they are there.
LISTEN = """
window.said = [];
(function listen() {
  for (const urgency of ["polite", "assertive"]) {
    const region = document.getElementById(`announce-${urgency}`);
    if (region === null) return void setTimeout(listen, 1);
    if (region.heard) continue;
    region.heard = true;
    if (region.childElementCount > 0) window.said.push("was not empty");
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes) window.said.push(node.textContent);
    }).observe(region, { childList: true });
  }
})();
"""
#: How far below the upper edge of the conversation an entry stands.
PLACE = """entry => Math.round(entry.getBoundingClientRect().top
  - document.querySelector("[role=log]").getBoundingClientRect().top)"""


async def said(page: Page) -> list[str]:
    words: list[str] = await page.evaluate("window.said")
    return words


async def violations(page: Page) -> list[str]:
    await page.evaluate(AXE)
    found: list[str] = await page.evaluate(
        "rules => axe.run({runOnly: rules}).then(r => r.violations.flatMap("
        "v => v.nodes.map(n => `${v.id}: ${n.target.join(' ')}`)))",
        RULES,
    )
    return found


async def overflow(page: Page) -> int:
    pixels: int = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return pixels


def waiting(page: Page) -> Locator:
    return page.locator("[data-waits]")


async def begin(page: Page, demo: Demo, words: str) -> None:
    await page.add_init_script(LISTEN)
    await page.goto(demo.url)
    await page.get_by_role("textbox", name="Message").fill(words)
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/chats/*")


async def test_console_opens_without_complaint_and_asks_nobody_else(page: Page, demo: Demo) -> None:
    complaints: list[str] = []
    requested: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: requested.append(request.url))

    answer = await page.goto(demo.url)
    await begin(page, demo, "refund order 1001")
    await waiting(page).wait_for()

    assert answer is not None
    policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert complaints == []
    assert [url for url in requested if not url.startswith((demo.url, "data:"))] == []


async def test_a_refund_by_keyboard_alone_and_read_aloud(page: Page, demo: Demo) -> None:
    await begin(page, demo, "refund order 1001")
    await waiting(page).wait_for()
    # Nobody's focus was moved by the card that came.
    await expect(page.get_by_role("textbox", name="Message")).to_be_focused()

    await page.keyboard.press("Alt+Shift+J")
    await expect(waiting(page)).to_be_focused()
    reject = waiting(page).get_by_role("button", name=re.compile("^Reject"))
    for _ in range(12):
        await page.keyboard.press("Tab")
        if await reject.evaluate("button => button === document.activeElement"):
            break
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("Why not?")).to_be_focused()
    await page.keyboard.type("wrong customer")
    await page.reload()
    await waiting(page).wait_for()
    await waiting(page).get_by_role("button", name=re.compile("^Reject")).press("Enter")
    await expect(page.get_by_label("Why not?")).to_have_value("wrong customer")
    await waiting(page).get_by_role("button", name=re.compile("^Reject")).press("Enter")

    await expect(waiting(page)).to_have_count(0)
    receipt = page.locator("summary:focus")
    await expect(receipt).to_contain_text("rejected: wrong customer")
    await page.wait_for_function("() => window.said.includes('The answer is complete')")
    words = await said(page)
    assert words[0] == "1 card waits for your answer"
    assert not [line for line in words if "rejected" in line], "it was answered right here"


async def test_what_a_stream_says_aloud(page: Page, demo: Demo) -> None:
    await begin(page, demo, "help")
    await page.get_by_text("support desk").first.wait_for()
    await page.wait_for_function("() => window.said.includes('The answer is complete')")
    assert (await said(page)).count("The answer is complete") == 1
    assert [line for line in await said(page) if "support desk" in line] == []
    assert await page.get_by_role("log").get_attribute("aria-live") == "off"


async def test_an_answer_given_while_the_server_is_dead_arrives_once_it_lives(
    page: Page, demo: Demo
) -> None:
    await begin(page, demo, "refund orders 1001, 1002 and 1003")
    await expect(waiting(page)).to_have_count(3)
    cards = waiting(page)
    await cards.first.get_by_role("button", name=re.compile("^Reject")).click()
    await page.get_by_label("Why not?").fill("not this one")

    demo.kill()
    banner = page.get_by_role("region", name="Connection")
    await banner.wait_for()
    await cards.nth(1).get_by_role("button", name=re.compile("^Approve")).click()
    await expect(cards.nth(1).get_by_role("button", name=re.compile("^Sending…"))).to_be_visible()

    await demo.start()
    await expect(waiting(page)).to_have_count(2, timeout=30_000)
    await expect(banner).to_have_count(0)
    await expect(page.get_by_label("Why not?")).to_have_value("not this one")
    words = await said(page)
    assert words.count("Connection lost. Trying again.") == 1
    assert words.count("Connected again") == 1

    # What a page sees that was there all along is what a new page sees.
    await waiting(page).first.get_by_role("button", name="Back").click()
    await page.locator("body").click(position={"x": 1, "y": 1})
    log = page.get_by_role("log")
    seen = await log.aria_snapshot()
    await page.reload()
    await expect(waiting(page)).to_have_count(2)
    assert await log.aria_snapshot() == seen


async def test_answered_in_another_tab_the_focus_goes_to_the_receipt(
    page: Page, demo: Demo
) -> None:
    await begin(page, demo, "refund order 1001")
    await waiting(page).get_by_role("button", name=re.compile("^Approve")).focus()
    other = await page.context.new_page()
    await other.goto(f"{demo.url}/inbox")
    await waiting(other).get_by_role("button", name=re.compile("^Approve")).click()
    await expect(waiting(other)).to_have_count(0)
    await expect(page.locator("summary:focus")).to_contain_text("completed")


async def test_older_messages_come_in_above_without_a_jump(page: Page, demo: Demo) -> None:
    async with httpx.AsyncClient(base_url=demo.url) as api:
        chat = (await api.post("/api/chats", json={"title": "Long"})).json()["id"]
        for number in range(60):
            body = {"content": f"help {number}", "client_message_id": f"m{number}"}
            await api.post(f"/api/chats/{chat}/messages", json=body)
    await page.goto(f"{demo.url}/chats/{chat}")
    await page.get_by_text("help 59", exact=True).wait_for()
    earlier = page.get_by_role("button", name="Show earlier messages")
    log = page.get_by_role("log")
    entries = page.locator(".entry")
    count = await entries.count()
    being_read = await entries.first.element_handle()
    assert being_read is not None
    await log.evaluate("log => { log.scrollTop = 40 }")
    before = await being_read.evaluate(PLACE)
    await expect(entries).not_to_have_count(count)
    assert await being_read.evaluate(PLACE) == before
    while await earlier.count():
        await earlier.click()
        await page.wait_for_timeout(50)
    await expect(page.get_by_text("help 0", exact=True)).to_be_attached()


@pytest.mark.parametrize(
    ("scheme", "width"),
    [("light", 1280), ("dark", 1280), ("light", 320), ("dark", 320)],
    ids=["light", "dark", "phone", "phone-dark"],
)
async def test_every_view_is_accessible(
    browser: Browser, demo: Demo, scheme: Literal["light", "dark"], width: int
) -> None:
    context = await browser.new_context(
        color_scheme=scheme, viewport={"width": width, "height": 800}, reduced_motion="reduce"
    )
    page = await context.new_page()
    screens = Path(__file__).parent / "screens"
    screens.mkdir(exist_ok=True)

    async def look(name: str) -> None:
        assert await violations(page) == [], name
        assert await overflow(page) == 0, name
        await page.screenshot(path=screens / f"console-{name}-{scheme}-{width}.png")

    await page.goto(demo.url)
    await page.get_by_role("textbox", name="Message").wait_for()
    await look("welcome")
    for words in ("refund order 1001", "change my delivery", "check my orders", "fail badly"):
        await begin(page, demo, words)
        await page.locator(".card-slot").first.wait_for()
        await look(words.replace(" ", "-"))
    link = await page.goto(f"{demo.url}/inbox")
    assert link is not None
    await waiting(page).first.wait_for()
    await look("inbox")
    href = await page.get_by_role("link", name=re.compile("^Link to this")).first.get_attribute(
        "href"
    )
    await page.goto(f"{demo.url}{href}")
    await waiting(page).wait_for()
    await look("one-interaction")
    await page.goto(f"{demo.url}/chats/no-such-chat")
    await page.get_by_role("heading", name="This chat cannot be opened").wait_for()
    await look("no-chat")
    await context.close()
