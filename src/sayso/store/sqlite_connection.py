"""One connection to SQLite: it runs transactions, and raises our errors for SQLite's."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from time import monotonic, sleep
from typing import TypeVar

from sqlalchemy.dialects import sqlite as dialects
from sqlalchemy.schema import CreateIndex, CreateTable
from sqlalchemy.sql.compiler import SQLCompiler

from sayso.core.audit import AuditKeys
from sayso.core.errors import SaysoError, StoreBusy, StoreDamaged, StoreFull, StoreReadOnly
from sayso.store import tables
from sayso.store.transaction import AUDIT_KEYS, Rows, Statement, Transaction

T = TypeVar("T")

PAGE_BYTES = 8192
# 16 MB: where a writer that never pauses folds the log back within a commit after all.
LONGEST_WAL_PAGES = 2000

_DIALECT = dialects.dialect(paramstyle="qmark")
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_NOT_WRITABLE = {
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_AUTH,
}


class _Compiled:
    """A statement as SQLite takes it: its text, and the names of its parameters in their order."""

    __slots__ = ("fixed", "names", "sql")

    def __init__(self, statement: Statement) -> None:
        compiled = statement.core.compile(
            dialect=_DIALECT, compile_kwargs={"render_postcompile": True}
        )
        assert isinstance(compiled, SQLCompiler)
        self.sql = str(compiled)
        self.names = list(compiled.positiontup or ())
        #: Parameters whose values stand in the statement itself (a LIMIT, a comparison with 1).
        self.fixed = {name: v for name, v in compiled.params.items() if v is not None}

    def values(self, params: Mapping[str, object]) -> list[object]:
        fixed = self.fixed
        return [fixed[name] if name in fixed else params[name] for name in self.names]


class Connection:
    """One connection of one thread, which raises our errors for SQLite's."""

    def __init__(
        self,
        path: str,
        time: Callable[[], int],
        busy_seconds: float,
        keys: AuditKeys | None = None,
    ) -> None:
        self._path, self._busy_seconds = path, busy_seconds
        self._patience_milliseconds = int(busy_seconds * 1000)
        self._keys = {"keys": keys}
        self._compiled: dict[Statement, _Compiled] = {}
        self.on_statement: Callable[[str], None] | None = None
        with our_errors(path):
            self.raw = sqlite3.connect(
                path, isolation_level=None, check_same_thread=False, cached_statements=512
            )
            self.raw.row_factory = sqlite3.Row
            self.raw.create_function("sayso_now", 0, time)
            self._do(f"PRAGMA busy_timeout = {self._patience_milliseconds}")
            # Text is compared as PostgreSQL compares it.
            self._do("PRAGMA case_sensitive_like = ON")

    def prepare(self) -> None:
        """Set what the writer needs once: a write-ahead log, and every commit synced to the
        disk."""
        with our_errors(self._path):
            self._begin_wal()
            self._do("PRAGMA synchronous = FULL")
            self._do(f"PRAGMA wal_autocheckpoint = {LONGEST_WAL_PAGES}")

    def _begin_wal(self) -> None:
        """Switch to the write-ahead log. SQLite does not wait for others in this one statement,
        whatever its busy timeout: two programs that open a new file at once would refuse one
        another."""
        until = monotonic() + self._busy_seconds
        while True:
            try:
                # Of a new file: a card fits into a page of this size, and takes no second one.
                self._do(f"PRAGMA page_size = {PAGE_BYTES}")
                return self._do("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as exc:
                if exc.sqlite_errorcode & 0xFF not in _BUSY or monotonic() >= until:
                    raise
            sleep(0.005)

    def transact(
        self, transaction: Transaction[T], begin: str, *, until: float, check: Callable[[], None]
    ) -> T:
        """Run a transaction from BEGIN to COMMIT, or leave nothing of it. Wait for other processes
        until a moment of `monotonic()`; `check` may still refuse the commit."""
        with our_errors(self._path):
            self._wait_for_others(until)
            self._do(begin)
            try:
                result = self._drive(transaction)
                check()
                self._do("COMMIT")
            except BaseException:
                if self.raw.in_transaction:
                    self._do("ROLLBACK")
                raise
        return result

    def _wait_for_others(self, until: float) -> None:
        """Set the busy timeout to what is left; a quarter of a second more or less is not worth a
        statement each time."""
        left = max(0, int((until - monotonic()) * 1000))
        known = self._patience_milliseconds
        if left < known - 250 or left > known + 250:
            self._patience_milliseconds = left
            self.raw.execute(f"PRAGMA busy_timeout = {left}")

    def _drive(self, transaction: Transaction[T]) -> T:
        try:
            statement, params = next(transaction)
            while True:
                statement, params = transaction.send(self._execute(statement, params))
        except StopIteration as stop:
            result: T = stop.value
            return result
        finally:
            transaction.close()

    def _execute(self, statement: Statement, params: Mapping[str, object]) -> Rows:
        if statement is AUDIT_KEYS:
            return [self._keys]
        compiled = self._compiled.get(statement)
        if compiled is None:
            compiled = self._compiled[statement] = _Compiled(statement)
        if self.on_statement is not None:
            self.on_statement(compiled.sql)
        return self.raw.execute(compiled.sql, compiled.values(params)).fetchall()

    def _do(self, sql: str) -> None:
        if self.on_statement is not None:
            self.on_statement(sql)
        self.raw.execute(sql)

    def others_version(self) -> int:
        """Return a number that changes whenever another connection commits, and only then."""
        with our_errors(self._path):
            return int(self.raw.execute("PRAGMA data_version").fetchone()[0])

    def checkpoint(self) -> None:
        """Fold the log back into the file as far as no reader needs it."""
        with suppress(sqlite3.Error):
            self.raw.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        self.raw.close()


def create_all(raw: sqlite3.Connection) -> None:
    """Make the newest schema."""
    for table in tables.metadata.sorted_tables:
        raw.execute(str(CreateTable(table).compile(dialect=_DIALECT)))
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            raw.execute(str(CreateIndex(index).compile(dialect=_DIALECT)))


@contextmanager
def our_errors(path: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as exc:
        raise _ours(exc, path) from exc


def _ours(exc: sqlite3.Error, path: str) -> SaysoError | sqlite3.Error:
    code = getattr(exc, "sqlite_errorcode", None)
    primary = code & 0xFF if code is not None else None
    if primary in _BUSY:
        return StoreBusy(f"Another program holds the database {path} locked.")
    if primary == sqlite3.SQLITE_FULL:
        return StoreFull(f"There is no room left for the database {path}.")
    if primary in _NOT_WRITABLE:
        return StoreReadOnly(f"The database {path} cannot be written: {exc}.")
    if primary in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return StoreDamaged(f"The file {path} is not a sound database: {exc}.")
    return exc
