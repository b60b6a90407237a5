"""A client that comes back: from connecting to being up to date, in short and long chats."""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
import time
import uuid

import httpx
import websockets

from benchmarks.work import pin_client, server, spread, table


def main() -> None:
    pin_client()
    with (
        tempfile.TemporaryDirectory() as place,
        server("benchmarks.product", place) as (product, _),
    ):
        medians = {}
        for lines in (200, 2000):
            times, size = asyncio.run(_come_back(product, lines))
            medians[lines] = statistics.median(times)
            table(
                f"coming back to a chat of {lines} messages",
                [("connect → last page here", f"{spread(times)} ms"), ("bytes", f"{size:,}")],
            )
        table(
            "does it grow with the chat?", [("2,000 / 200", f"{medians[2000] / medians[200]:.2f}")]
        )


async def _come_back(address: str, lines: int) -> tuple[list[float], int]:
    async with httpx.AsyncClient(base_url=f"http://{address}", timeout=60) as client:
        chat = (await client.post("/api/chats", json={})).json()
        path = f"/api/chats/{chat['id']}/messages"
        for _ in range(lines // 2):
            body = {"content": "talk", "client_message_id": str(uuid.uuid4())}
            await client.post(path, json=body, headers={"Prefer": "wait=30"})
    times, size = [], 0
    for _ in range(20):
        begun = time.perf_counter()
        async with websockets.connect(f"ws://{address}/api/chats/{chat['id']}/live") as socket:
            raw = await socket.recv()
            times.append((time.perf_counter() - begun) * 1000)
            assert json.loads(raw)["type"] == "chat.snapshot"
            size = len(raw)
    return times, size
