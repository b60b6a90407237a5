"""SQLite: one writer thread, a few reader threads, every transaction whole and fully synced.

A script runs on its thread from BEGIN to COMMIT without waiting for anyone. Whoever asked for it
may be cancelled meanwhile: the transaction is not.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import queue
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import TypeVar

from sqlalchemy.dialects import sqlite as dialects
from sqlalchemy.schema import CreateIndex, CreateTable
from sqlalchemy.sql.compiler import SQLCompiler

from sayso.core.errors import Critical, SaysoError, StoreBusy, StoreReadOnly
from sayso.store import tables
from sayso.store.script import Rows, Script, Statement

T = TypeVar("T")

READERS = 3
#: How long a transaction waits for another process that holds the file.
BUSY_SECONDS = 5.0
# After this pause in writing the log is folded back into the file, so that no commit pays for it.
IDLE_SECONDS = 0.5
# 4,000 pages, 16 MB: where a writer that never pauses folds the log back within a commit after all.
LONGEST_WAL_PAGES = 4000

_DIALECT = dialects.dialect(paramstyle="qmark")
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_NOT_WRITABLE = {
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
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


class _Connection:
    """One connection of one thread: runs scripts, and says ours for SQLite's errors."""

    def __init__(self, path: str, time: Callable[[], int], busy_seconds: float) -> None:
        self._path, self._busy_seconds = path, busy_seconds
        self._compiled: dict[Statement, _Compiled] = {}
        self.on_statement: Callable[[str], None] | None = None
        with _our_errors(path):
            self.raw = sqlite3.connect(
                path, isolation_level=None, check_same_thread=False, cached_statements=512
            )
            self.raw.row_factory = sqlite3.Row
            self.raw.create_function("sayso_now", 0, time)
            self._do(f"PRAGMA busy_timeout = {int(busy_seconds * 1000)}")
            # Text is compared as PostgreSQL compares it.
            self._do("PRAGMA case_sensitive_like = ON")

    def prepare(self) -> None:
        """What the writer sets once: the log ahead of the file, and every commit on the disk."""
        with _our_errors(self._path):
            self._begin_wal()
            self._do("PRAGMA synchronous = FULL")
            self._do(f"PRAGMA wal_autocheckpoint = {LONGEST_WAL_PAGES}")

    def _begin_wal(self) -> None:
        """SQLite does not wait for others in this one statement, whatever its busy timeout: two
        programs that open a new file at once would refuse one another."""
        until = monotonic() + self._busy_seconds
        while True:
            try:
                return self._do("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as exc:
                if exc.sqlite_errorcode & 0xFF not in _BUSY or monotonic() >= until:
                    raise
            sleep(0.005)

    def transact(self, script: Script[T], begin: str) -> T:
        """Run a script from BEGIN to COMMIT, or leave nothing of it."""
        with _our_errors(self._path):
            self._do(begin)
            try:
                result = self._drive(script)
                self._do("COMMIT")
            except BaseException:
                if self.raw.in_transaction:
                    self._do("ROLLBACK")
                raise
        return result

    def _drive(self, script: Script[T]) -> T:
        try:
            statement, params = next(script)
            while True:
                statement, params = script.send(self._execute(statement, params))
        except StopIteration as stop:
            result: T = stop.value
            return result
        finally:
            script.close()

    def _execute(self, statement: Statement, params: Mapping[str, object]) -> Rows:
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

    def checkpoint(self) -> None:
        """Fold the log back into the file as far as no reader needs it."""
        with suppress(sqlite3.Error):
            self.raw.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def data_version(self) -> int:
        return int(self.raw.execute("PRAGMA data_version").fetchone()[0])

    def close(self) -> None:
        self.raw.close()


class _Job:
    """A call for a connection's thread, and the future that tells its outcome."""

    __slots__ = ("call", "future")

    def __init__(self, call: Callable[[_Connection], object]) -> None:
        self.call = call
        self.future: Future[object] = Future()

    def run(self, connection: _Connection) -> None:
        # Never cancelled: a future that is running refuses it, and nobody else can reach this one.
        self.future.set_running_or_notify_cancel()
        try:
            self.future.set_result(self.call(connection))
        except BaseException as exc:  # told to whoever asked, whatever it is
            self.future.set_exception(exc)


class SqliteDriver:
    """Runs scripts on a SQLite file, or in memory (`path` None), where all share one connection."""

    def __init__(
        self,
        path: Path | None,
        *,
        time: Callable[[], int],
        busy_seconds: float = BUSY_SECONDS,
    ) -> None:
        self.path, self._time, self._busy_seconds = path, time, busy_seconds
        self._writes: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._reads = self._writes if path is None else queue.SimpleQueue[_Job | None]()
        self._threads: list[threading.Thread] = []
        self._watch: Callable[[str], None] | None = None
        self._gate = threading.Lock()
        self._is_open = False
        self._lock_file: int | None = None
        self._seen_version: int | None = None

    def on_statement(self, watch: Callable[[str], None] | None) -> None:
        """Show every statement to `watch`, BEGIN and COMMIT among them; for tests that count."""
        self._watch = watch

    # ── life ──

    def open(self) -> None:
        """Bring the schema up to date and start the threads. Raises StoreReadOnly, StoreBusy,
        DatabaseTooNew."""
        if self._threads:
            return
        if self.path is not None:
            _make_private(self.path)
        writer = self._connect()
        try:
            if self.path is None:
                _create_all(writer)
            else:
                # The file is known to be a database before anything is written to it.
                from sayso.store.migrations import upgrade

                writer.prepare()
                with _our_errors(str(self.path)):
                    upgrade(str(self.path), busy_seconds=self._busy_seconds)
            readers = [] if self.path is None else [self._connect() for _ in range(READERS)]
        except BaseException:
            writer.close()
            raise
        self._start("sayso-writer", self._write_loop, writer)
        for number, reader in enumerate(readers):
            self._start(f"sayso-reader-{number}", self._read_loop, reader)
        self._is_open = True

    def close(self) -> None:
        """Finish what was asked for, then let go of the file."""
        with self._gate:
            self._is_open = False
        readers = [t for t in self._threads if t.name.startswith("sayso-reader")]
        for _ in readers:
            self._reads.put(None)
        for thread in readers:
            thread.join()
        self._writes.put(None)
        for thread in self._threads:
            thread.join()
        self._threads = []
        if self._lock_file is not None:
            os.close(self._lock_file)
            self._lock_file = None

    def _connect(self) -> _Connection:
        return _Connection(
            ":memory:" if self.path is None else str(self.path), self._time, self._busy_seconds
        )

    def _start(
        self, name: str, loop: Callable[[_Connection], None], connection: _Connection
    ) -> None:
        thread = threading.Thread(target=loop, args=(connection,), name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _write_loop(self, connection: _Connection) -> None:
        dirty = False
        while True:
            try:
                job = self._writes.get(timeout=IDLE_SECONDS if dirty else None)
            except queue.Empty:
                connection.checkpoint()
                dirty = False
                continue
            if job is None:
                break
            connection.on_statement = self._watch
            job.run(connection)
            dirty = self.path is not None
        connection.close()

    def _read_loop(self, connection: _Connection) -> None:
        while (job := self._reads.get()) is not None:
            connection.on_statement = self._watch
            job.run(connection)
        connection.close()

    # ── transactions ──

    async def write(self, script: Script[T]) -> T:
        """Run a script in one committed transaction. Cancelling the caller does not stop it."""
        return await _outcome(
            self._submit(self._writes, lambda c: c.transact(script, "BEGIN IMMEDIATE"))
        )

    async def read(self, script: Script[T]) -> T:
        """Run a script on one consistent snapshot."""
        return await _outcome(
            self._submit(self._reads, lambda c: c.transact(script, "BEGIN DEFERRED"))
        )

    def write_blocking(self, script: Script[T]) -> T:
        """As `write`, for a thread that has no loop."""
        return self._submit(self._writes, lambda c: c.transact(script, "BEGIN IMMEDIATE")).result()

    def _submit(
        self, jobs: queue.SimpleQueue[_Job | None], call: Callable[[_Connection], T]
    ) -> Future[T]:
        job = _Job(call)
        with self._gate:  # so that nothing is put behind the word that ends a thread
            if not self._is_open:
                raise StoreBusy("The store is not open.", fix="Open it; use it until it is closed.")
            jobs.put(job)
        return job.future  # type: ignore[return-value]  # the job's call gives T

    # ── other processes ──

    def hold_worker_role(self) -> bool:
        """Try for the lock beside the file; the system lets go of it when this process dies."""
        if self.path is None:
            return False
        if self._lock_file is not None:
            return True
        place = self.path.with_name(self.path.name + ".worker")
        try:
            descriptor = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as exc:
            raise StoreReadOnly(f"The lock {place} cannot be opened: {exc.strerror}.") from exc
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        self._lock_file = descriptor
        return True

    async def changed_elsewhere(self) -> bool:
        """Whether another process has committed since this was last asked. Cheap to poll."""
        # Asked where we write: there our own commits change nothing, and each other one does.
        version = await _outcome(self._submit(self._writes, lambda c: c.data_version()))
        changed = self._seen_version is not None and version != self._seen_version
        self._seen_version = version
        return changed


async def _outcome(future: Future[T]) -> T:
    """Wait for a job; whoever is cancelled while waiting leaves the job alone."""
    return await asyncio.shield(asyncio.wrap_future(future))


def _make_private(path: Path) -> None:
    """Make the file, and its folder, so that only this user reads them; SQLite's own files beside
    it are made like it."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600, exist_ok=True)
    except OSError as exc:
        for folder in path.parents:
            if os.path.isfile(folder):  # unlike Path's own, says no where it may not look
                said = f"{folder} is a file where a folder is needed."
                raise StoreReadOnly(said, fix="Name a folder with --data.") from exc
        raise StoreReadOnly(f"The database {path} cannot be made: {exc.strerror}.") from exc


def _create_all(connection: _Connection) -> None:
    for table in tables.metadata.sorted_tables:
        connection.raw.execute(str(CreateTable(table).compile(dialect=_DIALECT)))
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            connection.raw.execute(str(CreateIndex(index).compile(dialect=_DIALECT)))


@contextmanager
def _our_errors(path: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as exc:
        raise _ours(exc, path) from exc


def _ours(exc: sqlite3.Error, path: str) -> SaysoError | sqlite3.Error:
    code = getattr(exc, "sqlite_errorcode", None)
    primary = code & 0xFF if code is not None else None
    if primary in _BUSY:
        return StoreBusy(f"Another program holds the database {path} locked.")
    if primary in _NOT_WRITABLE:
        return StoreReadOnly(f"The database {path} cannot be written: {exc}.")
    if primary in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return Critical(
            f"The file {path} is not a sound database: {exc}.",
            fix="Restore a backup, or choose another folder with --data.",
        )
    return exc
