"""A clock that tests move by hand."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta

from sayso.core.ids import uuid7


class FakeClock:
    """Stands still until `advance` is called; its ids count up, so that runs can be repeated."""

    def __init__(self, at: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._at = at
        self._set_by = timedelta()
        self._count = itertools.count(1)

    def now(self) -> datetime:
        return self._at + self._set_by

    def steady(self) -> datetime:
        return self._at

    def new_id(self) -> str:
        return uuid7(self.now(), next(self._count).to_bytes(10, "big"))

    def advance(self, **by: float) -> None:
        """`advance(hours=24)`: as `timedelta` takes it."""
        self._at += timedelta(**by)

    def set_by(self, **by: float) -> None:
        """Somebody sets the machine's clock forward or back; no time passes."""
        self._set_by += timedelta(**by)
