"""What goes wrong under a running server is said by its health, and no answer is lost in it."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from sayso.clock import SystemClock
from sayso.store.sqlite import BUSY_SECONDS
from tests.integration.programs import GUARD_SECONDS, Served, sayso, serving
from tests.integration.world import World, running, which


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def server(data: Path) -> Iterator[Served]:
    with serving(data) as server:
        yield server


def health(server: Served) -> tuple[int, dict[str, Any]]:
    answer = httpx.get(f"{server.url}/api/health", timeout=GUARD_SECONDS)
    return answer.status_code, answer.json()


def approve(server: Served, card: dict[str, Any]) -> httpx.Response:
    path = f"/api/interactions/{card['interaction_id']}/response"
    digest = card["payload"]["sayso"]["digest"]
    body = {"approved": True, "metadata": {"digest": digest}}
    return httpx.post(f"{server.url}{path}", json=body, timeout=GUARD_SECONDS)


def test_an_answer_never_goes_into_a_database_that_was_moved_away(server: Served, data: Path):
    chat, card = server.ask("desk")
    (data / "sayso.db").rename(data / "elsewhere.db")
    status, said = health(server)
    assert (status, said["status"], said["store"]) == (503, "degraded", "store_moved")
    assert str(data) not in said["detail"], "whoever is not signed in need not know where it lies"
    assert "Put the file back" in said["fix"]
    doctor = sayso("doctor", "--data", data)
    assert doctor.code == 1
    assert "It is not well: The database was moved or replaced." in doctor.stdout
    refused = approve(server, card)
    assert (refused.status_code, refused.json()["code"]) == (503, "store_moved")

    (data / "elsewhere.db").rename(data / "sayso.db")
    assert health(server)[0] == 200
    assert approve(server, card).status_code == 200
    server.until(chat, "completed")


def test_a_replaced_database_is_worked_on_after_a_restart(server: Served, data: Path):
    chat, card = server.ask("desk")
    with (
        closing(sqlite3.connect(data / "sayso.db")) as old,
        closing(sqlite3.connect(data / "backup.db")) as new,
    ):
        old.backup(new)
    (data / "backup.db").replace(data / "sayso.db")
    status, said = health(server)
    assert (status, said["store"]) == (503, "store_moved")
    assert "Restart" in said["fix"]
    assert approve(server, card).status_code == 503
    server.stop()
    with serving(data) as again:
        assert health(again)[0] == 200
        assert approve(again, card).status_code == 200
        again.until(chat, "completed")


def test_a_lock_of_another_program_costs_everybody_one_deadline(server: Served, data: Path):
    chats = [server.post("/api/chats", {"agent": "desk"})["id"] for _ in range(8)]

    def post(chat: str) -> tuple[int, str, float]:
        message = {"content": "go", "client_message_id": "1"}
        answer = httpx.post(
            f"{server.url}/api/chats/{chat}/messages", json=message, timeout=GUARD_SECONDS
        )
        return answer.status_code, answer.json()["code"], answer.elapsed.total_seconds()

    with closing(sqlite3.connect(data / "sayso.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor(8) as people:
            told = list(people.map(post, chats))
        status, said = health(server)
        assert (status, said["store"]) == (503, "store_busy")
    assert {(code, name) for code, name, _ in told} == {(503, "store_busy")}
    # Eight deadlines one after the other would be forty seconds, the server's own writes aside.
    assert max(seconds for *_, seconds in told) < 4 * BUSY_SECONDS
    assert health(server)[0] == 200
    server.post(f"/api/chats/{chats[0]}/messages", {"content": "go", "client_message_id": "2"})


class SetClock(SystemClock):
    """The machine's clock, which somebody sets."""

    off = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.off


@pytest.fixture
async def world() -> AsyncIterator[tuple[World, SetClock]]:
    clock = SetClock()
    async with running(clock=clock) as world:
        yield world, clock


async def test_a_card_expires_though_the_clock_was_set_back(world: tuple[World, SetClock]):
    world_, clock = world
    chat = await world_.chat()
    hold = await world_.start(chat)
    clock.off = timedelta(hours=1)
    await hold.ask(which("soon", "a", "b", seconds=0.3))
    clock.off = timedelta(hours=-1)
    [card] = await _settled(world_, chat)
    assert card["status"] == "expired"


async def test_a_card_does_not_expire_because_the_clock_was_set_forward(
    world: tuple[World, SetClock],
):
    world_, clock = world
    chat = await world_.chat()
    hold = await world_.start(chat)
    await hold.ask(which("later", "a", "b", seconds=3600), which("soon", "a", "b", seconds=0.3))
    clock.off = timedelta(hours=5)
    # Once the short one has expired, the long one was looked at by the same clock.
    [soon] = await _settled(world_, chat)
    [later] = await world_.pending(chat)
    assert soon["interaction_id"] != later["interaction_id"]
    body = {"approved": True, "response_data": {"selected_option": "a"}}
    path = f"/api/interactions/{later['interaction_id']}/response"
    assert (await world_.http.post(path, json=body)).status_code == 200


async def _settled(world: World, chat: str) -> list[dict[str, Any]]:
    """What is settled in a chat, once anything is."""
    async with asyncio.timeout(GUARD_SECONDS):
        while True:
            path = f"/api/history?chat={chat}"
            found: list[dict[str, Any]] = (await world.http.get(path)).json()["entries"]
            if found:
                return found
