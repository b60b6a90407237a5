"""kill -9 at random boundaries, eighty times a run, while people post, answer and wait.

The seeds are new in each run; `SAYSO_SEED` repeats one, `make soak` makes many more."""

import asyncio
from pathlib import Path

import pytest

from tests.chaos.harness import Mortal, Person, check_world, mortal_server
from tests.seeds import SEED, SOAK

KILLS_PER_SEED = 40
CHATS_AT_ONCE = 4


@pytest.mark.parametrize("number", range(2 * SOAK))
async def test_nothing_is_lost_and_nothing_happens_twice(tmp_path: Path, number: int):
    seed = SEED + number
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
