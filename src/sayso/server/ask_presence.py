"""Whether anybody waits for the answer to an ask now: a fact of this process, and of no row."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sayso.core.interactions import Interaction, InteractionState

#: Between two long polls an asker is away for a moment.
GRACE_SECONDS = 10.0


class AskPresence:
    """Who waits, and who was here a moment ago."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._waiting: Counter[str] = Counter()
        self._left: dict[str, float] = {}

    @contextmanager
    def waiting(self, interaction_id: str) -> Iterator[None]:
        """Count one who waits, while they do."""
        self._waiting[interaction_id] += 1
        try:
            yield
        finally:
            self._waiting[interaction_id] -= 1
            if not self._waiting[interaction_id]:
                del self._waiting[interaction_id]
            self.note(interaction_id)

    def note(self, interaction_id: str) -> None:
        """Note that its asker is here now."""
        now = self._now()
        self._left = {it: at for it, at in self._left.items() if now - at < GRACE_SECONDS}
        self._left[interaction_id] = now

    def waits(self, it: Interaction) -> bool | None:
        """Return whether anybody waits; None for what is settled, or was not asked from outside."""
        if it.asker is None or it.state is not InteractionState.PENDING:
            return None
        left = self._left.get(it.id)
        was_here = left is not None and self._now() - left < GRACE_SECONDS
        return self._waiting[it.id] > 0 or was_here
