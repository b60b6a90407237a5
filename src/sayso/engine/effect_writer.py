"""Writes how calls ended: at once, or from memory tried again for as long as the process lives."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import orjson

from sayso.core.digest import JsonObject
from sayso.core.effects import EffectEnd
from sayso.core.errors import NotFound
from sayso.core.events import EventData, ToolReturned
from sayso.core.feed import Frame
from sayso.core.ports import Store
from sayso.core.sessions import SavedState
from sayso.core.store_results import Fence, Lease, Settled
from sayso.logs import logger

log = logger("sayso.engine")

FIRST_RETRY_SECONDS = 0.1
LONGEST_RETRY_SECONDS = 5.0
#: What a stopping engine gives a store that refuses what is still to be written.
LAST_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEnd:
    """How one attempt of a call ended, and all that is written with it."""

    fence: Fence
    key: str
    attempt: int
    end: EffectEnd
    events: Sequence[EventData] = ()
    saved: SavedState | None = None
    tool_name: str | None = None

    def as_log_fields(self) -> JsonObject:
        """Return what a log may say of it: masked, as a chat would show it."""
        returned = next((data for data in self.events if isinstance(data, ToolReturned)), None)
        return {
            "app_id": self.fence.app_id,
            "chat_id": self.fence.chat_id,
            "run_id": self.fence.run_id,
            "key": self.key,
            "attempt": self.attempt,
            "tool_name": self.tool_name,
            "state": self.end.state.value,
            **({} if returned is None else returned.as_json()),
        }


class EffectWriter:
    """Writes the ends of calls. One that the store refuses is kept in memory: the error is the
    store's, and what the tool has done is a fact.

    `write` and `keep` are safe from any thread; `run` and `close` belong to the engine's loop.
    """

    def __init__(
        self,
        store: Store,
        *,
        on_commit: Callable[[str, Settled | Sequence[Frame]], None],
        lease: Callable[[], Lease | None] = lambda: None,
    ) -> None:
        self._store, self._on_commit, self._lease = store, on_commit, lease
        self._lock = threading.Lock()
        self._kept: list[CallEnd] = []
        self._is_closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._more = asyncio.Event()
        self._writing: set[asyncio.Task[None]] = set()

    @property
    def unwritten(self) -> int:
        """How many ends are still to be written."""
        return len(self._kept)

    async def write(self, ended: CallEnd) -> None:
        """Write it now. Raises what the store raises, and keeps the end then: a caller that is
        cancelled does not lose it."""
        writing = asyncio.create_task(self._write_or_keep(ended))
        self._writing.add(writing)
        writing.add_done_callback(self._on_written)
        await asyncio.shield(writing)

    def keep(self, ended: CallEnd) -> None:
        """Write it later."""
        with self._lock:
            if not self._is_closed:
                self._kept.append(ended)
                if self._loop is not None:
                    self._loop.call_soon_threadsafe(self._more.set)
                return
        _print_lost([ended])

    async def run(self) -> None:
        """Try what is kept again and again, the oldest first."""
        self._loop = asyncio.get_running_loop()
        while True:
            self._more.clear()
            seconds = FIRST_RETRY_SECONDS
            while self._kept:
                await asyncio.sleep(seconds)
                seconds = min(seconds * 2, LONGEST_RETRY_SECONDS)
                await self._try_all()
            await self._more.wait()

    async def close(self) -> None:
        """Try again for a moment, then print in full what the store still does not take."""
        until = asyncio.get_running_loop().time() + LAST_SECONDS
        while self._kept:
            await self._try_all()
            if not self._kept or asyncio.get_running_loop().time() >= until:
                break
            await asyncio.sleep(FIRST_RETRY_SECONDS)
        with self._lock:
            self._is_closed = True
            self._kept, lost = [], self._kept
        _print_lost(lost)

    async def _write_or_keep(self, ended: CallEnd) -> None:
        try:
            await self._write(ended)
        except NotFound:
            raise
        except (Exception, asyncio.CancelledError) as exc:
            log.warning("effect.kept", error=repr(exc), run_id=ended.fence.run_id, key=ended.key)
            self.keep(ended)
            raise

    def _on_written(self, writing: asyncio.Task[None]) -> None:
        self._writing.discard(writing)
        if not writing.cancelled():
            writing.exception()  # retrieved: it was raised to the caller, or the caller is gone

    async def _try_all(self) -> None:
        refused: set[Fence] = set()
        for ended in list(self._kept):
            if ended.fence in refused:
                continue  # the states that the ends of one segment save stay in their order
            try:
                await self._write(ended)
            except NotFound:
                log.warning("effect.unknown", **ended.as_log_fields())
            except Exception as exc:
                log.info("effect.refused", error=repr(exc), run_id=ended.fence.run_id)
                refused.add(ended.fence)
                continue
            with self._lock:
                self._kept.remove(ended)

    async def _write(self, ended: CallEnd) -> None:
        outcome = await self._store.end_effect(
            ended.fence,
            ended.key,
            ended.attempt,
            ended.end,
            ended.events,
            saved=ended.saved,
            lease=self._lease(),
        )
        self._on_commit(ended.fence.app_id, outcome)


def _print_lost(lost: Sequence[CallEnd]) -> None:
    """Print what could not be stored: nothing else is left to do. Secrets are masked, as in the
    chat."""
    if not lost:
        return
    what = "1 call" if len(lost) == 1 else f"{len(lost)} calls"
    sys.stderr.write(f"Sayso could not store how {what} ended. Keep these lines:\n")
    for ended in lost:
        sys.stderr.write(f"{orjson.dumps(ended.as_log_fields()).decode()}\n")
    sys.stderr.flush()
