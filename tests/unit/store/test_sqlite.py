"""SQLite's driver: whole transactions, errors in our words, one worker, nothing lost."""

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from sayso.core.errors import Critical, DatabaseTooNew, InvalidInput, StoreBusy, StoreReadOnly
from sayso.core.sessions import RunState
from sayso.core.store_results import Checked, Settled
from sayso.store.sqlite import SqliteDriver
from sayso.store.sqlite_connection import Connection
from sayso.store.store import SqlStore
from sayso.store.transaction import Transaction
from sayso.store.verbs import chats
from sayso.testing.clock import FakeClock
from tests.contract.store.story import APP, LEASE, Story, approval, yes
from tests.forked import forked_child


def driver_of(store: SqlStore) -> SqliteDriver:
    assert isinstance(store.driver, SqliteDriver)
    return store.driver


def pragma(store: SqlStore, said: str) -> object:
    """What a PRAGMA says on the writer's own connection."""
    driver = driver_of(store)
    ask = driver._submit(driver._writes, lambda c: c.raw.execute(f"PRAGMA {said}").fetchone()[0])
    return ask.result()


# ── transactions ──


async def test_a_script_that_raises_leaves_nothing(story: Story, store: SqlStore):
    chat_id = await story.chat(title="Before")

    def half(clock: FakeClock) -> Transaction[None]:
        yield from chats.rename_chat(clock, APP, chat_id, "Half", by=None)
        raise ValueError("in the middle")

    with pytest.raises(ValueError, match="in the middle"):
        await store.driver.write(half(story.clock))
    assert (await story.view(chat_id)).title == "Before"
    await store.rename_chat(APP, chat_id, "After", by=None)
    assert (await story.view(chat_id)).title == "After"


async def test_a_cancelled_caller_neither_stops_the_transaction_nor_keeps_the_lock(
    story: Story, store: SqlStore
):
    chat_id = await story.chat()
    begun, go_on = threading.Event(), threading.Event()

    def slow(clock: FakeClock) -> Transaction[None]:
        yield from chats.rename_chat(clock, APP, chat_id, "Slow", by=None)
        begun.set()
        go_on.wait(60)

    task = asyncio.create_task(store.driver.write(slow(story.clock)))
    await asyncio.to_thread(begun.wait, 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    other = await _other_writer(store, "BEGIN IMMEDIATE")
    assert other == "locked", "the transaction is still its own"
    go_on.set()
    await store.rename_chat(APP, chat_id, "After", by=None)
    titles = [event.data for event in await story.events(chat_id)]
    assert [getattr(t, "title", None) for t in titles] == ["Slow", "After"]
    assert await _other_writer(store, "BEGIN IMMEDIATE") == "free"


async def test_a_caller_cancelled_before_its_turn_is_carried_out_all_the_same(
    story: Story, store: SqlStore
):
    chat_id = await story.chat()
    begun, go_on = threading.Event(), threading.Event()

    def blocking() -> Transaction[None]:
        begun.set()
        go_on.wait(60)
        yield from ()

    first = asyncio.create_task(store.driver.write(blocking()))
    await asyncio.to_thread(begun.wait, 60)
    queued = asyncio.create_task(store.rename_chat(APP, chat_id, "Queued", by=None))
    await asyncio.sleep(0)
    queued.cancel()
    with pytest.raises(asyncio.CancelledError):
        await queued
    go_on.set()
    await first
    await store.create_chat(APP, agent="desk", chat_id="later")
    assert (await story.view(chat_id)).title == "Queued"


async def _other_writer(store: SqlStore, sql: str) -> str:
    """What another process would meet that wants to write now."""
    path = driver_of(store).path
    assert path is not None
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as other:
        try:
            other.execute(sql)
        except sqlite3.OperationalError:
            return "locked"
        other.execute("ROLLBACK")
        return "free"


async def test_a_read_sees_one_moment_however_long_it_takes(story: Story, store: SqlStore):
    chat_id = await story.chat(title="Before")
    begun, go_on = threading.Event(), threading.Event()
    seen: list[str] = []

    def slow_read() -> Transaction[None]:
        for _ in range(2):
            view = yield from chats.load_view(APP, chat_id, before=None, limit=1)
            assert view is not None
            seen.append(view.title)
            begun.set()
            go_on.wait(60)

    task = asyncio.create_task(store.driver.read(slow_read()))
    await asyncio.to_thread(begun.wait, 60)
    await store.rename_chat(APP, chat_id, "After", by=None)
    go_on.set()
    await task
    assert seen == ["Before", "Before"]
    assert (await story.view(chat_id)).title == "After"


async def test_what_was_committed_is_there_after_opening_again(story: Story, store: SqlStore):
    fence, waited = await story.waiting(approval())
    path = driver_of(store).path
    assert path is not None
    before = await story.view(fence.chat_id)
    await store.close()
    again = SqlStore.sqlite(path, clock=story.clock)
    await again.open()
    assert await again.load_view(APP, fence.chat_id, limit=10_000) == before
    it = waited.interactions[0]
    said = Checked(response=yes(it), seen=it)
    settled = await again.answer(APP, said, key=None, by="ada", lease=LEASE)
    assert isinstance(settled, Settled)
    assert settled.run_state is RunState.RUNNING
    await again.close()
    await store.open()


async def test_every_commit_is_synced_and_readers_do_not_wait_for_the_writer(store: SqlStore):
    assert pragma(store, "journal_mode") == "wal"
    assert pragma(store, "synchronous") == 2, "FULL"


async def test_a_pause_in_writing_folds_the_log_back(
    story: Story, store: SqlStore, monkeypatch: pytest.MonkeyPatch
):
    from sayso.store import sqlite, sqlite_connection

    folded = threading.Event()
    monkeypatch.setattr(sqlite, "IDLE_SECONDS", 0.01)
    monkeypatch.setattr(sqlite_connection.Connection, "checkpoint", lambda _self: folded.set())
    await story.chat()
    assert await asyncio.to_thread(folded.wait, 60)


# ── one file, several programs ──


async def test_a_locked_file_is_told_as_busy_and_is_well_again_after(
    story: Story, store: SqlStore, clock: FakeClock
):
    path = driver_of(store).path
    assert path is not None
    impatient = SqlStore(SqliteDriver(path, time=lambda: 0, busy_seconds=0.05), clock)
    await impatient.open()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy) as busy:
            await impatient.create_chat(APP, agent="desk")
        assert busy.value.fix
        assert await impatient.list_chats(APP) == [], "reading goes on"
        other.execute("ROLLBACK")
    await impatient.create_chat(APP, agent="desk")
    await impatient.close()


def test_who_waits_in_vain_to_begin_the_log_is_told(tmp_path: Path):
    path = str(tmp_path / "new.db")
    waiting = Connection(path, lambda: 0, busy_seconds=0)
    with closing(waiting), closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreBusy):
            waiting.prepare()


async def test_one_of_two_programs_is_the_worker(store: SqlStore, clock: FakeClock):
    path = driver_of(store).path
    assert path is not None
    other = SqlStore.sqlite(path, clock=clock)
    await other.open()
    assert store.hold_worker_role()
    assert store.hold_worker_role()
    assert not other.hold_worker_role()
    await store.close()
    assert other.hold_worker_role()
    await other.close()
    await store.open()


async def test_the_lock_of_a_killed_worker_is_free(tmp_path: Path, clock: FakeClock):
    path = tmp_path / "sayso.db"
    program = (
        "import sys, os, signal; from pathlib import Path; from sayso.store.store import SqlStore\n"
        f"held = SqlStore.sqlite(Path({str(path)!r})).hold_worker_role()\n"
        "print(held, flush=True); sys.stdin.read()"
    )
    pipe = asyncio.subprocess.PIPE
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, stdout=pipe, stdin=pipe
    )
    assert child.stdout is not None
    assert await child.stdout.readline() == b"True\n"
    store = SqlStore.sqlite(path, clock=clock)
    await store.open()
    assert not store.hold_worker_role()
    child.kill()
    await child.communicate()
    assert store.hold_worker_role()
    await store.close()


async def test_a_forked_child_does_not_hold_the_lock(store: SqlStore, clock: FakeClock):
    path = driver_of(store).path
    assert path is not None
    other = SqlStore.sqlite(path, clock=clock)
    await other.open()
    assert store.hold_worker_role()
    with forked_child():
        assert not other.hold_worker_role()
        await store.close()
        assert other.hold_worker_role()
    await other.close()
    await store.open()


async def test_a_store_in_memory_has_no_lock_to_hold(clock: FakeClock):
    assert SqlStore.in_memory(clock=clock).hold_worker_role() is False


# ── what can be wrong with a file ──


async def test_a_database_of_a_newer_version_is_left_alone(tmp_path: Path, clock: FakeClock):
    path = tmp_path / "sayso.db"
    store = SqlStore.sqlite(path, clock=clock)
    await store.open()
    await store.close()
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("UPDATE alembic_version SET version_num = '9999'")
        raw.commit()
    with pytest.raises(DatabaseTooNew) as newer:
        await store.open()
    assert "9999" in newer.value.detail
    assert newer.value.fix
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("SELECT version_num FROM alembic_version").fetchone() == ("9999",)


async def test_a_file_that_is_no_database_is_named(tmp_path: Path, clock: FakeClock):
    path = tmp_path / "sayso.db"
    path.write_text("This is a letter, not a database. " * 100)
    with pytest.raises(Critical) as wrong:
        await SqlStore.sqlite(path, clock=clock).open()
    assert str(path) in wrong.value.detail
    assert wrong.value.fix


async def test_a_database_of_another_program_is_left_alone(tmp_path: Path, clock: FakeClock):
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("CREATE TABLE customer (name TEXT)")
    with pytest.raises(InvalidInput, match=r"shop\.db is a database of another program"):
        await SqlStore.sqlite(path, clock=clock).open()
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("SELECT name FROM sqlite_master").fetchall() == [("customer",)]


async def test_a_folder_that_cannot_be_made_is_told_with_a_remedy(tmp_path: Path, clock: FakeClock):
    (tmp_path / "file").touch()
    with pytest.raises(StoreReadOnly) as told:
        await SqlStore.sqlite(tmp_path / "file" / "sayso.db", clock=clock).open()
    assert told.value.fix


async def test_a_full_disk_is_told_and_loses_nothing(story: Story, store: SqlStore):
    chat_id = await story.chat(title="Before")
    pragma(store, "max_page_count = 1")  # SQLite takes it as: no page more than there are

    async def fill() -> None:
        for _ in range(100):
            await store.rename_chat(APP, chat_id, "x" * 10_000, by=None)

    with pytest.raises(StoreReadOnly) as full:
        await fill()
    assert "full" in full.value.detail
    assert full.value.fix
    pragma(store, "max_page_count = 1000000")
    await store.rename_chat(APP, chat_id, "After", by=None)


@pytest.mark.parametrize("read_only", ["file", "folder"])
def test_a_database_without_write_permission_is_told(tmp_path: Path, read_only: str):
    """In a process of its own, which gives up root first: root may write anything."""
    program = """
import asyncio, os, sys
from pathlib import Path
from sayso.core.errors import StoreReadOnly
from sayso.store.store import SqlStore

folder = Path(sys.argv[1])
async def main():
    store = SqlStore.sqlite(folder / "sayso.db")
    await store.open()
    await store.close()
    os.chmod(folder / "sayso.db" if sys.argv[2] == "file" else folder, 0o555)
    if os.getuid() == 0:
        for path in [folder, *folder.iterdir()]:
            os.chown(path, 65534, 65534)
        os.setuid(65534)
    try:
        await store.open()
        await store.create_chat("acme", agent="desk")
    except StoreReadOnly as told:
        print("told:", told.detail, told.fix)
asyncio.run(main())
"""
    os.chmod(tmp_path.parent, 0o755)
    os.chmod(tmp_path.parent.parent, 0o755)
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path), read_only],
        capture_output=True,
        text=True,
        check=False,
    )
    os.chmod(tmp_path, 0o755)
    assert done.stdout.startswith("told:"), done.stderr


async def test_a_closed_store_says_so(tmp_path: Path, clock: FakeClock):
    store = SqlStore.sqlite(tmp_path / "sayso.db", clock=clock)
    with pytest.raises(StoreBusy):
        await store.list_chats(APP)
    await store.open()
    await store.open()
    await store.close()
    await store.close()
    with pytest.raises(StoreBusy):
        await store.create_chat(APP, agent="desk")
