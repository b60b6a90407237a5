"""kill -9 at every single boundary: before each statement and commit, and around each effect."""

import asyncio
from pathlib import Path

from tests.chaos.harness import Mortal, Person, check_world, mortal_server


async def test_a_kill_at_each_boundary_of_an_approval(tmp_path: Path):
    async with mortal_server(tmp_path) as server:
        points = await _points_of(server, Person(server), "record")
        person, orders = Person(server), []
        for number, point in enumerate(points):
            await server.live({"at": point})
            name = f"b{number}"
            chat = await _order_through_death(server, person, name)
            orders.append((name, chat))
        await check_world(server, person, orders)
        assert server.kills.total() >= len(points) * 9 // 10, server.kills
        assert len(points) > 40


async def _points_of(server: Mortal, person: Person, name: str) -> list[str]:
    """Every boundary that one order passes."""
    notes = server.data / "points.txt"
    await server.live({"record": str(notes)})
    await person.until_done(await person.order(name))
    await server.kill()
    return sorted(set(notes.read_text().split()))


async def _order_through_death(server: Mortal, person: Person, name: str) -> str:
    """One order; when the server dies in it, another life begins and the client goes on."""
    ordering = asyncio.create_task(person.order(name))
    reborn = asyncio.create_task(_reborn(server))
    chat = await ordering
    await person.until_done(chat)
    reborn.cancel()
    await asyncio.gather(reborn, return_exceptions=True)
    await server.kill()
    return chat


async def _reborn(server: Mortal) -> None:
    await server.until_dead()
    await server.live({})
