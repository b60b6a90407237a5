"""Tells an error of an agent's or a tool's code from what only goes through that code."""

from __future__ import annotations

import asyncio
import threading

from sayso.core.raised import Unwinding


def is_unwinding(exc: BaseException) -> bool:
    """Return whether this must go on as it is. Anything else is an error of the code that raised
    it, even `sys.exit()` and a cancellation that nobody asked this task for."""
    if isinstance(exc, BaseExceptionGroup):
        return any(is_unwinding(one) for one in exc.exceptions)
    if isinstance(exc, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is None or task.cancelling() > 0
    if isinstance(exc, KeyboardInterrupt):
        return threading.current_thread() is threading.main_thread()
    return isinstance(exc, Unwinding)
