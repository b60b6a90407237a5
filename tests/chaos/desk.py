"""The application that gets killed: an agent whose model gives fresh call ids and another order
each time it is asked.

Its effects go to a ledger outside the database, as a payment provider's would be. `pay` passes its
idempotency key, so the provider refuses a second one; `send` has no key: only Sayso keeps it from
happening twice.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sqlite3
import uuid
from collections.abc import AsyncIterator
from datetime import timedelta
from itertools import count
from pathlib import Path

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from sayso import App, ToolContext, tool

CALLS = ("pay", "pay", "send")
#: What the model calls for an order that begins with this word; else CALLS.
SPECIAL = {
    "hold": ("hold", "hold"),
    "late": ("late",),
    "talk": (),
    "asleep": ("send",),
    "torn": ("torn",),
}


def calls_of(order: str) -> tuple[str, ...]:
    """What the model calls for an order."""
    return SPECIAL.get(order.split("-", maxsplit=1)[0], CALLS)


class Ledger:
    """What the outside world has seen. It survives every kill."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._open() as db:
            db.execute(
                "CREATE TABLE IF NOT EXISTS paid (key TEXT PRIMARY KEY, item TEXT, tries INTEGER)"
            )
            db.execute("CREATE TABLE IF NOT EXISTS sent (item TEXT, nonce TEXT)")

    def pay(self, key: str, item: str) -> None:
        with self._open() as db:
            db.execute(
                "INSERT INTO paid VALUES (?, ?, 1) "
                "ON CONFLICT (key) DO UPDATE SET tries = tries + 1",
                (key, item),
            )

    def send(self, item: str) -> None:
        with self._open() as db:
            db.execute("INSERT INTO sent VALUES (?, ?)", (item, str(uuid.uuid4())))

    def paid(self) -> dict[str, int]:
        """How many different keys paid each item."""
        with self._open() as db:
            return dict(db.execute("SELECT item, count(*) FROM paid GROUP BY item"))

    def sent(self) -> dict[str, int]:
        with self._open() as db:
            return dict(db.execute("SELECT item, count(*) FROM sent GROUP BY item"))

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=30, isolation_level=None)


def make_app(data: Path, crash_point: object = None) -> App:
    """The app over a data directory. `crash_point(name)` may kill the process inside a tool."""
    ledger = Ledger(data / "ledger.db")
    crash = crash_point if callable(crash_point) else lambda name: None

    @tool(approval=True, idempotent=True)
    def pay(ctx: ToolContext, item: str) -> str:
        """Pay for an item."""
        crash("pay.before")
        ledger.pay(ctx.idempotency_key, item)
        crash("pay.after")
        return f"paid {item}"

    @tool(approval=True)
    async def send(item: str) -> str:
        """Send an item."""
        crash("send.before")
        ledger.send(item)
        crash("send.after")
        return f"sent {item}"

    @tool(approval=True)
    async def torn(item: str) -> str:
        """Send an item over a line that breaks before the answer comes."""
        crash("torn.before")
        ledger.send(item)
        crash("torn.after")
        raise ConnectionResetError(f"nobody knows about {item}")

    @tool(approval=True, expires_in=timedelta(seconds=0.2))
    async def hold(item: str) -> str:
        """Hold an item, if someone says so in time."""
        ledger.send(item)
        return f"held {item}"

    @tool(approval=True, hold=timedelta(seconds=0.5))
    async def late(item: str) -> str:
        """Send an item, unless the yes is taken back in time."""
        ledger.send(item)
        return f"sent {item}"

    async def reply(
        messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | DeltaToolCalls]:
        async for part in _reply(messages, data):
            yield part

    model = FunctionModel(stream_function=reply)
    agent = Agent(model, name="desk")
    return App({"desk": agent}, tools=[pay, send, torn, hold, late], store=data / "sayso.db")


async def _reply(messages: list[ModelMessage], data: Path) -> AsyncIterator[str | DeltaToolCalls]:
    """Text and three calls to a new request; the outcome once they have returned."""
    last = messages[-1]
    returned = [part for part in last.parts if isinstance(part, ToolReturnPart)]
    if returned:
        yield "Outcome: "
        for part in sorted(returned, key=lambda part: str(part.content)):
            yield f"{part.content}; "
        return
    order = next(
        str(part.content)
        for message in reversed(messages)
        for part in message.parts
        if isinstance(part, UserPromptPart)
    )
    for word in f"I will take care of {order} . One moment please .".split(" "):
        yield word + " "
    calls = calls_of(order)
    if not calls:
        # The first life talks until it is killed, however late; the next comes to an end.
        begun = data / order
        for number in range(400) if begun.exists() else count():
            begun.touch()
            yield f"{number:03d} "
            await asyncio.sleep(0.001)
        return
    numbered = list(enumerate(calls, 1))
    random.SystemRandom().shuffle(numbered)
    yield {
        place: DeltaToolCall(
            name, json.dumps({"item": f"{order}/{number}"}), tool_call_id=os.urandom(8).hex()
        )
        for place, (number, name) in enumerate(numbered)
    }
