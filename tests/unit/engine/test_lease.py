"""A process that no longer trusts its lease begins no effect, committed or not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sayso.clock import elapsed
from sayso.core.effects import EffectStart
from sayso.core.errors import LeaseLost
from sayso.engine.effect_writer import EffectWriter
from sayso.engine.recorder import StoreRecorder
from sayso.engine.text_stream import TextBuffer, TextWriter
from sayso.feed.local import LocalFeed
from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock
from tests.contract.store.story import APP, Story


@pytest.mark.parametrize("trusted_looks", [0, 1, 2])
async def test_a_lease_is_looked_at_before_the_start_is_committed_and_after(
    trusted_looks: int,
) -> None:
    """It was stopped during the commit, say, for longer than its lease: the body may not run."""

    def deadlines() -> Iterator[float]:
        for _ in range(trusted_looks):
            yield elapsed() + 60
        while True:
            yield elapsed() - 1

    looks, clock = deadlines(), FakeClock()
    store = SqlStore.in_memory(clock=clock)
    await store.open()
    story = Story(store, clock)
    fence = (await story.begin()).fence
    writer = EffectWriter(store, on_commit=lambda app_id, outcome: None)
    recorder = StoreRecorder(
        store,
        fence,
        TextWriter(fence, LocalFeed(), clock, TextBuffer(store), agent="desk"),
        writer,
        on_commit=lambda outcome: None,
        deadline=lambda: next(looks),
    )
    start = EffectStart(key="pay", attempt=1, tool_name="pay", arguments={}, business_key="pay")
    if trusted_looks == 2:
        await recorder.start_effect(start, None)
    else:
        with pytest.raises(LeaseLost):
            await recorder.start_effect(start, None)
    begun = await store.effect_under(APP, "pay")
    assert (begun is not None) is (trusted_looks > 0)
    assert writer.unwritten == (1 if trusted_looks == 1 else 0)
    await writer.close()
    held = await store.effect_under(APP, "pay")
    assert (held is not None) is (trusted_looks == 2), "what never began holds no key"
    await store.close()
