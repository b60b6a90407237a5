"""How a tool body or a function agent stops for a person, and what it hears when nobody answered.

A `Pause` is a BaseException: `except Exception` does not catch it, and `finally` bodies run at each
pause. So a `finally` must only undo what its own `try` did in this process (close a file, release a
lock), never "roll back" the work itself: after the answer the function is run again from its start,
and comes back to the same place by replay.
"""

from __future__ import annotations

from collections.abc import Sequence

from sayso.core.children import Request


class Pause(BaseException):
    """People, or another agent, are needed: raised through the waiting code, caught by Sayso, never
    by anything between."""

    def __init__(self, requests: Sequence[Request]) -> None:
        super().__init__(", ".join(request.call_key for request in requests))
        self.requests = tuple(requests)


class Stopped(BaseException):
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

    def __init__(self, step: str, error_type: str, message: str) -> None:
        super().__init__(f"{step}: {error_type}: {message}")
        self.step = step
        self.error_type = error_type
        self.message = message

    @classmethod
    def told(cls, step: str, error: str) -> StepFailed:
        """From an error that was kept as "Type: message", or as words alone."""
        kind, _, message = error.partition(": ")
        return cls(step, kind, message) if kind.isidentifier() else cls(step, "ToolFailed", error)


class ToolMistake(Exception):
    """A tool refuses its arguments: the model is told `message` and `suggestion`, and nothing
    runs."""

    def __init__(
        self, message: str, *, suggestion: str | None = None, details: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.suggestion = suggestion
        self.details = details


class ProposalStale(Exception):
    """A tool body finds that what was approved no longer holds: nothing was done, and the person is
    asked again."""
