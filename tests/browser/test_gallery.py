"""Every card in every state: accessible, in light, dark and at 320 px, and drawn for people to
look at.
"""

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.async_api import Browser, Page

from scripts import web

HERE = Path(__file__).parent
BUILT = HERE / "gallery/dist"
SCREENS = HERE / "screens"
AXE = web.WEB / "node_modules/axe-core/axe.min.js"

LOOKS: list[tuple[str, Literal["light", "dark"], int]] = [
    ("light", "light", 1024),
    ("dark", "dark", 1024),
    ("phone", "light", 320),
    ("phone-dark", "dark", 320),
]


# WCAG 1.4.12: what a reader may set, and nothing may be lost.
TEXT_SPACING = """* { line-height: 1.5 !important; letter-spacing: 0.12em !important;
    word-spacing: 0.16em !important; } p { margin-block-end: 2em !important; }"""

# The page's policy takes no style element, and should not.
ADOPT = """css => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets = [sheet];
}"""

TARGETS = (
    ".sy-button, .sy-option, .sy-choice, .sy-verdict-choice label, .sy-step-button,"
    " .sy-receipt summary"
)
SMALL_TARGETS = f"""() => [...document.querySelectorAll("{TARGETS}")]
    .map(e => [e.textContent, e.getBoundingClientRect()])
    .filter(([, box]) => box.width < 44 || box.height < 43.9)
    .map(([text, box]) => [text, box.width, box.height])"""

VIOLATIONS = """async () => {
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const { violations } = await axe.run({ runOnly: tags });
    return violations.map(v => [v.id, v.nodes.map(n => n.html.slice(0, 160)).slice(0, 3)]);
}"""


class StrictHandler(SimpleHTTPRequestHandler):
    def end_headers(self) -> None:
        self.send_header(
            "Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'"
        )
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture(scope="module")
def gallery_url() -> Iterator[str]:
    web.install_packages()
    web.npm("exec", "--", "vite", "build", "--config", "gallery.config.ts", "--logLevel", "warn")
    handler = partial(StrictHandler, directory=str(BUILT))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(("name", "scheme", "width"), LOOKS, ids=[name for name, _, _ in LOOKS])
async def test_every_card_in_every_state(
    browser: Browser, gallery_url: str, name: str, scheme: Literal["light", "dark"], width: int
) -> None:
    context = await browser.new_context(
        color_scheme=scheme, viewport={"width": width, "height": 900}, reduced_motion="reduce"
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

    await page.goto(gallery_url)
    await all_is_drawn(page)
    await take_pictures(page, name)

    assert complaints == []
    assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert await small_targets(page) == []
    assert await violations(page) == []
    await context.close()


async def test_nothing_is_cut_off_right_to_left_in_large_or_spaced_text(
    browser: Browser, gallery_url: str
) -> None:
    context = await browser.new_context(viewport={"width": 320, "height": 900})
    page = await context.new_page()
    await page.goto(gallery_url)
    await all_is_drawn(page)
    overflow = "document.documentElement.scrollWidth - innerWidth"

    await page.evaluate("document.documentElement.dir = 'rtl'")
    assert await page.evaluate(overflow) <= 0

    await page.evaluate("document.documentElement.dir = 'ltr'")
    await page.evaluate(ADOPT, TEXT_SPACING)
    assert await page.evaluate(overflow) <= 0

    await page.set_viewport_size({"width": 640, "height": 900})
    await page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert await page.evaluate(overflow) <= 0
    await context.close()


@pytest.mark.parametrize("root", ["page", "shadow"])
async def test_approve_by_keyboard(page: Page, gallery_url: str, root: str) -> None:
    await page.goto(f"{gallery_url}one.html#{root}")
    await tab_to(page, "Approve")
    await page.keyboard.press("Escape")
    await page.keyboard.press("Enter")
    assert (await focused(page)).startswith("Sending…")

    await page.get_by_text("completed · approved by ana").wait_for()

    assert (await focused(page)).startswith("✓ Refund €42.00 for order 1001 completed")
    await page.keyboard.press("Enter")
    await page.get_by_text("What was shown").wait_for()
    await page.keyboard.press("Tab")
    assert await focused(page) == "After the card"


@pytest.mark.parametrize("root", ["page", "shadow"])
async def test_reject_by_keyboard_with_a_second_thought(
    page: Page, gallery_url: str, root: str
) -> None:
    await page.goto(f"{gallery_url}one.html#{root}")
    await tab_to(page, "Reject…")
    await page.keyboard.press("Enter")
    assert await focused(page) == "TEXTAREA"
    await page.keyboard.type("Only the teapot")
    await page.keyboard.press("Escape")
    await tab_to(page, "Back")
    await page.keyboard.press("Enter")
    assert (await focused(page)).startswith("Reject…")

    await page.keyboard.press("Enter")
    await page.keyboard.press("End")
    await page.keyboard.type(" broke")
    await tab_to(page, "Reject")
    await page.keyboard.press("Space")

    await page.get_by_text("rejected: Only the teapot broke").wait_for()
    assert (await focused(page)).startswith("✕ Refund €42.00 for order 1001 rejected")


async def tab_to(page: Page, words: str) -> None:
    for _ in range(20):
        await page.keyboard.press("Tab")
        if (await focused(page)).startswith(words):
            return
    raise AssertionError(f"no Tab leads to {words!r}")


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
    """The states that need a press have been pressed into being."""
    for state, wanted in [("sending", "sending"), ("failed to send", "failed")]:
        drawn = page.locator(f'[data-state="{state}"] article')
        for place in range(await drawn.count()):
            await drawn.nth(place).and_(page.locator(f'[data-state="{wanted}"]')).wait_for()


async def take_pictures(page: Page, name: str) -> None:
    SCREENS.mkdir(exist_ok=True)
    for section in await page.locator("section[data-card]").all():
        card = (await section.get_attribute("data-card") or "").lower()
        slug = "-".join("".join(c for c in card if c.isalpha() or c == " ").split())
        await section.screenshot(path=SCREENS / f"{slug}.{name}.png")


async def small_targets(page: Page) -> list[Any]:
    """Decisions that a finger would miss: buttons, options and row decisions under 44 px."""
    found: list[Any] = await page.evaluate(SMALL_TARGETS)
    return found


async def violations(page: Page) -> list[Any]:
    await page.evaluate(AXE.read_text())
    found: list[Any] = await page.evaluate(VIOLATIONS)
    return found
