"""An office in which things wait: what an agent was asked, and the card that came of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import Browser

from tests.browser.console import Console, console
from tests.browser.reach import DARK, LOOKS, Look, look_at
from tests.browser.server_process import ServerProcess, running
from tests.browser.waiting import until

SUPPORT, LCA = "Support agent", "openLCA agent"
REFUND = "Refund €42.00 to order 1001"
WHICH = "Which allocation method would you like to use?"
TABLE = "Add 3 exchanges to “Fabrication of reinforced concrete”"


@dataclass
class Desk:
    server: ServerProcess

    @property
    def url(self) -> str:
        return self.server.url

    async def ask(self, words: str, agent: str = SUPPORT, *, cards: int = 1) -> list[Any]:
        """A new chat with these words, and the cards that it waits for, oldest first."""
        chat = (await self.server.post("/api/chats", {"agent": agent, "title": words}))["id"]
        message = {"content": words, "client_message_id": "m1"}
        await self.server.post(f"/api/chats/{chat}/messages", message)
        found: list[Any] = []

        async def there() -> bool:
            path = f"/api/interactions?order=oldest&limit=200&chat={chat}"
            found[:] = (await self.server.get(path))["interactions"]
            return len(found) >= cards

        await until(there)
        return found

    async def answer(self, card: Mapping[str, Any], **body: object) -> None:
        await self.server.post(f"/api/interactions/{card['interaction_id']}/response", body)

    async def card(self, card: Mapping[str, Any]) -> Any:
        return await self.server.get(f"/api/interactions/{card['interaction_id']}")


@asynccontextmanager
async def desk_at(data: Path, **environment: str) -> AsyncIterator[Desk]:
    command = ("serve", "tests.browser.desk_agent:app")
    async with running(data, *command, environment=environment) as server:
        yield Desk(server)


async def looks_well(
    browser: Browser, server: Desk | ServerProcess, path: str, name: str, *ready: str
) -> None:
    """In light, dark and at 320 px: nothing that axe finds, nothing that scrolls sideways. `ready`
    are words that stand there once the view is as it should be."""
    async with console(browser, server.url) as tab:
        for look in LOOKS:
            await look_at(tab.page, look)
            await tab.open(path)
            for words in ready:
                await tab.main.get_by_text(words).first.wait_for()
            await _is_well(tab, name, look)


async def looks(tab: Console, name: str) -> None:
    """The same of a state that a new page would not be in; it is left as it was found."""
    found = tab.page.viewport_size
    assert found is not None
    for look in LOOKS:
        await look_at(tab.page, look, height=found["height"])
        await _is_well(tab, name, look)
    await tab.page.set_viewport_size(found)


async def _is_well(tab: Console, name: str, look: Look) -> None:
    await tab.picture(f"{name}.{look.name}")
    assert await tab.violations(only_colours=look is DARK) == [], (name, look)
    assert await tab.sideways_pixels() <= 0, (name, look)
