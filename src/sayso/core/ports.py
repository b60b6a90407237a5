"""How the engine meets the world: the store, the feed, the clock.

A store method is one whole transaction. It returns the frames that a client should now see; the
engine publishes them after the commit. Every method begins with the tenant's `app_id`, or with a
Fence, which carries it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from pydantic import JsonValue

from sayso.core.digest import JsonObject
from sayso.core.effects import Effect, EffectEnd
from sayso.core.errors import AlreadySettled
from sayso.core.events import ChatEvent, Draft, EventData, OpenText, TextDelta
from sayso.core.interactions import (
    CardRequest,
    Interaction,
    InteractionResponse,
    InteractionState,
)
from sayso.core.segments import EffectStart, SegmentStart
from sayso.core.sessions import Run, RunState, SavedState
from sayso.core.tasks import TaskRequest
from sayso.core.view import ArtifactItem, ChatView, Head


class Clock(Protocol):
    """Time and ids come in through here, so that tests move them by hand."""

    def now(self) -> datetime:
        """The time, timezone-aware, in UTC."""

    def new_id(self) -> str:
        """A fresh UUIDv7."""


# ── frames and the feed ──


@dataclass(frozen=True, slots=True)
class Frame:
    """One thing for a chat's clients: what it is, and its JSON, encoded once however many clients
    there are.

    `seq` is None for what is live only.
    """

    chat_id: str
    seq: int | None
    body: ChatEvent | TextDelta | OpenText | Draft
    json: bytes


class Subscription(Protocol):
    """A client's ear on one chat. Frames that arrive while nobody reads are kept up to a bound,
    then `lost` is set."""

    @property
    def lost(self) -> bool:
        """True once frames were dropped: read the store from your cursor, or resync."""

    def __aiter__(self) -> AsyncIterator[Frame]: ...

    async def get(self) -> Frame:
        """The next frame; waits for it."""

    def drain(self) -> list[Frame]:
        """All frames that have arrived, without waiting."""

    def close(self) -> None: ...


class Feed(Protocol):
    """Carries new frames to connected clients. Losing one is harmless: every reader has a cursor
    into the store.

    Thread-safe: segments publish from their worker's thread, clients listen in the server's.
    """

    def publish(self, app_id: str, frames: Sequence[Frame]) -> None: ...

    def subscribe(self, app_id: str, chat_id: str | None = None) -> Subscription:
        """Frames of one chat, or of all chats of the tenant."""


# ── what goes into and comes out of transactions ──


@dataclass(frozen=True, slots=True)
class Lease:
    """Who claims, for how many seconds by the database's clock, and which agents it can run.

    A run of another agent is never claimed: it stays ready for a process that knows that agent. The
    name of an owner that works under the file lock begins with `lock:`.
    """

    owner: str
    seconds: float
    agents: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """A claim on a running run: writes of its segment hold only while the row still has this
    number."""

    app_id: str
    chat_id: str
    run_id: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """A run that is now ours to run, with all its segment needs."""

    fence: Fence
    start: SegmentStart
    #: What `claim` and `claim_due` wrote; empty inside an outcome, which has its own frames.
    frames: Sequence[Frame] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A person's message. `task` is the work it asks for; the same client_message_id again is the
    same message."""

    content: str
    client_message_id: str
    task: TaskRequest
    by: str | None = None
    supersede: bool = False
    metadata: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """`status`: started | queued | answered | superseded | repeated."""

    status: str
    message_id: str
    run_id: str | None
    frames: Sequence[Frame] = ()
    claimed: Claimed | None = None
    #: A waiting or running run that this message cancelled (mode supersede).
    cancelled: Fence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Waited:
    """`state` is WAITING, or READY when answers had already come for all that was asked."""

    state: RunState
    interactions: Sequence[Interaction]
    frames: Sequence[Frame]
    claimed: Claimed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    frames: Sequence[Frame]
    #: The queued message's run that starts now, claimed if a lease was given.
    next_run_id: str | None = None
    claimed: Claimed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What an answer, dismissal or expiry did. `repeated` means nothing was written: it had been
    done before."""

    interaction: Interaction
    repeated: bool = False
    frames: Sequence[Frame] = ()
    run_state: RunState | None = None
    claimed: Claimed | None = None
    #: The run that this ended (on_expiry cancel), and the queued one that starts in its place.
    cancelled: Fence | None = None
    next_run_id: str | None = None


class AnsweredTooLate(AlreadySettled):
    """An answer that came past `expires_at` performed the expiry instead. That is committed:
    publish the frames of `settled` as for any other expiry. It claims nothing."""

    def __init__(self, settled: Settled) -> None:
        it = settled.interaction
        super().__init__(
            f"Interaction '{it.id}' had expired before this answer came.",
            context={"outcome": it.outcome()},
        )
        self.settled = settled


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelledRun:
    """`run` is None when there was nothing open to cancel; `fence` is the one whose owner must be
    told."""

    run: Run | None
    fence: Fence | None = None
    frames: Sequence[Frame] = ()
    next_run_id: str | None = None
    claimed: Claimed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPiece:
    """Text still being written, appended to what is stored, for the case of a crash."""

    fence: Fence
    message_id: str
    offset: int
    text: str
    agent_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSummary:
    head: Head
    updated_at: datetime
    pending: int

    def as_json(self) -> JsonObject:
        return {
            "id": self.head.id,
            "title": self.head.title,
            "agent": self.head.agent,
            "seq": self.head.seq,
            "created_at": self.head.created_at,
            "updated_at": self.updated_at.isoformat(),
            "pending": self.pending,
            "run": self.head.run.model_dump(mode="json", exclude_none=True)
            if self.head.run
            else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionFilter:
    """Every part that is given must hold. `kind` is the card; `assignee` gives what this person may
    answer: what names them, and what names nobody."""

    status: InteractionState | None = None
    kind: str | None = None
    chat_id: str | None = None
    assignee: str | None = None
    run_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One line of a chat's hash chain: who decided what, when, on which digest.

    `number` counts within the chat; `position` orders the lines of all chats and is the cursor.
    """

    position: int
    chat_id: str
    number: int
    at: datetime
    actor: str | None
    action: str
    subject: str
    body: JsonObject
    hash: str

    def as_json(self) -> JsonObject:
        return {
            "position": self.position,
            "chat_id": self.chat_id,
            "number": self.number,
            "at": self.at.isoformat(),
            "actor": self.actor,
            "action": self.action,
            "subject": self.subject,
            "body": self.body,
            "hash": self.hash,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenChain:
    chat_id: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallRecord:
    """What a retry starts from: the call, its run, and its last effect."""

    tool_call_id: str
    chat_id: str
    run_id: str
    tool_name: str
    arguments: JsonObject
    status: str
    effect: Effect | None = None


Answer = Callable[[Interaction], InteractionResponse]


class Store(Protocol):
    """The rows. SQLite embedded, PostgreSQL where there is more than one node; one contract suite
    runs on each."""

    async def open(self) -> None:
        """Connect and migrate. Raises DatabaseTooNew, StoreReadOnly, StoreBusy."""

    async def close(self) -> None: ...

    # ── chats ──
    async def create_chat(
        self,
        app_id: str,
        *,
        agent: str,
        title: str = "",
        by: str | None = None,
        chat_id: str | None = None,
    ) -> ChatView: ...

    async def rename_chat(
        self, app_id: str, chat_id: str, title: str, *, by: str | None
    ) -> Sequence[Frame]: ...

    async def list_chats(
        self, app_id: str, *, q: str = "", before: datetime | None = None, limit: int = 50
    ) -> list[ChatSummary]: ...

    async def load_view(
        self, app_id: str, chat_id: str, *, before: int | None = None, limit: int = 50
    ) -> ChatView | None:
        """One snapshot, read in one transaction: the newest `limit` items (or those below
        `before`), and on the first page every open item, all artifacts and the open texts."""

    async def events_after(
        self, app_id: str, chat_id: str, seq: int, *, limit: int = 1000
    ) -> list[Frame]: ...

    async def open_texts(self, app_id: str, chat_id: str) -> list[OpenText]: ...

    # ── runs ──
    async def post_message(
        self, app_id: str, chat_id: str, message: NewMessage, lease: Lease | None
    ) -> Posted:
        """Store the message and, in the same transaction, what it means (DESIGN section 5): the
        start of a run, a place in the queue, the answer to the one open free question, or a run
        that supersedes. Raises NotFound, MessageIdReused."""

    async def run(self, app_id: str, run_id: str) -> Run | None: ...

    async def claim(self, app_id: str, run_id: str, lease: Lease) -> Claimed | None:
        """Take a ready run, or one whose lease is over; closes what an earlier owner left open.
        None if it is not there to take."""

    async def claim_due(
        self, lease: Lease, *, limit: int, not_mine: Sequence[str], at_once: bool
    ) -> list[Claimed]:
        """Ready runs and expired leases of every tenant, oldest first. `not_mine` are runs this
        process still has tasks for. `at_once` (the file lock is ours) takes the running runs of
        other `lock:` owners whatever their lease: they are dead."""

    def renew_blocking(self, owner: str, run_ids: Sequence[str], seconds: float) -> frozenset[str]:
        """Prolong leases; called from the heartbeat thread. Gives the runs that are still this
        owner's."""

    def hold_worker_role(self) -> bool:
        """Try for the worker's file lock (SQLite); True once it is held. False on stores that have
        none."""

    async def record(
        self, fence: Fence, events: Sequence[EventData], *, saved: SavedState | None = None
    ) -> Sequence[Frame]:
        """Append a segment's events. Raises LeaseLost."""

    async def keep_texts(self, pieces: Sequence[TextPiece]) -> None:
        """Append to open texts, of many runs, in one transaction. Pieces of lost fences are
        dropped."""

    async def wait(
        self,
        fence: Fence,
        saved: SavedState,
        requests: Sequence[CardRequest],
        *,
        resume_each: bool,
        events: Sequence[EventData] = (),
        lease: Lease | None = None,
    ) -> Waited: ...

    async def finish(
        self,
        fence: Fence,
        state: RunState,
        *,
        events: Sequence[EventData] = (),
        error: JsonObject | None = None,
        reason: str | None = None,
        memory: bytes | None = None,
        lease: Lease | None = None,
    ) -> Finished:
        """End a run, keep the agent's memory, append its events and RunMoved, start the queued
        message's run."""

    async def cancel_run(
        self,
        app_id: str,
        *,
        reason: str,
        by: str | None,
        chat_id: str | None = None,
        run_id: str | None = None,
        lease: Lease | None = None,
    ) -> CancelledRun:
        """Cancel the open run of a chat (or this run): cards settle, open text is marked
        interrupted, fence + 1."""

    async def start_effect(
        self, fence: Fence, start: EffectStart, saved: SavedState | None
    ) -> None: ...

    async def end_effect(
        self, fence: Fence, key: str, attempt: int, end: EffectEnd, events: Sequence[EventData]
    ) -> Settled | Sequence[Frame]:
        """Record how an attempt ended; not fenced. A true result settles an open uncertain card of
        that attempt."""

    # ── interactions ──
    async def answer(
        self,
        app_id: str,
        interaction_id: str,
        answer: Answer,
        *,
        key: str | None,
        by: str | None,
        lease: Lease | None,
    ) -> Settled:
        """Settle with a person's answer. `answer` reads and checks it against the interaction,
        inside the transaction. Raises what it raises, NotFound, StaleDigest, AlreadySettled,
        IdempotencyKeyReused, AnsweredTooLate."""

    async def dismiss(
        self,
        app_id: str,
        interaction_id: str,
        *,
        reason: str | None,
        by: str | None,
        lease: Lease | None,
    ) -> Settled: ...

    async def extend(
        self,
        app_id: str,
        interaction_id: str,
        *,
        seconds: float,
        seen: datetime | None,
        by: str | None,
    ) -> Settled:
        """More time: a compare-and-set on the `expires_at` that was seen. Raises VersionConflict,
        AlreadySettled."""

    async def expire_one(self, *, now: datetime, lease: Lease | None) -> Settled | None:
        """Settle the interaction that has been overdue longest; None when none is."""

    async def next_expiry(self) -> datetime | None: ...

    async def interaction(self, app_id: str, interaction_id: str) -> Interaction | None: ...

    async def interactions(
        self, app_id: str, wanted: InteractionFilter, *, before: str | None = None, limit: int = 50
    ) -> list[Interaction]:
        """Newest first by creation; `before` is the id of the last one seen."""

    # ── beside the chat ──
    async def put_draft(self, app_id: str, draft: Draft) -> Frame | None: ...

    async def drafts(self, app_id: str, chat_id: str, person: str) -> list[Draft]: ...

    async def artifact(self, app_id: str, artifact_id: str) -> ArtifactItem | None: ...

    async def put_artifact(
        self,
        app_id: str,
        artifact_id: str,
        *,
        content: JsonValue,
        title: str | None,
        if_version: int,
        by: str | None,
    ) -> tuple[ArtifactItem, Sequence[Frame]]: ...

    async def tool_call(self, app_id: str, tool_call_id: str) -> ToolCallRecord | None: ...

    async def set_chat_preference(
        self, app_id: str, chat_id: str, key: str, value: JsonValue, *, by: str | None
    ) -> Sequence[Frame]: ...

    async def preferences(self, app_id: str, person: str) -> JsonObject: ...

    async def put_preferences(self, app_id: str, person: str, values: JsonObject) -> JsonObject:
        """Set these keys and keep the others; null removes a key. Gives all of them."""

    # ── who allowed what ──
    async def audit(
        self,
        app_id: str,
        *,
        chat_id: str | None = None,
        before: int | None = None,
        limit: int = 100,
    ) -> list[AuditEntry]:
        """Newest first; `before` is the position of the last one seen."""

    async def verify_audit(self, app_id: str) -> list[BrokenChain]:
        """Recompute every chain; empty when all are intact."""
