"""What happened before a test begins: chats written through the store, while no server is there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from sayso.core.events import EventData, MessageWritten
from sayso.core.interactions import CardRequest
from sayso.core.sessions import RunState, SavedState
from sayso.core.store_results import Claimed, Lease, NewMessage
from sayso.core.tasks import TaskRequest, UniversalMessage
from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock

APP = "default"
_AT_ONCE = 1000
_LEASE = Lease("lock:the past", 30.0, frozenset({"demo"}))


@asynccontextmanager
async def past(data: Path, *, at: datetime | None = None) -> AsyncIterator[Past]:
    """The past of the server over `data`, as of a moment."""
    clock = FakeClock(at or datetime.now(UTC))
    store = SqlStore.sqlite(data / "sayso.db", clock=clock)
    await store.open()
    try:
        yield Past(store, clock)
    finally:
        await store.close()


class Past:
    def __init__(self, store: SqlStore, clock: FakeClock) -> None:
        self.store, self.clock = store, clock

    async def chat(self, title: str, *said: str, also: Sequence[EventData] = ()) -> str:
        """A chat in which a person and the agent said these by turns, the person first; and what
        else came of it."""
        claimed = await self._begun(title, said[0] if said else "Hello")
        events = [_said(claimed, n, words) for n, words in enumerate(said[1:], start=1)]
        events += also
        for start in range(0, len(events), _AT_ONCE):
            await self.store.record(claimed.fence, events[start : start + _AT_ONCE])
        await self.store.finish(claimed.fence, RunState.COMPLETED)
        self.clock.advance(seconds=1)
        return claimed.start.run.chat_id

    async def waiting(self, title: str, cards: Sequence[CardRequest], *said: str) -> str:
        """A chat in which these were said, and that waits at these cards."""
        claimed = await self._begun(title, said[0] if said else "Hello")
        events = [_said(claimed, n, words) for n, words in enumerate(said[1:], start=1)]
        saved = SavedState(adapter="function", version="1", blob=b"", journal=b"")
        await self.store.record(claimed.fence, events)
        await self.store.wait(claimed.fence, saved, cards, resume_each=False, lease=None)
        self.clock.advance(seconds=1)
        return claimed.start.run.chat_id

    async def _begun(self, title: str, words: str) -> Claimed:
        view = await self.store.create_chat(APP, agent="demo", title=title, by="you")
        asked = TaskRequest(
            task_id=f"task {view.id}", messages=[UniversalMessage(role="user", content=words)]
        )
        message = NewMessage(content=words, client_message_id="first", task=asked, by="you")
        posted = await self.store.post_message(APP, view.id, message, _LEASE)
        assert posted.claimed is not None
        return posted.claimed


def _said(claimed: Claimed, n: int, words: str) -> EventData:
    return MessageWritten(
        message_id=f"{claimed.fence.run_id} {n}",
        role="assistant" if n % 2 else "user",
        content=words,
        agent_name="demo" if n % 2 else None,
        run_id=claimed.fence.run_id,
    )
