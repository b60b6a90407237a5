"""Calls of a tool's own UI: runs beside the chat's own, which neither hold it nor end with it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sayso.core.errors import NotFound, RateLimited
from sayso.core.inbox import InteractionFilter
from sayso.core.ports import Store
from sayso.core.sessions import RunState
from sayso.core.ui_calls import MOST_A_MINUTE, MOST_OPEN, UiCall, UiCallState
from sayso.testing.clock import FakeClock
from tests.contract.store.story import APP, LEASE, Story, approval, question, types, yes


def call(chat_id: str, n: int = 1) -> UiCall:
    return UiCall(
        of="call-1",
        chat_id=chat_id,
        agent="desk",
        ui_name="pods_list UI",
        server="pods",
        tool="pods_delete",
        arguments={"n": n},
        by="ada",
    )


async def test_it_begins_at_once_and_ends_with_what_its_ui_is_told(
    story: Story, store: Store
) -> None:
    chat_id = await story.chat()
    opened = await store.open_ui_call(APP, call(chat_id), LEASE)
    assert opened.claimed is not None
    assert types(opened.frames) == []
    assert (opened.record.state, opened.record.tool) == (UiCallState.RUNNING, "pods_delete")
    run = opened.claimed.start.run
    assert (run.person, run.state) == ("ada", RunState.RUNNING)
    await store.finish(opened.claimed.fence, RunState.COMPLETED, output="digest")
    ended = await store.ui_call(APP, "call-1", run.id)
    assert ended is not None
    assert (ended.state, ended.result) == (UiCallState.ENDED, "digest")
    assert await store.open_ui_calls(APP, "call-1") == []
    assert await store.ui_call(APP, "call-2", run.id) is None


async def test_the_same_call_of_the_same_person_is_one_while_it_is_open(
    story: Story, store: Store
) -> None:
    chat_id = await story.chat()
    first = await store.open_ui_call(APP, call(chat_id), None)
    again = await store.open_ui_call(APP, call(chat_id), LEASE)
    assert (again.record.run.id, again.claimed) == (first.record.run.id, None)
    other = await store.open_ui_call(APP, replace(call(chat_id), by="bob"), None)
    assert other.record.run.id != first.record.run.id


async def test_it_waits_beside_the_chats_own_run(story: Story, store: Store) -> None:
    own, waited = await story.waiting(approval("own"))
    opened = await store.open_ui_call(APP, call(own.chat_id), LEASE)
    assert opened.claimed is not None
    fence = opened.claimed.fence
    await story.ask(fence, approval("ui"))
    [record] = await store.open_ui_calls(APP, "call-1")
    assert record.state is UiCallState.WAITING
    # The chat's run goes on, and ends, without it.
    settled = await story.answer(waited.interactions[0], yes(waited.interactions[0]))
    assert settled.claimed is not None
    await story.finish(settled.claimed.fence)
    [still] = await store.open_ui_calls(APP, "call-1")
    assert still.cards == record.cards
    # And what is said next begins at once.
    assert (await story.say(own.chat_id, "next")).status == "started"
    found = await store.interactions(APP, InteractionFilter(run_id=fence.run_id))
    answered = await story.answer(found[0], yes(found[0]))
    assert answered.claimed is not None
    assert answered.claimed.fence.run_id == fence.run_id


async def test_words_in_the_chat_are_no_answer_to_what_a_ui_asks(
    story: Story, store: Store
) -> None:
    own, _ = await story.waiting(approval("own"))
    opened = await store.open_ui_call(APP, call(own.chat_id), LEASE)
    assert opened.claimed is not None
    await story.ask(opened.claimed.fence, question("ui"))
    assert (await story.say(own.chat_id, "the red one")).status == "queued"


async def test_a_flood_ends(story: Story, store: Store, clock: FakeClock) -> None:
    chat_id = await story.chat()
    for n in range(MOST_OPEN):
        await store.open_ui_call(APP, call(chat_id, n), None)
    with pytest.raises(RateLimited, match="open already"):
        await store.open_ui_call(APP, call(chat_id, MOST_OPEN), None)
    for record in await store.open_ui_calls(APP, "call-1"):
        await store.cancel_run(APP, reason="enough", by="ada", run_id=record.run.id)
    for n in range(MOST_A_MINUTE - MOST_OPEN):
        opened = await store.open_ui_call(APP, call(chat_id, n), LEASE)
        assert opened.claimed is not None
        await store.finish(opened.claimed.fence, RunState.COMPLETED)
    with pytest.raises(RateLimited, match="in a minute"):
        await store.open_ui_call(APP, call(chat_id), None)
    clock.advance(seconds=61)
    await store.open_ui_call(APP, call(chat_id), None)


async def test_it_needs_its_chat(store: Store) -> None:
    with pytest.raises(NotFound):
        await store.open_ui_call(APP, call("no chat"), None)
