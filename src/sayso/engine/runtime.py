"""The runtime of an engine: its worker, its lease heartbeat and its background loops, and what each
commit has to be followed by.

They are started together, stopped together, and see every commit.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from sayso.core.audit import SEAL_SECONDS
from sayso.core.digest import JsonObject
from sayso.core.errors import AgentStuck, LeaseLost
from sayso.core.events import OpenText
from sayso.core.feed import Feed, Frame
from sayso.core.held_calls import HoldsCalls
from sayso.core.ports import Clock, Store
from sayso.core.sessions import RunState
from sayso.core.store_results import (
    CancelledRun,
    Claimed,
    Fence,
    Finished,
    Lease,
    Posted,
    Postponed,
    Retried,
    Settled,
    TextPiece,
    Waited,
)
from sayso.core.ui_calls import UiCallOpened
from sayso.engine import card_log
from sayso.engine.agent_registry import AgentRegistry
from sayso.engine.background import (
    Expiry,
    HeldCalls,
    OverdueAsks,
    Sealer,
    Sweep,
    WrittenElsewhere,
)
from sayso.engine.effect_writer import EffectWriter
from sayso.engine.failures import error_body, error_card
from sayso.engine.heartbeat import LeaseHeartbeat
from sayso.engine.segment import SegmentContext
from sayso.engine.text_stream import TextBuffer
from sayso.engine.workers import InlineHost, RunningSegment, ThreadHost, Worker, WorkerHost
from sayso.logs import logger

log = logger("sayso.engine")

Work = Callable[[], Awaitable[None]]
Outcome = (
    Settled
    | Waited
    | Finished
    | Postponed
    | Posted
    | CancelledRun
    | Retried
    | UiCallOpened
    | Sequence[Frame]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSettings:
    """How a worker behaves. Seconds are wall-clock."""

    lease_seconds: float = 30.0
    #: A worker stops trusting its own lease this long before the database does.
    lease_margin_seconds: float = 5.0
    sweep_seconds: float = 5.0
    #: Segments at once in this process. Waiting runs are rows and do not count.
    segments: int = 100
    #: An event loop that does not answer for this long is stuck.
    stuck_seconds: float = 10.0
    #: How often a run may be taken over without having got anywhere before it fails.
    #: Generous, since most runs that a dying process held are innocent of its death.
    most_takeovers: int = 20
    #: What runs may take this long to come to its end when the engine stops.
    grace_seconds: float = 3.0
    #: Run segments in a thread of their own (the server) or in the caller's loop (a library).
    own_thread: bool = True


class Runtime:
    """Claims runs for this process and works on them. Its methods belong to the loop that started
    it, but for `apply_outcome` and `lease`, which segments call from the worker's thread."""

    def __init__(
        self,
        *,
        store: Store,
        feed: Feed,
        clock: Clock,
        agents: AgentRegistry,
        settings: EngineSettings,
        holds_calls: HoldsCalls | None = None,
    ) -> None:
        self._store, self._feed, self._clock = store, feed, clock
        self._agents, self._settings = agents, settings
        self._leads = self._full = False
        self._identity = self._owner = ""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self.effect_writer = EffectWriter(store, on_commit=self.apply_outcome, lease=self.lease)
        self._host = self._make_host()
        self._heartbeat: LeaseHeartbeat | None = None
        self.expiry = Expiry(store, clock, lease=self.lease, on_commit=self._on_settled)
        self.sweep = Sweep(
            store,
            seconds=settings.sweep_seconds,
            lease=self.lease,
            running_ids=lambda: [each.claimed.fence.run_id for each in self._segments],
            on_claimed=self._start_found,
            leads=self._try_to_lead,
        )
        self.overdue_asks = OverdueAsks(
            store, on_commit=lambda moved: self.apply_outcome(moved.record.run.app_id, moved.frames)
        )
        self._elsewhere = WrittenElsewhere(store, clock, feed=feed)
        self.held_calls: HeldCalls | None = None
        if holds_calls is not None:
            self.held_calls = HeldCalls(
                store, holds_calls, lease=self.lease, on_commit=self._on_settled
            )
            holds_calls.watch_calls(self._look_at_held_calls)
        #: Called after an ask was settled here, in the loop of the engine.
        self.on_ask_settled: Callable[[], None] = lambda: None
        #: Called after a card was opened here, in the loop of the engine.
        self.on_card_opened: Callable[[], None] = lambda: None
        self.sealer = Sealer(
            store, gather_seconds=SEAL_SECONDS / 2, sweep_seconds=settings.sweep_seconds
        )

    async def start(self) -> None:
        """Begin to work: claim what is ready, and what dead workers left."""
        self._loop = asyncio.get_running_loop()
        self._identity = self._clock.new_id()
        self._owner = f"lease:{self._identity}"
        await self._try_to_lead()
        await self._host.start()
        self._heartbeat = LeaseHeartbeat(
            self._store,
            lambda: self._owner,
            lease_seconds=self._settings.lease_seconds,
            host=self._host,
        )
        self._heartbeat.start()
        self._spawn(self.expiry.run, "sayso-expiry")
        self._spawn(self.sweep.run, "sayso-sweep")
        self._spawn(self.effect_writer.run, "sayso-effects")
        self._spawn(self.overdue_asks.run, "sayso-asks")
        if self.held_calls is not None:
            self._spawn(self.held_calls.run, "sayso-held-calls")
        self._spawn(self._elsewhere.run, "sayso-elsewhere")
        self._spawn(self.sealer.run, "sayso-sealer")

    async def stop(self) -> None:
        """Let what runs come to its end for a moment; what does not stays for the next start."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._host.stop(self._settings.grace_seconds)
        await self.effect_writer.close()
        if self._heartbeat is not None:
            await asyncio.to_thread(self._heartbeat.stop)
        await self.sealer.seal_last()

    @property
    def health(self) -> JsonObject:
        """Whether the worker runs, and how many segments it has."""
        return {
            "worker": "running" if self._host.worker is not None else "stopped",
            "leads": self._leads,
            "segments": len(self._segments),
        }

    def lease(self) -> Lease | None:
        """Return what to claim with, or None while there is no room."""
        if not self._owner:
            return None
        if len(self._segments) >= self._settings.segments:
            self._full = True
            return None
        return Lease(self._owner, self._settings.lease_seconds, self._agents.names)

    def open_texts(self, app_id: str, chat_id: str) -> Sequence[OpenText]:
        """Return the texts of this chat that are being written here."""
        return [
            OpenText(text.message_id, text.text, text.agent_name, text.fence.run_id)
            for text in self._texts_of(app_id, chat_id)
        ]

    async def keep_texts(self, app_id: str, chat_id: str) -> None:
        """Store all that people have read of the open run and of its children, to the last word,
        before a person ends it."""
        if texts := self._texts_of(app_id, chat_id):
            await self._store.keep_texts(texts)

    def _texts_of(self, app_id: str, chat_id: str) -> list[TextPiece]:
        worker, chat = self._host.worker, (app_id, chat_id)
        texts = worker.texts if worker is not None else []
        return [t for t in texts if (t.fence.app_id, t.fence.chat_id) == chat]

    # ── what a commit is followed by ──

    def apply_outcome(self, app_id: str, outcome: Outcome) -> None:
        """Publish what was committed, stop what it cancelled, and start what it claimed."""
        if isinstance(outcome, Sequence):
            self._publish(app_id, outcome)
            return
        self._publish(app_id, outcome.frames)
        match outcome:
            case Settled(interaction=it) if it.asker is not None:
                self._from_any_thread(self.on_ask_settled)  # no worker goes on with it
            case (
                Posted(cancelled=Fence() as ended)
                | Settled(cancelled=Fence() as ended)
                | CancelledRun(fence=Fence() as ended)
            ):
                self._worker.cancel(ended.run_id)
            case Settled(run_state=RunState.READY) | Retried(claimed=None):
                self._from_any_thread(self.sweep.nudge)  # this process could not claim it
            case Postponed():
                self._from_any_thread(self.sweep.nudge)  # it sleeps no longer than until then
            case Waited(interactions=asked) if any(it.expires_at is not None for it in asked):
                self._from_any_thread(self.expiry.nudge)
            case _:
                pass
        if outcome.claimed is not None:
            self._worker.start(outcome.claimed)
        if isinstance(outcome, Waited):
            for child in outcome.children:
                self._worker.start(child)
        else:
            for run_id in outcome.stopped:
                self._worker.cancel(run_id)
        if isinstance(outcome, Posted | Settled | CancelledRun):
            self._look_at_held_calls()  # a run that waited may have ended

    def _on_settled(self, settled: Settled) -> None:
        self.apply_outcome(settled.interaction.app_id, settled)

    def _look_at_held_calls(self) -> None:
        if self.held_calls is not None:
            self._from_any_thread(self.held_calls.nudge)

    def _publish(self, app_id: str, frames: Sequence[Frame]) -> None:
        if frames:
            card_log.committed(frames)
            self._feed.publish(app_id, frames)
            self._from_any_thread(self.sealer.nudge)
            if any(card_log.opens_card(frame) for frame in frames):
                self._from_any_thread(self.on_card_opened)

    def _from_any_thread(self, function: Callable[[], None]) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function)

    def _start_found(self, claimed: Claimed) -> None:
        """Start what a sweep claimed."""
        run = claimed.start.run
        log.info("run.taken_up", run_id=run.id, chat_id=run.chat_id, takeovers=run.takeovers)
        self.apply_outcome(run.app_id, claimed.frames)
        self._worker.start(claimed)

    # ── the work ──

    @property
    def _worker(self) -> Worker:
        if self._host.worker is None:
            raise RuntimeError("The engine has not been started.")
        return self._host.worker

    @property
    def _segments(self) -> Sequence[RunningSegment]:
        return self._host.worker.segments if self._host.worker is not None else []

    def _make_host(self) -> WorkerHost:
        if not self._settings.own_thread:
            return InlineHost(self._make_worker)
        return ThreadHost(
            self._make_worker,
            stuck_seconds=self._settings.stuck_seconds,
            on_stuck=self._on_stuck,
        )

    def _make_worker(self) -> Worker:
        context = SegmentContext(
            store=self._store,
            feed=self._feed,
            clock=self._clock,
            texts=TextBuffer(self._store),
            effect_writer=self.effect_writer,
            on_commit=self.apply_outcome,
            lease=self.lease,
            yield_cpu=_yield_cpu if self._settings.own_thread else lambda: None,
            most_takeovers=self._settings.most_takeovers,
        )
        return Worker(
            self._agents,
            context,
            trusted_seconds=self._settings.lease_seconds - self._settings.lease_margin_seconds,
            on_segment_end=self._on_segment_end,
        )

    def _on_stuck(self, segment: RunningSegment) -> None:
        """Fail the run whose code holds the loop. Called from the heartbeat's thread."""
        self._from_any_thread(lambda: self._spawn(partial(self._fail_stuck, segment)))

    async def _fail_stuck(self, segment: RunningSegment) -> None:
        run = segment.claimed.start.run
        error = AgentStuck(
            f"Agent '{run.agent}' held its event loop for {self._settings.stuck_seconds:g} seconds."
        )
        card = error_card(error, message_id=self._clock.new_id(), agent=run.agent, run_id=run.id)
        with suppress(LeaseLost):
            self.apply_outcome(
                run.app_id,
                await self._store.finish(
                    segment.claimed.fence,
                    RunState.FAILED,
                    events=[card],
                    error=error_body(error),
                    lease=self.lease(),
                ),
            )

    def _spawn(self, work: Work, name: str | None = None) -> None:
        """Own a piece of work until the engine stops."""
        self._tasks = [task for task in self._tasks if not task.done()]
        self._tasks.append(asyncio.create_task(_log_death(work), name=name))

    def _on_segment_end(self) -> None:
        """What found no room before may start now."""
        if self._full:
            self._full = False
            self._from_any_thread(self.sweep.nudge)

    async def _try_to_lead(self) -> bool:
        """Return whether the worker's file lock is ours: who held it before is dead. In a deploy an
        old server is still ending when we start, and leaves it to us later."""
        if not self._leads and await asyncio.to_thread(self._store.hold_worker_role):
            self._leads, self._owner = True, f"lock:{self._identity}"
            log.info("worker.leads")
        return self._leads


def _yield_cpu() -> None:
    """Sleep for a moment. A thread that computes keeps Python's lock for 5 ms after another asked
    for it; one that sleeps releases it at once."""
    time.sleep(0.000_05)


async def _log_death(work: Work) -> None:
    """Do this work, and log the error that ends it."""
    try:
        await work()
    except asyncio.CancelledError:
        raise
    except Exception:
        log.exception("engine.helper_died")
        raise
