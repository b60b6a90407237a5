"""The floor of an ask: a bare FastAPI route that waits on an `asyncio.Event`.

Started as `python -m benchmarks.asks_floor PORT`.
"""

from __future__ import annotations

import asyncio
import sys
import time

import uvicorn
from fastapi import FastAPI

app = FastAPI()
waiting: list[asyncio.Event] = []


@app.get("/api/health")
async def health() -> dict[str, str]:
    return {"status": "ok"}


@app.get("/wait")
async def wait() -> dict[str, str]:
    event = asyncio.Event()
    waiting.append(event)
    await event.wait()
    return {"state": "approved"}


@app.post("/answer")
async def answer() -> dict[str, float]:
    at = time.monotonic()
    while waiting:
        waiting.pop().set()
    return {"at": at}


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
