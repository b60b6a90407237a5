"""What happens by itself: cards expire, and what no notification brought is found by a sweep."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import structlog

from sayso.core.errors import Recoverable
from sayso.core.ports import Clock, Store
from sayso.core.transactions import Claimed, Lease, Settled

log = structlog.get_logger("sayso.engine")

# An hour at most, so that a clock that was set back is noticed.
LONGEST_SLEEP_SECONDS = 3600.0


class Expiry:
    """One loop for all cards: it sleeps until the next `expires_at`, and settles what is overdue
    one at a time."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        *,
        lease: Callable[[], Lease | None],
        told: Callable[[Settled], None],
    ) -> None:
        self._store, self._clock, self._lease, self._told = store, clock, lease, told
        self._nudge = asyncio.Event()

    def nudge(self) -> None:
        """A card with a time was opened or extended: look again."""
        self._nudge.set()

    async def run(self) -> None:
        while True:
            self._nudge.clear()
            try:
                seconds = await self.settle_overdue()
            except Exception as exc:  # one bad moment must not be the last: no card would expire
                _later("expiry.later", exc)
                seconds = 1.0
            try:
                async with asyncio.timeout(seconds):
                    await self._nudge.wait()
            except TimeoutError:
                continue

    async def settle_overdue(self) -> float:
        """Settle every overdue card; the seconds until the next one is due."""
        while True:
            now = self._clock.now()
            settled = await self._store.expire_one(now=now, lease=self._lease())
            if settled is None:
                break
            self._told(settled)
        due = await self._store.next_expiry()
        if due is None:
            return LONGEST_SLEEP_SECONDS
        return min(max((due - self._clock.now()).total_seconds(), 0.0), LONGEST_SLEEP_SECONDS)


class Sweep:
    """Finds ready runs and expired leases. Correctness rests on this, never on a notification."""

    def __init__(
        self,
        store: Store,
        *,
        seconds: float,
        lease: Callable[[], Lease | None],
        in_hand: Callable[[], list[str]],
        take: Callable[[Claimed], None],
        leading: Callable[[], bool],
    ) -> None:
        self._store, self._seconds = store, seconds
        self._lease, self._in_hand, self._take, self._leading = lease, in_hand, take, leading
        self._nudge = asyncio.Event()

    def nudge(self) -> None:
        """There may be work or room for it: look now."""
        self._nudge.set()

    async def run(self) -> None:
        while True:
            self._nudge.clear()
            try:
                await self.sweep()
            except Exception as exc:  # nor may the sweep end, on which everything rests
                _later("sweep.later", exc)
            try:
                async with asyncio.timeout(self._seconds):
                    await self._nudge.wait()
            except TimeoutError:
                continue

    async def sweep(self, limit: int = 16) -> None:
        """Claim what is due, as long as there is room for it."""
        newly_leading = self._leading()
        while (lease := self._lease()) is not None:
            claimed = await self._store.claim_due(
                lease, limit=limit, not_mine=self._in_hand(), at_once=newly_leading
            )
            for claim in claimed:
                self._take(claim)
            if len(claimed) < limit:
                return


def _later(what: str, exc: Exception) -> None:
    """It is tried again; what nobody expected is told with its place."""
    expected = isinstance(exc, Recoverable)
    log.warning(what, error=str(exc) or repr(exc), exc_info=not expected)
