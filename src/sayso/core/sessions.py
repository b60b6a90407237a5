"""A run is the work on one task; a session is what it looks like from outside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Protocol

from sayso.core.digest import JsonObject
from sayso.core.interactions import Interaction, InteractionRequest, InteractionResponse
from sayso.core.tasks import TaskRequest
from sayso.core.usage import ModelCall, usage_of


class RunState(StrEnum):
    """ready → running → waiting → ready → … → completed | failed | cancelled"""

    QUEUED = "queued"
    READY = "ready"
    RUNNING = "running"
    WAITING = "waiting"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_open(self) -> bool:
        return self in (RunState.READY, RunState.RUNNING, RunState.WAITING)

    @property
    def is_final(self) -> bool:
        return self in (RunState.COMPLETED, RunState.FAILED, RunState.CANCELLED)


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedState:
    """What an adapter and the journal left behind: opaque bytes, and who wrote them."""

    adapter: str
    version: str
    blob: bytes
    journal: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The row of a run. While it waits, this and its interactions are all there is of it."""

    id: str
    app_id: str
    chat_id: str
    agent: str
    task: TaskRequest
    state: RunState
    created_at: datetime
    updated_at: datetime
    owner: str | None = None
    fence: int = 0
    lease_until: datetime | None = None
    #: How often the segment now running was taken over without having got anywhere.
    takeovers: int = 0
    saved: SavedState | None = None
    #: A ready run is not claimed before; None is at once.
    due_at: datetime | None = None
    #: How often the trouble with its model was tried again, and since when it lasts.
    tries: int = 0
    trouble_since: datetime | None = None
    #: What its models were asked for so far, as its segments have told it when they ended.
    model_calls: tuple[ModelCall, ...] = ()
    parent_run_id: str | None = None
    parent_call_key: str | None = None
    error: JsonObject | None = None
    person: str | None = None


@dataclass(slots=True)
class LiveSession:
    """A session of the session API: the view of one run. `session_id` is the run's id; `status` is
    active, paused, completed or cancelled."""

    session_id: str
    task_id: str
    status: str
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    last_activity: datetime = field(default_factory=lambda: datetime.now(UTC))
    pending_interactions: list[InteractionRequest] = field(default_factory=list)
    metadata: JsonObject = field(default_factory=dict)


class InteractiveCommunicator(Protocol):
    """The communicator of the session API: how a person talks back to a session."""

    async def send_user_response(self, response: InteractionResponse) -> None: ...

    async def send_cancellation(self, reason: str = "user_cancelled") -> None: ...

    async def get_session_status(self) -> LiveSession: ...


_SESSION_STATUS = {
    RunState.QUEUED: "active",
    RunState.READY: "active",
    RunState.RUNNING: "active",
    RunState.WAITING: "paused",
    RunState.COMPLETED: "completed",
    RunState.FAILED: "completed",
    RunState.CANCELLED: "cancelled",
}


def session_of(run: Run, pending: Sequence[Interaction], *, works: bool = False) -> LiveSession:
    """Return the session a run looks like: ready and running are active, waiting is paused,
    failed is completed. A run that waits for nobody, since a child of it `works`, is active."""
    metadata: JsonObject = {"chat_id": run.chat_id, "run_state": run.state.value}
    if run.error is not None:
        metadata["error"] = run.error
    if (usage := usage_of(run.model_calls)) is not None:
        metadata["usage"] = usage.model_dump(mode="json")
    return LiveSession(
        session_id=run.id,
        task_id=run.task.task_id,
        status="active" if works and run.state is RunState.WAITING else _SESSION_STATUS[run.state],
        created_at=run.created_at,
        last_activity=run.updated_at,
        pending_interactions=[it.as_request() for it in pending],
        metadata=metadata,
    )
