"""Forks servers that are to be killed: everything is imported once, so that a life costs
milliseconds, not a second.

Its argument names the module of the application. It reads one JSON line per life from standard
input: {"data", "port", "plan"}; prints {"pid"} and, when that life is over, {"dead": pid, "signal":
n}. The child is a real `sayso serve`: uvicorn, the engine, its threads, the files.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import random
import signal
import sys
import tempfile
import threading
from collections.abc import Generator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from sayso.engine.runtime import EngineSettings
from sayso.server.app import create_app
from sayso.settings import Settings
from sayso.store.sqlite import SqliteDriver
from tests.browser.fork_server import import_all

#: `make_app(data, crash_point)` of the module that is served, and what is said to it beforehand.
SERVED = importlib.import_module(sys.argv[1])
make_app = SERVED.make_app
SAID: Sequence[str] = getattr(SERVED, "SAID_BEFORE", ("warm",))


class Plan:
    """Where this life ends: at random with probability `p` at each point, or at the n-th passing of
    one point."""

    def __init__(self, spec: dict[str, Any]) -> None:
        self._p = float(spec.get("p", 0.0))
        self._at = spec.get("at")
        self._left = int(spec.get("nth", 1))
        self._chance = random.Random(spec.get("seed"))
        self._record = spec.get("record")
        # A life can also be stopped there, as a laptop that is closed: it wakes with its memory.
        self._signal = signal.SIGSTOP if spec.get("stop") else signal.SIGKILL

    def point(self, name: str) -> None:
        if self._record:
            with Path(self._record).open("a") as notes:
                notes.write(f"{name}\n")
        if name == self._at:
            self._left -= 1
            if self._left == 0:
                self._die(name)
        if self._p and self._chance.random() < self._p:
            self._die(name)

    def _die(self, name: str) -> None:
        os.write(REPORTS, json.dumps({"killed_at": name, "pid": os.getpid()}).encode() + b"\n")
        # Who sleeps within a transaction keeps the file locked, and whoever should take over could
        # not even start: a life is stopped between two writes, and killed wherever it is.
        with WRITING if self._signal == signal.SIGSTOP else nullcontext():
            # To this thread, which then does not take one step more.
            signal.pthread_kill(threading.get_ident(), self._signal)


#: Held from BEGIN to COMMIT.
WRITING = threading.RLock()
#: Our words to the harness; what the server itself prints goes to standard error.
REPORTS = os.dup(1)


def main() -> None:
    """Serve orders until standard input closes."""
    os.dup2(2, 1)
    asyncio.run(_warm_up())
    import_all()
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _live(order)
            os._exit(0)
        os.write(REPORTS, json.dumps({"pid": pid}).encode() + b"\n")
        _, status = os.waitpid(pid, 0)
        ended = {"dead": pid, "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0}
        os.write(REPORTS, json.dumps(ended).encode() + b"\n")


async def _warm_up() -> None:
    """Serve one order here, so that every life begins with its statements compiled and its models
    built.
    """
    with tempfile.TemporaryDirectory() as place:
        engine = make_app(Path(place)).engine(settings=EngineSettings(own_thread=False))
        app = create_app(engine)
        transport = httpx.ASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://localhost") as client,
        ):
            chat = (await client.post("/api/chats", json={})).json()["id"]
            path = f"/api/chats/{chat}/messages"
            for said in SAID:
                words = {"content": said, "client_message_id": said}
                await client.post(path, json=words, headers={"Prefer": "wait=10"})
            waiting = (await client.get("/api/admin/pending")).json()["pending"]
            for it in waiting:
                answer = f"/api/interactions/{it['interaction_id']}/response"
                await client.post(answer, json={"decision": "approve"})


def _live(order: dict[str, Any]) -> None:
    data = Path(order["data"])
    plan = Plan(order["plan"])
    _watch_transactions(plan)
    # The deaths here are ours: no run is to be given up for them.
    settings = EngineSettings(most_takeovers=10_000, **order.get("settings", {}))
    app = create_app(make_app(data, plan.point).engine(settings=settings), Settings(data_dir=data))
    uvicorn.run(app, host="127.0.0.1", port=order["port"], log_level="error", lifespan="on")


def _watch_transactions(plan: Plan) -> None:
    """Make every boundary of every write a point: before each statement, before the commit, after
    it."""
    write, begin_to_commit = SqliteDriver.write, SqliteDriver._write

    def held_write(*args: Any) -> Any:
        with WRITING:
            return begin_to_commit(*args)

    def watched(script: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        name = _name_of(script)
        step, number = next(script), 0
        while True:
            number += 1
            plan.point(f"{name}:{number}")
            rows = yield step
            try:
                step = script.send(rows)
            except StopIteration as done:
                plan.point(f"{name}:commit")
                return done.value

    async def watched_write(self: SqliteDriver, transaction: Generator[Any, Any, Any]) -> Any:
        name = _name_of(transaction)
        result = await write(self, watched(transaction))
        plan.point(f"{name}:after")
        return result

    SqliteDriver.write = watched_write  # type: ignore[method-assign]
    SqliteDriver._write = held_write  # type: ignore[method-assign, assignment]


def _name_of(script: Generator[Any, Any, Any]) -> str:
    return str(getattr(script, "__name__", "script"))


if __name__ == "__main__":
    main()
