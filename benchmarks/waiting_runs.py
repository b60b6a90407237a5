"""What runs that wait cost: memory, CPU and the time to start, with 100,000 of them in the store.

    python benchmarks/waiting_runs.py [--runs 100000] [--state-bytes 2300]

Writes the runs through the store's own verbs, then opens the file in a new process and looks at it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Sequence
from datetime import timedelta
from pathlib import Path

from sayso.clock import SystemClock
from sayso.core.cards import ApprovalCard
from sayso.core.digest import JsonObject
from sayso.core.inbox import InteractionFilter
from sayso.core.interactions import CardRequest, InteractionState, Proposal
from sayso.core.ports import Clock
from sayso.core.sessions import SavedState
from sayso.core.store_results import Lease, NewMessage
from sayso.core.tasks import TaskRequest, UniversalMessage
from sayso.store.store import SqlStore
from sayso.store.transaction import Transaction
from sayso.store.verbs.chats import create_chat
from sayso.store.verbs.messages import post_message
from sayso.store.verbs.suspend import wait

APP, LEASE = "default", Lease("lock:bench", 3600.0, frozenset({"desk"}))
IDLE_SECONDS = 5.0
RUNS_PER_COMMIT = 500


async def fill(path: Path, runs: int, state_bytes: int) -> float:
    """Bring `runs` runs, each in its own chat, to wait at an approval; the seconds it took."""
    store, clock = SqlStore.sqlite(path), SystemClock()
    await store.open()
    began = time.perf_counter()
    for start in range(0, runs, RUNS_PER_COMMIT):
        await store.driver.write(_waiting(clock, start, state_bytes))
    took = time.perf_counter() - began
    await store.close()
    return took


def _waiting(clock: Clock, start: int, state_bytes: int) -> Transaction[None]:
    """The store's own transactions, many in one: what is measured is the rows, not the disk."""
    saved = SavedState(adapter="bench", version="1", blob=b"x" * state_bytes, journal=b"")
    for n in range(start, start + RUNS_PER_COMMIT):
        chat = yield from create_chat(clock, APP, agent="desk", title="", by="ada", chat_id=None)
        task = TaskRequest(
            task_id=f"t{n}", messages=[UniversalMessage(role="user", content=f"Refund order {n}")]
        )
        said = NewMessage(content=task.words, client_message_id=f"m{n}", task=task, by="ada")
        posted = yield from post_message(clock, APP, chat.id, said, LEASE)
        assert posted.claimed is not None
        yield from wait(
            clock,
            posted.claimed.fence,
            saved,
            [_card(n)],
            resume_each=False,
            events=(),
            lease=None,
        )


def _card(n: int) -> CardRequest:
    arguments: JsonObject = {"order": n, "amount": 10}
    return CardRequest(
        call_key="refund",
        card=ApprovalCard(title="Refund", tool_name="refund", tool_params=arguments),
        ui_tool_id="request_user_approval",
        agent_name="desk",
        proposal=Proposal(tool_name="refund", arguments=arguments),
        expires_in=timedelta(days=21) if n % 2 else None,
    )


async def look(path: Path) -> dict[str, float]:
    """What a fresh process needs to serve the file, and what it holds while nothing happens."""
    before = _resident_mb()
    figures: dict[str, float] = {}
    store = SqlStore.sqlite(path)

    async def timed(name: str, work: Awaitable[object]) -> None:
        began = time.perf_counter()
        await work
        figures[name] = (time.perf_counter() - began) * 1000

    began = time.perf_counter()
    await timed("open, ms", store.open())
    await timed("sweep for work, ms", store.claim_due(LEASE, limit=16, not_mine=[], at_once=True))
    await timed("next expiry known, ms", store.next_expiry())
    figures["ready to serve, ms"] = (time.perf_counter() - began) * 1000
    pending = InteractionFilter(status=InteractionState.PENDING)
    await timed("inbox, first page, ms", store.interactions(APP, pending))
    await timed("chats, first page, ms", store.list_chats(APP))
    chat = (await store.list_chats(APP, limit=1))[0].head.id
    await timed("one chat's view, ms", store.load_view(APP, chat))
    figures["memory added, MB"] = _resident_mb() - before
    cpu = time.process_time()
    await asyncio.sleep(IDLE_SECONDS)
    figures["CPU while idle, %"] = (time.process_time() - cpu) / IDLE_SECONDS * 100
    it = (await store.interactions(APP, pending, limit=1))[0]
    figures["memory peak, MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before
    assert it.state is InteractionState.PENDING
    await store.close()
    return figures


def _resident_mb() -> float:
    """What this process holds now (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--state-bytes", type=int, default=2300)
    parser.add_argument("--look", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.look is not None:
        print(json.dumps(asyncio.run(look(options.look))))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sayso.db"
        took = asyncio.run(fill(path, options.runs, options.state_bytes))
        size_mb = path.stat().st_size / 2**20
        looked = subprocess.run(
            [sys.executable, __file__, "--look", str(path)],
            check=True,
            capture_output=True,
            text=True,
        )
    figures = {
        "to bring one to wait, ms": took / options.runs * 1000,
        "file, MB": size_mb,
        **json.loads(looked.stdout),
    }
    print(f"{options.runs:,} waiting runs, {options.state_bytes:,} bytes of state each")
    for name, value in figures.items():
        print(f"  {name:<28}{value:>12,.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
