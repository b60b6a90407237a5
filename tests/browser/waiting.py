"""Waiting for a fact that nobody announces."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

#: For what a real server and a real page do on a busy machine.
PATIENCE_SECONDS = 40.0
_LOOK_AGAIN_SECONDS = 0.02

Fact = TypeVar("Fact")


async def until_it_is(wanted: Fact, read: Callable[[], Awaitable[Fact]]) -> None:
    """What a moving page shows, once it has come to rest; a failure shows what was read last."""
    seen: list[Fact] = []

    async def holds() -> bool:
        seen[:] = [await read()]
        return seen == [wanted]

    try:
        await until(holds)
    except TimeoutError:
        found = seen[0] if seen else "nothing that could be read"
        raise AssertionError(f"It is not:\n{wanted}\nbut:\n{found}") from None


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not await holds():  # noqa: ASYNC110 - another process cannot set our event
            await asyncio.sleep(_LOOK_AGAIN_SECONDS)
