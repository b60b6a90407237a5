"""A SQLite driver that fails once, where it is told to, as a full disk or a lock makes it fail.

It stands where the real driver stands and does all that one does; only the one statement it was
told to fail does not happen, or happens and is told as failed.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from sayso.clock import SystemClock
from sayso.core.audit import AuditKey, AuditKeys
from sayso.store.codec import micros
from sayso.store.sqlite import BUSY_SECONDS, SqliteDriver
from sayso.store.sqlite_connection import Connection
from sayso.store.store import SqlStore
from sayso.store.transaction import Rows, Statement, Transaction

T = TypeVar("T")

#: What the audit of all these stories is written and checked with.
KEYS = AuditKeys(AuditKey.of("0f" * 32))
#: Verbs that run by themselves, as often as they like. Their transactions are counted once they
#: have found something to do, which is after their first statement.
BY_ITSELF = {"claim_due", "renew", "keep_texts", "expire_one", "seal_what_moved"}


class Place(StrEnum):
    """Where in its transaction a fault falls."""

    BEGIN = "begin"
    STATEMENT = "statement"
    COMMIT = "commit"
    #: The commit is durable, and is told as failed.
    AFTER = "after"


class Kind(StrEnum):
    FULL = "full"
    BUSY = "busy"
    IOERR = "ioerr"

    def error(self) -> sqlite3.OperationalError:
        words, code = {
            Kind.FULL: ("database or disk is full", sqlite3.SQLITE_FULL),
            Kind.BUSY: ("database is locked", sqlite3.SQLITE_BUSY),
            Kind.IOERR: ("disk I/O error", sqlite3.SQLITE_IOERR),
        }[self]
        error = sqlite3.OperationalError(words)
        error.sqlite_errorcode = code
        return error


@dataclass(frozen=True)
class CountedTransaction:
    """The n-th transaction of a verb in a story, and how many statements it had."""

    verb: str
    number: int
    statements: int


@dataclass(frozen=True)
class Fault:
    verb: str
    number: int
    place: Place
    kind: Kind
    #: Which one, counted from 1, where the place is a statement.
    statement: int = 0

    def __str__(self) -> str:
        which = f" {self.statement}" if self.place is Place.STATEMENT else ""
        return f"{self.kind} at {self.place}{which} of {self.verb} number {self.number}"


class Plan:
    """Counts the writing transactions of a story, and fails one of them."""

    def __init__(self) -> None:
        self.fault: Fault | None = None
        self.fell = False
        #: No transaction comes to its end any more: what is in memory dies with its process.
        self.is_dead = False
        self.seen: list[CountedTransaction] = []
        self._numbers: Counter[str] = Counter()

    def arm(self, fault: Fault | None) -> None:
        """From here on transactions count."""
        self.fault = fault
        self.seen.clear()
        self._numbers.clear()

    def begins(self, verb: str) -> int:
        """The number of a transaction among its likes."""
        return 0 if verb in BY_ITSELF else self.works(verb)

    def works(self, verb: str) -> int:
        self._numbers[verb] += 1
        return self._numbers[verb]

    def at(self, verb: str, number: int, place: Place, statement: int = 0) -> None:
        """Raises where the fault falls."""
        if self.is_dead:
            raise Kind.IOERR.error()
        fault = self.fault
        if fault is None or self.fell:
            return
        if (fault.verb, fault.number, fault.place) != (verb, number, place):
            return
        if place is Place.STATEMENT and fault.statement != statement:
            return
        self.fell = True
        raise fault.kind.error()


class _Faulty(Connection):
    """A connection whose writing transactions follow a plan."""

    def __init__(self, plan: Plan, *given: Any) -> None:
        self._plan = plan
        self._verb, self._number, self._statement = "", 0, 0
        super().__init__(*given)

    def transact(
        self, script: Transaction[T], begin: str, *, until: float, check: Callable[[], None]
    ) -> T:
        if begin != "BEGIN IMMEDIATE":
            return super().transact(script, begin, until=until, check=check)
        self._verb = str(getattr(script, "__name__", "script"))
        self._number, self._statement = self._plan.begins(self._verb), 0
        try:
            return super().transact(script, begin, until=until, check=check)
        finally:
            if self._number and self._statement:
                self._plan.seen.append(
                    CountedTransaction(self._verb, self._number, self._statement)
                )
            self._verb = ""

    def _execute(self, statement: Statement, params: Mapping[str, object]) -> Rows:
        if self._verb:
            self._statement += 1
            if self._statement == 2 and self._verb in BY_ITSELF:
                self._number = self._plan.works(self._verb)
            self._plan.at(self._verb, self._number, Place.STATEMENT, self._statement)
        return super()._execute(statement, params)

    def _do(self, sql: str) -> None:
        if not self._verb or sql == "ROLLBACK":
            return super()._do(sql)
        before = Place.COMMIT if sql == "COMMIT" else Place.BEGIN
        self._plan.at(self._verb, self._number, before)
        super()._do(sql)
        if sql == "COMMIT":
            self._plan.at(self._verb, self._number, Place.AFTER)


class FaultyDriver(SqliteDriver):
    """The real driver, with connections that follow a plan."""

    def __init__(self, path: Path, plan: Plan, **options: Any) -> None:
        super().__init__(path, **options)
        self._plan = plan

    def _connect(self) -> Connection:
        return _Faulty(self._plan, str(self.path), self._time, BUSY_SECONDS, self._keys)


def faulty_store(path: Path, plan: Plan) -> SqlStore:
    clock = SystemClock()
    driver = FaultyDriver(path, plan, time=lambda: micros(clock.now()), keys=KEYS)
    return SqlStore(driver, clock)
