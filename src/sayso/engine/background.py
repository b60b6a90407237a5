"""What happens by itself: cards expire, what no notification brought is found by a sweep, what an
asker does not report is asked about, what is kept open for a run is let go with it, what another
process wrote is told here, and what was written to the audit is sealed."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta

from sayso.core.asks import AskMoved
from sayso.core.errors import Recoverable, StoreBusy, StoreReadOnly
from sayso.core.feed import Feed
from sayso.core.held_calls import CallOfRun, HoldsCalls
from sayso.core.inbox import InteractionFilter
from sayso.core.interactions import InteractionState
from sayso.core.ports import Clock, Store
from sayso.core.store_results import Claimed, Lease, Settled
from sayso.logs import logger

log = logger("sayso.engine")

# Where two clocks differ by a hair, a card may be due here and not yet there.
SHORTEST_SLEEP_SECONDS = 0.005
# As short as a sweep: a card of another process, or one whose commit was told as failed, nudges
# nobody, and a look at the index of what is due costs nothing.
LONGEST_SLEEP_SECONDS = 5.0
LOOK_ELSEWHERE_SECONDS = 1.0
#: From when an event was given its time until it can be read.
LONGEST_COMMIT = timedelta(seconds=10)


class BackgroundLoop(ABC):
    """Does one thing again and again: when it is nudged, and after a time at the latest."""

    #: What is logged when a round fails.
    failure_event: str
    #: How long a failed round waits for the next.
    retry_seconds = 1.0
    #: How long a nudge waits for more of its kind.
    gather_seconds = 0.0

    def __init__(self) -> None:
        self._nudge = asyncio.Event()

    def nudge(self) -> None:
        """There may be something to do: look now."""
        self._nudge.set()

    async def run(self) -> None:
        while True:
            self._nudge.clear()
            try:
                seconds = await self.run_once()
            except Exception as exc:  # one bad moment must not be the last
                _log_failure(self.failure_event, exc)
                seconds = self.retry_seconds
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._nudge.wait()
                await asyncio.sleep(self.gather_seconds)

    @abstractmethod
    async def run_once(self) -> float:
        """Do what is due; return the seconds after which to look again unasked."""


class Expiry(BackgroundLoop):
    """Settles the cards whose time is over, one at a time, and sleeps until the next is due."""

    failure_event = "expiry.later"

    def __init__(
        self,
        store: Store,
        clock: Clock,
        *,
        lease: Callable[[], Lease | None],
        on_commit: Callable[[Settled], None],
    ) -> None:
        super().__init__()
        self._store, self._clock = store, clock
        self._lease, self._on_commit = lease, on_commit

    async def run_once(self) -> float:
        while (
            settled := await self._store.expire_one(now=self._clock.now(), lease=self._lease())
        ) is not None:
            self._on_commit(settled)
        due = await self._store.next_expiry()
        if due is None:
            return LONGEST_SLEEP_SECONDS
        left = (due - self._clock.steady()).total_seconds()
        return min(max(left, SHORTEST_SLEEP_SECONDS), LONGEST_SLEEP_SECONDS)


class Sweep(BackgroundLoop):
    """Claims ready runs and runs whose lease is over. Correctness rests on this, never on a
    notification."""

    failure_event = "sweep.later"
    #: How many runs are claimed in one transaction.
    limit = 16

    def __init__(
        self,
        store: Store,
        *,
        seconds: float,
        lease: Callable[[], Lease | None],
        running_ids: Callable[[], list[str]],
        on_claimed: Callable[[Claimed], None],
        leads: Callable[[], Awaitable[bool]],
    ) -> None:
        super().__init__()
        self._store, self._seconds, self.retry_seconds = store, seconds, seconds
        self._lease, self._running_ids = lease, running_ids
        self._on_claimed, self._leads = on_claimed, leads

    async def run_once(self) -> float:
        leads = await self._leads()
        # Asked first: what falls due meanwhile is claimed here or at the next look.
        next_due = await self._store.seconds_to_next_due()
        while (lease := self._lease()) is not None:
            found = await self._store.claim_due(
                lease, limit=self.limit, not_mine=self._running_ids(), at_once=leads
            )
            for claimed in found:
                self._on_claimed(claimed)
            if len(found) < self.limit:
                break
        if next_due is None:
            return self._seconds
        return min(max(next_due, SHORTEST_SLEEP_SECONDS), self._seconds)


class OverdueAsks(BackgroundLoop):
    """Asks a person what became of what an asker has started and not reported in its time."""

    failure_event = "asks.later"

    def __init__(self, store: Store, *, on_commit: Callable[[AskMoved], None]) -> None:
        super().__init__()
        self._store, self._on_commit = store, on_commit

    async def run_once(self) -> float:
        while (moved := await self._store.overdue_ask()) is not None:
            self._on_commit(moved)
        return LONGEST_SLEEP_SECONDS


class HeldCalls(BackgroundLoop):
    """Sees to what is kept open for runs that wait: the other side is told when a run has ended,
    and a card ends when the other side waits for it no more."""

    failure_event = "held_calls.later"

    def __init__(
        self,
        store: Store,
        source: HoldsCalls,
        *,
        lease: Callable[[], Lease | None],
        on_commit: Callable[[Settled], None],
    ) -> None:
        super().__init__()
        self._store, self._source = store, source
        self._lease, self._on_commit = lease, on_commit

    async def run_once(self) -> float:
        for call in self._source.held_calls():
            run = await self._store.run(call.of.app_id, call.of.run_id)
            if run is None or run.state.is_final:
                self._source.give_up(call.id)
            elif not call.is_asking:
                await self._end_cards(call.of)
        return LONGEST_SLEEP_SECONDS

    async def _end_cards(self, of: CallOfRun) -> None:
        wanted = InteractionFilter(status=InteractionState.PENDING, run_id=of.run_id)
        for it in await self._store.interactions(of.app_id, wanted):
            if it.tool_call_id == of.tool_call_id:
                ended = await self._store.expire_now(of.app_id, it.id, lease=self._lease())
                self._on_commit(ended)


class WrittenElsewhere(BackgroundLoop):
    """Tells who listens here what another process has written: one look for all of them, however
    many they are. Readers of a chat fetch what lies between by themselves."""

    failure_event = "elsewhere.later"

    def __init__(self, store: Store, clock: Clock, *, feed: Feed) -> None:
        super().__init__()
        self._store, self._clock, self._feed = store, clock, feed
        self._looked = clock.now(), clock.steady()
        self._told: dict[tuple[str, str], int | None] = {}

    async def run_once(self) -> float:
        now, steady = looking = self._clock.now(), self._clock.steady()
        if await self._store.others_wrote():
            looked, steadily = self._looked
            # The earlier of the two where the clock has been set back meanwhile.
            since = min(looked, now - (steady - steadily)) - LONGEST_COMMIT
            found = await self._store.last_events(since)
            for app_id, frame in found:
                if self._told.get((app_id, frame.chat_id)) != frame.seq:
                    self._feed.publish(app_id, [frame])
            self._told = {(app_id, frame.chat_id): frame.seq for app_id, frame in found}
        self._looked = looking
        return LOOK_ELSEWHERE_SECONDS


class Sealer(BackgroundLoop):
    """Chains the heads of the audit soon after each commit, in a transaction of its own: nobody's
    answer waits for it."""

    failure_event = "seal.later"

    def __init__(self, store: Store, *, gather_seconds: float, sweep_seconds: float) -> None:
        super().__init__()
        self._store, self.gather_seconds = store, gather_seconds
        # Another process may have written, which nudges nobody here.
        self._seconds = self.retry_seconds = sweep_seconds

    async def run_once(self) -> float:
        await self._store.seal_audit()
        return self._seconds

    async def seal_last(self) -> None:
        """Seal what is there before the store is closed. What cannot be sealed waits, and verifying
        says that it does."""
        try:
            await self._store.seal_audit()
        except Exception as exc:  # the engine stops all the same
            _log_failure(self.failure_event, exc)


def _log_failure(event: str, exc: Exception) -> None:
    """Log what is tried again; an unexpected error with its traceback. The store itself has logged,
    once, that its database cannot be written."""
    if isinstance(exc, StoreReadOnly | StoreBusy):
        log.debug(event, error=exc.detail)
        return
    expected = isinstance(exc, Recoverable)
    log.warning(event, error=str(exc) or repr(exc), exc_info=not expected)
