"""SQLite: one writer thread, a few reader threads, every transaction whole and fully synced.

A transaction runs on its thread from BEGIN to COMMIT without waiting for anyone. Cancelling whoever
asked for it does not cancel the transaction.
"""

from __future__ import annotations

import fcntl
import os
import queue
import secrets
import threading
from asyncio import wrap_future
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from time import monotonic
from typing import TypeVar

from sayso.core.audit import AuditKey, AuditKeys
from sayso.core.errors import (
    SaysoError,
    StoreBusy,
    StoreMoved,
    StoreReadOnly,
)
from sayso.logs import logger
from sayso.store.database_file import DatabaseFile
from sayso.store.sqlite_connection import Connection, create_all, our_errors
from sayso.store.transaction import Transaction

T = TypeVar("T")
log = logger("sayso.store")

READERS = 3
#: How long after it was asked for a transaction waits for another process that holds the file,
#: those that stand in the queue before it included.
BUSY_SECONDS = 5.0
#: A look at whether the database can be written waits less, and needs no write of its own if there
#: was one this lately.
LOOK_SECONDS = 1.5
LATELY_SECONDS = 5.0
# After this pause in writing the log is folded back into the file, so that no commit pays for it.
IDLE_SECONDS = 0.5


class _Job:
    """A call for a connection's thread, and the future that tells its outcome."""

    __slots__ = ("call", "future")

    def __init__(self, call: Callable[[Connection], object]) -> None:
        self.call = call
        self.future: Future[object] = Future()
        # A future that is running refuses to be cancelled: whoever gives up leaves the job alone.
        self.future.set_running_or_notify_cancel()

    def run(self, connection: Connection) -> None:
        try:
            self.future.set_result(self.call(connection))
        except BaseException as exc:  # told to whoever asked, whatever it is
            self.future.set_exception(exc)


class SqliteDriver:
    """A SQLite file, or a database in memory (`path` None), where all share one connection."""

    def __init__(
        self,
        path: Path | None,
        *,
        time: Callable[[], int],
        busy_seconds: float = BUSY_SECONDS,
        keys: AuditKeys | None = None,
    ) -> None:
        self.path, self._time, self._busy_seconds = path, time, busy_seconds
        # Without one its lines can be checked as long as it is open, and by nobody later.
        self._keys = keys or AuditKeys(AuditKey.of(secrets.token_hex(32)))
        self._writes: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._reads = self._writes if path is None else queue.SimpleQueue[_Job | None]()
        self._threads: list[threading.Thread] = []
        self._watch: Callable[[str], None] | None = None
        self._opening = threading.Lock()
        self._is_open = False
        self._lock_file: int | None = None
        self._file = DatabaseFile(path) if path is not None else None
        #: What the last write met; None while all is well.
        self._trouble: SaysoError | None = None
        #: SQLite's number of what other connections than the writer's have committed.
        self._others_version = 0
        self._wrote_at = float("-inf")

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
                create_all(writer.raw)
            else:
                # The file is known to be a database before anything is written to it.
                from sayso.store.migrations import upgrade

                writer.prepare()
                with our_errors(str(self.path)):
                    upgrade(str(self.path), busy_seconds=self._busy_seconds)
            readers = [] if self.path is None else [self._connect() for _ in range(READERS)]
            if self._file is not None:
                # At its first read a connection opens what lies beside the file, by its name.
                for connection in (writer, *readers):
                    connection.raw.execute("SELECT count(*) FROM sqlite_master").fetchone()
                self._file.remember()
            self._others_version = writer.others_version()
        except BaseException:
            writer.close()
            raise
        self._start("sayso-writer", self._write_loop, writer)
        for number, reader in enumerate(readers):
            self._start(f"sayso-reader-{number}", self._read_loop, reader)
        self._is_open = True

    def close(self) -> None:
        """Finish what was asked for, then let go of the file."""
        with self._opening:
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
            _HELD.discard(self._lock_file)
            os.close(self._lock_file)
            self._lock_file = None

    def _connect(self) -> Connection:
        return Connection(
            ":memory:" if self.path is None else str(self.path),
            self._time,
            self._busy_seconds,
            self._keys,
        )

    def _start(self, name: str, loop: Callable[[Connection], None], connection: Connection) -> None:
        thread = threading.Thread(target=loop, args=(connection,), name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _write_loop(self, connection: Connection) -> None:
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
            before = connection.raw.total_changes
            job.run(connection)
            dirty = dirty or (self.path is not None and connection.raw.total_changes > before)
        connection.close()

    def _read_loop(self, connection: Connection) -> None:
        while (job := self._reads.get()) is not None:
            connection.on_statement = self._watch
            job.run(connection)
        connection.close()

    # ── transactions ──

    async def write(self, transaction: Transaction[T]) -> T:
        """Run a transaction and commit it. Cancelling the caller does not stop it."""
        return await wrap_future(self._ask_to_write(transaction, self._busy_seconds))

    async def read(self, transaction: Transaction[T]) -> T:
        """Run a transaction that only reads, on one consistent snapshot."""
        until = monotonic() + self._busy_seconds
        return await wrap_future(
            self._submit(
                self._reads,
                lambda c: c.transact(
                    transaction, "BEGIN DEFERRED", until=until, check=_no_objection
                ),
            )
        )

    def write_blocking(self, transaction: Transaction[T]) -> T:
        """Run a transaction as `write` does, from a thread that has no loop."""
        return self._ask_to_write(transaction, self._busy_seconds).result()

    def _ask_to_write(self, transaction: Transaction[T], seconds: float) -> Future[T]:
        until = monotonic() + seconds
        return self._submit(self._writes, lambda c: self._write(c, transaction, until))

    def _write(self, connection: Connection, transaction: Transaction[T], until: float) -> T:
        check = self._file.check if self._file is not None else _no_objection
        before = connection.raw.total_changes
        try:
            result = connection.transact(transaction, "BEGIN IMMEDIATE", until=until, check=check)
        except (StoreBusy, StoreReadOnly) as exc:
            self._note_trouble(exc)
            raise
        # One that changed nothing, as most sweeps, shows that nobody holds the file, and no more.
        if connection.raw.total_changes > before:
            self._wrote_at = monotonic()
            self._note_trouble(None)
        elif isinstance(self._trouble, StoreBusy | StoreMoved):
            self._note_trouble(None)
        return result

    def _submit(
        self, jobs: queue.SimpleQueue[_Job | None], call: Callable[[Connection], T]
    ) -> Future[T]:
        job = _Job(call)
        with self._opening:  # so that nothing is put behind the word that ends a thread
            if not self._is_open:
                raise StoreBusy(
                    "The store is not open.",
                    fix="Open it first. What Sayso is mounted in has to run its lifespan.",
                )
            jobs.put(job)
        return job.future  # type: ignore[return-value]  # the job's call gives T

    # ── whether it can be written ──

    async def check(self, touch: Callable[[], Transaction[None]]) -> None:
        """Raise what keeps this database from being written now. A recent write is proof enough
        while nothing went wrong since; else `touch` is written."""
        self.look()
        if self._trouble is None and monotonic() - self._wrote_at < LATELY_SECONDS:
            return
        await wrap_future(self._ask_to_write(touch(), min(LOOK_SECONDS, self._busy_seconds)))

    def look(self) -> None:
        """Raise StoreMoved, without asking SQLite; cheap enough for every heartbeat."""
        if self._file is None:
            return
        try:
            self._file.check()
        except StoreMoved as exc:
            self._note_trouble(exc)
            raise

    def _note_trouble(self, trouble: SaysoError | None) -> None:
        """Log trouble once when it begins, changes and ends."""
        before, self._trouble = self._trouble, trouble
        if trouble is not None and (before is None or before.code != trouble.code):
            log.error("store.trouble", code=trouble.code, detail=trouble.detail, fix=trouble.fix)
        elif trouble is None and before is not None:
            log.info("store.well", after=before.code)

    # ── other processes ──

    async def others_wrote(self) -> bool:
        """Return whether another process has written since this was last asked, or since it was
        opened."""
        if self.path is None:
            return False
        before = self._others_version
        self._others_version = await wrap_future(
            self._submit(self._writes, lambda connection: connection.others_version())
        )
        return self._others_version != before

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
        _HELD.add(descriptor)
        return True


#: The locks of this process. A forked child lets go of them: it may outlive us, and holds no role.
_HELD: set[int] = set()


def _let_go() -> None:
    for descriptor in _HELD:
        os.close(descriptor)
    _HELD.clear()


os.register_at_fork(after_in_child=_let_go)


def _no_objection() -> None:
    """Pass: nothing speaks against the commit."""


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
