"""Webhooks over real sockets: signed, sent until they arrive, and to no address that is private."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import ipaddress
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from sayso.server import webhooks
from sayso.server.outgoing import may_be_called
from sayso.settings import Settings
from sayso.testing.clock import FakeClock
from tests.integration.test_asks import answered, ask, get
from tests.integration.test_bad_input import problem
from tests.integration.world import GUARD_SECONDS, Wire, World, running

SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef01234567").decode()


@dataclass
class Received:
    headers: dict[str, str]
    body: bytes

    @property
    def told(self) -> Wire:
        return dict(json.loads(self.body))


@dataclass
class Receiver:
    """Where an asker listens: it answers as the test says."""

    statuses: list[str] = field(default_factory=list)
    got: list[Received] = field(default_factory=list)
    url: str = ""

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        lines = [line.split(": ", 1) for line in head.splitlines()[1:] if ": " in line]
        headers = {name.lower(): value for name, value in lines}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.got.append(Received(headers, body))
        status = self.statuses.pop(0) if self.statuses else "204 No Content"
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())
        await writer.drain()
        writer.close()

    async def until(self, count: int) -> list[Received]:
        async with asyncio.timeout(GUARD_SECONDS):
            while len(self.got) < count:  # noqa: ASYNC110  # it is another program
                await asyncio.sleep(0.01)
        return self.got


@asynccontextmanager
async def receiving(*statuses: str, host: str = "127.0.0.1") -> AsyncIterator[Receiver]:
    receiver = Receiver([*statuses])
    server = await asyncio.start_server(receiver, host, 0)
    port = server.sockets[0].getsockname()[1]
    receiver.url = f"http://{f'[{host}]' if ':' in host else host}:{port}/hook?a=b"
    async with server:
        yield receiver


def settings(*networks: str) -> Settings:
    return Settings.model_validate(
        {"port": 0, "webhook_secret": SECRET, "webhook_networks": list(networks)}
    )


LOOPBACK = ("127.0.0.0/8", "::1/128")


async def hook(world: World, asked: Wire, until: Callable[[Wire], bool]) -> Wire:
    async with asyncio.timeout(GUARD_SECONDS):
        while True:
            told = (await get(world, asked)).json()["webhook"]
            if until(told):
                return dict(told)
            await asyncio.sleep(0.01)


def is_signed(received: Received, secret: str = SECRET) -> bool:
    """As the specification says it, apart from our code."""
    headers = received.headers
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + received.body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    right = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    return headers["webhook-signature"] == f"v1,{right}"


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
async def test_the_answer_is_told_signed(host: str):
    async with receiving(host=host) as receiver, running(settings(*LOOPBACK)) as world:
        asked = await ask(world, callback_url=receiver.url)
        assert asked["webhook"]["state"] == "waiting"
        await answered(world, asked)
        (received,) = await receiver.until(1)
        assert is_signed(received)
        data = received.told["data"]
        assert (data["interaction_id"], data["state"]) == (asked["interaction_id"], "approved")
        assert data["arguments"] == asked["arguments"]
        received.body = received.body.replace(b"approved", b"rejected")
        assert not is_signed(received)
        told = await hook(world, asked, lambda it: it["state"] == "delivered")
        assert (told["attempts"], told["error"]) == (1, None)


async def test_what_fails_is_sent_again_under_the_same_id(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(webhooks, "PAUSES", (0.01,))
    async with (
        receiving("500 Oh", "302 Found", "503 Later") as receiver,
        running(settings(*LOOPBACK)) as world,
    ):
        asked = await ask(world, callback_url=receiver.url)
        await answered(world, asked, approved=False, user_message="no")
        received = await receiver.until(4)
        assert len({it.headers["webhook-id"] for it in received}) == 1
        assert all(map(is_signed, received))
        assert {it.told["data"]["state"] for it in received} == {"rejected"}
        told = await hook(world, asked, lambda it: it["state"] == "delivered")
        assert told["attempts"] == 4


@pytest.mark.parametrize("how", ["withdrawn", "dismissed"])
async def test_other_ends_are_told_too(how: str):
    async with receiving() as receiver, running(settings(*LOOPBACK)) as world:
        asked = await ask(world, callback_url=receiver.url)
        if how == "withdrawn":
            await world.http.delete(f"/api/asks/{asked['interaction_id']}")
        else:
            await world.http.post(f"/api/interactions/{asked['interaction_id']}/dismiss")
        (received,) = await receiver.until(1)
        assert received.told["data"]["state"] == how


async def test_who_is_gone_is_told_no_more():
    async with receiving("410 Gone") as receiver, running(settings(*LOOPBACK)) as world:
        asked = await ask(world, callback_url=receiver.url)
        await answered(world, asked)
        told = await hook(world, asked, lambda it: it["state"] == "given_up")
        assert "410" in told["error"]
        entries = (await world.http.get("/api/audit")).json()["entries"]
        assert "webhook.given_up" in [entry["action"] for entry in entries]
        assert len(receiver.got) == 1


async def test_after_three_days_it_is_given_up():
    clock = FakeClock()
    async with (
        receiving(*["500 Oh"] * 99) as receiver,
        running(settings(*LOOPBACK), clock=clock) as world,
    ):
        asked = await ask(world, callback_url=receiver.url)
        await answered(world, asked)

        async def tried(count: int) -> Wire:
            """How it stands after its n-th delivery."""
            await receiver.until(count)
            return await hook(
                world, asked, lambda it: it["error"] is not None and it["attempts"] == count
            )

        count = 1
        while (await tried(count))["state"] == "due":
            clock.advance(seconds=4 * 3600)
            world.engine.runtime.on_ask_settled()
            count += 1
        assert 18 <= count <= 30
        assert (await tried(count))["state"] == "given_up"


# ── where it may go ──


@pytest.mark.parametrize("networks", [(), ("10.0.0.0/8",)])
async def test_no_private_address_is_called(networks: tuple[str, ...]):
    async with receiving() as receiver, running(settings(*networks)) as world:
        for url in (receiver.url, receiver.url.replace("127.0.0.1", "localhost")):
            asked = await ask(world, callback_url=url)
            await answered(world, asked)
            told = await hook(world, asked, lambda it: it["error"] is not None)
            assert "no public address" in told["error"]
        assert receiver.got == []


async def test_a_redirect_leads_nowhere():
    async with (
        receiving() as inner,
        receiving(f"307 Go\r\nLocation: {inner.url}") as outer,
        running(settings(*LOOPBACK)) as world,
    ):
        asked = await ask(world, callback_url=outer.url)
        await answered(world, asked)
        told = await hook(world, asked, lambda it: it["error"] is not None)
        assert "redirects are not followed" in told["error"]
        assert (told["state"], inner.got) == ("due", [])


async def test_a_name_is_looked_up_at_each_delivery(monkeypatch: pytest.MonkeyPatch):
    """At first it is public, and nobody is there; then it leads inside."""
    monkeypatch.setattr(webhooks, "PAUSES", (0.01,))
    answers = [["203.0.113.9"], ["8.8.8.8", "127.0.0.1"], ["10.0.0.7"]]
    asked_for: list[str] = []

    async def lookup(self: object, host: str, *_: object, **__: object) -> list[Any]:
        asked_for.append(host)
        found = answers[min(len(asked_for), len(answers)) - 1]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0)) for address in found]

    async with receiving() as receiver, running(settings()) as world:
        port = receiver.url.rsplit(":", 1)[1]
        loop = asyncio.get_running_loop()
        monkeypatch.setattr(type(loop), "getaddrinfo", lookup)
        asked = await ask(world, callback_url=f"http://rebind.example:{port}")
        await answered(world, asked)
        told = await hook(world, asked, lambda it: it["attempts"] > 3)
        assert "10.0.0.7" in told["error"]
        assert len(asked_for) >= 3
        assert receiver.got == []


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0"),
        *("100.64.0.1", "224.0.0.1", "255.255.255.255", "203.0.113.9", "::1", "::", "fe80::1"),
        *("fd00::1", "ff02::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::"),
    ],
)
def test_addresses_that_are_not_public(address: str):
    read = ipaddress.ip_address(address)
    assert not may_be_called(read, [])
    assert may_be_called(ipaddress.ip_address("8.8.8.8"), [])
    assert may_be_called(ipaddress.ip_address("2606:4700::1111"), [])


def test_a_network_can_be_allowed():
    networks = [ipaddress.ip_network("10.1.0.0/16")]
    assert may_be_called(ipaddress.ip_address("10.1.2.3"), networks)
    assert may_be_called(ipaddress.ip_address("::ffff:10.1.2.3"), networks)
    assert not may_be_called(ipaddress.ip_address("10.2.2.3"), networks)


@pytest.mark.parametrize(
    "url", ["ftp://a.example", "file:///etc/passwd", "//a.example", "x", "http://u:p@a.example", ""]
)
async def test_urls_that_are_none(world: World, url: str):
    body = {"kind": "notice", "title": "x", "callback_url": url}
    problem(await world.http.post("/api/asks", json=body), 422, "invalid_input")
