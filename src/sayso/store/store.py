"""The Store port over a driver: each method is one transaction, and nothing but that."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from pydantic import JsonValue

from sayso.clock import SystemClock
from sayso.core.audit import AuditEntry, BrokenChain
from sayso.core.children import Request
from sayso.core.digest import JsonObject
from sayso.core.effects import EffectEnd, EffectStart, ToolCallRecord
from sayso.core.events import Draft, EventData, OpenText
from sayso.core.feed import Frame
from sayso.core.inbox import InteractionFilter, InteractionOrder, PendingCount
from sayso.core.interactions import Interaction
from sayso.core.ports import Answer, Clock, Forget
from sayso.core.sessions import Run, RunState, SavedState
from sayso.core.transactions import (
    AnsweredTooLate,
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
from sayso.store import (
    children,
    queries_audit,
    queries_beside,
    queries_cancelling,
    queries_chats,
    queries_effects,
    queries_inbox,
    queries_interactions,
    queries_messages,
    queries_requirements,
    queries_runs,
    queries_texts,
    queries_waiting,
)
from sayso.store.codec import micros
from sayso.store.script import Driver
from sayso.store.sqlite import SqliteDriver


class SqlStore:
    """The rows, on SQLite: `SqlStore.sqlite(path)`, or `SqlStore.in_memory()`."""

    def __init__(self, driver: Driver, clock: Clock) -> None:
        self.driver, self._clock = driver, clock

    @classmethod
    def sqlite(cls, path: Path, *, clock: Clock | None = None) -> SqlStore:
        """A file, made with its folder where there is none."""
        return cls._on_sqlite(path, clock)

    @classmethod
    def in_memory(cls, *, clock: Clock | None = None) -> SqlStore:
        """For tests and for a library that keeps nothing; it ends with the process."""
        return cls._on_sqlite(None, clock)

    @classmethod
    def _on_sqlite(cls, path: Path | None, clock: Clock | None) -> SqlStore:
        chosen = clock or SystemClock()
        return cls(SqliteDriver(path, time=lambda: micros(chosen.now())), chosen)

    async def open(self) -> None:
        await asyncio.to_thread(self.driver.open)

    async def close(self) -> None:
        await asyncio.to_thread(self.driver.close)

    def hold_worker_role(self) -> bool:
        return self.driver.hold_worker_role()

    async def changed_elsewhere(self) -> bool:
        """Whether another process has written since this was last asked."""
        return await self.driver.changed_elsewhere()

    # ── chats ──

    async def create_chat(
        self,
        app_id: str,
        *,
        agent: str,
        title: str = "",
        by: str | None = None,
        chat_id: str | None = None,
    ) -> ChatView:
        return await self.driver.write(
            queries_chats.create_chat(
                self._clock, app_id, agent=agent, title=title, by=by, chat_id=chat_id
            )
        )

    async def rename_chat(
        self, app_id: str, chat_id: str, title: str, *, by: str | None
    ) -> Sequence[Frame]:
        return await self.driver.write(
            queries_chats.rename_chat(self._clock, app_id, chat_id, title, by=by)
        )

    async def list_chats(
        self, app_id: str, *, q: str = "", before: datetime | None = None, limit: int = 50
    ) -> list[ChatSummary]:
        return await self.driver.read(
            queries_chats.list_chats(app_id, q=q, before=before, limit=limit)
        )

    async def load_view(
        self, app_id: str, chat_id: str, *, before: int | None = None, limit: int = 50
    ) -> ChatView | None:
        return await self.driver.read(
            queries_chats.load_view(app_id, chat_id, before=before, limit=limit)
        )

    async def events_after(
        self, app_id: str, chat_id: str, seq: int, *, limit: int = 1000
    ) -> list[Frame]:
        return await self.driver.read(queries_chats.events_after(app_id, chat_id, seq, limit=limit))

    async def open_texts(self, app_id: str, chat_id: str) -> list[OpenText]:
        return await self.driver.read(queries_texts.open_texts(app_id, chat_id))

    # ── runs ──

    async def post_message(
        self, app_id: str, chat_id: str, message: NewMessage, lease: Lease | None
    ) -> Posted:
        return await self.driver.write(
            queries_messages.post_message(self._clock, app_id, chat_id, message, lease)
        )

    async def run(self, app_id: str, run_id: str) -> Run | None:
        return await self.driver.read(queries_runs.run_of(app_id, run_id))

    async def family(self, app_id: str, run_id: str) -> list[str]:
        return await self.driver.read(children.family(app_id, run_id))

    async def claim(self, app_id: str, run_id: str, lease: Lease) -> Claimed | None:
        return await self.driver.write(queries_runs.claim(self._clock, app_id, run_id, lease))

    async def claim_due(
        self, lease: Lease, *, limit: int, not_mine: Sequence[str], at_once: bool
    ) -> list[Claimed]:
        return await self.driver.write(
            queries_runs.claim_due(
                self._clock, lease, limit=limit, not_mine=frozenset(not_mine), at_once=at_once
            )
        )

    def renew_blocking(self, owner: str, run_ids: Sequence[str], seconds: float) -> frozenset[str]:
        return self.driver.write_blocking(queries_runs.renew(owner, run_ids, seconds))

    async def record(
        self, fence: Fence, events: Sequence[EventData], *, saved: SavedState | None = None
    ) -> Sequence[Frame]:
        return await self.driver.write(queries_runs.record(self._clock, fence, events, saved))

    async def keep_texts(self, pieces: Sequence[TextPiece]) -> None:
        await self.driver.write(queries_texts.keep_texts(pieces))

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
        return await self.driver.write(
            queries_waiting.wait(
                self._clock,
                fence,
                saved,
                requests,
                resume_each=resume_each,
                events=events,
                lease=lease,
            )
        )

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
        return await self.driver.write(
            queries_runs.finish(
                self._clock,
                fence,
                state,
                events=events,
                error=error,
                reason=reason,
                memory=memory,
                output=output,
                lease=lease,
            )
        )

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
        return await self.driver.write(
            queries_cancelling.cancel_run(
                self._clock,
                app_id,
                reason=reason,
                by=by,
                chat_id=chat_id,
                run_id=run_id,
                lease=lease,
            )
        )

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
        return await self.driver.write(
            queries_cancelling.start_over(
                self._clock, app_id, chat_id, forget, reason=reason, by=by, lease=lease
            )
        )

    async def start_effect(
        self, fence: Fence, start: EffectStart, saved: SavedState | None
    ) -> Sequence[Frame]:
        return await self.driver.write(
            queries_effects.start_effect(self._clock, fence, start, saved)
        )

    async def requirements(self, app_id: str, chat_id: str) -> JsonObject | None:
        return await self.driver.read(queries_requirements.requirements(app_id, chat_id))

    async def change_requirements(
        self,
        app_id: str,
        chat_id: str,
        requirements: JsonObject,
        *,
        by: str | None,
        fence: Fence | None = None,
    ) -> Sequence[Frame]:
        return await self.driver.write(
            queries_requirements.change_requirements(
                self._clock, app_id, chat_id, requirements, by=by, fence=fence
            )
        )

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
        return await self.driver.write(
            queries_effects.end_effect(
                self._clock, fence, key, attempt, ended=end, events=events, saved=saved
            )
        )

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
        return _in_time(
            await self.driver.write(
                queries_interactions.answer(
                    self._clock, app_id, interaction_id, answer, key=key, by=by, lease=lease
                )
            )
        )

    async def dismiss(
        self,
        app_id: str,
        interaction_id: str,
        *,
        reason: str | None,
        by: str | None,
        lease: Lease | None,
    ) -> Settled:
        return _in_time(
            await self.driver.write(
                queries_interactions.dismiss(
                    self._clock, app_id, interaction_id, reason=reason, by=by, lease=lease
                )
            )
        )

    async def extend(
        self,
        app_id: str,
        interaction_id: str,
        *,
        seconds: float,
        seen: datetime | None,
        by: str | None,
    ) -> Settled:
        return _in_time(
            await self.driver.write(
                queries_interactions.extend(
                    self._clock, app_id, interaction_id, seconds=seconds, seen=seen, by=by
                )
            )
        )

    async def expire_one(self, *, now: datetime, lease: Lease | None) -> Settled | None:
        return await self.driver.write(queries_interactions.expire_one(now, lease))

    async def next_expiry(self) -> datetime | None:
        return await self.driver.read(queries_interactions.next_expiry())

    async def interaction(self, app_id: str, interaction_id: str) -> Interaction | None:
        return await self.driver.read(queries_inbox.interaction(app_id, interaction_id))

    async def interactions(
        self,
        app_id: str,
        wanted: InteractionFilter,
        *,
        order: InteractionOrder = InteractionOrder.NEWEST,
        before: str | None = None,
        limit: int = 50,
    ) -> list[Interaction]:
        return await self.driver.read(
            queries_inbox.interactions(app_id, wanted, order=order, before=before, limit=limit)
        )

    async def count_pending(self, app_id: str) -> list[PendingCount]:
        return await self.driver.read(queries_inbox.count_pending(app_id))

    # ── beside the chat ──

    async def put_draft(self, app_id: str, draft: Draft) -> Frame | None:
        return await self.driver.write(queries_beside.put_draft(self._clock, app_id, draft))

    async def drafts(self, app_id: str, chat_id: str, person: str) -> list[Draft]:
        return await self.driver.read(queries_beside.drafts(app_id, chat_id, person))

    async def artifact(self, app_id: str, artifact_id: str) -> ArtifactItem | None:
        return await self.driver.read(queries_beside.artifact(app_id, artifact_id))

    async def put_artifact(
        self,
        app_id: str,
        artifact_id: str,
        *,
        content: JsonValue,
        title: str | None,
        if_version: int,
        by: str | None,
    ) -> tuple[ArtifactItem, Sequence[Frame]]:
        return await self.driver.write(
            queries_beside.put_artifact(
                self._clock,
                app_id,
                artifact_id,
                content=content,
                title=title,
                if_version=if_version,
                by=by,
            )
        )

    async def tool_call(self, app_id: str, tool_call_id: str) -> ToolCallRecord | None:
        return await self.driver.read(queries_effects.tool_call(app_id, tool_call_id))

    async def set_chat_preference(
        self, app_id: str, chat_id: str, key: str, value: JsonValue, *, by: str | None
    ) -> Sequence[Frame]:
        return await self.driver.write(
            queries_chats.set_chat_preference(self._clock, app_id, chat_id, key, value, by=by)
        )

    async def chats_preferring(self, app_id: str, key: str, *, by: str) -> list[Head]:
        return await self.driver.read(queries_chats.chats_preferring(app_id, key, by=by))

    async def preferences(self, app_id: str, person: str) -> JsonObject:
        return await self.driver.read(queries_beside.preferences(app_id, person))

    async def put_preferences(self, app_id: str, person: str, values: JsonObject) -> JsonObject:
        return await self.driver.write(
            queries_beside.put_preferences(self._clock, app_id, person, values)
        )

    # ── who allowed what ──

    async def audit(
        self,
        app_id: str,
        *,
        chat_id: str | None = None,
        before: int | None = None,
        limit: int = 100,
    ) -> list[AuditEntry]:
        return await self.driver.read(
            queries_audit.audit(app_id, chat_id=chat_id, before=before, limit=limit)
        )

    async def verify_audit(self, app_id: str) -> list[BrokenChain]:
        return await self.driver.read(queries_audit.verify_audit(app_id))


def _in_time(outcome: Settled | AnsweredTooLate) -> Settled:
    """What came too late has been committed as the expiry it was; only now is it an error."""
    if isinstance(outcome, AnsweredTooLate):
        raise outcome
    return outcome
