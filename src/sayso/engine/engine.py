"""The engine: every use case by its verb. It decides nothing itself: rules are in core, rows in the
store.

A verb is one transaction of the store, and then its consequences: frames are published, a claimed
run is taken in hand, a cancelled one is stopped.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import structlog
from pydantic import JsonValue

from sayso.core.answers import read_answer
from sayso.core.digest import JsonObject
from sayso.core.errors import AgentStuck, InvalidInput, LeaseLost, NotFound
from sayso.core.events import Draft, OpenText
from sayso.core.interactions import Interaction, InteractionResponse
from sayso.core.ports import (
    AnsweredTooLate,
    CancelledRun,
    Claimed,
    Clock,
    Feed,
    Fence,
    Finished,
    Frame,
    Lease,
    NewMessage,
    Posted,
    Settled,
    Store,
    Waited,
)
from sayso.core.segments import Program
from sayso.core.sessions import RunState
from sayso.core.tasks import TaskRequest, UniversalMessage
from sayso.core.view import ArtifactItem, ChatView
from sayso.engine import lifelog
from sayso.engine.crew import Crew, OwnLoopCrew, ThreadCrew
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


class Engine:
    """Start it, use its verbs from any task of the loop that started it, stop it."""

    def __init__(
        self,
        *,
        store: Store,
        feed: Feed,
        clock: Clock,
        programs: Mapping[str, Program],
        settings: EngineSettings | None = None,
    ) -> None:
        if not programs:
            raise InvalidInput("There is no agent.", fix="Give the App at least one agent.")
        self.store, self.feed, self.clock, self.programs = store, feed, clock, dict(programs)
        self.default_agent = next(iter(self.programs))
        self.settings = settings or EngineSettings()
        self._leads = self._first_sweep = self._full = False
        self._owner = ""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._loops: list[asyncio.Task[None]] = []
        self._crew: Crew = self._make_crew()
        self._heart: Heart | None = None
        self._expiry = Expiry(
            store,
            clock,
            lease=self.lease,
            told=lambda settled: self._told(settled.interaction.app_id, settled),
        )
        self._sweep = Sweep(
            store,
            seconds=self.settings.sweep_seconds,
            lease=self.lease,
            in_hand=lambda: [hand.claimed.fence.run_id for hand in self._crew.hands],
            take=self._take_up,
            leading=self._newly_leading,
        )

    # ── life ──

    async def start(self) -> None:
        """Open the store and begin to work: take up what is ready, and what dead workers left."""
        self._loop = asyncio.get_running_loop()
        await self.store.open()
        identity = self.clock.new_id()
        self._leads = await asyncio.to_thread(self.store.hold_worker_role)
        self._owner = f"lock:{identity}" if self._leads else f"lease:{identity}"
        self._first_sweep = self._leads
        await self._crew.start()
        self._heart = Heart(
            self.store,
            self._owner,
            lease_seconds=self.settings.lease_seconds,
            workers=lambda: self._crew.workers,
            beat=self._crew.beat,
        )
        self._heart.start()
        self._loops = [
            asyncio.create_task(_watched(self._expiry.run), name="sayso-expiry"),
            asyncio.create_task(_watched(self._sweep.run), name="sayso-sweep"),
        ]

    async def stop(self) -> None:
        """Let what runs come to its end for a moment; what does not stays for the next start."""
        for task in self._loops:
            task.cancel()
        for task in self._loops:
            with suppress(asyncio.CancelledError):
                await task
        await self._crew.stop(self.settings.grace_seconds)
        if self._heart is not None:
            await asyncio.to_thread(self._heart.stop)
        await self.store.close()

    @property
    def health(self) -> JsonObject:
        """For `GET /api/health`: whether the worker answers, and how much it has in hand."""
        return {
            "worker": "running" if self._crew.workers else "stopped",
            "leads": self._leads,
            "segments": len(self._crew.hands),
        }

    def lease(self) -> Lease | None:
        """What to claim with, or None while there is no room."""
        if not self._owner:
            return None
        if len(self._crew.hands) >= self.settings.segments:
            self._full = True
            return None
        return Lease(self._owner, self.settings.lease_seconds, frozenset(self.programs))

    # ── chats ──

    async def create_chat(
        self, app_id: str, *, agent: str | None = None, title: str = "", by: str | None = None
    ) -> ChatView:
        return await self.store.create_chat(app_id, agent=self._agent(agent), title=title, by=by)

    async def rename_chat(self, app_id: str, chat_id: str, title: str, *, by: str | None) -> None:
        self._told(app_id, await self.store.rename_chat(app_id, chat_id, title, by=by))

    async def post_message(
        self,
        app_id: str,
        chat_id: str,
        *,
        content: str,
        client_message_id: str,
        context: JsonObject | None = None,
        supersede: bool = False,
        by: str | None = None,
    ) -> Posted:
        """A person's words. They start a run, wait for the open one, answer its free question, or
        supersede it."""
        task = TaskRequest(
            task_id=client_message_id,
            messages=[UniversalMessage(role="user", content=content)],
            context=context or {},
        )
        return await self.post_task(
            app_id, chat_id, task, supersede=supersede, by=by, client_message_id=client_message_id
        )

    async def post_task(
        self,
        app_id: str,
        chat_id: str,
        task: TaskRequest,
        *,
        client_message_id: str,
        supersede: bool = False,
        by: str | None = None,
        content: str | None = None,
    ) -> Posted:
        message = NewMessage(
            content=task.words if content is None else content,
            client_message_id=client_message_id,
            task=task,
            by=by,
            supersede=supersede,
        )
        posted = await self.store.post_message(app_id, chat_id, message, self.lease())
        self._told(app_id, posted)
        return posted

    async def cancel(
        self,
        app_id: str,
        *,
        reason: str,
        by: str | None,
        chat_id: str | None = None,
        run_id: str | None = None,
    ) -> CancelledRun:
        """End the open run of a chat, or this run, wherever it runs."""
        cancelled = await self.store.cancel_run(
            app_id, reason=reason, by=by, chat_id=chat_id, run_id=run_id, lease=self.lease()
        )
        self._told(app_id, cancelled)
        return cancelled

    async def retry_tool_call(
        self, app_id: str, tool_call_id: str, *, arguments: JsonObject | None = None, by: str | None
    ) -> Posted:
        """Run a call again as a new run of its chat, through the policy, with corrected arguments
        if given."""
        call = await self.store.tool_call(app_id, tool_call_id)
        if call is None:
            raise NotFound(f"There is no tool call '{tool_call_id}'.")
        words = f"Retry {call.tool_name}"
        task = TaskRequest(
            task_id=self.clock.new_id(),
            task_type="tool_retry",
            messages=[UniversalMessage(role="user", content=words)],
            context={
                "tool_name": call.tool_name,
                "tool_call_id": tool_call_id,
                "arguments": call.arguments if arguments is None else arguments,
            },
        )
        return await self.post_task(
            app_id, call.chat_id, task, client_message_id=task.task_id, by=by
        )

    # ── interactions ──

    async def answer(
        self,
        app_id: str,
        interaction_id: str,
        body: Mapping[str, object],
        *,
        key: str | None,
        by: str | None,
        reason_required: bool = True,
        allowed: Callable[[Interaction], None] = lambda _: None,
    ) -> Settled:
        """A person's answer, in any of its forms. `allowed` raises where this person may not answer
        it. Raises what that, `read_answer` and the store's `answer` raise."""

        def read(it: Interaction) -> InteractionResponse:
            allowed(it)
            return read_answer(it, body, reason_required=reason_required)

        return await self._settle(
            app_id,
            self.store.answer(app_id, interaction_id, read, key=key, by=by, lease=self.lease()),
        )

    async def dismiss(
        self, app_id: str, interaction_id: str, *, reason: str | None = None, by: str | None
    ) -> Settled:
        return await self._settle(
            app_id,
            self.store.dismiss(app_id, interaction_id, reason=reason, by=by, lease=self.lease()),
        )

    async def extend(
        self,
        app_id: str,
        interaction_id: str,
        *,
        seconds: float,
        seen: datetime | None = None,
        by: str | None,
    ) -> Settled:
        """More time for a card that has a time."""
        settled = await self._settle(
            app_id,
            self.store.extend(app_id, interaction_id, seconds=seconds, seen=seen, by=by),
        )
        self._expiry.nudge()
        return settled

    async def expire_overdue(self) -> None:
        """Settle every card whose time has passed, now (the timer does so by itself)."""
        await self._expiry.settle_overdue()

    # ── beside the chat ──

    async def open_texts(self, app_id: str, chat_id: str) -> list[OpenText]:
        """The texts being written: from memory where they are written here, else as far as the
        store has them."""
        here = {text.message_id: text for text in self._crew.open_texts(app_id, chat_id)}
        stored = await self.store.open_texts(app_id, chat_id)
        return [*here.values(), *(text for text in stored if text.message_id not in here)]

    async def put_artifact(
        self,
        app_id: str,
        artifact_id: str,
        *,
        content: JsonValue,
        title: str | None = None,
        if_version: int,
        by: str | None,
    ) -> ArtifactItem:
        artifact, frames = await self.store.put_artifact(
            app_id, artifact_id, content=content, title=title, if_version=if_version, by=by
        )
        self._told(app_id, frames)
        return artifact

    async def put_draft(self, app_id: str, draft: Draft) -> None:
        frame = await self.store.put_draft(app_id, draft)
        if frame is not None:
            self.feed.publish(app_id, [frame])

    async def set_chat_preference(
        self, app_id: str, chat_id: str, key: str, value: JsonValue, *, by: str | None
    ) -> None:
        self._told(app_id, await self.store.set_chat_preference(app_id, chat_id, key, value, by=by))

    # ── consequences of a commit ──

    async def _settle(self, app_id: str, settling: Awaitable[Settled]) -> Settled:
        """See to the consequences of a settlement, or of the expiry that came before it."""
        try:
            settled = await settling
        except AnsweredTooLate as late:
            self._told(app_id, late.settled)
            self._sweep.nudge()
            raise
        self._told(app_id, settled)
        return settled

    def _told(self, app_id: str, outcome: Outcome) -> None:
        """Publish what was committed, stop what it cancelled, and take in hand what it claimed."""
        frames = outcome if isinstance(outcome, Sequence) else _frames_of(outcome)
        if frames:
            lifelog.committed(frames)
            self.feed.publish(app_id, frames)
        match outcome:
            case Posted(cancelled=Fence() as ended) | Settled(cancelled=Fence() as ended):
                self._crew.cancel(ended.run_id)
            case CancelledRun(fence=Fence() as ended):
                self._crew.cancel(ended.run_id)
            case Waited(interactions=asked) if any(it.expires_at is not None for it in asked):
                self._from_any_thread(self._expiry.nudge)
            case _:
                pass
        if not isinstance(outcome, Sequence) and outcome.claimed is not None:
            self._crew.take(outcome.claimed)

    def _from_any_thread(self, function: Callable[[], None]) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function)

    def _take_up(self, claimed: Claimed) -> None:
        """Take in hand what a sweep found."""
        run = claimed.start.run
        log.info("run.taken_up", run_id=run.id, chat_id=run.chat_id, takeovers=run.takeovers)
        self._told(run.app_id, claimed.frames)
        self._crew.take(claimed)

    # ── the work ──

    def _make_crew(self) -> Crew:
        if not self.settings.own_thread:
            return OwnLoopCrew(self._make_worker)
        return ThreadCrew(
            self._make_worker, stuck_seconds=self.settings.stuck_seconds, stuck=self._stuck
        )

    def _make_worker(self) -> tuple[Worker, TextKeeper]:
        keeper = TextKeeper(self.store)
        place = Workplace(
            store=self.store,
            feed=self.feed,
            clock=self.clock,
            keeper=keeper,
            told=self._told,
            lease=self.lease,
            give_way=_let_go if self.settings.own_thread else lambda: None,
            most_takeovers=self.settings.most_takeovers,
        )
        trusted = self.settings.lease_seconds - self.settings.lease_margin_seconds
        worker = Worker(self.programs, place, trusted_seconds=trusted, has_room=self._has_room)
        return worker, keeper

    def _stuck(self, hand: Hand, stack: str) -> None:
        """Called from the heart: fail the run whose code holds the loop."""
        self._from_any_thread(lambda: self._keep(partial(self._fail_stuck, hand)))

    async def _fail_stuck(self, hand: Hand) -> None:
        run = hand.claimed.start.run
        error = AgentStuck(
            f"Agent '{run.agent}' held its event loop for {self.settings.stuck_seconds:g} seconds."
        )
        card = error_card(error, message_id=self.clock.new_id(), agent=run.agent, run_id=run.id)
        with suppress(LeaseLost):
            self._told(
                run.app_id,
                await self.store.finish(
                    hand.claimed.fence,
                    RunState.FAILED,
                    events=[card],
                    error=error_body(error),
                    lease=self.lease(),
                ),
            )

    def _keep(self, work: Work) -> None:
        """Own a piece of work until the engine stops."""
        self._loops = [task for task in self._loops if not task.done()]
        self._loops.append(asyncio.create_task(_watched(work)))

    def _has_room(self) -> None:
        """A segment ended: what found no room before may start now."""
        if self._full:
            self._full = False
            self._from_any_thread(self._sweep.nudge)

    def _newly_leading(self) -> bool:
        """True once, when the worker's file lock is ours: those who held it before are dead."""
        newly, self._first_sweep = self._first_sweep, False
        return newly

    def _agent(self, name: str | None) -> str:
        if name is None:
            return self.default_agent
        if name not in self.programs:
            known = ", ".join(sorted(self.programs))
            raise NotFound(f"There is no agent '{name}'.", fix=f"The agents here are: {known}.")
        return name


def _frames_of(outcome: Settled | Waited | Finished | Posted | CancelledRun) -> Sequence[Frame]:
    return outcome.frames


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
