"""A port for a server that others are to find, also while it is away and after it has come back."""

from __future__ import annotations

import fcntl
import os
import socket
import tempfile
from itertools import cycle
from pathlib import Path

#: Below those that a system gives to whoever connects somewhere, as a browser does all the time: a
#: port from there may be somebody's before the server takes it, or while the server is dead. Above
#: 10080, which browsers refuse.
_FIRST, _EACH = 11_000, 1_000
#: Processes that run tests side by side begin at ports of their own.
_start = _FIRST + os.getpid() % 20 * _EACH
_candidates = cycle(range(_start, _start + _EACH))
_claims = Path(tempfile.gettempdir()) / f"sayso-test-ports-{os.getuid()}"
#: Held open as long as this process lives: a claim goes with it.
_claimed: list[int] = []


def free_port() -> int:
    return next(port for port in _candidates if _is_free(port) and _is_claimed(port))


def _is_claimed(port: int) -> bool:
    """Claim a port that nobody listens on yet, before another process that runs tests does."""
    _claims.mkdir(exist_ok=True)
    claim = os.open(_claims / str(port), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(claim)
        return False
    _claimed.append(claim)
    return True


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
