"""How much one person may do at once, so that one client cannot starve the others.

Only askers and people who had to sign in are counted, since without a login there is one person,
the owner; and the UIs of tools, which are nobody's own code.
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
#: What one tool's own UI may ask for. It is a person who waits for them, or a page that polls.
UI_REQUESTS_PER_SECOND = 20.0


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
        self._count((who.app_id, who.person), self._rate)

    def _count(self, key: tuple[str, str], rate: float) -> None:
        now, most = self._now(), rate * BURST_SECONDS
        bucket = self._buckets.setdefault(key, _Bucket(most, now))
        bucket.tokens = min(most, bucket.tokens + (now - bucket.at) * rate)
        bucket.at = now
        if bucket.tokens < 1:
            wait = math.ceil((1 - bucket.tokens) / rate)
            raise RateLimited(
                message("problem.too_often", rate=f"{rate:g}"), context={"retry_after": wait}
            )
        bucket.tokens -= 1

    def count_ui(self, who: Principal, tool_call_id: str) -> None:
        """Count one request of a tool's own UI, which is foreign code. Raises RateLimited."""
        self._count((who.app_id, f"ui:{tool_call_id}"), UI_REQUESTS_PER_SECOND)

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
