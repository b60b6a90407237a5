"""Workers: each owns the segments that run in one event loop, and the leases on them.

Loops are of two kinds. In a program of your own, segments run in your loop. In the server they run
in a thread with a loop of its own, so that an agent which never gives control back stops neither
the page nor its neighbours: the thread is abandoned (its writes are fenced) and replaced.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
import traceback
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar
from weakref import WeakKeyDictionary

from sayso.clock import elapsed
from sayso.core.store_results import Claimed, TextPiece
from sayso.engine.agent_registry import AgentRegistry
from sayso.engine.segment import SegmentContext, run_segment
from sayso.engine.starvation import starved_seconds
from sayso.logs import logger

log = logger("sayso.engine")
T = TypeVar("T")

# What a stopping worker gives to threads that nobody can stop; after it, their calls are uncertain.
LATE_SECONDS = 3.0
# Frameworks run plain functions in their loop's executor. By itself that has about as many threads
# as the machine has processors, and one chat's slow tools would stop those of all others.
FRAMEWORK_THREADS = 200
# A framework that loads its code in its first run takes seconds of a busy machine or a cold disk;
# code that still loads after this is stuck, too.
LOADING_SECONDS = 60.0


@dataclass(slots=True)
class RunningSegment:
    """One segment that runs here: its claim, its task, and the moment of `elapsed()` until which
    its lease is trusted."""

    claimed: Claimed
    deadline: float
    task: asyncio.Task[None] | None = None


class Worker:
    """Runs segments in the loop that `run()` is awaited in. `start`, `cancel`, `segments` and
    `texts` are safe from any thread."""

    def __init__(
        self,
        agents: AgentRegistry,
        context: SegmentContext,
        *,
        trusted_seconds: float,
        on_segment_end: Callable[[], None],
    ) -> None:
        self._agents, self._context, self._trusted_seconds = agents, context, trusted_seconds
        self._on_segment_end = on_segment_end
        self._segments: dict[str, RunningSegment] = {}
        #: Every task until it is done: one whose run went on is in `_segments` no more, and an
        #: event loop alone does not keep a task alive.
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()
        self._thread_id = 0
        self._pinged_at: float | None = None
        self._starved_at_ping = 0.0
        #: Whose work each task of the loop is, however deep in a framework it was made.
        self._owners: WeakKeyDictionary[asyncio.Task[Any], RunningSegment] = WeakKeyDictionary()

    async def run(self) -> None:
        """Own the segments until `stop`; then let them end within the grace time, and cancel the
        rest."""
        self._loop, self._thread_id = asyncio.get_running_loop(), threading.get_native_id()
        saving = asyncio.create_task(self._context.texts.run(), name="sayso-texts")
        try:
            await self._stopping.wait()
        finally:
            saving.cancel()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(saving, *self._tasks, return_exceptions=True)
            with suppress(TimeoutError):
                async with asyncio.timeout(LATE_SECONDS):
                    for program in list(self._agents):
                        await program.finish_late()

    def start(self, claimed: Claimed) -> None:
        """Run the next segment of a claimed run."""
        segment = RunningSegment(claimed, elapsed() + self._trusted_seconds)
        self._segments[claimed.fence.run_id] = segment
        self._call(self._begin, segment)

    def cancel(self, run_id: str) -> None:
        """Stop a run's task: its row says already that it is over."""
        segment = self._segments.get(run_id)
        if segment is not None:
            self._call(lambda: segment.task.cancel() if segment.task is not None else None)

    def stop(self) -> None:
        self._call(self._stopping.set)

    async def wait_until_idle(self, seconds: float) -> None:
        """Let what runs come to its end, for at most these seconds."""
        until = time.monotonic() + seconds
        while self._segments and time.monotonic() < until:  # noqa: ASYNC110  # another thread's loop
            await asyncio.sleep(0.02)

    @property
    def segments(self) -> Sequence[RunningSegment]:
        return list(self._segments.values())

    @property
    def texts(self) -> Sequence[TextPiece]:
        """The texts that are being written, each whole."""
        return self._context.texts.snapshot()

    def renewed(self, run_ids: frozenset[str], since: float) -> None:
        """Trust the leases on these runs again, from the moment `since` at which they were renewed.
        The other runs are lost."""
        for segment in self.segments:
            if segment.claimed.fence.run_id in run_ids:
                segment.deadline = since + self._trusted_seconds
            elif segment.deadline < since:
                self.cancel(segment.claimed.fence.run_id)

    def ping(self) -> None:
        """Ask the loop to answer, unless it has been asked already."""
        if self._pinged_at is None:
            self._starved_at_ping = starved_seconds(self._thread_id)
            self._pinged_at = elapsed()
            self._call(self._pong)

    @property
    def silent_seconds(self) -> float:
        """How long the loop has not answered a ping, though a processor was free for it."""
        pinged_at = self._pinged_at
        if pinged_at is None:
            return 0.0
        starved = starved_seconds(self._thread_id) - self._starved_at_ping
        return elapsed() - pinged_at - starved

    def blocking_segment(self) -> RunningSegment | None:
        """Return the segment whose task holds the loop now."""
        current = asyncio.current_task(self._loop) if self._loop is not None else None
        return self._owners.get(current) if current is not None else None

    def make_task(
        self, loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T], **options: Any
    ) -> asyncio.Task[T]:
        """Return the task factory of a worker's own loop: a task belongs to the segment whose
        task made it."""
        task = asyncio.Task(work, loop=loop, **options)
        maker = asyncio.current_task(loop)
        owner = self._owners.get(maker) if maker is not None else None
        if owner is not None:
            self._owners[task] = owner
        return task

    def _pong(self) -> None:
        self._pinged_at = None

    def _call(self, function: Callable[..., object], *args: object) -> None:
        loop = self._loop
        if loop is None or loop.is_closed():
            return
        if loop is _running_loop():
            function(*args)
        else:
            loop.call_soon_threadsafe(function, *args)

    def _begin(self, segment: RunningSegment) -> None:
        run = segment.claimed.start.run
        if self._stopping.is_set():
            self._segments.pop(run.id, None)
            return
        segment.task = asyncio.get_running_loop().create_task(
            self._run(segment), name=f"sayso-run-{run.id}"
        )
        self._owners[segment.task] = segment
        self._tasks.add(segment.task)
        segment.task.add_done_callback(lambda task: self._ended(segment, task))

    async def _run(self, segment: RunningSegment) -> None:
        run = segment.claimed.start.run
        program = self._agents.find(run)
        if program is None:
            log.error("run.unknown_agent", run_id=run.id, agent=run.agent)
            return
        await run_segment(
            segment.claimed, program, self._context, deadline=lambda: segment.deadline
        )

    def _ended(self, segment: RunningSegment, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        run_id = segment.claimed.fence.run_id
        # A run that went on at once has its next segment here, under its next fence.
        if self._segments.get(run_id) is segment:
            del self._segments[run_id]
            self._on_segment_end()
        if not task.cancelled() and (exc := task.exception()) is not None:
            log.error("segment.broke", run_id=run_id, error=repr(exc), exc_info=exc)


class WorkerHost(Protocol):
    """Where the worker of this process runs."""

    @property
    def worker(self) -> Worker | None:
        """The worker that takes new segments; None before the start."""

    async def start(self) -> None: ...
    async def stop(self, grace_seconds: float) -> None: ...
    def replace_if_stuck(self) -> None:
        """Called from the heartbeat's thread, at each beat."""


class InlineHost:
    """Runs segments as tasks of the loop that started the engine."""

    def __init__(self, make_worker: Callable[[], Worker]) -> None:
        self.worker = make_worker()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._task = asyncio.create_task(self.worker.run(), name="sayso-worker")
        await asyncio.sleep(0)

    async def stop(self, grace_seconds: float) -> None:
        await self.worker.wait_until_idle(grace_seconds)
        self.worker.stop()
        if self._task is not None:
            await self._task

    def replace_if_stuck(self) -> None:
        """Nothing else could run in the caller's loop."""


class ThreadHost:
    """Runs segments in a thread of their own. One that is stuck for `stuck_seconds` is abandoned
    and replaced.

    `on_stuck` is given the segment whose code holds the loop; the other runs of that loop are
    claimed again when their leases are over.
    """

    def __init__(
        self,
        make_worker: Callable[[], Worker],
        *,
        stuck_seconds: float,
        on_stuck: Callable[[RunningSegment], None],
    ) -> None:
        self._make_worker, self._on_stuck = make_worker, on_stuck
        self._stuck_seconds = stuck_seconds
        self._count = 0
        self._thread: _WorkerThread | None = None

    @property
    def worker(self) -> Worker | None:
        return self._thread.worker if self._thread is not None else None

    async def start(self) -> None:
        await asyncio.to_thread(self._start_thread)

    async def stop(self, grace_seconds: float) -> None:
        if self._thread is None:
            return
        worker = self._thread.worker
        await worker.wait_until_idle(grace_seconds)
        worker.stop()
        await asyncio.to_thread(self._thread.join, 5.0)

    def replace_if_stuck(self) -> None:
        """Start another thread where this one has not answered for too long."""
        thread = self._thread
        if thread is None:
            return
        silent = thread.worker.silent_seconds
        if silent < self._stuck_seconds:
            return
        blocking, stack = thread.worker.blocking_segment(), thread.stack()
        if silent < LOADING_SECONDS and "<frozen importlib" in stack:
            return
        log.error(
            "worker.stuck",
            seconds=self._stuck_seconds,
            run_id=blocking.claimed.fence.run_id if blocking else None,
            stack=stack,
        )
        self._start_thread()
        if blocking is not None:
            self._on_stuck(blocking)

    def _start_thread(self) -> None:
        self._count += 1
        self._thread = _WorkerThread(self._make_worker(), f"sayso-worker-{self._count}")


class _WorkerThread:
    """A worker in a daemon thread with its own loop."""

    def __init__(self, worker: Worker, name: str) -> None:
        self.worker = worker
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._main, name=name, daemon=True)
        self._thread.start()
        self._ready.wait()

    def _main(self) -> None:
        with asyncio.Runner() as runner:
            loop = runner.get_loop()
            running = loop.create_task(self._run())
            while not running.done():
                try:
                    loop.run_until_complete(running)
                except (SystemExit, KeyboardInterrupt) as exc:
                    # A task of an agent's own has raised it: it is that task's, and the others go
                    # on.
                    log.error("agent.exits", error=repr(exc))

    async def _run(self) -> None:
        factory: Any = self.worker.make_task  # its type is a protocol that cannot be named
        asyncio.get_running_loop().set_task_factory(factory)
        pool = ThreadPoolExecutor(FRAMEWORK_THREADS, thread_name_prefix="sayso-framework")
        asyncio.get_running_loop().set_default_executor(pool)
        running = asyncio.create_task(self.worker.run())
        await asyncio.sleep(0)
        self._ready.set()
        await running

    def join(self, seconds: float) -> None:
        self._thread.join(seconds)

    def stack(self) -> str:
        """Return where the thread's code is now."""
        frame = sys._current_frames().get(self._thread.ident or 0)
        return "".join(traceback.format_stack(frame)) if frame is not None else ""


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
