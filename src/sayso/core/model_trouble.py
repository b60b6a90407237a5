"""Trouble with a model that passes: when a run tries again by itself, and when it gives up and
leaves that to a person.

A run that tries again is a row with a due time. Nothing is held for it meanwhile.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from datetime import datetime

from sayso.core.errors import ModelUnavailable
from sayso.core.sessions import Run

#: How long the tries of one trouble wait, where the provider does not say: a hiccup passes in
#: seconds, and most limits of requests count by the minute.
WAIT_SECONDS = (2.0, 10.0, 60.0)
#: A person has waited long enough then, and is asked whether to go on.
LONGEST_TROUBLE_SECONDS = 300.0
#: Runs that failed together do not all come back together: each waits up to this much longer.
SPREAD = 0.2


@dataclass(frozen=True, slots=True)
class TryAgain:
    """Go on from the saved state after this time; `run` is as its row will say it."""

    run: Run
    seconds: float


@dataclass(frozen=True, slots=True)
class GiveUp:
    """The run fails, and a person may try again."""


def failure_id(run_id: str, fence: int) -> str:
    """Return what the error card of this failure is called after: a run may fail again."""
    return f"{run_id}:{fence}"


def decide_retry(
    run: Run, error: ModelUnavailable, *, got_further: bool, now: datetime
) -> TryAgain | GiveUp:
    """Return what becomes of a run whose model is not available. What came after a success is
    another trouble: `got_further` says that this segment has left something in the chat, and a
    state beyond the one that it began from."""
    if got_further:
        run = replace(run, tries=0, trouble_since=None)
    since = run.trouble_since or now
    if run.tries >= len(WAIT_SECONDS):
        return GiveUp()
    wanted = error.retry_after
    seconds = wanted if wanted is not None else WAIT_SECONDS[run.tries]
    seconds *= 1 + SPREAD * zlib.crc32(run.id.encode()) / 2**32
    if (now - since).total_seconds() + seconds > LONGEST_TROUBLE_SECONDS:
        return GiveUp()
    return TryAgain(replace(run, tries=run.tries + 1, trouble_since=since), seconds)
