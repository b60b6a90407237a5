"""The real clock: UTC time, UUIDv7 ids, and a time that nobody can set.

What the machine's clock says may jump, by hours, either way. How long a card or a lease lasts is
counted on the time since the machine was started instead, sleep included.
"""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sayso.core.ids import uuid7

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def elapsed() -> float:
    """Return the seconds since some moment, counting sleep where the system can tell."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


class SteadyTime:
    """The time since the machine was started, as a date: what the clock said at one moment since
    then, and what has passed since."""

    def __init__(self) -> None:
        #: Which start of the machine it is; None where the system does not tell.
        self.boot_id = _boot_id()
        self.anchor_micros = int((time.time() - elapsed()) * 1_000_000)

    def keep(self, anchor_micros: int) -> None:
        """Count from the moment that other processes count from, which began before the clock was
        set."""
        self.anchor_micros = anchor_micros

    def now(self) -> datetime:
        if self.boot_id is None:
            return datetime.now(UTC)
        return _EPOCH + timedelta(microseconds=self.anchor_micros + int(elapsed() * 1_000_000))


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def steady(self) -> datetime:
        return steady_time.now()

    def new_id(self) -> str:
        return uuid7(self.now(), os.urandom(10))


def _boot_id() -> str | None:
    try:
        return _BOOT_ID.read_text().strip() or None
    except OSError:
        return None


#: One for the process, as the machine was started once.
steady_time = SteadyTime()
