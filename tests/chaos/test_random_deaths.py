"""kill -9 at random boundaries, hundreds of times, while people post, answer and wait."""

import asyncio
from pathlib import Path

import pytest

from tests.chaos.harness import Mortal, Person, check_world, mortal_server

KILLS_PER_SEED = 40
CHATS_AT_ONCE = 4


@pytest.mark.parametrize("seed", range(6))
async def test_nothing_is_lost_and_nothing_happens_twice(tmp_path: Path, seed: int):
    async with mortal_server(tmp_path) as server:
        person, orders, round_ = Person(server), [], 0
        dying = asyncio.create_task(_die_often(server, seed))
        while not dying.done():
            names = [f"s{seed}-r{round_}-{n}" for n in range(CHATS_AT_ONCE)]
            chats = await asyncio.gather(*(person.order(name) for name in names))
            await asyncio.gather(*(person.until_done(chat) for chat in chats))
            orders += list(zip(names, chats, strict=True))
            round_ += 1
        await dying
        await check_world(server, person, orders)
        assert server.kills.total() >= KILLS_PER_SEED


async def _die_often(server: Mortal, seed: int) -> None:
    """Life after life until it was killed often enough; the last one goes on."""
    life = 0
    while server.kills.total() < KILLS_PER_SEED:
        life += 1
        await server.live({"p": 0.02, "seed": seed * 10_000 + life})
        await server.until_dead()
    await server.live({})
