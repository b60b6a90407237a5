"""How much one person may do at once, so that one client cannot starve the others.

Only askers and people who had to sign in are counted: without a login there is one person, the
owner.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sayso.core.errors import RateLimited
from sayso.core.messages import message
from sayso.server.auth import Principal, Role

# A script that answers a whole inbox at once does not notice the limit; one that loops does.
BURST_SECONDS = 5.0


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: float


class RateLimits:
    """Limits each person to so many actions a second on average, and so many streams at once."""

    def __init__(
        self,
        *,
        acts_per_second: float,
        streams: int,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rate, self._streams, self._now = acts_per_second, streams, now
        self._buckets: dict[tuple[str, str], _Bucket] = {}
        self._open: Counter[tuple[str, str]] = Counter()

    def count_action(self, who: Principal) -> None:
        """Count one thing done. Raises RateLimited."""
        if not who.signed_in and who.role is not Role.ASKER:
            return
        now, most = self._now(), self._rate * BURST_SECONDS
        bucket = self._buckets.setdefault((who.app_id, who.person), _Bucket(most, now))
        bucket.tokens = min(most, bucket.tokens + (now - bucket.at) * self._rate)
        bucket.at = now
        if bucket.tokens < 1:
            wait = math.ceil((1 - bucket.tokens) / self._rate)
            raise RateLimited(
                message("problem.too_often", rate=f"{self._rate:g}"), context={"retry_after": wait}
            )
        bucket.tokens -= 1

    @contextmanager
    def count_stream(self, who: Principal) -> Iterator[None]:
        """Count one open stream while it is open. Raises RateLimited."""
        key = (who.app_id, who.person)
        if who.signed_in and self._open[key] >= self._streams:
            raise RateLimited(
                message("problem.too_many_streams", n=self._streams),
                fix="Close some of this person's pages, then connect again.",
                context={"retry_after": 5},
            )
        self._open[key] += 1
        try:
            yield
        finally:
            self._open[key] -= 1
            if not self._open[key]:
                del self._open[key]
