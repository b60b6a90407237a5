"""Somebody else's page on an origin of its own, with Sayso's elements in it."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tests.browser.console import AXE, Console
from tests.browser.server_process import DEMO, ServerProcess, running
from tests.ports import free_port

HOST_PAGE = Path(__file__).parent / "host"


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
) -> AsyncIterator[tuple[ServerProcess, str]]:
    """A server that lets this page in, and the page's address."""
    port = free_port()
    allowed = {"SAYSO_ALLOWED_ORIGINS": json.dumps([f"http://127.0.0.1:{port}"])}
    with pages(directory, port) as url:
        async with running(
            data, *(command or DEMO), environment={**allowed, **environment}
        ) as server:
            yield server, url


def page_with(url: str, server: ServerProcess, tag: str, **attributes: str) -> str:
    """The address of the host page with one element in it."""
    return f"{url}/?{urlencode({'server': server.url, 'tag': tag, **attributes})}"


class Guest(Console):
    """A chat as `<sayso-chat>` in the hostile page, met with the same words as the console."""

    def __init__(self, tab: Console, host: str, server: ServerProcess, **attributes: str) -> None:
        super().__init__(tab.page, server.url)
        self._address = page_with(host, server, "sayso-chat", style="height: 90vh", **attributes)

    async def open(self, path: str = "/") -> None:
        assert path == "/", "An element has one place"
        await self.page.goto(self._address)

    async def begin(self, words: str) -> str:
        await self.open()
        await self.say(words)
        await self.page.wait_for_function("told.some(([name]) => name === 'sayso-chat')")
        chat: str = await self.page.evaluate(
            "told.find(([name]) => name === 'sayso-chat')[1].chat_id"
        )
        return chat

    async def violations(self) -> list[Any]:
        """Of what is ours: the page around it is not."""
        await self.page.evaluate(AXE.read_text())
        found: list[Any] = await self.page.evaluate(
            """() => axe.run('#place', {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa',
            'wcag22aa', 'best-practice']}).then(({violations}) => violations.map(
            ({id, nodes}) => [id, nodes.map(n => n.html.slice(0, 160))]))"""
        )
        return found

    async def sideways_pixels(self) -> int:
        found: int = await self.page.evaluate(
            """() => { const inside = document.querySelector('sayso-chat').shadowRoot;
            return Math.max(...[document.documentElement,
            ...inside.querySelectorAll('.sy-root, .chat-main, [role=log]')]
            .map(e => e.scrollWidth - e.clientWidth)); }"""
        )
        return found
