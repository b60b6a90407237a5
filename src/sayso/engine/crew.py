"""Who does the work: the caller's own loop, or a thread that is replaced when an agent never gives
control back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Protocol

import structlog

from sayso.core.transactions import Claimed, TextPiece
from sayso.engine.text import TextKeeper
from sayso.engine.worker import Hand, Worker, WorkerThread

log = structlog.get_logger("sayso.engine")

# A framework that loads its code in its first run takes seconds of a busy machine or a cold disk;
# code that still loads after this is stuck, too.
LOADING_SECONDS = 60.0

#: Makes a worker and the keeper of its texts: one for each loop.
MakeWorker = Callable[[], tuple[Worker, TextKeeper]]


class Crew(Protocol):
    async def start(self) -> None: ...
    async def stop(self, grace_seconds: float) -> None: ...
    def take(self, claimed: Claimed) -> None: ...
    def cancel(self, run_id: str) -> None: ...
    def beat(self) -> None:
        """Called by the heart, from its thread, at each beat."""

    @property
    def workers(self) -> Sequence[Worker]: ...
    @property
    def hands(self) -> Sequence[Hand]: ...
    @property
    def texts(self) -> Sequence[TextPiece]:
        """What is being written, each text whole."""


class OwnLoopCrew:
    """Segments run as tasks of the loop that started the engine."""

    def __init__(self, make: MakeWorker) -> None:
        self._worker, self._keeper = make()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._task = asyncio.create_task(self._worker.run(), name="sayso-worker")
        await asyncio.sleep(0)

    async def stop(self, grace_seconds: float) -> None:
        await _until_idle(self._worker, grace_seconds)
        self._worker.stop()
        if self._task is not None:
            await self._task

    def take(self, claimed: Claimed) -> None:
        self._worker.start(claimed)

    def cancel(self, run_id: str) -> None:
        self._worker.cancel(run_id)

    def beat(self) -> None:
        return None

    @property
    def workers(self) -> Sequence[Worker]:
        return [self._worker]

    @property
    def hands(self) -> Sequence[Hand]:
        return self._worker.hands

    @property
    def texts(self) -> Sequence[TextPiece]:
        return self._keeper.texts


class ThreadCrew:
    """Segments run in a thread of their own; one that is stuck for `stuck_seconds` is left behind
    and replaced.

    `stuck` is told the run whose code holds the loop and where it stands; the other runs of that
    loop are taken up again when their leases are over.
    """

    def __init__(
        self, make: MakeWorker, *, stuck_seconds: float, stuck: Callable[[Hand, str], None]
    ) -> None:
        self._make, self._stuck_seconds, self._stuck = make, stuck_seconds, stuck
        self._count = 0
        self._thread: WorkerThread | None = None
        self._keeper: TextKeeper | None = None

    async def start(self) -> None:
        await asyncio.to_thread(self._new_thread)

    async def stop(self, grace_seconds: float) -> None:
        thread = self._current()
        await _until_idle(thread.worker, grace_seconds)
        thread.worker.stop()
        await asyncio.to_thread(thread.join, 5.0)

    def take(self, claimed: Claimed) -> None:
        self._current().worker.start(claimed)

    def cancel(self, run_id: str) -> None:
        self._current().worker.cancel(run_id)

    def beat(self) -> None:
        thread = self._current()
        silent = thread.worker.silent_seconds
        if silent < self._stuck_seconds:
            return
        culprit, stack = thread.worker.culprit(), thread.stack()
        if silent < LOADING_SECONDS and "<frozen importlib" in stack:
            return
        log.error(
            "worker.stuck",
            seconds=self._stuck_seconds,
            run_id=culprit.claimed.fence.run_id if culprit else None,
            stack=stack,
        )
        self._new_thread()
        if culprit is not None:
            self._stuck(culprit, stack)

    @property
    def workers(self) -> Sequence[Worker]:
        return [self._thread.worker] if self._thread is not None else []

    @property
    def hands(self) -> Sequence[Hand]:
        return self._thread.worker.hands if self._thread is not None else []

    @property
    def texts(self) -> Sequence[TextPiece]:
        return self._keeper.texts if self._keeper is not None else []

    def _current(self) -> WorkerThread:
        if self._thread is None:
            raise RuntimeError("The engine has not been started.")
        return self._thread

    def _new_thread(self) -> None:
        self._count += 1
        worker, self._keeper = self._make()
        self._thread = WorkerThread(worker, f"sayso-worker-{self._count}")


async def _until_idle(worker: Worker, seconds: float) -> None:
    """Let what runs come to its end, for at most these seconds."""
    until = time.monotonic() + seconds
    while worker.hands and time.monotonic() < until:  # noqa: ASYNC110  # another thread's loop
        await asyncio.sleep(0.02)
