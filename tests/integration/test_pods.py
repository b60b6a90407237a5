"""Deleting pods of a cluster over real HTTP: what the card says, and kill -9 between the yes and
the order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import yaml

from tests.browser.server_process import ServerProcess, running
from tests.kube_server import kube_server, pod
from tests.loopback import GUARD_SECONDS

Json = dict[str, Any]


async def until(is_so: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(2 * GUARD_SECONDS):
        while not await is_so():  # noqa: ASYNC110  # another process cannot set our event
            await asyncio.sleep(0.05)


async def until_many(noted: list[str], count: int) -> None:
    async def are_there() -> bool:
        return len(noted) == count

    await until(are_there)


async def asked_to_delete(server: ServerProcess, name: str) -> tuple[str, Json]:
    """A chat that asks for a deletion, and its card."""
    chat_id = (await server.post("/api/chats", {}))["id"]
    said = {"content": f"delete pod {name}", "client_message_id": name}
    await server.post(f"/api/chats/{chat_id}/messages", said)
    cards: list[Json] = []

    async def is_open() -> bool:
        path = f"/api/interactions?status=pending&chat={chat_id}"
        cards[:] = (await server.get(path))["interactions"]
        return bool(cards)

    await until(is_open)
    return chat_id, cards[0]


async def said_at_last(server: ServerProcess, chat_id: str) -> str:
    view: Json = {}

    async def is_done() -> bool:
        view.update(await server.get(f"/api/chats/{chat_id}"))
        return bool(view["run"]["status"] == "completed")

    await until(is_done)
    return str(view["messages"][-1]["content"])


async def test_kill_9_between_yes_and_order_deletes_the_pod_once_and_no_other(
    tmp_path: Path,
) -> None:
    with kube_server([pod("web-1"), pod("web-2"), pod("web-3")]) as kube:
        (tmp_path / "config").write_text(yaml.safe_dump(kube.kubeconfig()))
        environment = {"KUBECONFIG": str(tmp_path / "config")}
        command = ("serve", "sayso.packs.pods:app")
        async with running(tmp_path / "data", *command, environment=environment) as server:
            chats = [await asked_to_delete(server, name) for name in ("web-1", "web-2")]
            shown = chats[0][1]["payload"]
            assert shown["message"] == "May I delete the pod web-1 in shop?"
            details = shown["entity_details"]
            age = details.pop("age")
            assert age.endswith("d")
            assert details == {
                "namespace": "shop",
                "name": "web-1",
                "uid": "uid-of-web-1",
                "cluster": "test",
                "node": "node-7",
                "status": "Running",
                "made by": "ReplicaSet web-5d9c",
            }
            assert kube.of("DELETE") == []

            kube.holds = True
            for _, card in chats:
                yes = {"approved": True, "metadata": {"digest": card["payload"]["sayso"]["digest"]}}
                await server.post(f"/api/interactions/{card['interaction_id']}/response", yes)
            await until_many(kube.held, 2)
            await server.kill()
            # Its child sees that it is alone, and orders nothing.
            await until_many(kube.left, 2)
            assert kube.of("DELETE") == []

            kube.pods[1] = pod("web-2", "another of that name")
            kube.holds = False
            await server.start()
            words = [await said_at_last(server, chat_id) for chat_id, _ in chats]
            assert words == [
                "Pod shop/web-1 is deleted.",
                "Pod shop/web-2 was gone already; nothing else was deleted.",
            ]
            [order] = kube.of("DELETE")
            assert order.path.endswith("/web-1")
            assert order.body["preconditions"] == {"uid": "uid-of-web-1"}
            left = [one["metadata"]["uid"] for one in kube.pods]
            assert left == ["another of that name", "uid-of-web-3"]
