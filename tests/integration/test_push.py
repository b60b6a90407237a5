"""Push notices over real sockets: to the browsers that asked, until they arrive, and no further."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sayso.server import pushes
from sayso.settings import Settings
from tests.integration.test_asks import ask
from tests.integration.world import GUARD_SECONDS, World, running
from tests.push_service import PushService, push_service


def settings(data: Path, *networks: str) -> Settings:
    return Settings.model_validate(
        {"port": 0, "data_dir": data, "webhook_networks": list(networks)}
    )


@asynccontextmanager
async def told(data: Path, *statuses: str) -> AsyncIterator[tuple[World, PushService]]:
    """A server, and a browser that asked it to be told."""
    async with (
        push_service(*statuses) as service,
        running(settings(data, "127.0.0.0/8")) as world,
    ):
        await subscribe(world, service)
        yield world, service


async def subscribe(world: World, service: PushService) -> str:
    answer = await world.http.put("/api/push/subscriptions", json=service.subscription)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["id"])


async def test_a_request_is_told_by_its_title_alone(tmp_path: Path):
    async with told(tmp_path) as (world, service):
        asked = await ask(world, title="Deploy 4.2?", arguments={"secret": "hunter2"})
        (pushed,) = await service.until(1)
        it = asked["interaction_id"]
        assert pushed == {
            "title": "Needs your answer: Deploy 4.2?",
            "path": f"/i/{it}",
            "tag": it,
            "waiting": 1,
            "open": [it],
        }
        (claims,) = service.claims
        assert claims["aud"] == service.url.removesuffix("/wpush/v2/a")
        assert claims["key"] == (await world.http.get("/api/push")).json()["public_key"]
        key = tmp_path / "push.key"
        assert stat.S_IMODE(key.stat().st_mode) == 0o600


async def test_the_key_is_made_once(tmp_path: Path):
    keys = set()
    for _ in range(2):
        async with running(settings(tmp_path)) as world:
            keys.add((await world.http.get("/api/push")).json()["public_key"])
    assert len(keys) == 1


async def test_what_fails_is_told_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pushes, "PAUSES", (0.01,))
    async with told(tmp_path, "500 Oh", "429 Later", "302 Found") as (world, service):
        await ask(world)
        pushed = await service.until(4)
        assert all(each == pushed[0] for each in pushed)


async def test_a_browser_that_is_gone_is_forgotten(tmp_path: Path):
    async with told(tmp_path, "410 Gone") as (world, service), push_service() as other:
        await ask(world)
        await service.until(1)
        await subscribe(world, other)
        await ask(world)
        await other.until(1)
        assert len(service.pushed) == 1


async def test_no_private_address_is_called(tmp_path: Path):
    async with push_service() as private, running(settings(tmp_path)) as world:
        await subscribe(world, private)
        await ask(world)
        async with asyncio.timeout(GUARD_SECONDS):
            while not (await world.engine.store.due_pushes(mail_after=0)).next_in:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert private.pushed == []


@pytest.mark.parametrize(
    "change",
    [
        {"endpoint": "ftp://push.example/a"},
        {"endpoint": "https://user@push.example/a"},
        {"keys": {"p256dh": "x", "auth": "y"}},
        {"keys": {}},
        {"more": 1},
    ],
)
async def test_what_is_no_subscription_is_refused(tmp_path: Path, change: dict[str, object]):
    body = {**PushService(url="https://push.example/a").subscription, **change}
    async with running(settings(tmp_path)) as world:
        answer = await world.http.put("/api/push/subscriptions", json=body)
        assert answer.status_code == 422, answer.text


async def test_without_the_extra_nobody_is_offered_a_push(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sayso.server.app.is_available", lambda: False)
    assert (await world.http.get("/api/push")).json() == {"public_key": None}
    body = PushService(url="https://push.example/a").subscription
    answer = await world.http.put("/api/push/subscriptions", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "not_supported")
