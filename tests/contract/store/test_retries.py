"""Runs that try again: claimed when they are due and not before, cancelled meanwhile, retried by a
person after they failed; and what runs that have ended still hold."""

from dataclasses import replace

import pytest
import sqlalchemy as sa

from sayso.core.errors import AlreadySettled, LeaseLost, ModelUnavailable, NotFound
from sayso.core.events import ErrorShown
from sayso.core.messages import message
from sayso.core.model_trouble import TryAgain, failure_id
from sayso.core.sessions import RunState, SavedState
from sayso.core.store_results import Claimed
from sayso.engine.failures import error_body, retry_card
from sayso.store import tables
from sayso.store.store import SqlStore
from sayso.store.transaction import Statement, one, param
from sayso.testing.clock import FakeClock
from tests.contract.store.story import APP, LEASE, OTHER_LEASE, SAVED, Story, form, text, types, yes

AWAY = ModelUnavailable("RateLimitError: too many requests")
NEWER = replace(SAVED, blob=b"newer")


async def postponed(
    story: Story, store: SqlStore, clock: FakeClock, *, saved: SavedState | None = SAVED
) -> Claimed:
    """A run that tries again in ten seconds."""
    held = await story.begin()
    now = clock.steady()
    again = TryAgain(replace(held.start.run, tries=1, trouble_since=now), 10.0)
    reason = message("run.trying_again", at=clock.now().isoformat())
    outcome = await store.postpone(held.fence, saved, again, reason=reason)
    assert types(outcome.frames) == ["run:ready"]
    return held


async def begun(story: Story, chat: str | None) -> Claimed:
    posted = await story.say(chat or await story.chat())
    assert posted.claimed is not None
    return posted.claimed


async def failed(
    story: Story, store: SqlStore, chat: str | None = None, *, saved: SavedState | None = SAVED
) -> Claimed:
    held = await begun(story, chat)
    card = retry_card(AWAY, held.fence, "desk")
    await store.finish(
        held.fence, RunState.FAILED, events=[card], error=error_body(AWAY), saved=saved
    )
    return held


async def saved_of(store: SqlStore, run_id: str) -> SavedState | None:
    run = await store.run(APP, run_id)
    assert run is not None
    return run.saved


async def test_a_postponed_run_is_claimed_when_it_is_due_and_not_before(
    story: Story, store: SqlStore, clock: FakeClock
):
    held = await postponed(story, store, clock)
    run_id = held.fence.run_id
    assert await store.seconds_to_next_due() == pytest.approx(10)
    clock.advance(seconds=9.9)
    assert await store.claim(APP, run_id, LEASE) is None
    assert await store.claim_due(LEASE, limit=9, not_mine=[], at_once=True) == []
    clock.advance(seconds=0.1)
    assert await store.seconds_to_next_due() is None, "what is due already is claimed by a sweep"
    (claimed,) = await store.claim_due(OTHER_LEASE, limit=9, not_mine=[], at_once=False)
    run = claimed.start.run
    assert (run.saved, run.tries, run.takeovers, run.due_at) == (SAVED, 1, 0, None)


async def test_postponed_runs_take_no_place_in_a_sweep(
    story: Story, store: SqlStore, clock: FakeClock
):
    await postponed(story, store, clock)
    clock.advance(seconds=1)
    ready = await story.say(await story.chat(), lease=None)
    (claimed,) = await store.claim_due(LEASE, limit=1, not_mine=[], at_once=False)
    assert claimed.fence.run_id == ready.run_id


async def test_the_chat_says_when_it_is_tried_again(
    story: Story, store: SqlStore, clock: FakeClock
):
    held = await postponed(story, store, clock)
    run = (await story.view(held.fence.chat_id)).run
    assert run is not None
    assert (run.status, run.code) == ("ready", "run.trying_again")
    assert run.params == {"at": "2026-01-01T00:00:00+00:00"}


async def test_who_postponed_a_run_has_lost_it(story: Story, store: SqlStore, clock: FakeClock):
    held = await postponed(story, store, clock)
    with pytest.raises(LeaseLost):
        await store.record(held.fence, [text("t", "still here", held.fence.run_id)])


async def test_a_postponed_run_is_cancelled(story: Story, store: SqlStore, clock: FakeClock):
    held = await postponed(story, store, clock)
    cancelled = await store.cancel_run(APP, reason="enough", by="ada", chat_id=held.fence.chat_id)
    assert types(cancelled.frames) == ["run:cancelled"]
    clock.advance(hours=1)
    assert await store.claim_due(LEASE, limit=9, not_mine=[], at_once=True) == []


async def test_waiting_ends_the_trouble(story: Story, store: SqlStore, clock: FakeClock):
    held = await postponed(story, store, clock)
    clock.advance(seconds=10)
    claimed = await store.claim(APP, held.fence.run_id, LEASE)
    assert claimed is not None
    await store.wait(claimed.fence, SAVED, [form()], resume_each=False)
    run = await store.run(APP, held.fence.run_id)
    assert run is not None
    assert (run.tries, run.trouble_since) == (0, None)


async def test_a_person_lets_a_failed_run_go_on(story: Story, store: SqlStore):
    held = await failed(story, store)
    retried = await store.retry_run(APP, held.fence.run_id, by="ada", lease=LEASE)
    assert types(retried.frames) == ["ui_tool_complete:superseded", "run:running"]
    assert retried.claimed is not None
    run = retried.claimed.start.run
    assert (run.saved, run.error, run.tries) == (SAVED, None, 0)
    assert run.fence == held.fence.number + 1
    view = await story.view(held.fence.chat_id)
    assert view.messages[-1].ui_tool["ui_tool_status"] == "superseded"
    assert "run.retried" in [line.action for line in await store.audit(APP)]
    assert (await store.verify_audit(APP)).broken == []
    # It may fail again, with a card of its own.
    again = retry_card(AWAY, retried.claimed.fence, "desk")
    assert isinstance(again, ErrorShown)
    assert again.message_id != retry_card(AWAY, held.fence, "desk").message_id
    assert failure_id(run.id, 1) != failure_id(run.id, 2)


async def test_a_retried_run_without_a_state_begins_anew(story: Story, store: SqlStore):
    held = await failed(story, store, saved=None)
    retried = await store.retry_run(APP, held.fence.run_id, by="ada", lease=LEASE)
    assert retried.claimed is not None
    assert retried.claimed.start.run.saved is None


async def test_what_cannot_be_retried(story: Story, store: SqlStore):
    with pytest.raises(NotFound):
        await store.retry_run(APP, "nobody", by="ada", lease=LEASE)
    chat = await story.chat()
    held = await failed(story, store, chat)
    with pytest.raises(NotFound):
        await store.retry_run("another", held.fence.run_id, by="ada", lease=LEASE)
    later = await begun(story, chat)
    with pytest.raises(AlreadySettled, match="gone on"):
        await store.retry_run(APP, held.fence.run_id, by="ada", lease=LEASE)
    await store.finish(later.fence, RunState.FAILED, error={"code": "agent_failed"})
    with pytest.raises(AlreadySettled, match="did not fail because"):
        await store.retry_run(APP, later.fence.run_id, by="ada", lease=LEASE)


# ── what is left of runs that have ended ──


@pytest.mark.parametrize("end", [RunState.COMPLETED, RunState.CANCELLED, RunState.FAILED])
async def test_a_run_that_has_ended_holds_no_state(story: Story, store: SqlStore, end: RunState):
    held = await story.begin()
    await store.record(held.fence, [], saved=SAVED)
    await store.finish(held.fence, end, memory=b"memory")
    assert await saved_of(store, held.fence.run_id) is None


async def test_a_run_that_a_person_cancels_holds_no_state(story: Story, store: SqlStore):
    held = await story.begin()
    await store.wait(held.fence, SAVED, [form()], resume_each=False)
    await store.cancel_run(APP, reason="enough", by="ada", chat_id=held.fence.chat_id)
    assert await saved_of(store, held.fence.run_id) is None


async def test_a_failed_run_holds_its_state_until_the_next_run_of_its_chat_ends(
    story: Story, store: SqlStore
):
    chat = await story.chat()
    held = await failed(story, store, chat, saved=NEWER)
    other = await failed(story, store)
    later = await begun(story, chat)
    assert await saved_of(store, held.fence.run_id) == NEWER
    await store.finish(later.fence, RunState.COMPLETED)
    assert await saved_of(store, held.fence.run_id) is None
    assert await saved_of(store, other.fence.run_id) == SAVED, "another chat's"


async def test_a_state_is_kept_without_what_the_memory_has(
    story: Story, store: SqlStore, clock: FakeClock
):
    """The memory of a long chat is written when a turn ends, and at no other time."""
    memory = bytes(n * 7 % 251 for n in range(100_000))
    state = replace(SAVED, blob=b"before " + memory + b" after")
    chat = await story.chat()
    first = await begun(story, chat)
    await store.finish(first.fence, RunState.COMPLETED, memory=memory)
    held = await begun(story, chat)
    await store.record(held.fence, [], saved=state)
    assert await _bytes_of_blob(store, held.fence.run_id) == len(b"before  after")
    assert await saved_of(store, held.fence.run_id) == state
    clock.advance(seconds=31)
    taken = await store.claim(APP, held.fence.run_id, OTHER_LEASE)
    assert taken is not None
    assert taken.start.run.saved == state
    waited = await store.wait(taken.fence, state, [form()], resume_each=False)
    assert await _bytes_of_blob(store, held.fence.run_id) == len(b"before  after")
    settled = await story.answer(waited.interactions[0], yes(waited.interactions[0], values={}))
    assert settled.claimed is not None
    assert settled.claimed.start.run.saved == state
    card = retry_card(AWAY, settled.claimed.fence, "desk")
    await store.finish(
        settled.claimed.fence,
        RunState.FAILED,
        events=[card],
        error=error_body(AWAY),
        saved=state,
    )
    assert await _bytes_of_blob(store, held.fence.run_id) == len(b"before  after")
    retried = await store.retry_run(APP, held.fence.run_id, by="ada", lease=LEASE)
    assert retried.claimed is not None
    assert retried.claimed.start.run.saved == state


_BLOB = Statement(
    sa.select(sa.func.length(tables.run.c.saved_blob).label("size")).where(
        tables.run.c.id == param("run_id")
    )
)


async def _bytes_of_blob(store: SqlStore, run_id: str) -> int:
    row = await store.driver.read(one(_BLOB, run_id=run_id))
    assert row is not None
    return int(row["size"])
