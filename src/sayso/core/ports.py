"""How the engine meets the world: the clock and the store. (The third port is core/feed.py.)

A store method is one whole transaction. It returns the frames that a client should now see; the
engine publishes them after the commit. Every method begins with the tenant's `app_id`, or with a
Fence, which carries it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from pydantic import JsonValue

from sayso.core.audit import AuditEntry, BrokenChain
from sayso.core.children import Request
from sayso.core.digest import JsonObject
from sayso.core.effects import EffectEnd, EffectStart, ToolCallRecord
from sayso.core.events import Draft, EventData, OpenText
from sayso.core.feed import Frame
from sayso.core.inbox import InteractionFilter, InteractionOrder, PendingCount
from sayso.core.interactions import Interaction, InteractionResponse
from sayso.core.sessions import Run, RunState, SavedState
from sayso.core.transactions import (
    CancelledRun,
    Claimed,
    Fence,
    Finished,
    Lease,
    NewMessage,
    Posted,
    Settled,
    TextPiece,
    Waited,
)
from sayso.core.view import ArtifactItem, ChatSummary, ChatView, Head


class Clock(Protocol):
    """Time and ids come in through here, so that tests move them by hand."""

    def now(self) -> datetime:
        """The time, timezone-aware, in UTC."""

    def new_id(self) -> str:
        """A fresh UUIDv7."""


Answer = Callable[[Interaction], InteractionResponse]
#: What a chat's row says of its requirements → what it says once they are forgotten.
Forget = Callable[[JsonObject | None], JsonObject]


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

    async def family(self, app_id: str, run_id: str) -> list[str]:
        """The ids of the child runs of this run, and of theirs."""

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
        requests: Sequence[Request],
        *,
        resume_each: bool,
        events: Sequence[EventData] = (),
        lease: Lease | None = None,
    ) -> Waited:
        """Save the state, open the cards and begin the child runs that are asked for. The run is
        let go, or goes on at once with what has come already."""

    async def finish(
        self,
        fence: Fence,
        state: RunState,
        *,
        events: Sequence[EventData] = (),
        error: JsonObject | None = None,
        reason: str | None = None,
        memory: bytes | None = None,
        output: str = "",
        lease: Lease | None = None,
    ) -> Finished:
        """End a run, keep the agent's memory, append its events and RunMoved, start the queued
        message's run. The end of a child run lets its parent go on, with this output; a child keeps
        no memory."""

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

    async def start_over(
        self,
        app_id: str,
        chat_id: str,
        forget: Forget,
        *,
        reason: str,
        by: str | None,
        lease: Lease | None = None,
    ) -> CancelledRun:
        """Cancel the open run of a chat and forget its requirements: the next in the queue begins
        with what `forget` leaves. Raises NotFound."""

    async def start_effect(
        self, fence: Fence, start: EffectStart, saved: SavedState | None
    ) -> Sequence[Frame]:
        """Commit that an attempt begins; where it has a grant, use that up. Raises GrantVoid."""

    async def requirements(self, app_id: str, chat_id: str) -> JsonObject | None:
        """What the chat's row says of its requirements. Raises NotFound."""

    async def change_requirements(
        self,
        app_id: str,
        chat_id: str,
        requirements: JsonObject,
        *,
        by: str | None,
        fence: Fence | None = None,
    ) -> Sequence[Frame]:
        """Write their next version; a run writes under its fence. Raises VersionConflict where
        its `version` is not the next, LeaseLost, NotFound."""

    async def end_effect(
        self,
        fence: Fence,
        key: str,
        attempt: int,
        end: EffectEnd,
        events: Sequence[EventData],
        *,
        saved: SavedState | None = None,
    ) -> Settled | Sequence[Frame]:
        """Record how an attempt ended; not fenced. A true result settles an open uncertain card of
        that attempt. `saved` is kept with it where the fence still holds."""

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
        self,
        app_id: str,
        wanted: InteractionFilter,
        *,
        order: InteractionOrder = InteractionOrder.NEWEST,
        before: str | None = None,
        limit: int = 50,
    ) -> list[Interaction]:
        """In this order; `before` is the id of the last one seen."""

    async def count_pending(self, app_id: str) -> list[PendingCount]: ...

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

    async def chats_preferring(self, app_id: str, key: str, *, by: str) -> list[Head]:
        """The chats with a preference of this name that this person, or nobody in particular, has
        opened; the last changed first."""

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
