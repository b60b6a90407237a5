"""How people look at a page, and what each way of looking asks of it, also inside of elements."""

from __future__ import annotations

from typing import Literal, NamedTuple

from playwright.async_api import Page


class Look(NamedTuple):
    name: str
    scheme: Literal["light", "dark"]
    width: int


LIGHT, DARK, PHONE = LOOKS = [
    Look("light", "light", 1280),
    Look("dark", "dark", 1280),
    Look("320", "light", 320),
]
PHONE_AT_NIGHT = Look("320-dark", "dark", 320)

Place = Literal["page", "shadow"]
PLACES: list[Place] = ["page", "shadow"]
#: Both widths, in the console and inside the shadow root of an element: for what a person does. The
#: colours of a page change nothing about that; a dark page is looked at where a page is looked at.
EVERYWHERE = [(place, look) for place in PLACES for look in (LIGHT, PHONE)]


async def look_at(page: Page, look: Look, *, height: int = 800) -> None:
    """From now on, without a new page."""
    await page.emulate_media(color_scheme=look.scheme)
    await page.set_viewport_size({"width": look.width, "height": height})


#: The page, and every shadow root in it.
ROOTS = "[document, ...[...document.querySelectorAll('*')].flatMap(e => e.shadowRoot ?? [])]"
#: What has the focus, however deep it is; null when nothing has.
FOCUSED = """() => { let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at === document.body ? null : at; }"""

# ── forced colours: what is told by a border or a ring is told by nothing else ──

BORDERLESS = (
    f"() => {ROOTS}"
    + """.flatMap(root => [...root.querySelectorAll(
        '.button, .sy-button, .sy-input, .sy-card, .sy-notice, .sy-chip, .composer-box, .badge')])
        .filter(element => element.checkVisibility() && element.dataset.look !== 'quiet')
        .filter(element => {
            const style = getComputedStyle(element);
            return !['Top', 'Right', 'Bottom', 'Left'].every(side =>
                style[`border${side}Style`] !== 'none'
                && parseFloat(style[`border${side}Width`]) > 0
                && style[`border${side}Color`] !== getComputedStyle(document.body).backgroundColor);
        })
        .map(element => element.outerHTML.slice(0, 120))"""
)
# A box may draw the ring of the field in it.
UNRINGED = (
    f"() => {{ const element = ({FOCUSED})();"
    + """
    if (element === null) return '';
    const rings = ['.composer-box', '.sy-verdict-choice label', '.sy-option'];
    return [element, ...rings.map(box => element.closest(box))].some(ringed => {
        const style = ringed === null ? null : getComputedStyle(ringed);
        if (style === null) return false;
        return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
    }) ? '' : element.outerHTML.slice(0, 160); }"""
)


async def told_without_colours(page: Page, *, stops: int) -> list[str]:
    """What has no border, and which of the next stops of Tab have no ring: nothing should."""
    found: list[str] = await page.evaluate(BORDERLESS)
    for _ in range(stops):
        await page.keyboard.press("Tab")
        found.append(await page.evaluate(UNRINGED))
    return [element for element in found if element != ""]


# ── large and spaced text ──

#: WCAG 1.4.12: what a reader may set, and nothing may be lost. The page's policy takes no style
#: element, and should not.
SPACE_OUT = (
    "() => { const sheet = new CSSStyleSheet(); sheet.replaceSync(`"
    "* { line-height: 1.5 !important; letter-spacing: 0.12em !important;"
    " word-spacing: 0.16em !important; } p { margin-block-end: 2em !important; }`);"
    f" for (const root of {ROOTS})"
    " root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]; }"
)
CUT = (
    f"() => {ROOTS}"
    + """.flatMap(root => [...root.querySelectorAll(
        'button, a, h2, h3, h4, p, dt, dd, label, legend, summary')])
        .filter(element => element.checkVisibility() && !element.closest('.unseen, .sy-hidden'))
        .filter(element => getComputedStyle(element).overflow !== 'visible')
        .filter(e => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1)
        .map(element => element.outerHTML.slice(0, 120))"""
)


#: The sizes of all words in an element, each once: what else it shows by then may come late.
SIZES = """tag => [...new Set(
    [...document.querySelector(tag).shadowRoot.querySelectorAll('.sy-root *')]
        .filter(e => [...e.childNodes].some(node => node.nodeType === 3 && node.data.trim() !== ''))
        .map(e => parseFloat(getComputedStyle(e).fontSize)))].sort((a, b) => a - b)"""


async def read_at_twice_the_size(page: Page) -> None:
    """As a reader sets it for all pages, and no page has a say in it; from the next load on."""
    browser = await page.context.new_cdp_session(page)
    await browser.send("Page.setFontSizes", {"fontSizes": {"standard": 32, "fixed": 26}})
