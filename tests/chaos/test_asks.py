"""kill -9 of the server, the asker and the receiver, at every boundary of an ask: one card, one
answer, no approval used twice, and the webhook arrives under one id."""

from __future__ import annotations

import asyncio
import base64
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.chaos.harness import POLL_SECONDS, Mortal, mortal_server
from tests.seeds import third_of

Wire = dict[str, Any]
#: After these words an asker may die; `acted` is the moment after it has really acted.
STEPS = ("asked", "answered", "started", "acted", "reported")


class Died(Exception):
    """An asker's process ended here."""


class Asker:
    """A script that begins again, with its key, each time it has died. All that it keeps is a note
    of what it has done."""

    def __init__(self, server: Mortal, key: str, hook: str, *, dies: tuple[str, ...] = ()) -> None:
        self._server, self._key, self._hook = server, key, hook
        self._dies = list(dies)
        self.acted = 0

    async def run(self) -> Wire:
        while True:
            try:
                return await self._life()
            except Died:
                continue

    async def _life(self) -> Wire:
        body = {"kind": "approve", "title": f"Do {self._key}?", "arguments": {"n": self._key}}
        headers = {"Idempotency-Key": self._key}
        asked = await self._do("POST", "/api/asks", {**body, "callback_url": self._hook}, headers)
        self._point("asked")
        path = f"/api/asks/{asked['interaction_id']}"
        while asked["state"] == "pending":
            asked = await self._do("GET", f"{path}?wait=5")
        self._point("answered")
        if asked["state"] == "approved":
            begun = await self._do("POST", f"{path}/start", {})
            self._point("started")
            if "code" not in begun:
                self.acted += 1
                self._point("acted")
        if asked["state"] in ("done", "not_executed"):
            return asked
        # Whoever was not let through has not acted; its note tells which it is.
        said = "done" if self.acted else "not_executed"
        ended = await self._do("POST", f"{path}/report", {"state": said})
        self._point("reported")
        return ended

    def _point(self, name: str) -> None:
        if self._dies and self._dies[0] == name:
            self._dies.pop(0)
            raise Died(name)

    async def _do(
        self, method: str, path: str, body: Wire | None = None, headers: Wire | None = None
    ) -> Wire:
        return await insist(self._server, method, path, body, headers)


async def insist(
    server: Mortal, method: str, path: str, body: Wire | None = None, headers: Wire | None = None
) -> Wire:
    """Ask again until the server has answered."""
    while True:
        try:
            answer = await server.client.request(method, path, json=body, headers=headers)
        except httpx.TransportError:
            await asyncio.sleep(POLL_SECONDS)
            continue
        if answer.status_code < 500:
            return dict(answer.json())
        assert answer.status_code == 503, answer.text
        await asyncio.sleep(POLL_SECONDS)


async def answer_all(server: Mortal) -> None:
    """A person who says yes to everything, with one key for each card."""
    while True:
        found = await insist(server, "GET", "/api/interactions?status=pending")
        for it in found["interactions"]:
            said = {"approved": True, "metadata": {"digest": it["payload"]["sayso"]["digest"]}}
            path = f"/api/interactions/{it['interaction_id']}/response"
            await insist(server, "POST", path, said, {"Idempotency-Key": it["interaction_id"]})
        await asyncio.sleep(POLL_SECONDS)


class Receiver:
    """Where webhooks arrive. It dies before or after it has read, as often as it is told."""

    def __init__(self) -> None:
        self.ids: dict[str, Counter[str]] = {}
        self.deaths: list[str] = []
        self.url = ""

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):  # the server dies as well
            await self._receive(reader, writer)
        writer.close()

    async def _receive(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        death = self.deaths.pop(0) if self.deaths else None
        if death != "before":
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            fields = dict(line.split(": ", 1) for line in head.splitlines() if ": " in line)
            told = json.loads(await reader.readexactly(int(fields["content-length"])))
            of_ask = self.ids.setdefault(told["data"]["interaction_id"], Counter())
            of_ask[fields["webhook-id"]] += 1
        if death is None:
            writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
            await writer.drain()


@asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    receiver = Receiver()
    server = await asyncio.start_server(receiver, "127.0.0.1", 0)
    receiver.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    async with server:
        yield receiver


@pytest.fixture(autouse=True)
def hooks_may_come_here(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = base64.b64encode(b"0123456789abcdef01234567").decode()
    monkeypatch.setenv("SAYSO_WEBHOOK_SECRET", f"whsec_{secret}")
    monkeypatch.setenv("SAYSO_WEBHOOK_NETWORKS", '["127.0.0.0/8"]')


@asynccontextmanager
async def answering(server: Mortal) -> AsyncIterator[None]:
    person = asyncio.create_task(answer_all(server))
    try:
        yield
    finally:
        person.cancel()
        await asyncio.gather(person, return_exceptions=True)


async def through_death(server: Mortal, asker: Asker) -> Wire:
    """The asker's whole story; when the server dies in it, another life begins."""

    async def reborn() -> None:
        await server.until_dead()
        await server.live({})

    again = asyncio.create_task(reborn())
    async with answering(server):
        ended = await asker.run()
    again.cancel()
    await asyncio.gather(again, return_exceptions=True)
    await server.kill()
    return ended


async def check(server: Mortal, receiver: Receiver, ended: list[Wire]) -> None:
    """One card and one answer for each ask, no more than one act, and its webhook has come."""
    await server.live({})
    wanted = {it["interaction_id"] for it in ended}
    assert len(wanted) == len(ended)
    async with asyncio.timeout(60):
        while not wanted <= receiver.ids.keys():  # noqa: ASYNC110  # another process
            await asyncio.sleep(POLL_SECONDS)
    assert all(len(ids) == 1 for ids in receiver.ids.values()), receiver.ids
    found = await insist(server, "GET", "/api/interactions?limit=200")
    assert {it["interaction_id"] for it in found["interactions"]} == wanted
    assert (await insist(server, "GET", "/api/audit/verify"))["intact"] is True
    assert (await insist(server, "GET", "/api/admin/pending"))["pending"] == []
    await server.kill()


async def test_a_kill_of_the_server_at_each_boundary_of_an_ask(tmp_path: Path):
    async with receiving() as receiver, mortal_server(tmp_path) as server:
        notes = tmp_path / "points.txt"
        await server.live({"record": str(notes)})
        ended = [await through_death(server, Asker(server, "first", receiver.url))]
        points = sorted(set(notes.read_text().split()))
        points = [point for point in points if not point.startswith(("seal_", "touch"))]
        assert len(points) > 40, points
        points, lost = third_of(points), 0
        for number, point in enumerate(points):
            await server.live({"at": point})
            asker = Asker(server, f"k{number}", receiver.url)
            ended.append(await through_death(server, asker))
            assert asker.acted <= 1, point
            lost += not asker.acted
            assert ended[-1]["state"] == ("done" if asker.acted else "not_executed"), point
        assert lost <= 3, "only where the reply to its start was lost an asker does not act"
        await check(server, receiver, ended)
        assert server.kills.total() >= len(points) * 8 // 10, server.kills


async def test_a_kill_of_the_asker_at_each_boundary(tmp_path: Path):
    async with receiving() as receiver, mortal_server(tmp_path) as server:
        await server.live({})
        ended: list[Wire] = []
        async with answering(server):
            for number, first in enumerate(STEPS):
                for second in STEPS:
                    key = f"a{number}-{second}"
                    asker = Asker(server, key, receiver.url, dies=(first, second))
                    ended.append(await asker.run())
                    assert asker.acted <= 1
        await server.kill()
        await check(server, receiver, ended)


async def test_a_receiver_that_dies_gets_it_again(tmp_path: Path):
    async with receiving() as receiver, mortal_server(tmp_path) as server:
        await server.live({})
        receiver.deaths = ["before", "after"]
        async with answering(server):
            askers = [Asker(server, f"r{number}", receiver.url) for number in range(2)]
            ended = [await asker.run() for asker in askers]
        await server.kill()
        await check(server, receiver, ended)


async def test_an_answer_given_while_nobody_waited_is_there(tmp_path: Path):
    async with mortal_server(tmp_path) as server:
        await server.live({})
        body = {"kind": "approve", "title": "Go?"}
        headers = {"Idempotency-Key": "k"}
        asked = await insist(server, "POST", "/api/asks", body, headers)
        await server.kill()
        await server.live({})
        path = f"/api/interactions/{asked['interaction_id']}/response"
        await insist(server, "POST", path, {"approved": True})
        await server.kill()
        await server.live({})
        again = await insist(server, "POST", "/api/asks", body, headers)
        assert (again["interaction_id"], again["state"]) == (asked["interaction_id"], "approved")
