"""A port for a server that others are to find, also while it is away and after it has come back."""

from __future__ import annotations

import os
import socket
from itertools import cycle

#: Below those that a system gives to whoever connects somewhere, as a browser does all the time: a
#: port from there may be somebody's before the server takes it, or while the server is dead. Above
#: 10080, which browsers refuse.
_FIRST, _EACH = 11_000, 1_000
#: Processes that run tests side by side begin at ports of their own.
_start = _FIRST + os.getpid() % 20 * _EACH
_candidates = cycle(range(_start, _start + _EACH))


def free_port() -> int:
    return next(port for port in _candidates if _is_free(port))


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
