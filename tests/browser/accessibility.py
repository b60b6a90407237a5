"""What axe finds on a page, and pictures of it for people to look at."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from playwright.async_api import Frame, Locator, Page

from scripts import web

SCREENS = Path(__file__).parent / "screens"
#: Drawing and encoding a picture takes longer than many a test, and no test reads one.
TAKES_PICTURES = "SAYSO_PICTURES" in os.environ

_AXE = web.WEB / "node_modules/axe-core/axe.min.js"
_EVERYTHING = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_COLOURS = ["color-contrast", "link-in-text-block"]
# Only violations are worked out in full; the thousands of elements that pass are not described.
# Of our rules none reads style sheets, which axe would fetch anew.
# What sticks to an edge lies over whatever happens to be scrolled beneath it, and axe would call
# that a target too small. It is measured at its place in the text; `test_decision_in_reach.py`
# holds it where it sticks.
_VIOLATIONS = """async ([place, runOnly]) => {
  const sticking = [];
  const collect = (root) => {
    for (const one of root.querySelectorAll('*')) {
      if (getComputedStyle(one).position === 'sticky') sticking.push([one, one.style.position]);
      if (one.shadowRoot) collect(one.shadowRoot);
    }
  };
  collect(document);
  for (const [one] of sticking) one.style.position = 'relative';
  try {
    const how = {runOnly, resultTypes: ['violations'], preload: false};
    const {violations} = await axe.run(place ?? document, how);
    return violations.map(({id, nodes}) => [id, nodes.slice(0, 5).map(
      ({html, failureSummary}) => html.slice(0, 200) + ' :: ' + failureSummary.slice(0, 300))]);
  } finally {
    for (const [one, position] of sticking) one.style.position = position;
  }
}"""


async def violations(
    page: Page | Frame, place: str | None = None, *, only_colours: bool = False
) -> list[Any]:
    """Return what axe finds in the whole page, or within `place`: each rule and its elements. A
    page that was looked at in light differs in the dark by its colours alone."""
    rules = _COLOURS if only_colours else _EVERYTHING
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(_AXE.read_text())
    found: list[Any] = await page.evaluate(_VIOLATIONS, [place, rules])
    return found


async def picture(what: Page | Locator, name: str, *, full_page: bool = False) -> None:
    """Save a picture in `screens/`, if the environment says SAYSO_PICTURES."""
    if not TAKES_PICTURES:
        return
    SCREENS.mkdir(exist_ok=True)
    path = SCREENS / f"{name}.png"
    if isinstance(what, Page):
        await what.screenshot(path=path, full_page=full_page)
    else:
        await what.screenshot(path=path)
