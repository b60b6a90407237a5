"""A worker owns the segments that run in one event loop, and the leases on them.

Loops are of two kinds. In a program of your own, segments run in your loop. In the server they run
in a thread with a loop of its own, so that an agent which never gives control back stops neither
the page nor its neighbours: the thread is left behind (its writes are fenced) and another takes its
place.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
import traceback
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import structlog

from sayso.core.ports import Store
from sayso.core.transactions import Claimed
from sayso.engine.programs import Programs
from sayso.engine.segment import Workplace, run_segment

log = structlog.get_logger("sayso.engine")
T = TypeVar("T")

# What a stopping worker gives to threads that nobody can stop; after it, their calls are uncertain.
LATE_SECONDS = 3.0


@dataclass(slots=True)
class Hand:
    """One run in hand: its claim, its task, and the monotonic moment until which its lease is
    trusted."""

    claimed: Claimed
    deadline: float
    task: asyncio.Task[None] | None = None


class Worker:
    """Runs segments in the loop that `run()` is awaited in. `start`, `cancel` and `hands` are safe
    from any thread."""

    def __init__(
        self,
        programs: Programs,
        place: Workplace,
        *,
        trusted_seconds: float,
        has_room: Callable[[], None],
    ) -> None:
        self._programs, self._place, self._trusted_seconds = programs, place, trusted_seconds
        self._has_room = has_room
        self._hands: dict[str, Hand] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()
        self._asked_at: float | None = None
        #: Whose work each task of the loop is, however deep in a framework it was made.
        self._owners: WeakKeyDictionary[asyncio.Task[Any], Hand] = WeakKeyDictionary()

    async def run(self) -> None:
        """Own the segments until `stop`; then let them end within the grace time, and cancel the
        rest."""
        self._loop = asyncio.get_running_loop()
        keeper = asyncio.create_task(self._place.keeper.run(), name="sayso-texts")
        try:
            await self._stopping.wait()
        finally:
            keeper.cancel()
            tasks = [hand.task for hand in self._hands.values() if hand.task is not None]
            for task in tasks:
                task.cancel()
            await asyncio.gather(keeper, *tasks, return_exceptions=True)
            with suppress(TimeoutError):
                async with asyncio.timeout(LATE_SECONDS):
                    for program in list(self._programs):
                        await program.finish_late()

    def start(self, claimed: Claimed) -> None:
        """Take a claimed run in hand."""
        hand = Hand(claimed, time.monotonic() + self._trusted_seconds)
        self._hands[claimed.fence.run_id] = hand
        self._call(self._begin, hand)

    def cancel(self, run_id: str) -> None:
        """Stop a run's task: its row says already that it is over."""
        hand = self._hands.get(run_id)
        if hand is not None:
            self._call(lambda: hand.task.cancel() if hand.task is not None else None)

    def stop(self) -> None:
        self._call(self._stopping.set)

    @property
    def hands(self) -> Sequence[Hand]:
        return list(self._hands.values())

    def prolonged(self, run_ids: frozenset[str], since: float) -> None:
        """After a heartbeat: these runs are still ours, from the moment it was sent; the others are
        lost."""
        for hand in self.hands:
            if hand.claimed.fence.run_id in run_ids:
                hand.deadline = since + self._trusted_seconds
            elif hand.deadline < since:
                self.cancel(hand.claimed.fence.run_id)

    def ping(self) -> None:
        """Ask the loop for a sign of life."""
        if self._asked_at is None:
            self._asked_at = time.monotonic()
            self._call(self._pong)

    @property
    def silent_seconds(self) -> float:
        """How long the loop has owed a sign of life."""
        asked_at = self._asked_at
        return 0.0 if asked_at is None else time.monotonic() - asked_at

    def culprit(self) -> Hand | None:
        """The run whose task the loop is stuck in."""
        current = asyncio.current_task(self._loop) if self._loop is not None else None
        return self._owners.get(current) if current is not None else None

    def make_task(
        self, loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T], **options: Any
    ) -> asyncio.Task[T]:
        """The task factory of a worker's own loop: a task belongs to the run whose task made it."""
        task = asyncio.Task(work, loop=loop, **options)
        maker = asyncio.current_task(loop)
        owner = self._owners.get(maker) if maker is not None else None
        if owner is not None:
            self._owners[task] = owner
        return task

    def _pong(self) -> None:
        self._asked_at = None

    def _call(self, function: Callable[..., object], *args: object) -> None:
        loop = self._loop
        if loop is None or loop.is_closed():
            return
        if loop is _running_loop():
            function(*args)
        else:
            loop.call_soon_threadsafe(function, *args)

    def _begin(self, hand: Hand) -> None:
        run = hand.claimed.start.run
        if self._stopping.is_set():
            self._hands.pop(run.id, None)
            return
        hand.task = asyncio.get_running_loop().create_task(
            self._segment(hand), name=f"sayso-run-{run.id}"
        )
        self._owners[hand.task] = hand
        hand.task.add_done_callback(lambda task: self._ended(hand, task))

    async def _segment(self, hand: Hand) -> None:
        run = hand.claimed.start.run
        program = self._programs.of(run)
        if program is None:
            log.error("run.unknown_agent", run_id=run.id, agent=run.agent)
            return
        await run_segment(hand.claimed, program, self._place, deadline=lambda: hand.deadline)

    def _ended(self, hand: Hand, task: asyncio.Task[None]) -> None:
        run_id = hand.claimed.fence.run_id
        # A run that went on at once is in hand again, under its next fence.
        if self._hands.get(run_id) is hand:
            del self._hands[run_id]
            self._has_room()
        if not task.cancelled() and (exc := task.exception()) is not None:
            log.error("segment.broke", run_id=run_id, error=repr(exc), exc_info=exc)


class WorkerThread:
    """A worker in a daemon thread with its own loop."""

    def __init__(self, worker: Worker, name: str) -> None:
        self.worker = worker
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._main, name=name, daemon=True)
        self._thread.start()
        self._ready.wait()

    def _main(self) -> None:
        asyncio.run(self._run())

    async def _run(self) -> None:
        factory: Any = self.worker.make_task  # its type is a protocol that cannot be named
        asyncio.get_running_loop().set_task_factory(factory)
        running = asyncio.create_task(self.worker.run())
        await asyncio.sleep(0)
        self._ready.set()
        await running

    def join(self, seconds: float) -> None:
        self._thread.join(seconds)

    def stack(self) -> str:
        """Where the thread stands now."""
        frame = sys._current_frames().get(self._thread.ident or 0)
        return "".join(traceback.format_stack(frame)) if frame is not None else ""


class Heart:
    """The heartbeat thread: prolongs the leases of all hands, off every event loop, and watches for
    stuck ones."""

    def __init__(
        self,
        store: Store,
        owner: str,
        *,
        lease_seconds: float,
        workers: Callable[[], Sequence[Worker]],
        beat: Callable[[], None],
    ) -> None:
        self._store, self._owner, self._lease_seconds = store, owner, lease_seconds
        self._workers, self._beat = workers, beat
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._main, name="sayso-heart", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join(5)

    def _main(self) -> None:
        # Three beats in a lease: two may fail before anything is lost.
        while not self._stopped.wait(min(1.0, self._lease_seconds / 3)):
            try:
                self._prolong()
                self._beat()
            except Exception as exc:  # the heart must outlive a busy database
                log.warning("heart.missed", error=repr(exc))

    def _prolong(self) -> None:
        now = time.monotonic()
        for worker in self._workers():
            due = [h for h in worker.hands if h.deadline - now < self._lease_seconds * 2 / 3]
            if due:
                ids = [hand.claimed.fence.run_id for hand in due]
                held = self._store.renew_blocking(self._owner, ids, self._lease_seconds)
                worker.prolonged(held, now)
            worker.ping()


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
