"""Asks from outside: open one, wait for its answer, use the approval, report, withdraw."""

from __future__ import annotations

import asyncio
from contextlib import closing, suppress
from typing import Any

from pydantic import JsonValue

from sayso.core.asks import (
    CARD_KEY,
    AskOpened,
    AskRecord,
    AskStart,
    AskState,
    NewAsk,
    ReportState,
    card_request,
)
from sayso.core.effects import EffectEnd, EffectState
from sayso.core.errors import AlreadySettled, LeaseLost, NotApproved, NotFound
from sayso.core.events import ToolCallStatus, ToolReturned
from sayso.core.feed import Feed
from sayso.core.fitting import check_request
from sayso.core.ports import Store
from sayso.core.sessions import RunState
from sayso.core.store_results import Fence
from sayso.engine.runtime import Runtime
from sayso.engine.shield import shielded


class AskDoor:
    """The use cases of an asker. Nothing here runs what was approved: the asker does."""

    def __init__(
        self,
        store: Store,
        feed: Feed,
        runtime: Runtime,
        in_flight: set[asyncio.Task[Any]],
    ) -> None:
        self._store, self._feed, self._runtime = store, feed, runtime
        self.in_flight = in_flight

    @shielded
    async def open(self, app_id: str, new: NewAsk) -> AskOpened:
        """Open an ask, or return the one of its key. Raises what `check_request` raises, and
        IdempotencyKeyReused."""
        check_request(card_request(new.ask, call_id=""))
        opened = await self._store.open_ask(app_id, new)
        self._runtime.apply_outcome(app_id, opened.frames)
        if opened.record.card.expires_at is not None:
            self._runtime.expiry.nudge()
        return opened

    async def find(self, app_id: str, interaction_id: str) -> AskRecord:
        """Raises NotFound."""
        found = await self._store.ask(app_id, interaction_id)
        if found is None:
            raise NotFound(f"There is no ask '{interaction_id}'.")
        return found

    async def settled(self, app_id: str, record: AskRecord, *, seconds: float) -> AskRecord:
        """Return the ask once it is no longer open, or as it stands after `seconds`."""
        if record.state is not AskState.PENDING:
            return record
        listening = self._feed.subscribe(app_id, record.run.chat_id)
        with closing(listening), suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while True:
                    record = await self.find(app_id, record.card.id)
                    if record.state is not AskState.PENDING:
                        return record
                    await listening.get()
                    listening.drain()
        return record

    @shielded
    async def start(
        self, app_id: str, interaction_id: str, start: AskStart, *, by: str
    ) -> AskRecord:
        """Use the approval. Raises NotFound, NotApproved, AlreadyStarted."""
        moved = await self._store.start_ask(app_id, interaction_id, start, by=by)
        self._runtime.apply_outcome(app_id, moved.frames)
        return moved.record

    @shielded
    async def report(
        self,
        app_id: str,
        interaction_id: str,
        state: ReportState,
        *,
        result: JsonValue = None,
        error: str | None = None,
    ) -> AskRecord:
        """Take what became of it, once. Raises NotFound, NotApproved, AlreadySettled."""
        record = await self.find(app_id, interaction_id)
        if record.effect is None:
            raise NotApproved(
                f"The ask '{interaction_id}' was never started.",
                fix="POST …/start before you act; then report.",
            )
        if state is ReportState.UNKNOWN:
            if record.state is not AskState.STARTED:
                return _checked(record, state, result)
            moved = await self._store.unclear_ask(app_id, interaction_id, error=error)
            self._runtime.apply_outcome(app_id, moved.frames)
            return moved.record
        end = EffectEnd(state=EffectState(state.value), result=result, error=error)
        await self._end(record, record.effect.attempt, end)
        return _checked(await self.find(app_id, interaction_id), state, result)

    @shielded
    async def withdraw(
        self, app_id: str, interaction_id: str, *, reason: str, by: str
    ) -> AskRecord:
        """Close an ask that is open, or an approval that is not used. Raises NotFound,
        AlreadySettled, AlreadyStarted."""
        done = await self._store.withdraw_ask(app_id, interaction_id, reason=reason, by=by)
        self._runtime.apply_outcome(app_id, done)
        return await self.find(app_id, interaction_id)

    async def _end(self, record: AskRecord, attempt: int, end: EffectEnd) -> None:
        """Write the true end, and let the run end with it. Where this process dies in between, the
        time for the report runs out, and the run ends then."""
        run, call_id = record.run, record.card.tool_call_id
        assert call_id is not None
        fence = Fence(app_id=run.app_id, chat_id=run.chat_id, run_id=run.id, number=run.fence)
        told = ToolReturned(
            tool_call_id=call_id,
            status=ToolCallStatus(end.state.value),
            result=end.result,
            error=end.error,
            arguments=record.arguments,
        )
        ended = await self._store.end_effect(fence, CARD_KEY, attempt, end, [told])
        self._runtime.apply_outcome(run.app_id, ended)
        if run.state is RunState.RUNNING:
            with suppress(LeaseLost):  # found overdue meanwhile: its end has settled that card
                finished = await self._store.finish(fence, RunState.COMPLETED)
                self._runtime.apply_outcome(run.app_id, finished)


def _checked(record: AskRecord, state: ReportState, result: JsonValue) -> AskRecord:
    """Return the ask, if this is what it has been told. Raises AlreadySettled."""
    effect = record.effect
    assert effect is not None
    told = EffectState.UNCERTAIN if state is ReportState.UNKNOWN else EffectState(state.value)
    if effect.state is told and effect.result == result:
        return record
    raise AlreadySettled(
        f"Of '{record.card.id}' something else was reported: {record.state.value}.",
        fix="The first report stands.",
        context={"state": record.state.value, "result": effect.result, "error": effect.error},
    )
