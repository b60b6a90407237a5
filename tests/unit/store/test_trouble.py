"""A database that cannot be written: it is seen, said, and over when it is over."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic

import pytest

from sayso.core.errors import SaysoError, StoreBusy, StoreFull, StoreMoved, StoreReadOnly
from sayso.engine.background import Expiry
from sayso.store import sqlite
from sayso.store.sqlite import SqliteDriver
from sayso.store.sqlite_connection import our_errors
from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock
from tests.contract.store.story import APP, LEASE


def path_of(store: SqlStore) -> Path:
    assert isinstance(store.driver, SqliteDriver)
    assert store.driver.path is not None
    return store.driver.path


def say(store: SqlStore, pragma: str) -> None:
    """On the writer's own connection."""
    driver = store.driver
    assert isinstance(driver, SqliteDriver)
    driver._submit(driver._writes, lambda c: c.raw.execute(f"PRAGMA {pragma}").fetchall()).result()


async def write(store: SqlStore, title: str = "") -> str:
    return (await store.create_chat(APP, agent="desk", title=title)).id


async def titles(path: Path) -> list[str]:
    """What is really in the file, seen by a store of its own."""
    other = SqlStore.sqlite(path, clock=FakeClock())
    await other.open()
    try:
        return [chat.head.title for chat in await other.list_chats(APP)]
    finally:
        await other.close()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another program holds the file, in the middle of a transaction of its own."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


@pytest.fixture
def no_write_of_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "LATELY_SECONDS", -1.0)


async def test_a_moved_file_is_read_by_who_has_never_read_it(store: SqlStore):
    """A connection opened, at its first read, files beside one that was there no more, and called
    the database read-only."""
    path = path_of(store)
    path.rename(path.with_name("gone.db"))
    assert [await store.list_chats(APP) for _ in range(sqlite.READERS)] == [[]] * sqlite.READERS
    path.with_name("gone.db").rename(path)


async def test_a_moved_file_takes_nothing_more_and_goes_on_when_it_is_back(store: SqlStore):
    path = path_of(store)
    await write(store, "before")
    elsewhere = path.with_name("elsewhere.db")
    path.rename(elsewhere)
    with pytest.raises(StoreMoved):
        await write(store, "nobody would find this")
    with pytest.raises(StoreMoved):
        await store.check()
    with pytest.raises(StoreMoved):
        store.look()
    elsewhere.rename(path)
    await write(store, "after")
    await store.check()
    store.look()
    await store.close()
    assert sorted(await titles(path)) == ["after", "before"]
    await store.open()


async def test_a_replaced_file_is_not_taken_for_the_one_that_was_opened(
    store: SqlStore, tmp_path: Path
):
    path = path_of(store)
    await write(store, "before")
    copy = tmp_path / "backup.db"
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    os.replace(copy, path)
    with pytest.raises(StoreMoved, match="Another file") as caught:
        await write(store, "nobody would find this")
    assert "Restart" in caught.value.fix
    await store.close()
    assert await titles(path) == ["before"]
    await store.open()
    await write(store, "after")


async def test_a_deleted_log_is_seen_too(store: SqlStore):
    path = path_of(store)
    await write(store, "before")
    path.with_name(path.name + "-wal").unlink()
    with pytest.raises(StoreMoved, match="wal"):
        await write(store, "nobody would find this")


async def test_a_file_that_goes_in_the_middle_of_a_transaction_takes_nothing(store: SqlStore):
    path = path_of(store)
    driver = store.driver
    assert isinstance(driver, SqliteDriver)

    def move_at_the_end(sql: str) -> None:
        if sql.startswith("INSERT INTO chat"):
            path.rename(path.with_name("gone.db"))

    driver.on_statement(move_at_the_end)
    with pytest.raises(StoreMoved):
        await write(store, "nobody would find this")
    driver.on_statement(None)
    path.with_name("gone.db").rename(path)
    await store.check()
    assert await store.list_chats(APP) == []


@pytest.mark.usefixtures("no_write_of_late")
async def test_a_full_disk_is_said_and_over_when_there_is_room(store: SqlStore):
    await write(store)
    await store.check()
    say(store, "max_page_count = 1")  # SQLite's own way to be full: nothing more than there is
    with pytest.raises(StoreFull):
        await write(store, "x" * 400_000)
    say(store, "max_page_count = 1000000")
    await store.check()
    await write(store)


@pytest.mark.usefixtures("no_write_of_late")
async def test_a_database_that_became_read_only_is_found_by_looking(store: SqlStore):
    await write(store)
    say(store, "query_only = ON")
    with pytest.raises(StoreReadOnly):
        await store.check()
    with pytest.raises(StoreReadOnly):
        await write(store)
    say(store, "query_only = OFF")
    await store.check()


async def test_a_write_that_failed_is_known_without_waiting(store: SqlStore):
    await write(store)
    say(store, "query_only = ON")
    with pytest.raises(StoreReadOnly):
        await write(store)
    with pytest.raises(StoreReadOnly):
        await store.check()
    say(store, "query_only = OFF")
    await store.check()


async def test_a_transaction_that_changes_nothing_proves_nothing(store: SqlStore):
    await write(store)
    say(store, "max_page_count = 1")
    with pytest.raises(StoreFull):
        await write(store, "x" * 400_000)
    # As a sweep that finds nothing to do.
    assert await store.claim_due(LEASE, limit=9, not_mine=(), at_once=False) == []
    said: list[str] = []
    driver = store.driver
    assert isinstance(driver, SqliteDriver)
    driver.on_statement(said.append)
    await store.check()
    assert any("INSERT INTO boot" in sql for sql in said), "it was not tried"


async def test_after_a_write_of_late_nothing_is_written_to_look(store: SqlStore):
    await write(store)
    said: list[str] = []
    driver = store.driver
    assert isinstance(driver, SqliteDriver)
    driver.on_statement(said.append)
    await store.check()
    assert said == []


async def test_all_who_wait_for_a_lock_wait_from_when_they_asked(tmp_path: Path):
    driver = SqliteDriver(tmp_path / "sayso.db", time=lambda: 0, busy_seconds=0.5)
    store = SqlStore(driver, FakeClock())
    await store.open()
    with locked(tmp_path / "sayso.db"):
        began = monotonic()
        with pytest.raises(StoreBusy):
            await write(store)
        alone = monotonic() - began
        began = monotonic()
        met = await asyncio.gather(*(write(store) for _ in range(20)), return_exceptions=True)
        together = monotonic() - began
        assert {type(one) for one in met} == {StoreBusy}
        with pytest.raises(StoreBusy):
            await store.check()
    # One after the other they would take twenty times as long.
    assert together < alone * 5
    await store.check()
    assert len({await write(store) for _ in range(3)}) == 3
    await store.close()


async def test_trouble_is_told_once_and_so_is_its_end(
    store: SqlStore, caplog: pytest.LogCaptureFixture
):
    caplog.set_level("INFO", "sayso.store")
    path = path_of(store)
    path.rename(path.with_name("gone.db"))
    for _ in range(3):
        with pytest.raises(SaysoError):
            await write(store)
    path.with_name("gone.db").rename(path)
    await write(store)
    said = [record.getMessage() for record in caplog.records if record.name == "sayso.store"]
    assert [line for line in said if line.startswith("store.")] == ["store.trouble", "store.well"]


async def test_what_works_by_itself_does_not_tell_the_same_trouble_each_second(
    store: SqlStore, caplog: pytest.LogCaptureFixture
):
    caplog.set_level("DEBUG", "sayso")
    path = path_of(store)
    path.rename(path.with_name("gone.db"))
    expiry = Expiry(store, FakeClock(), lease=lambda: None, on_commit=lambda _: None)
    work = asyncio.create_task(expiry.run())
    while not any("expiry.later" in r.getMessage() for r in caplog.records):  # noqa: ASYNC110  # a log
        await asyncio.sleep(0.01)
    work.cancel()
    loud = [r.getMessage() for r in caplog.records if r.levelname in ("WARNING", "ERROR")]
    assert [words for words in loud if "store.trouble" not in words] == []


def test_an_error_that_is_no_trouble_of_the_file_stays_what_it_is() -> None:
    none = pytest.raises(sqlite3.OperationalError, match="no such table")
    with closing(sqlite3.connect(":memory:")) as raw, none, our_errors("x.db"):
        raw.execute("SELECT * FROM absent")
