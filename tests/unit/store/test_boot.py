"""Since when a machine counts time: one moment for all its processes, until it is started again."""

from pathlib import Path

from sayso.clock import SystemClock, elapsed, steady_time
from sayso.store.store import SqlStore
from sayso.store.verbs.boot import count_from, touch
from sayso.testing.clock import FakeClock
from tests.contract.store.story import APP, OTHER_LEASE, Story


async def test_who_comes_later_counts_from_where_the_first_began(store: SqlStore):
    assert await store.driver.write(count_from("boot-1", 1000)) == 1000
    # The clock was set in between, so the second would begin elsewhere.
    assert await store.driver.write(count_from("boot-1", 9000)) == 1000
    await store.driver.write(touch())
    assert await store.driver.write(count_from("boot-1", 9000)) == 1000


async def test_after_a_start_of_the_machine_nobody_holds_a_lease(story: Story, store: SqlStore):
    await store.driver.write(count_from("boot-1", 1000))
    run_id = (await story.begin()).fence.run_id
    await store.driver.write(count_from("boot-1", 9000))
    assert await store.claim(APP, run_id, OTHER_LEASE) is None
    assert await store.driver.write(count_from("boot-2", 9000)) == 9000
    assert await store.claim(APP, run_id, OTHER_LEASE) is not None


async def test_a_database_of_an_older_version_keeps_its_leases(story: Story, store: SqlStore):
    run_id = (await story.begin()).fence.run_id
    await store.driver.write(count_from("boot-1", 1000))
    assert await store.claim(APP, run_id, OTHER_LEASE) is None


async def test_a_process_counts_as_the_one_before_it_on_this_database(tmp_path: Path):
    began = steady_time.anchor_micros
    store = SqlStore.sqlite(tmp_path / "sayso.db", clock=SystemClock())
    try:
        await store.open()
        await store.close()
        steady_time.keep(began + 7_200_000_000)  # as a process that starts after the clock was set
        await store.open()
        assert steady_time.anchor_micros == began
    finally:
        steady_time.keep(began)
        await store.close()


def test_steady_time_passes_as_time_does():
    before, began = elapsed(), SystemClock().steady()
    later, after = SystemClock().steady(), elapsed()
    assert began <= later
    assert (later - began).total_seconds() <= after - before + 0.001
    assert FakeClock().steady() == FakeClock().now()
