"""What a chat's length costs whoever opens it: ten thousand messages beside fifty, as a ratio.

python -m benchmarks long_chat
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from benchmarks.work import spread, table
from sayso.core.events import MessageWritten
from sayso.core.sessions import RunState
from sayso.core.store_results import Lease, NewMessage
from sayso.core.tasks import TaskRequest, UniversalMessage
from sayso.store.store import SqlStore

APP, LEASE = "default", Lease("lock:bench", 3600.0, frozenset({"desk"}))
LONG, SHORT = 10_000, 50
REPETITIONS = 200
WORDS = "Forty words of an answer, give or take some. " * 5


def main() -> None:
    asyncio.run(_measured())


async def _measured() -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = SqlStore.sqlite(Path(folder) / "sayso.db")
        await store.open()
        long, short = await _chat(store, LONG), await _chat(store, SHORT)
        views = [await store.load_view(APP, chat) for chat in (long, short)]
        of_long, of_short = (len(view.model_dump_json()) for view in views if view is not None)
        first = await _times(lambda: store.load_view(APP, long))
        alone = await _times(lambda: store.load_view(APP, short))
        middle = await _times(lambda: store.load_view(APP, long, before=LONG // 2))
        await store.close()
    rows = [
        (f"first page of {SHORT} messages", f"{spread(alone)} ms"),
        (f"first page of {LONG:,} messages", f"{spread(first)} ms"),
        ("a page in the middle", f"{spread(middle)} ms"),
        ("time, long to short", f"{_median(first) / _median(alone):.2f}"),
        ("bytes, long to short", f"{of_long / of_short:.2f}"),
    ]
    table(f"opening a chat, median (p10 .. p90) of {REPETITIONS}", rows)


async def _chat(store: SqlStore, messages: int) -> str:
    view = await store.create_chat(APP, agent="desk")
    task = TaskRequest(
        task_id=f"t{messages}", messages=[UniversalMessage(role="user", content=WORDS)]
    )
    said = NewMessage(content=WORDS, client_message_id="m", task=task)
    claimed = (await store.post_message(APP, view.id, said, LEASE)).claimed
    assert claimed is not None
    run_id = claimed.fence.run_id
    texts = [
        MessageWritten(message_id=f"{run_id} {n}", role="assistant", content=WORDS, run_id=run_id)
        for n in range(messages - 1)
    ]
    for start in range(0, len(texts), 1000):
        await store.record(claimed.fence, texts[start : start + 1000])
    await store.finish(claimed.fence, RunState.COMPLETED)
    return view.id


async def _times(work: Callable[[], Awaitable[object]]) -> list[float]:
    times = []
    for _ in range(REPETITIONS):
        began = time.perf_counter()
        await work()
        times.append((time.perf_counter() - began) * 1000)
    return times


def _median(times: list[float]) -> float:
    return sorted(times)[len(times) // 2]
