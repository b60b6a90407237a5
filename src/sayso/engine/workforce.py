"""The workforce of an engine: its crew, its heart and its timers, and what each commit sets going.

They are started together, stopped together, and told of every commit.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import structlog

from sayso.core.digest import JsonObject
from sayso.core.errors import AgentStuck, LeaseLost
from sayso.core.events import OpenText
from sayso.core.feed import Feed, Frame
from sayso.core.ports import Clock, Store
from sayso.core.sessions import RunState
from sayso.core.transactions import (
    CancelledRun,
    Claimed,
    Fence,
    Finished,
    Lease,
    Posted,
    Settled,
    TextPiece,
    Waited,
)
from sayso.engine import lifelog
from sayso.engine.crew import Crew, OwnLoopCrew, ThreadCrew
from sayso.engine.programs import Programs
from sayso.engine.segment import Workplace, error_body, error_card
from sayso.engine.text import TextKeeper
from sayso.engine.timers import Expiry, Sweep
from sayso.engine.worker import Hand, Heart, Worker

log = structlog.get_logger("sayso.engine")

Work = Callable[[], Awaitable[None]]
Outcome = Settled | Waited | Finished | Posted | CancelledRun | Sequence[Frame]


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


class Workforce:
    """Claims runs for this process and works on them. Its methods belong to the loop that started
    it, but for `told` and `lease`, which segments call from the worker's thread."""

    def __init__(
        self,
        *,
        store: Store,
        feed: Feed,
        clock: Clock,
        programs: Programs,
        settings: EngineSettings,
    ) -> None:
        self._store, self._feed, self._clock = store, feed, clock
        self._programs, self._settings = programs, settings
        self._leads = self._first_sweep = self._full = False
        self._owner = ""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._helpers: list[asyncio.Task[None]] = []
        self._crew: Crew = self._make_crew()
        self._heart: Heart | None = None
        self.expiry = Expiry(
            store,
            clock,
            lease=self.lease,
            told=lambda settled: self.told(settled.interaction.app_id, settled),
        )
        self.sweep = Sweep(
            store,
            seconds=settings.sweep_seconds,
            lease=self.lease,
            in_hand=lambda: [hand.claimed.fence.run_id for hand in self._crew.hands],
            take=self._take_up,
            leading=self._newly_leading,
        )

    async def start(self) -> None:
        """Begin to work: take up what is ready, and what dead workers left."""
        self._loop = asyncio.get_running_loop()
        identity = self._clock.new_id()
        self._leads = await asyncio.to_thread(self._store.hold_worker_role)
        self._owner = f"lock:{identity}" if self._leads else f"lease:{identity}"
        self._first_sweep = self._leads
        await self._crew.start()
        self._heart = Heart(
            self._store,
            self._owner,
            lease_seconds=self._settings.lease_seconds,
            workers=lambda: self._crew.workers,
            beat=self._crew.beat,
        )
        self._heart.start()
        self._helpers = [
            asyncio.create_task(_watched(self.expiry.run), name="sayso-expiry"),
            asyncio.create_task(_watched(self.sweep.run), name="sayso-sweep"),
        ]

    async def stop(self) -> None:
        """Let what runs come to its end for a moment; what does not stays for the next start."""
        for task in self._helpers:
            task.cancel()
        await asyncio.gather(*self._helpers, return_exceptions=True)
        await self._crew.stop(self._settings.grace_seconds)
        if self._heart is not None:
            await asyncio.to_thread(self._heart.stop)

    @property
    def health(self) -> JsonObject:
        """Whether the worker answers, and how much it has in hand."""
        return {
            "worker": "running" if self._crew.workers else "stopped",
            "leads": self._leads,
            "segments": len(self._crew.hands),
        }

    def lease(self) -> Lease | None:
        """What to claim with, or None while there is no room."""
        if not self._owner:
            return None
        if len(self._crew.hands) >= self._settings.segments:
            self._full = True
            return None
        return Lease(self._owner, self._settings.lease_seconds, self._programs.names)

    def open_texts(self, app_id: str, chat_id: str) -> Sequence[OpenText]:
        """The texts that are being written here."""
        return [
            OpenText(text.message_id, text.text, text.agent_name, text.fence.run_id)
            for text in self._texts_of(app_id, chat_id)
        ]

    async def keep_texts(self, app_id: str, chat_id: str) -> None:
        """Before a person ends a run: what they have read of it, and of the agents that work for
        it, is stored to the last word."""
        if texts := self._texts_of(app_id, chat_id):
            await self._store.keep_texts(texts)

    def _texts_of(self, app_id: str, chat_id: str) -> list[TextPiece]:
        place = (app_id, chat_id)
        return [t for t in self._crew.texts if (t.fence.app_id, t.fence.chat_id) == place]

    # ── consequences of a commit ──

    def told(self, app_id: str, outcome: Outcome) -> None:
        """Publish what was committed, stop what it cancelled, and take in hand what it claimed."""
        if isinstance(outcome, Sequence):
            self._publish(app_id, outcome)
            return
        self._publish(app_id, outcome.frames)
        match outcome:
            case (
                Posted(cancelled=Fence() as ended)
                | Settled(cancelled=Fence() as ended)
                | CancelledRun(fence=Fence() as ended)
            ):
                self._crew.cancel(ended.run_id)
            case Waited(interactions=asked) if any(it.expires_at is not None for it in asked):
                self._from_any_thread(self.expiry.nudge)
            case _:
                pass
        if outcome.claimed is not None:
            self._crew.take(outcome.claimed)
        if isinstance(outcome, Waited):
            for child in outcome.children:
                self._crew.take(child)
        else:
            for run_id in outcome.stopped:
                self._crew.cancel(run_id)

    def _publish(self, app_id: str, frames: Sequence[Frame]) -> None:
        if frames:
            lifelog.committed(frames)
            self._feed.publish(app_id, frames)

    def _from_any_thread(self, function: Callable[[], None]) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function)

    def _take_up(self, claimed: Claimed) -> None:
        """Take in hand what a sweep found."""
        run = claimed.start.run
        log.info("run.taken_up", run_id=run.id, chat_id=run.chat_id, takeovers=run.takeovers)
        self.told(run.app_id, claimed.frames)
        self._crew.take(claimed)

    # ── the work ──

    def _make_crew(self) -> Crew:
        if not self._settings.own_thread:
            return OwnLoopCrew(self._make_worker)
        return ThreadCrew(
            self._make_worker, stuck_seconds=self._settings.stuck_seconds, stuck=self._stuck
        )

    def _make_worker(self) -> tuple[Worker, TextKeeper]:
        keeper = TextKeeper(self._store)
        place = Workplace(
            store=self._store,
            feed=self._feed,
            clock=self._clock,
            keeper=keeper,
            told=self.told,
            lease=self.lease,
            give_way=_let_go if self._settings.own_thread else lambda: None,
            most_takeovers=self._settings.most_takeovers,
        )
        trusted = self._settings.lease_seconds - self._settings.lease_margin_seconds
        worker = Worker(self._programs, place, trusted_seconds=trusted, has_room=self._has_room)
        return worker, keeper

    def _stuck(self, hand: Hand, stack: str) -> None:
        """Called from the heart: fail the run whose code holds the loop."""
        self._from_any_thread(lambda: self._keep(partial(self._fail_stuck, hand)))

    async def _fail_stuck(self, hand: Hand) -> None:
        run = hand.claimed.start.run
        error = AgentStuck(
            f"Agent '{run.agent}' held its event loop for {self._settings.stuck_seconds:g} seconds."
        )
        card = error_card(error, message_id=self._clock.new_id(), agent=run.agent, run_id=run.id)
        with suppress(LeaseLost):
            self.told(
                run.app_id,
                await self._store.finish(
                    hand.claimed.fence,
                    RunState.FAILED,
                    events=[card],
                    error=error_body(error),
                    lease=self.lease(),
                ),
            )

    def _keep(self, work: Work) -> None:
        """Own a piece of work until the engine stops."""
        self._helpers = [task for task in self._helpers if not task.done()]
        self._helpers.append(asyncio.create_task(_watched(work)))

    def _has_room(self) -> None:
        """A segment ended: what found no room before may start now."""
        if self._full:
            self._full = False
            self._from_any_thread(self.sweep.nudge)

    def _newly_leading(self) -> bool:
        """True once, when the worker's file lock is ours: those who held it before are dead."""
        newly, self._first_sweep = self._first_sweep, False
        return newly


def _let_go() -> None:
    """Sleep for a moment: a thread that computes keeps Python's lock for 5 ms after another asked
    for it, one that sleeps lets go of it at once."""
    time.sleep(0.000_05)


async def _watched(work: Work) -> None:
    """A helper that dies says so, loudly, and does not die in silence."""
    try:
        await work()
    except asyncio.CancelledError:
        raise
    except Exception:
        log.exception("engine.helper_died")
        raise
