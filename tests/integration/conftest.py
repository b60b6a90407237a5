"""A server for each test: real sockets, a real engine, a database in memory."""

from collections.abc import AsyncIterator

import pytest

from tests.integration.world import World, running


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with running() as it:
        yield it
