"""A tool's own UI in Chromium: from the tool's result in the page until its table can be used, and
the bytes that takes; beside the same page alone in a bare frame."""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
from collections.abc import Awaitable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, BrowserContext, Page, Request, async_playwright

from benchmarks.work import server, spread, table
from scripts import chromium

REPETITIONS = 5

#: In the console: note when the result and its UI came, and press the UI's button as soon as it is
#: there. In a frame: tell when the table is drawn.
_WATCH = """
const watched = (look) => new MutationObserver((_, it) => look() && it.disconnect())
  .observe(document, {childList: true, subtree: true});
if (window !== top) watched(() => {
  if (document.querySelector('tbody tr') === null) return false;
  requestAnimationFrame(() => setTimeout(() => top.postMessage('drawn', '*')));
  return true;
});
else {
  window.seen = {came: null, drawn: null, bytes: 0};
  window.WebSocket = class extends WebSocket {
    constructor(...given) {
      super(...given);
      this.addEventListener('message', ({data}) => {
        if (!/chat.tool_(result|ui)|"has_ui"/.test(data)) return;
        seen.came ??= performance.now();
        seen.bytes += data.length;
      });
    }
  };
  addEventListener('message', ({data}) => {
    if (data === 'drawn') seen.drawn = performance.now();
  });
  window.press = () => {
    const all = [...document.querySelectorAll('button')];
    const button = all.find(({textContent}) => textContent === 'pods_list UI');
    button?.click();
    return button !== undefined;
  };
  window.pressSoon = () => press() || watched(press);
}
"""
_BARE = """([html, given]) => {
  window.seen = {came: performance.now(), drawn: null};
  const frame = document.createElement('iframe');
  const told = (message) => frame.contentWindow.postMessage({jsonrpc: '2.0', ...message}, '*');
  frame.sandbox = 'allow-scripts';
  addEventListener('message', ({data}) => {
    if (data === 'drawn') seen.drawn = performance.now();
    if (data.method === 'ui/initialize') told({id: data.id, result: {
      protocolVersion: '2026-01-26', hostInfo: {name: 'bare', version: '1'},
      hostCapabilities: {}, hostContext: {}}});
    if (data.method !== 'ui/notifications/initialized') return;
    told({method: 'ui/notifications/tool-input', params: {arguments: given.input}});
    told({method: 'ui/notifications/tool-result', params: given.result});
  });
  frame.srcdoc = html;
  document.body.append(frame);
}"""
_DRAWN = "() => window.seen.drawn !== null"


@dataclass(frozen=True, slots=True)
class Taken:
    milliseconds: float
    bytes: int


def main() -> None:
    os.environ["SAYSO_PODS_CLUSTER"] = "sample"
    with (
        tempfile.TemporaryDirectory() as place,
        server("benchmarks.tool_ui", place) as (address, _),
    ):
        asyncio.run(_measure(f"http://{address}"))


async def _measure(url: str) -> None:
    path = await asyncio.to_thread(chromium.find)
    found: dict[str, list[Taken]] = {}
    bare: list[float] = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for _ in range(REPETITIONS):
            async with await browser.new_context() as context:
                await context.add_init_script(_WATCH)
                tab = Tab(await context.new_page(), url)
                found.setdefault("cold: first in this browser", []).append(await tab.asked())
                found.setdefault("opened again", []).append(await tab.again())
                found.setdefault("after a reload", []).append(await tab.reloaded())
                given = await tab.given()
            bare.append(await _bare(browser, given))
        await browser.close()
    floor = statistics.median(bare)
    rows = [("floor: the page in a bare frame", f"{spread(bare)} ms")]
    for name, all_of in found.items():
        times = [taken.milliseconds for taken in all_of]
        size = statistics.median(taken.bytes for taken in all_of)
        ratio = statistics.median(times) / floor
        rows.append((name, f"{spread(times)} ms  {ratio:5.2f} × floor  {size:9,.0f} bytes"))
    table("a tool's result → its UI can be used, median (p10 .. p90)", rows)


class Tab:
    """One person's page, and what it loads."""

    def __init__(self, page: Page, url: str) -> None:
        self._page, self._url = page, url
        self._loaded: list[Request] = []
        page.on("requestfinished", self._note)

    async def asked(self) -> Taken:
        """Ask for the pods, and open their UI as soon as it is offered."""
        await self._page.goto(self._url)
        box = self._page.get_by_role("textbox", name="Message", exact=True)
        await box.fill("Show me the pods in my cluster")
        await self._page.wait_for_load_state("networkidle")
        await self._page.evaluate("pressSoon()")
        return await self._until_drawn(box.press("Enter"))

    async def again(self) -> Taken:
        await self._page.keyboard.press("Escape")
        await self._page.get_by_role("dialog").wait_for(state="hidden")
        return await self._pressed()

    async def reloaded(self) -> Taken:
        await self._page.reload()
        await self._page.get_by_role("button", name="pods_list UI", exact=True).wait_for()
        await self._page.wait_for_load_state("networkidle")
        return await self._pressed()

    async def given(self) -> dict[str, Any]:
        """What the app was given, and its page."""
        chat = self._page.url.rpartition("/")[2]
        api = self._page.context.request
        view = await (await api.get(f"{self._url}/api/chats/{chat}")).json()
        [call] = [call for call in view["tool_calls"] if call["ui"]]
        return dict(await (await api.get(f"{self._url}{call['ui']['url']}")).json())

    def _note(self, request: Request) -> None:
        self._loaded.append(request)

    async def _pressed(self) -> Taken:
        start = "seen.came = performance.now(), seen.drawn = null, seen.bytes = 0, press()"
        return await self._until_drawn(self._page.evaluate(start))

    async def _until_drawn(self, begun: Awaitable[object]) -> Taken:
        self._loaded.clear()
        await begun
        await self._page.wait_for_function(_DRAWN)
        seen = await self._page.evaluate("seen")
        sizes = [await request.sizes() for request in self._loaded]
        loaded = sum(one["responseBodySize"] + one["responseHeadersSize"] for one in sizes)
        return Taken(seen["drawn"] - seen["came"], loaded + seen["bytes"])


async def _bare(browser: Browser, given: dict[str, Any]) -> float:
    context: BrowserContext
    async with await browser.new_context() as context:
        await context.add_init_script(_WATCH)
        page = await context.new_page()
        told = {"input": given["tool_input"], "result": given["tool_result"]}
        await page.evaluate(_BARE, [given["ui_content"], told])
        await page.wait_for_function(_DRAWN)
        seen = await page.evaluate("seen")
        return float(seen["drawn"] - seen["came"])


def _serve() -> None:
    """The pods pack, as it is served to everybody: `python -m benchmarks.tool_ui PORT DIR`."""
    import logging

    import structlog

    from sayso.packs.pods import app
    from sayso.server.process import serve
    from sayso.settings import Settings

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    data = Path(sys.argv[2])
    serve(app.engine(data), Settings(data_dir=data, port=int(sys.argv[1])))


if __name__ == "__main__":
    _serve()
