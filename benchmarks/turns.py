"""What a turn costs late in a long chat, beside an early one: processor time of Sayso's own
functions, by a profile of every thread, and bytes in the database.

A turn is one message, one tool call and one reply. What the adapter spends on writing and reading
the framework's own state is told apart: most frameworks keep the whole conversation, and Sayso
keeps what they give it. What a whole turn costs the process stands beside what the bare framework
takes for it, with its own memory of the chat. By name: `python -m benchmarks.turns adk`.
"""

from __future__ import annotations

import asyncio
import cProfile
import logging
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import structlog

from benchmarks.adapters import FRAMEWORKS, PEEK
from benchmarks.work import table
from sayso import App
from sayso.core.events import ChatEvent, RunMoved
from sayso.engine.engine import Engine
from sayso.engine.runtime import EngineSettings
from sayso.testing.contract.script import Script, Turn

SCRIPT: Script = [Turn("Let me look. ", [("peek", {})])]
#: The turns around 5, 50 and 200 that are counted: their median is told.
SPANS = {5: range(5, 25), 50: range(50, 70), 200: range(181, 201)}
OURS = f"{Path(__file__).parents[1] / 'src' / 'sayso'}/"
#: Where adapters write and read the state of their framework.
STATES = ("state.py", "state_codec.py", "checkpoints.py")


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds of one turn: in Sayso's functions, and apart in those that write a state."""

    own: float
    state: float


def main() -> None:
    wanted = [name for name in sys.argv[1:] if name in FRAMEWORKS] or list(FRAMEWORKS)
    logging.disable(logging.WARNING)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    for name in wanted:
        asyncio.run(_measure(name))


async def _measure(name: str) -> None:
    costs: dict[int, Cost] = {}
    sizes: dict[int, int] = {}
    with profiled() as profiles:
        async with _chat_of(name) as (turn, folder):
            for number in range(1, max(SPANS) + 1):
                await turn()
                costs[number] = _cost(profiles)
                sizes[number] = _bytes_in(folder)
    async with _chat_of(name) as (turn, _):
        whole = await _timed(turn)
    framework = FRAMEWORKS[name]()
    bare = await _timed(framework.chat(framework.agent(SCRIPT, True)))
    rows = []
    early = _median(costs, SPANS[5])
    for at, span in SPANS.items():
        cost = _median(costs, span)
        grown = (sizes[span[-1]] - sizes[span[0]]) / (len(span) - 1)
        rows.append(
            (
                f"turn {at}: own ms, times turn 5, state ms, bytes",
                f"{cost.own:6.1f} {cost.own / early.own:5.2f} {cost.state:6.1f} {grown:8.0f}",
            )
        )
        served, alone = (statistics.median(each[turn] for turn in span) for each in (whole, bare))
        told = f"{served:6.1f} {alone:6.1f} {served - alone:6.1f}"
        rows.append((f"turn {at}: process ms served, bare, added", told))
    table(f"{name}, medians of 20 turns", rows)


@asynccontextmanager
async def _chat_of(name: str) -> AsyncIterator[tuple[Callable[[], Awaitable[None]], Path]]:
    """Open a chat with the agent that the product serves; each call is one turn more."""
    numbers = count(1)
    with tempfile.TemporaryDirectory() as folder:
        app = App(FRAMEWORKS[name]().agent(SCRIPT, False), tools=[PEEK])
        engine = app.engine(Path(folder), EngineSettings())
        await engine.start()
        try:
            chat = await engine.create_chat("default")
            yield lambda: _turn(engine, chat.id, next(numbers)), Path(folder)
        finally:
            await engine.stop()


async def _timed(turn: Callable[[], Awaitable[None]]) -> dict[int, float]:
    """Return the processor time of each turn of a chat, of all threads, in milliseconds."""
    took: dict[int, float] = {}
    for number in range(1, max(SPANS) + 1):
        before = time.process_time()
        await turn()
        took[number] = (time.process_time() - before) * 1000
    return took


async def _turn(engine: Engine, chat_id: str, number: int) -> None:
    """Send a message and wait until its run has ended."""
    subscription = engine.feed.subscribe("default", chat_id)
    try:
        posted = await engine.post_message(
            "default", chat_id, content=f"go {number}", client_message_id=f"m{number}"
        )
        async with asyncio.timeout(120):
            while True:
                body = (await subscription.get()).body
                data = body.data if isinstance(body, ChatEvent) else None
                if isinstance(data, RunMoved) and data.run_id == posted.run_id:
                    assert data.status != "failed", data
                    if data.status == "completed":
                        return
    finally:
        subscription.close()


@contextmanager
def profiled() -> Iterator[list[cProfile.Profile]]:
    """Profile this thread and all that begin meanwhile."""
    profiles: list[cProfile.Profile] = []

    def begin(*_: object) -> None:
        mine = cProfile.Profile(time.thread_time)  # else waiting would count
        profiles.append(mine)
        mine.enable()

    threading.setprofile(begin)
    begin()
    try:
        yield profiles
    finally:
        threading.setprofile(None)
        profiles[0].disable()


def _cost(profiles: Sequence[cProfile.Profile]) -> Cost:
    """Return what the turn cost, and begin the next."""
    own = state = 0.0
    for profile in list(profiles):
        entries = profile.getstats()
        profile.clear()
        for entry in entries:
            place = _place(entry.code)
            if not place.startswith(OURS):
                continue
            called = sum(_own_time_of(each) for each in entry.calls or ())
            if place.endswith(STATES):
                state += entry.inlinetime + called
            else:
                own += entry.inlinetime + called
    return Cost(own * 1000, state * 1000)


def _own_time_of(called: Any) -> float:
    """Return what work of its own a function of Sayso leaves to C (JSON, SQLite, hashes), or to
    pydantic with all beneath it."""
    place = _place(called.code)
    if not place:
        return float(called.inlinetime)
    return float(called.totaltime) if "/pydantic/" in place or "/json/" in place else 0.0


def _place(code: Any) -> str:
    return "" if isinstance(code, str) else str(code.co_filename)


def _median(costs: dict[int, Cost], span: range) -> Cost:
    return Cost(
        statistics.median(costs[turn].own for turn in span),
        statistics.median(costs[turn].state for turn in span),
    )


def _bytes_in(folder: Path) -> int:
    """Return what the rows of the database take; pages that are free are taken again first."""
    (path,) = folder.glob("*.db")
    with closing(sqlite3.connect(path)) as db:
        pages, free, size = (
            db.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
    return int((pages - free) * size)


if __name__ == "__main__":
    main()
