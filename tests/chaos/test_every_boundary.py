"""kill -9 at every single boundary: before each statement and commit, and around each effect."""

import asyncio
from collections import Counter
from pathlib import Path

from tests.chaos.harness import POLL_SECONDS, Mortal, Person, check_log, check_world, mortal_server
from tests.seeds import third_of


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


async def test_a_kill_at_each_boundary_of_a_parent_and_its_child(tmp_path: Path):
    """Both wait for a person and one for the other: each acts once, and both come to their end."""
    async with mortal_server(tmp_path, "tests.chaos.family_desk") as server:
        whole = await _points_of(server, Person(server), "record")
        assert len(whole) > 40
        # A plain approval, which is most of this story too, is taken whole each time.
        points, person = third_of(whole), Person(server)
        for number, point in enumerate(points):
            await server.live({"at": point})
            chat = await _order_through_death(server, person, f"f{number}")
            view = await server.view(chat)
            assert view.run is not None
            assert view.run.status == "completed", point
            assert f"lead-f{number} stamped, clerk-f{number} stamped" in view.messages[-1].content
        stamps = Counter(line.split()[0] for line in {*_lines(tmp_path / "stamps.txt")})
        assert set(stamps.values()) == {1}, stamps
        assert server.kills.total() >= len(points) * 8 // 10, server.kills


async def test_a_kill_at_each_statement_of_the_cancellation_of_a_parent(tmp_path: Path):
    """Whatever dies in it, nothing of the family is left open."""
    async with mortal_server(tmp_path, "tests.chaos.family_desk") as server:
        person = Person(server, answers=False)
        notes = tmp_path / "points.txt"
        await server.live({"record": str(notes)})
        await _cancel_when_waiting(person, "c0", cards=2)
        await server.kill()
        points = sorted({p for p in notes.read_text().split() if p.startswith("cancel")})
        assert len(points) > 5
        for number, point in enumerate(points, 1):
            await server.live({"at": point})
            reborn = asyncio.create_task(_reborn(server))
            chat = await _cancel_when_waiting(person, f"c{number}", cards=2)
            await reborn
            assert (await person.until_done(chat))["run"]["status"] == "cancelled"
            assert await person.pending(chat) == [], point
            await server.kill()
        assert server.kills.total() == len(points), server.kills
        assert not (tmp_path / "stamps.txt").exists()


async def test_a_kill_at_each_boundary_of_a_tool_that_acts_and_raises(tmp_path: Path):
    """It acts once: whoever is asked looks at the world, and no model tries it by itself."""
    async with mortal_server(tmp_path) as server:
        person = Person(server)
        points = await _points_of(server, person, "torn-0")
        points = [p for p in points if "effect" in p or p.startswith("torn.")]
        assert len(points) > 8, points
        orders = []
        for number, point in enumerate(points, 1):
            await server.live({"at": point})
            orders.append(
                (f"torn-{number}", await _order_through_death(server, person, f"torn-{number}"))
            )
        await check_world(server, person, orders)
        assert server.kills.total() >= len(points) * 9 // 10, server.kills


async def test_a_kill_at_each_boundary_of_an_expiry(tmp_path: Path):
    async with mortal_server(tmp_path) as server:
        person = Person(server, answers=False)
        points = [p for p in await _points_of(server, person, "hold-0") if "expire" in p]
        assert len(points) > 5
        for number, point in enumerate(points, 1):
            await server.live({"at": point})
            chat = await _order_through_death(server, person, f"hold-{number}")
            statuses = await check_log(server, chat)
            assert statuses == ["expired", "expired"], point
        assert server.kills.total() == len(points), server.kills


async def test_a_kill_at_each_statement_of_a_cancellation(tmp_path: Path):
    async with mortal_server(tmp_path) as server:
        person = Person(server, answers=False)
        notes = tmp_path / "points.txt"
        await server.live({"record": str(notes)})
        await _cancel_when_waiting(person, "c0")
        await server.kill()
        points = sorted({p for p in notes.read_text().split() if p.startswith("cancel")})
        assert len(points) > 5
        for number, point in enumerate(points, 1):
            await server.live({"at": point})
            reborn = asyncio.create_task(_reborn(server))
            chat = await _cancel_when_waiting(person, f"c{number}")
            await reborn
            assert (await person.until_done(chat))["run"]["status"] == "cancelled"
            await server.kill()
            assert await check_log(server, chat) == ["cancelled"] * 3, point
        assert server.kills.total() == len(points), server.kills
        assert not person.happened()


async def test_a_kill_in_the_middle_of_a_text(tmp_path: Path):
    """The text so far is kept and said to be interrupted; the run begins it again and ends."""
    async with mortal_server(tmp_path) as server:
        person = Person(server)
        for number in range(12):
            await server.live({"at": "keep_texts:after", "nth": 1 + number % 3})
            chat = await _order_through_death(server, person, f"talk-{number}")
            view = await server.view(chat)
            said = [m for m in view.messages if m.role == "assistant"]
            assert [m.status.value for m in said] == ["interrupted", "complete"]
            shorter, longer = sorted((m.content for m in said), key=len)
            assert longer.startswith(shorter)
            assert said[1].content.endswith("399 ")
        assert server.kills.total() == 12


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


async def _cancel_when_waiting(person: Person, name: str, cards: int = 1) -> str:
    chat = await person.order(name)
    while len(await person.pending(chat)) < cards:  # noqa: ASYNC110  # another process
        await asyncio.sleep(POLL_SECONDS)
    await person.cancel(chat)
    return chat


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
