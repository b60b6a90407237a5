"""An ask: from the commit of its answer to the last byte at whoever waits, beside a bare FastAPI
route that waits on an `asyncio.Event`, in the same run."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable

import httpx

from benchmarks.work import pin_client, server, spread, table

ROUNDS, REPETITIONS = 40, 5
#: A waiter is on its way for so long before the answer is given.
UNDER_WAY_SECONDS = 0.02

#: Begin to wait, and answer: returns the waiting reply, and when the answer was there.
Round = Callable[[httpx.AsyncClient, httpx.AsyncClient], Awaitable[float]]


def main() -> None:
    pin_client()
    with (
        tempfile.TemporaryDirectory() as place,
        server("benchmarks.asks_floor") as (floor, _),
        server("benchmarks.asks_product", place) as (product, _),
    ):
        times: dict[str, list[float]] = {"bare FastAPI and asyncio.Event": [], "Sayso": []}
        for _repetition in range(REPETITIONS):
            times["bare FastAPI and asyncio.Event"] += asyncio.run(_rounds(floor, _floor))
            times["Sayso"] += asyncio.run(_rounds(product, _ask))
    bare, ours = (statistics.median(values) for values in times.values())
    rows = [(name, f"{spread(ms)} ms") for name, ms in times.items()]
    rows.append(("Sayso / bare", f"{ours / bare:8.2f}   (aim: 2 or less)"))
    table(f"commit → waiter's last byte, median (p10 .. p90) of {ROUNDS * REPETITIONS}", rows)


async def _rounds(address: str, one: Round) -> list[float]:
    url = f"http://{address}"
    async with (
        httpx.AsyncClient(base_url=url, timeout=60, trust_env=False) as waiter,
        httpx.AsyncClient(base_url=url, timeout=60, trust_env=False) as person,
    ):
        await one(waiter, person)
        return [await one(waiter, person) for _ in range(ROUNDS)]


async def _floor(waiter: httpx.AsyncClient, person: httpx.AsyncClient) -> float:
    async def read() -> float:
        (await waiter.get("/wait")).raise_for_status()
        return time.monotonic()

    waiting = asyncio.create_task(read())
    await asyncio.sleep(UNDER_WAY_SECONDS)
    at = (await person.post("/answer")).json()["at"]
    return (await waiting - float(at)) * 1000


async def _ask(waiter: httpx.AsyncClient, person: httpx.AsyncClient) -> float:
    body = {"kind": "approve", "title": "Deploy 4.2?", "arguments": {"version": "4.2"}}
    asked = (await person.post("/api/asks", json=body)).json()
    path = f"/api/asks/{asked['interaction_id']}"

    async def read() -> float:
        assert (await waiter.get(path, params={"wait": 60})).json()["state"] == "approved"
        return time.monotonic()

    waiting = asyncio.create_task(read())
    await asyncio.sleep(UNDER_WAY_SECONDS)
    answer = f"/api/interactions/{asked['interaction_id']}/response"
    (await person.post(answer, json={"approved": True})).raise_for_status()
    done = await waiting
    at = (await person.get(f"/committed/{asked['interaction_id']}")).json()["at"]
    return (done - float(at)) * 1000


if __name__ == "__main__":
    main()
