"""What an agent says is words: it runs nothing, fetches nothing, and never looks like a card."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Dialog, Locator, Request, expect

from tests.browser.console import Console, console
from tests.browser.hostile_agent import TEXTS, TITLE
from tests.browser.server_process import ServerProcess, running
from tests.browser.waiting import until_it_is

# All that the drawn words are made of, and each thing in them that is more than words.
LOOK = """
() => {
  const elements = new Set(('DIV P BR HR STRONG EM DEL CODE PRE BLOCKQUOTE UL OL LI H4 H5 H6 A '
    + 'TABLE THEAD TBODY TR TH TD').split(' '));
  const attributes = new Set(('class dir href target rel start scope data-align role aria-label '
    + 'tabindex').split(' '));
  const found = [];
  for (const words of document.querySelectorAll('.said-by-agent .sy-md')) {
    for (const one of words.querySelectorAll('*')) {
      const shown = one.outerHTML.slice(0, 120);
      if (!elements.has(one.tagName)) found.push(['element', shown]);
      for (const { name } of one.attributes) if (!attributes.has(name)) found.push([name, shown]);
      // Until the renderer is here, the words stand plainly in a paragraph.
      const isPlain = one.matches('.sy-md > p.sy-text') && one.children.length === 0;
      if (isPlain) continue;
      const isTable = one.className === 'sy-scroll' && one.getAttribute('aria-label') === 'Table';
      if (one.className !== '' && !isTable) found.push(['class', shown]);
      if (one.hasAttribute('role') && !isTable) found.push(['role', shown]);
      if (one.hasAttribute('tabindex') && !isTable) found.push(['tabindex', shown]);
      if (one.tagName === 'A') {
        const isSafe = /^(https?:\\/\\/|mailto:)/i.test(one.getAttribute('href'));
        const isApart = one.target === '_blank' && one.rel === 'noopener noreferrer';
        if (!isSafe || !isApart) found.push(['link', shown]);
      }
      if (getComputedStyle(one).position !== 'static') found.push(['position', shown]);
    }
  }
  return found;
}
"""
WHILE_IT_IS_SAID = f"""
window.seen = [];
const look = {LOOK.strip()};
new MutationObserver(() => seen.push(...look()))
  .observe(document, {{ childList: true, subtree: true, attributes: true }});
"""


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ServerProcess]:
    data: Path = tmp_path_factory.mktemp("hostile")
    async with running(data, "serve", "tests.browser.hostile_agent:app") as server:
        yield server


@pytest.mark.parametrize("width", [1280, 320])
@pytest.mark.parametrize("name", TEXTS)
async def test_words_stay_words(
    browser: Browser, server: ServerProcess, name: str, width: int
) -> None:
    async with console(browser, server.url, width=width) as tab:
        asked: list[str] = []
        opened: list[Dialog] = []
        tab.page.on("request", lambda request: asked.append(_origin(request)))
        tab.page.on("dialog", lambda dialog: opened.append(dialog))
        await tab.page.add_init_script(WHILE_IT_IS_SAID)
        await tab.begin(name)
        await expect(tab.state).to_contain_text("Done")
        said = tab.log.locator(".said-by-agent .sy-md")
        await expect(said).to_have_count(1)
        await expect(said).not_to_have_attribute("data-streaming", "true")
        await expect(said.locator("> p.sy-text")).to_have_count(0)
        live = await markup_of(said)
        await nothing_but_words(tab)
        assert await tab.page.evaluate("seen") == [], "nor was there anything while it was said"

        # The same words again, out of the store.
        await tab.page.reload()
        await expect(said).to_have_count(1)
        await until_it_is(live, partial(markup_of, said))
        await nothing_but_words(tab)

        assert await tab.page.evaluate("window.hit") is None
        assert opened == []
        assert set(asked) == {server.url}
        assert tab.page.url.startswith(f"{server.url}/chats/")
        assert await tab.sideways_pixels() == 0
        await tab.picture(f"hostile-{name.replace(' ', '-')}-{width}")


async def test_a_link_says_where_it_leads_when_its_words_say_another_place(
    browser: Browser, server: ServerProcess
) -> None:
    async with console(browser, server.url) as tab:
        await tab.begin("directions")
        await expect(tab.state).to_contain_text("Done")
        links = tab.log.get_by_role("link")
        await expect(links).to_have_text(
            [
                "https://bank.example (evil.example)",
                "www.bank.examplemoc.live (evil.example)",
                "bank.example (evil.example)",
                "ok",
            ]
        )


async def nothing_but_words(tab: Console) -> None:
    assert await tab.page.evaluate(LOOK) == []
    await expect(tab.cards).to_have_count(0)
    await expect(tab.page.locator("[data-waits], [id=card-1]")).to_have_count(0)
    await expect(tab.card(TITLE)).to_have_count(0)
    for role in ("button", "checkbox", "alertdialog", "article", "img", "form"):
        found: Any = tab.log.get_by_role(role)
        await expect(found).to_have_count(0)
    await expect(tab.main.get_by_role("button", name="Approve")).to_have_count(0)


def _origin(request: Request) -> str:
    scheme, _, rest = request.url.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}"


async def markup_of(place: Locator) -> str:
    """Its markup, with attributes in one order: an element that grew up in another has them in
    another."""
    found: str = await place.evaluate(
        """place => {
          const copy = place.cloneNode(true);
          for (const one of copy.querySelectorAll('*')) {
            const kept = [...one.attributes].map(({ name, value }) => [name, value]).sort();
            for (const [name] of kept) one.removeAttribute(name);
            for (const [name, value] of kept) one.setAttribute(name, value);
          }
          return copy.innerHTML;
        }"""
    )
    return found
