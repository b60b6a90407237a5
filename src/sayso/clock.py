"""The real clock: UTC time and UUIDv7 ids."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from sayso.core.ids import uuid7


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def new_id(self) -> str:
        return uuid7(self.now(), os.urandom(10))
