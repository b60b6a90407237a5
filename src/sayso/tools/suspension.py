"""How a tool body or a function agent stops for a person, and what it hears when nobody answered.

`Suspend` is no Exception: `except Exception` does not catch it, and `finally` bodies run each
time. So a `finally` must only undo what its own `try` did in this process (close a file, release a
lock), never "roll back" the work itself: after the answer the function is run again from its start,
and comes back to the same place by replay.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

from sayso.core.children import Request
from sayso.core.digest import JsonObject
from sayso.core.errors import ToolMistake
from sayso.core.raised import Unwinding

__all__ = [
    "ProposalStale",
    "SaidError",
    "StepFailed",
    "Stopped",
    "Suspend",
    "ToolMistake",
    "Unanswered",
    "is_unwinding",
]


class Suspend(Unwinding):
    """The run must wait for people, or for another agent. Raised through the waiting code and
    caught by Sayso alone."""

    def __init__(self, requests: Sequence[Request]) -> None:
        super().__init__(", ".join(request.call_key for request in requests))
        self.requests = tuple(requests)


class Stopped(Unwinding):
    """A person said that the agent should stop: the run ends as cancelled."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Unanswered(Exception):
    """A question ended without an answer: `status` is "dismissed", "expired" or "cancelled"."""

    def __init__(self, question: str, status: str) -> None:
        super().__init__(f"{question!r} was {status} without an answer")
        self.question = question
        self.status = status


class StepFailed(Exception):
    """A step of an agent or a tool ended with an error. The same class is raised live and on
    replay.

    `error_type` is the name of the original exception's class; on a live run the original is
    `__cause__`.
    """

    def __init__(
        self, step: str, error_type: str, message: str, *, was_asked_about: bool = False
    ) -> None:
        super().__init__(f"{step}: {error_type}: {message}")
        self.step = step
        self.error_type = error_type
        self.message = message
        #: A person has said what became of the step: its caller need not be asked about as well.
        self.was_asked_about = was_asked_about

    @classmethod
    def from_error(cls, step: str, error: str, *, was_asked_about: bool = False) -> StepFailed:
        """Make it from an error that was stored as "Type: message", or as a message alone."""
        kind, _, message = error.partition(": ")
        if not kind.isidentifier():
            kind, message = "ToolFailed", error
        return cls(step, kind, message, was_asked_about=was_asked_about)


class SaidError(Exception):
    """A tool has answered with an error in its own words: it failed, and knows it.

    Adapters raise it for such errors of their frameworks; `raised` is the framework's own
    exception.
    """

    def __init__(self, message: str, *, raised: Exception | None = None) -> None:
        super().__init__(message)
        self.raised = raised


class ProposalStale(Exception):
    """A tool body finds that what was approved no longer holds: nothing was done, and the person is
    asked again; where it gives `arguments`, about these."""

    def __init__(self, *args: object, arguments: JsonObject | None = None) -> None:
        super().__init__(*args)
        self.arguments = arguments


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
