"""SQLite's own ways: a store on a file, and what is said to it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sayso.store.sqlite import SqliteDriver
from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock
from tests.contract.store.story import Story


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def store(tmp_path: Path, clock: FakeClock) -> AsyncIterator[SqlStore]:
    store = SqlStore.sqlite(tmp_path / "sayso.db", clock=clock)
    await store.open()
    yield store
    await store.close()


@pytest.fixture
async def story(store: SqlStore, clock: FakeClock) -> AsyncIterator[Story]:
    story = Story(store, clock)
    yield story
    await story.check()


class Counted:
    """Counts transactions and statements between two looks."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def look(self) -> tuple[int, int]:
        """Commits and statements since the last look; BEGIN and COMMIT are not statements."""
        said, self.said = self.said, []
        commits = sum(sql == "COMMIT" for sql in said)
        frame = ("BEGIN", "COMMIT", "ROLLBACK")
        return commits, sum(not sql.startswith(frame) for sql in said)


@pytest.fixture
def counted(store: SqlStore) -> Counted:
    counted = Counted()
    assert isinstance(store.driver, SqliteDriver)
    store.driver.on_statement(lambda sql: counted.said.append(sql))
    return counted
