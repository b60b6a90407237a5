"""Limits how often an address may try a wrong token, and logs that it does.

Right tokens always pass: many people may come from one address, and nobody guesses a token of 96
bits. What this ends is the load, and the silence.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from sayso.core.errors import RateLimited
from sayso.logs import logger

log = logger("sayso.server")

AT_ONCE = 10
PER_SECOND = 0.2
#: So many addresses are remembered; an attacker who has more is not stopped by this.
_ADDRESSES = 4096


@dataclass(slots=True)
class _Failures:
    left: float
    at: float
    #: Since the last line in the log.
    unlogged: int = 0


class FailedLogins:
    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._by_address: OrderedDict[str, _Failures] = OrderedDict()

    def record(self, address: str) -> None:
        """Count one failure, and log it as long as there are few. Raises RateLimited."""
        now = self._now()
        failures = self._by_address.pop(address, None) or _Failures(AT_ONCE, now)
        self._by_address[address] = failures
        while len(self._by_address) > _ADDRESSES:
            self._by_address.popitem(last=False)
        failures.left = min(AT_ONCE, failures.left + (now - failures.at) * PER_SECOND)
        failures.at = now
        failures.unlogged += 1
        if failures.left < 1:
            wait = math.ceil((1 - failures.left) / PER_SECOND)
            raise RateLimited("Too many wrong tokens.", context={"retry_after": wait})
        failures.left -= 1
        log.warning("auth.wrong_token", address=address, times=failures.unlogged)
        failures.unlogged = 0
