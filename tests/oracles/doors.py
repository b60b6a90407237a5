"""The doors that an answer comes in by. Each gives the status that the answer got, and what was
said to it; what is sent is the body's own bytes, whatever they are."""

from __future__ import annotations

import asyncio
import json
from collections.abc import MutableMapping, Sequence
from typing import Any

from starlette.types import ASGIApp

from tests.oracles.desk import Desk, Wire

Message = MutableMapping[str, Any]
#: What was said to one answer.
Reply = tuple[int, str]


async def by_its_address(desk: Desk, card: Wire, body: bytes) -> Reply:
    reply = await desk.answer(card["interaction_id"], body)
    return reply.status_code, reply.text


async def in_a_batch(desk: Desk, answers: Sequence[tuple[Wire, bytes]]) -> list[Reply]:
    """All at once; a batch that cannot be read is refused as a whole."""
    items = [_item(card, body) for card, body in answers]
    reply = await desk.answers(b"[" + b",".join(items) + b"]")
    if reply.status_code != 200:
        return [(reply.status_code, reply.text)] * len(answers)
    return [_of(result) for result in reply.json()["results"]]


async def by_the_socket(desk: Desk, card: Wire, body: bytes) -> Reply:
    frame = b'{"ref": 1, "type": "answer", "data": ' + _item(card, body) + b"}"
    return _of(await _acknowledged(desk.served, card["chat_id"], frame.decode()))


def _item(card: Wire, body: bytes) -> bytes:
    return f'{{"interaction_id": "{card["interaction_id"]}", "key": "k", "body": '.encode() + (
        body + b"}"
    )


def _of(result: Wire) -> Reply:
    return 200 if "ok" in result else int(result["problem"]["status"]), json.dumps(result)


async def _acknowledged(app: ASGIApp, chat: str, frame: str) -> Wire:
    """Connect, send one frame, and wait for what is said to it."""
    said: asyncio.Queue[Message] = asyncio.Queue()
    heard: asyncio.Queue[Message] = asyncio.Queue()
    path = f"/api/chats/{chat}/live"
    scope = {
        "type": "websocket",
        "asgi": {"version": "3.0"},
        "scheme": "ws",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1:8765")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8765),
        "subprotocols": [],
    }
    said.put_nowait({"type": "websocket.connect"})
    said.put_nowait({"type": "websocket.receive", "text": frame})

    async def connect() -> None:
        await app(scope, said.get, heard.put)

    connection = asyncio.create_task(connect())
    while True:
        message = await heard.get()
        assert message["type"] in ("websocket.accept", "websocket.send"), message
        told = json.loads(message.get("text") or "{}")
        if "ref" in told:
            break
    said.put_nowait({"type": "websocket.disconnect", "code": 1000})
    await connection
    return dict(told)
