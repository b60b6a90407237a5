"""Waiting for a fact that nobody announces."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

PATIENCE_SECONDS = 20.0
_LOOK_AGAIN_SECONDS = 0.02


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not await holds():  # noqa: ASYNC110 - another process cannot set our event
            await asyncio.sleep(_LOOK_AGAIN_SECONDS)
