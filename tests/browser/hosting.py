"""Somebody else's page on an origin of its own, with Sayso's elements in it."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from playwright.async_api import Browser

from tests.browser import accessibility
from tests.browser.console import Console, console
from tests.browser.reach import EVERYWHERE, Look, Place
from tests.browser.server_process import DEMO, ServerProcess, running
from tests.ports import free_port

HOST_PAGE = Path(__file__).parent / "host"


class Site(NamedTuple):
    """A server, and the address of somebody else's page that it lets in."""

    server: ServerProcess
    host: str


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None: ...


@contextmanager
def pages(directory: Path, port: int) -> Iterator[str]:
    """Serves a folder; its address."""
    handler = partial(_Handler, directory=str(directory))
    with ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.shutdown()
            thread.join()


@asynccontextmanager
async def hosted(
    data: Path, *command: str, directory: Path = HOST_PAGE, **environment: str
) -> AsyncIterator[Site]:
    port = free_port()
    allowed = {"SAYSO_ALLOWED_ORIGINS": json.dumps([f"http://127.0.0.1:{port}"])}
    with pages(directory, port) as url:
        async with running(
            data, *(command or DEMO), environment={**allowed, **environment}
        ) as server:
            yield Site(server, url)


def page_with(url: str, server: ServerProcess, tag: str, **attributes: str) -> str:
    """The address of the host page with one element in it."""
    return f"{url}/?{urlencode({'server': server.url, 'tag': tag, **attributes})}"


class Guest(Console):
    """A chat as `<sayso-chat>` in the hostile page, met with the same words as the console."""

    def __init__(self, tab: Console, host: str, server: ServerProcess, **attributes: str) -> None:
        super().__init__(tab.page, server.url)
        attributes = {"style": "height: 90vh", **attributes}
        self._address = page_with(host, server, "sayso-chat", **attributes)

    async def open(self, path: str = "/") -> None:
        """A chat, which has an address in the console, is an attribute of the element."""
        views, _, chat = path.rpartition("/")
        assert views in ("", "/chats"), "An element has one place"
        await self.page.goto(self._address + (f"&{urlencode({'chat': chat})}" if chat else ""))

    async def begin(self, words: str) -> str:
        await self.open()
        await self.say(words)
        await self.page.wait_for_function("told.some(([name]) => name === 'sayso-chat')")
        chat: str = await self.page.evaluate(
            "told.find(([name]) => name === 'sayso-chat')[1].chat_id"
        )
        return chat

    async def violations(self, *, only_colours: bool = False) -> list[Any]:
        """Of what is ours: the page around it is not."""
        return await accessibility.violations(self.page, "#place", only_colours=only_colours)

    async def sideways_pixels(self) -> int:
        found: int = await self.page.evaluate(
            """() => { const inside = document.querySelector('sayso-chat').shadowRoot;
            return Math.max(...[document.documentElement,
            ...inside.querySelectorAll('.sy-root, .chat-main, [role=log]')]
            .map(e => e.scrollWidth - e.clientWidth)); }"""
        )
        return found


@asynccontextmanager
async def met(browser: Browser, site: Site, place: Place, look: Look) -> AsyncIterator[Console]:
    """The chats of a site as one person has them, in a browser of their own."""
    server, host = site
    _, scheme, width = look
    async with console(browser, server.url, width=width, height=700, scheme=scheme) as tab:
        yield tab if place == "page" else Guest(tab, host, server)


@asynccontextmanager
async def met_everywhere(browser: Browser, site: Site) -> AsyncIterator[dict[str, Console]]:
    """By as many people at once as there are widths and places, where a server is dear."""
    async with AsyncExitStack() as people:
        yield {
            f"{place}-{look.name}": await people.enter_async_context(
                met(browser, site, place, look)
            )
            for place, look in EVERYWHERE
        }
