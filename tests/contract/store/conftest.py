"""The stores that keep the contract. Another one is another line here."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock
from tests.contract.store.story import Story


def _in_memory(_folder: Path, clock: FakeClock) -> SqlStore:
    return SqlStore.in_memory(clock=clock)


def _on_a_file(folder: Path, clock: FakeClock) -> SqlStore:
    return SqlStore.sqlite(folder / "sayso.db", clock=clock)


@pytest.fixture(params=[_in_memory, _on_a_file], ids=["memory", "sqlite"])
def make_store(request: pytest.FixtureRequest) -> Callable[[Path, FakeClock], SqlStore]:
    make: Callable[[Path, FakeClock], SqlStore] = request.param
    return make


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def store(
    make_store: Callable[[Path, FakeClock], SqlStore], tmp_path: Path, clock: FakeClock
) -> AsyncIterator[SqlStore]:
    store = make_store(tmp_path, clock)
    await store.open()
    yield store
    await store.close()


@pytest.fixture
async def story(store: SqlStore, clock: FakeClock) -> AsyncIterator[Story]:
    story = Story(store, clock)
    yield story
    await story.check()
