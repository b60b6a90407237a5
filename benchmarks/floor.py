"""The floors: what anything that does this work must at least cost on this machine.

F1 is a bare uvicorn and Starlette WebSocket that sends the same text; F2 is the same with one
FULL-sync SQLite commit before the question and one before the continuation. Started as `python -m
benchmarks.floor PORT FILE`.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from benchmarks.work import TOKENS


def app(database: str) -> Starlette:
    """`/f1` and `/f2`: a frame "go" is answered by a question, "yes" by the tokens."""
    db = sqlite3.connect(database, isolation_level=None, check_same_thread=False)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=FULL")
    db.execute("CREATE TABLE IF NOT EXISTS line (body TEXT)")

    def commit() -> None:
        db.execute("INSERT INTO line VALUES ('one row')")

    async def talk(socket: WebSocket, durable: bool) -> None:
        await socket.accept()
        try:
            while True:
                word = await socket.receive_text()
                if durable:
                    commit()
                if word == "go":
                    await socket.send_text('{"type": "ask"}')
                else:
                    for token in TOKENS:
                        await socket.send_text(json.dumps({"type": "token", "text": token}))
                        await asyncio.sleep(0)
                    await socket.send_text('{"type": "end"}')
        except WebSocketDisconnect:
            return

    async def f1(socket: WebSocket) -> None:
        await talk(socket, durable=False)

    async def f2(socket: WebSocket) -> None:
        await talk(socket, durable=True)

    async def health(request: Request) -> JSONResponse:
        return JSONResponse({"status": "ok"})

    return Starlette(
        routes=[
            WebSocketRoute("/f1", f1),
            WebSocketRoute("/f2", f2),
            Route("/api/health", health),
        ]
    )


if __name__ == "__main__":
    uvicorn.run(app(sys.argv[2]), host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
