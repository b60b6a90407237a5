"""The everyday failures: how a tool is declared, how it ends, whether a person approved it; and how
many questions that may cost, and what is known of it afterwards. Written from issue 9, part 4.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
from pydantic import TypeAdapter

from sayso import ProposalStale, ToolMistake
from tests.oracles import spelling
from tests.oracles.spelling import (
    DONE,
    FAILED,
    NOT_EXECUTED,
    NOTHING,
    NOTHING_DONE,
    UNKNOWN,
)

End = Callable[[], Any]
_REQUEST = httpx.Request("POST", "http://bank.example/refunds")


def raises(error: Callable[[], BaseException]) -> End:
    def end() -> Any:
        raise error()

    return end


def gives(value: object) -> End:
    return lambda: value


# Mistakes in the body, and the other side.
MISSING_KEY: End = lambda: dict[str, int]()["order"]  # noqa: E731
NOT_A_NUMBER: End = lambda: int("seven")  # noqa: E731
NOT_AN_OBJECT: End = lambda: None.amount  # type: ignore[attr-defined]  # noqa: E731
BY_ZERO: End = lambda: 1 / 0  # noqa: E731
BAD_JSON: End = lambda: json.loads("<html>")  # noqa: E731
INVALID: End = lambda: TypeAdapter(int).validate_python("seven")  # noqa: E731
NO_FILE: End = lambda: open("/nowhere/at/all")  # noqa: E731, SIM115
NOT_ALLOWED = raises(lambda: PermissionError("not yours"))
TIMED_OUT = raises(lambda: TimeoutError("10 s"))
READ_TIMED_OUT = raises(lambda: httpx.ReadTimeout("10 s", request=_REQUEST))
RESET = raises(lambda: ConnectionResetError("by peer"))
CUT_OFF = raises(lambda: httpx.RemoteProtocolError("cut off", request=_REQUEST))
SERVER_BROKE = raises(
    lambda: httpx.HTTPStatusError(
        "500", request=_REQUEST, response=httpx.Response(500, request=_REQUEST)
    )
)
DATABASE = raises(lambda: RuntimeError("deadlock detected"))
# What is said to have done nothing.
NOT_DONE = raises(lambda: spelling.not_executed("the socket never opened"))
AWAY = raises(lambda: spelling.unavailable("its server is away"))
MISTAKE = raises(lambda: ToolMistake("no such order", suggestion="Look it up."))
STALE = raises(lambda: ProposalStale("the order has changed"))
# What comes back.
OWN_WORDS = gives({"status": "error", "message": "no such order", "suggestion": "Look it up."})
ONLY_STATUS = gives({"status": "error"})
FINE = gives("done")
NO_JSON = gives(object())
NOT_FINITE = gives(float("nan"))

UNDECLARED: dict[str, Any] = {}
LOOKS = {"read_only": True}
GATED = {"approval": True}


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    ends: End
    declared: dict[str, Any] = field(default_factory=dict)
    acted: bool = False
    questions: int = 0
    known: set[str] = field(default_factory=set)
    #: The effects that there are to be: lines of the ledger.
    effects: int | None = None
    #: What the agent is told, where it is told anything.
    hears: Any = ...
    #: What a `reconcile` finds, called late.
    finds: Callable[[], object] | None = None
    #: The same call once more in the same run.
    again: bool = False
    arguments: dict[str, Any] = field(default_factory=lambda: {"order": 7})


def row(ends: End, declared: dict[str, Any], known: set[str], **more: Any) -> Row:
    return Row(ends=ends, declared=declared, known=known, **more)


def reconciled(finds: Callable[[], object], known: set[str], **more: Any) -> Row:
    return row(TIMED_OUT, GATED, known, acted=True, finds=finds, **more)


def _broken() -> object:
    raise ConnectionError("the bank's books are closed")


IDEMPOTENT, DESTRUCTIVE = {"idempotent": True}, {"destructive": True}
ON_ERROR, KEYED = {"on_error": "failed"}, {"key": "refund:{order}"}

TABLE: dict[str, Row] = {
    # A look-up that says it only looks: its error goes on, nothing is recorded, nobody is asked.
    "look-up: missing key": row(MISSING_KEY, LOOKS, NOTHING),
    "look-up: not a number": row(NOT_A_NUMBER, LOOKS, NOTHING),
    "look-up: no object": row(NOT_AN_OBJECT, LOOKS, NOTHING),
    "look-up: bad JSON": row(BAD_JSON, LOOKS, NOTHING),
    "look-up: validation": row(INVALID, LOOKS, NOTHING),
    "look-up: no file": row(NO_FILE, LOOKS, NOTHING),
    "look-up: not allowed": row(NOT_ALLOWED, LOOKS, NOTHING),
    "look-up: time-out": row(TIMED_OUT, LOOKS, NOTHING),
    "look-up: time-out of a read": row(READ_TIMED_OUT, LOOKS, NOTHING),
    "look-up: reset": row(RESET, LOOKS, NOTHING),
    "look-up: server broke": row(SERVER_BROKE, LOOKS, NOTHING),
    "look-up: its server is away": row(AWAY, LOOKS, NOTHING),
    "look-up: a mistake": row(MISTAKE, LOOKS, NOTHING),
    "look-up: an error in its words": row(OWN_WORDS, LOOKS, NOTHING),
    "look-up: fails twice": row(MISSING_KEY, LOOKS, NOTHING, again=True),
    "look-up: approved, fails": row(READ_TIMED_OUT, LOOKS | GATED, NOTHING),
    # A tool of which nobody said anything: it may have acted, but nobody had approved it.
    "undeclared: missing key": row(MISSING_KEY, UNDECLARED, UNKNOWN),
    "undeclared: not a number": row(NOT_A_NUMBER, UNDECLARED, UNKNOWN),
    "undeclared: no object": row(NOT_AN_OBJECT, UNDECLARED, UNKNOWN),
    "undeclared: division": row(BY_ZERO, UNDECLARED, UNKNOWN),
    "undeclared: bad JSON": row(BAD_JSON, UNDECLARED, UNKNOWN),
    "undeclared: validation": row(INVALID, UNDECLARED, UNKNOWN),
    "undeclared: no file": row(NO_FILE, UNDECLARED, UNKNOWN),
    "undeclared: time-out": row(TIMED_OUT, UNDECLARED, UNKNOWN),
    "undeclared: time-out of a read": row(READ_TIMED_OUT, UNDECLARED, UNKNOWN),
    "undeclared: reset": row(RESET, UNDECLARED, UNKNOWN),
    "undeclared: cut off": row(CUT_OFF, UNDECLARED, UNKNOWN),
    "undeclared: server broke": row(SERVER_BROKE, UNDECLARED, UNKNOWN),
    "undeclared: acted, then raised": row(DATABASE, UNDECLARED, UNKNOWN, acted=True),
    "undeclared: the same call again is asked about": row(
        TIMED_OUT, UNDECLARED, UNKNOWN, acted=True, again=True, questions=1, effects=1
    ),
    "undeclared: not executed": row(NOT_DONE, UNDECLARED, NOT_EXECUTED),
    "undeclared: its server is away": row(AWAY, UNDECLARED, NOT_EXECUTED),
    "undeclared: a mistake": row(MISTAKE, UNDECLARED, NOTHING_DONE),
    "undeclared: an error in its words": row(OWN_WORDS, UNDECLARED, DONE | FAILED),
    "undeclared: an error in its words, twice": row(
        OWN_WORDS, UNDECLARED, DONE | FAILED, again=True
    ),
    "undeclared: arguments that do not fit": row(
        FINE, UNDECLARED, NOTHING, arguments={"order": "seven"}, effects=0
    ),
    "undeclared: a missing argument": row(FINE, UNDECLARED, NOTHING, arguments={}, effects=0),
    "undeclared: a result that is no JSON": row(NO_JSON, UNDECLARED, DONE, acted=True),
    # Approved: it may have acted, and whoever approved it is asked, once.
    "approved: missing key": row(MISSING_KEY, GATED, UNKNOWN, questions=1),
    "approved: time-out": row(TIMED_OUT, GATED, UNKNOWN, questions=1),
    "approved: time-out of a read": row(READ_TIMED_OUT, GATED, UNKNOWN, questions=1),
    "approved: cut off": row(CUT_OFF, GATED, UNKNOWN, questions=1),
    "approved: server broke": row(SERVER_BROKE, GATED, UNKNOWN, questions=1),
    "approved: acted, missing key": row(MISSING_KEY, GATED, UNKNOWN, acted=True, questions=1),
    "approved: acted, validation": row(INVALID, GATED, UNKNOWN, acted=True, questions=1),
    "approved: acted, time-out": row(TIMED_OUT, GATED, UNKNOWN, acted=True, questions=1),
    "approved: acted, reset": row(RESET, GATED, UNKNOWN, acted=True, questions=1),
    "approved: acted, database": row(DATABASE, GATED, UNKNOWN, acted=True, questions=1),
    "approved: not executed": row(NOT_DONE, GATED, NOT_EXECUTED),
    "approved: its server is away": row(AWAY, GATED, NOT_EXECUTED),
    "approved: a mistake": row(MISTAKE, GATED, NOTHING_DONE),
    "approved: an error in its words": row(OWN_WORDS, GATED, DONE | FAILED),
    "approved: only a status": row(ONLY_STATUS, GATED, DONE | FAILED),
    "approved: a result that is no JSON": row(NO_JSON, GATED, DONE, acted=True),
    "approved: a result that is not finite": row(NOT_FINITE, GATED, DONE, acted=True),
    "approved: arguments that do not fit": row(
        FINE, GATED, NOTHING, arguments={"order": "seven"}, effects=0
    ),
    # Declared: somebody has said what its errors mean.
    "on_error: missing key": row(MISSING_KEY, ON_ERROR, FAILED),
    "on_error: approved, time-out": row(TIMED_OUT, ON_ERROR | GATED, FAILED),
    "on_error: approved, server broke": row(SERVER_BROKE, ON_ERROR | GATED, FAILED),
    "on_error: fails twice": row(MISSING_KEY, ON_ERROR, FAILED, again=True),
    "idempotent: missing key": row(MISSING_KEY, IDEMPOTENT, UNKNOWN | FAILED),
    "idempotent: approved, time-out": row(TIMED_OUT, IDEMPOTENT | GATED, UNKNOWN | FAILED),
    "destructive: time-out": row(TIMED_OUT, DESTRUCTIVE, UNKNOWN, acted=True, questions=1),
    "destructive: not executed": row(NOT_DONE, DESTRUCTIVE, NOT_EXECUTED),
    "destructive: an error in its words": row(OWN_WORDS, DESTRUCTIVE, DONE | FAILED),
    "key: time-out": row(TIMED_OUT, KEYED, UNKNOWN, acted=True, questions=1),
    "key: not executed": row(NOT_DONE, KEYED, NOT_EXECUTED),
    "key: done twice is done once": row(
        FINE, KEYED, DONE, acted=True, again=True, effects=1, hears="done"
    ),
    "reconcile: it was done": reconciled(lambda: spelling.was_done("found"), DONE, hears="found"),
    "reconcile: it was not": reconciled(spelling.was_not_done, NOT_EXECUTED),
    "reconcile: it cannot know": reconciled(spelling.still_unknown, UNKNOWN, questions=1),
    "reconcile: it fails": reconciled(_broken, UNKNOWN, questions=1),
    "reconcile: not executed": row(
        NOT_DONE, GATED, NOT_EXECUTED, finds=lambda: spelling.was_done("found")
    ),
}
