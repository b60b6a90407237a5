"""From an answer to the first character that goes on, at the client, beside the floors in the same
run."""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
import time
import uuid
from pathlib import Path

import httpx
import websockets

from benchmarks.work import pin_client, server, spread, table

ROUNDS, REPETITIONS = 20, 5


def main() -> None:
    pin_client()
    with (
        tempfile.TemporaryDirectory() as place,
        server("benchmarks.floor", str(Path(place) / "floor.db")) as (floor, _),
        server("benchmarks.product", place) as (product, _),
    ):
        times: dict[str, list[float]] = {"F1": [], "F2": [], "Sayso": []}
        for _repetition in range(REPETITIONS):
            times["F1"] += asyncio.run(_floor(f"ws://{floor}/f1"))
            times["F2"] += asyncio.run(_floor(f"ws://{floor}/f2"))
            times["Sayso"] += asyncio.run(_product(product))
    f2 = statistics.median(times["F2"])
    rows = [(name, f"{spread(ms)} ms") for name, ms in times.items()]
    rows.append(("Sayso / F2", f"{statistics.median(times['Sayso']) / f2:8.2f}   (aim: 3 or less)"))
    table(f"answer → first character, median (p10 .. p90) of {ROUNDS * REPETITIONS}", rows)


async def _floor(url: str) -> list[float]:
    times = []
    async with websockets.connect(url) as socket:
        for _ in range(ROUNDS):
            await socket.send("go")
            await socket.recv()
            begun = time.perf_counter()
            await socket.send("yes")
            await socket.recv()
            times.append((time.perf_counter() - begun) * 1000)
            while json.loads(await socket.recv())["type"] != "end":
                pass
    return times


async def _product(address: str) -> list[float]:
    times = []
    async with httpx.AsyncClient(base_url=f"http://{address}") as client:
        for _ in range(ROUNDS):
            chat = (await client.post("/api/chats", json={})).json()
            async with websockets.connect(f"ws://{address}/api/chats/{chat['id']}/live") as socket:
                times.append(await _one_answer(socket))
    return times


async def _one_answer(socket: websockets.ClientConnection) -> float:
    words = {"content": "go", "client_message_id": str(uuid.uuid4())}
    await socket.send(json.dumps({"ref": "1", "type": "message", "data": words}))
    card = await _until(socket, "chat.ui_tool")
    answer = {
        "interaction_id": card["data"]["eventId"],
        "key": str(uuid.uuid4()),
        "body": {"selected_option": "yes"},
    }
    frame = json.dumps({"ref": "2", "type": "answer", "data": answer})
    begun = time.perf_counter()
    await socket.send(frame)
    await _until(socket, "chat.delta")
    took = (time.perf_counter() - begun) * 1000
    while (await _until(socket, "chat.run"))["data"]["status"] != "completed":
        pass
    return took


async def _until(socket: websockets.ClientConnection, kind: str) -> dict[str, dict[str, str]]:
    while True:
        frame: dict[str, dict[str, str]] = json.loads(await socket.recv())
        if frame.get("type") == kind:
            return frame
