"""Streaming to 1, 10 and 50 clients: processor seconds of the server per million characters, beside
the bare socket."""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
import websockets

from benchmarks.work import TOKENS, cpu_seconds, pin_client, server, table

REPETITIONS = 5
CHARACTERS = sum(map(len, TOKENS))

Talk = Callable[[str], Awaitable[int]]


def main() -> None:
    pin_client()
    with (
        tempfile.TemporaryDirectory() as place,
        server("benchmarks.floor", str(Path(place) / "floor.db")) as (floor, floor_process),
        server("benchmarks.product", place) as (product, product_process),
    ):
        for clients in (1, 10, 50):
            each = max(1, 40 // clients)
            f1, own, fast, failed = [], [], [], 0
            for _ in range(REPETITIONS):
                cpu, _, _ = asyncio.run(_load(_floor, floor, floor_process.pid, clients, each))
                f1.append(cpu)
                cpu, rate, lost = asyncio.run(
                    _load(_product, product, product_process.pid, clients, each)
                )
                own.append(cpu)
                fast.append(rate)
                failed += lost
            ratio = statistics.median(own) / max(statistics.median(f1), 1e-9)
            rows = [
                ("F1, CPU s per 1M characters", f"{statistics.median(f1):6.2f}"),
                ("Sayso, CPU s per 1M characters", f"{statistics.median(own):6.2f}"),
                ("Sayso / F1", f"{ratio:6.2f}   (aim: 2 or less)"),
                ("Sayso, characters per second", f"{statistics.median(fast):,.0f}"),
                ("failed chats", f"{failed} of {clients * each * REPETITIONS}"),
            ]
            table(f"streaming to {clients} client(s), median of {REPETITIONS}", rows)


async def _load(
    talk: Talk, address: str, pid: int, clients: int, each: int
) -> tuple[float, float, int]:
    """CPU seconds per million characters, characters per second, and how many chats came short."""

    async def one() -> list[int]:
        return [await talk(address) for _ in range(each)]

    begun, before = time.perf_counter(), cpu_seconds(pid)
    counts = [
        count for batch in await asyncio.gather(*(one() for _ in range(clients))) for count in batch
    ]
    total = sum(counts)
    took, cpu = time.perf_counter() - begun, cpu_seconds(pid) - before
    short = sum(count != CHARACTERS for count in counts)
    return cpu / total * 1e6, total / took, short


async def _floor(address: str) -> int:
    async with websockets.connect(f"ws://{address}/f1") as socket:
        await socket.send("yes")
        count = 0
        while (frame := json.loads(await socket.recv()))["type"] != "end":
            count += len(frame["text"])
        return count


async def _product(address: str) -> int:
    async with httpx.AsyncClient(base_url=f"http://{address}") as client:
        chat = (await client.post("/api/chats", json={})).json()
    async with websockets.connect(f"ws://{address}/api/chats/{chat['id']}/live") as socket:
        words = {"content": "talk", "client_message_id": str(uuid.uuid4())}
        await socket.send(json.dumps({"ref": "1", "type": "message", "data": words}))
        length = 0
        while True:
            frame = json.loads(await socket.recv())
            data = frame.get("data") or {}
            if frame.get("type") in ("chat.delta", "chat.live"):
                length = max(length, data.get("offset", 0) + len(data["text"]))
            elif frame.get("type") == "chat.message" and data["role"] == "assistant":
                length = len(data["content"])
            elif frame.get("type") == "chat.run" and data["status"] in ("completed", "failed"):
                return length
