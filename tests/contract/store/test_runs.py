"""Runs: claimed under a fence, written under it, taken over when a lease is over, ended."""

from dataclasses import replace
from typing import Any

import pytest

from sayso.core.effects import LEFT_BEHIND, EffectEnd, EffectStart, EffectState
from sayso.core.errors import LeaseLost, NotFound
from sayso.core.events import ChatEvent, MessageStatus, RunMoved, ToolCallStatus, ToolReturned
from sayso.core.interactions import InteractionState
from sayso.core.sessions import RunState
from sayso.core.store_results import Fence, Lease, TextPiece
from sayso.core.usage import ModelCall, usage_of
from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock
from tests.contract.store.story import (
    APP,
    LEASE,
    OTHER_LEASE,
    SAVED,
    Story,
    approval,
    called,
    form,
    handed,
    question,
    text,
    types,
    yes,
)


def piece(fence: Fence, words: str, *, offset: int = 0, message_id: str = "t1") -> TextPiece:
    return TextPiece(
        fence=fence, message_id=message_id, offset=offset, text=words, agent_name="desk"
    )


async def test_a_ready_run_is_claimed_by_one(story: Story, store: SqlStore):
    posted = await story.say(await story.chat(), lease=None)
    run_id = posted.run_id or ""
    claimed = await store.claim(APP, run_id, LEASE)
    assert claimed is not None
    assert types(claimed.frames) == ["run:running"]
    assert await store.claim(APP, run_id, OTHER_LEASE) is None
    assert await store.claim(APP, "no such run", LEASE) is None


async def test_a_run_of_an_unknown_agent_stays_for_who_knows_it(story: Story, store: SqlStore):
    strange = Lease("lock:x", 30.0, frozenset({"another"}))
    posted = await story.say(await story.chat(), lease=None)
    assert await store.claim(APP, posted.run_id or "", strange) is None
    assert await store.claim_due(strange, limit=9, not_mine=[], at_once=True) == []
    nobody = Lease("lock:x", 30.0, frozenset())
    assert await store.claim_due(nobody, limit=9, not_mine=[], at_once=True) == []
    assert len(await store.claim_due(LEASE, limit=9, not_mine=[], at_once=False)) == 1


async def test_an_expired_lease_is_taken_over_and_the_old_owner_is_fenced_out(
    story: Story, store: SqlStore, clock: FakeClock
):
    old = await story.begin()
    await store.keep_texts([piece(old.fence, "Once upon")])
    assert await store.claim(APP, old.fence.run_id, OTHER_LEASE) is None
    clock.advance(seconds=31)
    new = await store.claim(APP, old.fence.run_id, OTHER_LEASE)
    assert new is not None
    assert new.fence.number == old.fence.number + 1
    assert new.start.run.takeovers == 1
    assert types(new.frames) == ["message:interrupted", "run:running"]
    view = await story.view(old.fence.chat_id)
    assert view.live == []
    assert (view.messages[-1].content, view.messages[-1].status) == (
        "Once upon",
        MessageStatus.INTERRUPTED,
    )
    assert [m.content for m in new.start.history] == [], "its own interrupted text is not history"


@pytest.mark.parametrize(
    "write",
    ["record", "record saved", "wait", "hand on", "finish", "start_effect", "requirements"],
)
async def test_a_lost_fence_writes_nothing(
    story: Story, store: SqlStore, clock: FakeClock, write: str
):
    old = await story.begin()
    clock.advance(seconds=31)
    assert await store.claim(APP, old.fence.run_id, OTHER_LEASE) is not None
    before = await story.events(old.fence.chat_id)
    writes: dict[str, Any] = {
        "record": lambda: store.record(old.fence, [text("x", "late", old.fence.run_id)]),
        "record saved": lambda: store.record(old.fence, [], saved=SAVED),
        "wait": lambda: story.ask(old.fence, form()),
        "hand on": lambda: story.ask(old.fence, handed()),
        "requirements": lambda: store.change_requirements(
            APP, old.fence.chat_id, {"version": 1}, by=None, fence=old.fence
        ),
        "finish": lambda: store.finish(old.fence, RunState.COMPLETED, memory=b"late"),
        "start_effect": lambda: store.start_effect(
            old.fence, EffectStart(key="e", attempt=1, tool_name="t", arguments={}), SAVED
        ),
    }
    with pytest.raises(LeaseLost):
        await writes[write]()
    assert await story.events(old.fence.chat_id) == before
    run = await store.run(APP, old.fence.run_id)
    assert run is not None
    assert run.saved is None


async def test_a_renewed_lease_lasts_and_a_lost_one_is_told(
    story: Story, store: SqlStore, clock: FakeClock
):
    mine, lost = await story.begin(), await story.begin()
    await store.cancel_run(APP, reason="stop", by=None, run_id=lost.fence.run_id)
    clock.advance(seconds=20)
    fences = [mine.fence, lost.fence]
    assert store.renew_blocking(LEASE.owner, fences, 30.0) == {mine.fence.run_id}
    taken_over = [replace(mine.fence, number=mine.fence.number + 1)]
    assert store.renew_blocking(LEASE.owner, taken_over, 30.0) == frozenset()
    clock.advance(seconds=20)
    assert await store.claim(APP, mine.fence.run_id, OTHER_LEASE) is None
    clock.advance(seconds=11)
    assert await store.claim(APP, mine.fence.run_id, OTHER_LEASE) is not None


async def test_the_sweep_takes_the_oldest_first_but_nothing_this_process_still_has(
    story: Story, store: SqlStore, clock: FakeClock
):
    waiting_for_work = []
    for _ in range(3):
        posted = await story.say(await story.chat(), lease=None)
        waiting_for_work.append(posted.run_id or "")
        clock.advance(seconds=1)
    running = await story.begin()
    clock.advance(seconds=31)
    due = await store.claim_due(LEASE, limit=2, not_mine=[running.fence.run_id], at_once=False)
    assert [claim.fence.run_id for claim in due] == waiting_for_work[:2]
    due = await store.claim_due(LEASE, limit=9, not_mine=[running.fence.run_id], at_once=False)
    assert [claim.fence.run_id for claim in due] == waiting_for_work[2:]
    due = await store.claim_due(OTHER_LEASE, limit=9, not_mine=waiting_for_work, at_once=False)
    assert [claim.fence.run_id for claim in due] == [running.fence.run_id]
    assert types(due[0].frames) == ["run:running"]


async def test_whoever_holds_the_file_lock_takes_the_runs_of_the_dead_at_once(
    story: Story, store: SqlStore
):
    dead = await story.begin()
    elsewhere = await story.say(
        await story.chat(), lease=Lease("lease:elsewhere", 30.0, LEASE.agents)
    )
    assert elsewhere.claimed is not None
    assert await store.claim_due(LEASE, limit=9, not_mine=[], at_once=True) == [], "its own"
    assert await store.claim_due(OTHER_LEASE, limit=9, not_mine=[], at_once=False) == []
    taken = await store.claim_due(OTHER_LEASE, limit=9, not_mine=[], at_once=True)
    assert [claim.fence.run_id for claim in taken] == [dead.fence.run_id]


async def test_a_saved_state_comes_back_byte_for_byte(story: Story, store: SqlStore):
    claimed = await story.begin()
    await store.record(claimed.fence, [called("c", claimed.fence)], saved=SAVED)
    run = await store.run(APP, claimed.fence.run_id)
    assert run is not None
    assert run.saved == SAVED


async def test_text_is_kept_in_pieces_until_its_message_closes(story: Story, store: SqlStore):
    claimed = await story.begin()
    fence = claimed.fence
    await store.keep_texts([piece(fence, "Once "), piece(fence, "upon", offset=5)])
    await store.keep_texts([piece(fence, "upon", offset=5), piece(fence, "n a time", offset=8)])
    open_texts = await store.open_texts(APP, fence.chat_id)
    assert [(t.message_id, t.text, t.agent_name) for t in open_texts] == [
        ("t1", "Once upon a time", "desk")
    ]
    assert [t.text for t in (await story.view(fence.chat_id)).live] == ["Once upon a time"]
    await store.keep_texts([piece(fence, "Twice", message_id="t2")])
    await store.record(fence, [text("t1", "Once upon a time.", fence.run_id)])
    assert [t.text for t in await store.open_texts(APP, fence.chat_id)] == ["Twice"]
    await store.keep_texts([piece(fence, "Once upon a time. Late")])
    (other,) = await store.open_texts(APP, fence.chat_id)
    assert other.text == "Twice", "a closed message never opens again"


async def test_a_text_kept_whole_takes_in_its_pieces(story: Story, store: SqlStore):
    fence = (await story.begin()).fence
    await store.keep_texts([piece(fence, "Once "), piece(fence, "upon", offset=5)])
    await store.keep_texts([piece(fence, "Once upon a time")])
    assert [t.text for t in await store.open_texts(APP, fence.chat_id)] == ["Once upon a time"]
    await store.keep_texts([piece(fence, "Once")])
    assert [t.text for t in await store.open_texts(APP, fence.chat_id)] == ["Once upon a time"]


async def test_text_after_a_gap_is_not_shown(story: Story, store: SqlStore):
    fence = (await story.begin()).fence
    await store.keep_texts([piece(fence, "Once"), piece(fence, "time", offset=10)])
    assert [t.text for t in await store.open_texts(APP, fence.chat_id)] == ["Once"]


async def test_text_of_a_lost_fence_is_dropped(story: Story, store: SqlStore, clock: FakeClock):
    old = await story.begin()
    clock.advance(seconds=31)
    new = await store.claim(APP, old.fence.run_id, OTHER_LEASE)
    assert new is not None
    await store.keep_texts([piece(old.fence, "old"), piece(new.fence, "new", message_id="t2")])
    assert [t.text for t in await store.open_texts(APP, old.fence.chat_id)] == ["new"]


async def test_text_under_the_fence_of_another_tenant_is_dropped(story: Story, store: SqlStore):
    fence = (await story.begin()).fence
    await store.keep_texts([piece(replace(fence, app_id="another"), "words")])
    assert await store.open_texts("another", fence.chat_id) == []


async def test_a_run_that_ends_tells_what_its_models_took_and_who_ended_it(
    story: Story, store: SqlStore, clock: FakeClock
):
    claimed, other = await story.begin(), await story.begin()
    clock.advance(seconds=5)
    used = [ModelCall(input_tokens=3), ModelCall(input_tokens=4)]
    waited = await store.wait(claimed.fence, SAVED, [question()], resume_each=False, usage=used[:1])
    answered = await story.answer(waited.interactions[0])
    assert answered.claimed is not None
    ended = await store.finish(answered.claimed.fence, RunState.COMPLETED, usage=used[1:])
    stopped = await store.cancel_run(APP, reason="stop", by="ben", run_id=other.fence.run_id)
    frames = (*waited.frames, *ended.frames, *stopped.frames)
    bodies = [f.body for f in frames if isinstance(f.body, ChatEvent)]
    moves = [(one.by, one.data.usage) for one in bodies if isinstance(one.data, RunMoved)]
    assert moves == [(None, None), (None, usage_of(used)), ("ben", None)]
    run = await store.run(APP, claimed.fence.run_id)
    assert run is not None
    assert (list(run.model_calls), run.updated_at) == (used, clock.now())


async def test_finishing_ends_all_that_was_open(story: Story, store: SqlStore):
    fence, waited = await story.waiting(question("a"), question("b"), each=True)
    settled = await story.answer(waited.interactions[0])
    assert settled.claimed is not None
    run = await store.run(APP, fence.run_id)
    assert run is not None
    moved = [frame.body.data for frame in settled.frames if isinstance(frame.body, ChatEvent)]
    assert [data.usage for data in moved if isinstance(data, RunMoved)] == [None], "it goes on"
    fence = settled.claimed.fence
    await store.record(fence, [called("c1", fence)])
    await store.keep_texts([piece(fence, "unclosed"), piece(fence, "closed", message_id="t2")])
    ended = await store.finish(
        fence, RunState.COMPLETED, events=[text("t2", "closed.", fence.run_id)]
    )
    assert types(ended.frames) == [
        "message:complete",
        "ui_tool_complete:superseded",
        "message:interrupted",
        "tool_result:cancelled",
        "run:completed",
    ]
    view = await story.view(fence.chat_id)
    assert view.live == []
    assert not any(message.is_open for message in view.messages)
    assert not any(call.is_open for call in view.tool_calls)
    with pytest.raises(LeaseLost):
        await store.finish(fence, RunState.COMPLETED)


async def test_a_failed_run_says_why(story: Story, store: SqlStore):
    claimed = await story.begin()
    await store.record(claimed.fence, [called("c1", claimed.fence)])
    error = {"code": "agent_failed", "detail": "ValueError: no"}
    ended = await store.finish(claimed.fence, RunState.FAILED, error=error)  # type: ignore[arg-type]
    assert types(ended.frames) == ["tool_result:failed", "run:failed"]
    run = await store.run(APP, claimed.fence.run_id)
    assert run is not None
    assert run.error == error
    view = await story.view(claimed.fence.chat_id)
    assert view.run is not None
    assert view.run.error == error


async def test_cancelling_a_waiting_run_settles_its_cards(story: Story, store: SqlStore):
    fence, waited = await story.waiting(form("a"), form("b"))
    queued = await story.say(fence.chat_id, "next")
    cancelled = await store.cancel_run(
        APP, reason="changed my mind", by="ada", chat_id=fence.chat_id, lease=LEASE
    )
    assert types(cancelled.frames) == [
        "ui_tool_complete:cancelled",
        "ui_tool_complete:cancelled",
        "run:cancelled",
        "message:complete",
        "run:running",
    ]
    assert cancelled.run is not None
    assert cancelled.run.state is RunState.CANCELLED
    assert cancelled.fence is None, "nobody runs it"
    assert (cancelled.next_run_id, cancelled.claimed is not None) == (queued.run_id, True)
    after = await store.interaction(APP, waited.interactions[0].id)
    assert after is not None
    assert (after.state, after.settled_by) == (InteractionState.CANCELLED, "ada")
    actions = [line.action for line in await store.audit(APP, chat_id=fence.chat_id)]
    assert actions == ["interaction.cancelled", "interaction.cancelled", "run.cancelled"]


async def test_of_a_cancelled_runs_calls_only_what_was_approved_is_said_not_to_have_run(
    story: Story, store: SqlStore
):
    fence = (await story.begin()).fence
    await store.record(fence, [called("call-a", fence), called("call-b", fence)])
    waited = await story.ask(fence, approval("a"), approval("b"))
    first, _ = waited.interactions
    await story.answer(first, yes(first))
    await store.cancel_run(APP, reason="stop", by="ada", run_id=fence.run_id)
    ends = [
        event.data
        for event in await story.events(fence.chat_id)
        if isinstance(event.data, ToolReturned)
    ]
    told = {it.tool_call_id: it.outcome.interaction_id if it.outcome else None for it in ends}
    assert told == {"call-a": first.id, "call-b": None}


async def test_cancelling_a_running_run_tells_whose_it_was_and_fences_it(
    story: Story, store: SqlStore
):
    claimed = await story.begin()
    await store.keep_texts([piece(claimed.fence, "Once upon")])
    cancelled = await store.cancel_run(APP, reason="stop", by="ada", chat_id=claimed.fence.chat_id)
    assert cancelled.fence == claimed.fence
    assert types(cancelled.frames) == ["message:interrupted", "run:cancelled"]
    assert cancelled.run is not None
    assert cancelled.run.fence == claimed.fence.number + 1
    view = await story.view(claimed.fence.chat_id)
    assert view.run is not None
    assert view.run.reason == "stop"
    with pytest.raises(LeaseLost):
        await store.record(claimed.fence, [text("t1", "late", claimed.fence.run_id)])


async def test_a_call_whose_run_ends_before_it_is_unclear_until_its_true_end_comes(
    story: Story, store: SqlStore
):
    claimed = await story.begin()
    fence = claimed.fence
    await store.record(fence, [called("idle", fence), called("acting", fence)])
    start = EffectStart(key="k", attempt=1, tool_name="refund", arguments={}, tool_call_id="acting")
    await store.start_effect(fence, start, None)
    await store.start_effect(fence, replace(start, key="within", tool_call_id=None), None)
    cancelled = await store.cancel_run(APP, reason="stop", by=None, run_id=fence.run_id)
    ends = ["tool_result:uncertain", "tool_result:cancelled", "run:cancelled"]
    assert types(cancelled.frames) == ends, "what no call shows has a line alone"
    view = await story.view(fence.chat_id)
    assert {call.tool_call_id: call.status.value for call in view.tool_calls} == {
        "idle": "cancelled",
        "acting": "uncertain",
    }
    assert view.tool_calls[1].error == LEFT_BEHIND
    lines = await store.audit(APP)
    assert [line.action for line in lines][:3] == [
        "effect.uncertain",
        "effect.uncertain",
        "run.cancelled",
    ]
    for line in lines[:2]:
        assert (line.body["error"], "row" in line.body) == (LEFT_BEHIND, True)
    told = [ToolReturned(tool_call_id="acting", status=ToolCallStatus.DONE, result="ok")]
    end = EffectEnd(state=EffectState.DONE, result="ok")
    assert types(await store.end_effect(fence, "k", 1, end, told)) == ["tool_result:done"]


async def test_an_attempt_that_went_on_as_the_next_one_is_not_unclear(
    story: Story, store: SqlStore
):
    """Its body had asked in its middle, and was run again from its start."""
    fence = (await story.begin()).fence
    await store.record(fence, [called("asking", fence)])
    for attempt in (1, 2):
        start = EffectStart(
            key="k", attempt=attempt, tool_name="refund", arguments={}, tool_call_id="asking"
        )
        await store.start_effect(fence, start, None)
    told = [ToolReturned(tool_call_id="asking", status=ToolCallStatus.DONE, result="ok")]
    await store.end_effect(fence, "k", 2, EffectEnd(state=EffectState.DONE, result="ok"), told)
    await store.finish(fence, RunState.COMPLETED)
    view = await story.view(fence.chat_id)
    assert [call.status.value for call in view.tool_calls] == ["done"]
    assert "effect.uncertain" not in [line.action for line in await store.audit(APP)]


async def test_a_queued_run_can_be_cancelled_and_the_open_one_goes_on(
    story: Story, store: SqlStore
):
    claimed = await story.begin()
    queued = await story.say(claimed.fence.chat_id, "next")
    cancelled = await store.cancel_run(APP, reason="no", by="ada", run_id=queued.run_id)
    assert types(cancelled.frames) == ["message:interrupted"]
    assert await story.state(queued.run_id or "") is RunState.CANCELLED
    assert await story.state(claimed.fence.run_id) is RunState.RUNNING
    ended = await store.finish(claimed.fence, RunState.COMPLETED, lease=LEASE)
    assert ended.next_run_id is None


async def test_cancelling_what_is_over_does_nothing(story: Story, store: SqlStore):
    claimed = await story.begin()
    await story.finish(claimed.fence)
    before = await story.events(claimed.fence.chat_id)
    run_id, chat_id = claimed.fence.run_id, claimed.fence.chat_id
    for cancelled in (
        await store.cancel_run(APP, reason="late", by=None, run_id=run_id),
        await store.cancel_run(APP, reason="late", by=None, chat_id=chat_id),
    ):
        assert (cancelled.run, cancelled.frames) == (None, ())
    assert await story.events(claimed.fence.chat_id) == before
    with pytest.raises(NotFound):
        await store.cancel_run(APP, reason="x", by=None, chat_id="nowhere")
    with pytest.raises(NotFound):
        await store.cancel_run(APP, reason="x", by=None, run_id="nothing")


async def test_the_chat_before_a_run_reads_the_same_whatever_is_said_later(
    story: Story, store: SqlStore
):
    chat = await story.chat()
    first = (await story.say(chat, "first")).claimed
    assert first is not None
    await store.finish(
        first.fence, RunState.COMPLETED, events=[text("t1", "an answer", first.fence.run_id)]
    )
    held = (await story.say(chat, "second")).claimed
    assert held is not None
    await story.say(chat, "queued behind it")
    queued = await story.say(chat, "and taken back")
    await store.cancel_run(APP, reason="no", by="ada", run_id=queued.run_id)
    await store.record(held.fence, [text("t2", "half of it", held.fence.run_id)])
    start = held.start
    assert [said.content for said in start.history] == ["first", "an answer"]
    again = await store.history(APP, chat, held.fence.run_id, start.history_at)
    assert again == start.history
    assert await store.history("another", chat, held.fence.run_id, start.history_at) == []


async def test_a_saved_state_is_all_that_a_run_copies_of_its_chat(story: Story, store: SqlStore):
    """A run that goes on is given no history: its adapter asks for it where it needs it."""
    fence, waited = await story.waiting(form())
    settled = await story.answer(waited.interactions[0], yes(waited.interactions[0], values={}))
    assert settled.claimed is not None
    assert (settled.claimed.start.history, settled.claimed.start.history_at) == ([], 0)
    assert fence.run_id == settled.claimed.fence.run_id


async def test_what_has_changed_since_a_run_began_is_not_in_its_history(
    story: Story, store: SqlStore
):
    chat = await story.chat()
    first = (await story.say(chat, "first")).claimed
    assert first is not None
    await story.say(chat, "second")
    third = await story.say(chat, "third")
    ended = await store.finish(first.fence, RunState.COMPLETED, lease=LEASE)
    assert ended.claimed is not None
    start = ended.claimed.start
    assert [said.content for said in start.history] == ["first"]
    await store.cancel_run(APP, reason="no", by="ada", run_id=third.run_id)
    again = await store.history(APP, chat, start.run.id, start.history_at)
    assert again == start.history
