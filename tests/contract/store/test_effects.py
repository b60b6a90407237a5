"""Effects: begun once, ended once, by whoever knows the truth."""

from dataclasses import replace

import pytest

from sayso.core.cards import UncertainEffectCard
from sayso.core.children import Request
from sayso.core.effects import EffectEnd, EffectStart, EffectState, uncertain_key
from sayso.core.errors import LeaseLost, NotFound
from sayso.core.events import ToolCallStatus, ToolReturned
from sayso.core.interactions import CardRequest, InteractionState
from sayso.core.sessions import RunState
from sayso.core.transactions import Claimed, Settled
from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock
from tests.contract.store.story import (
    APP,
    LEASE,
    SAVED,
    Story,
    called,
    form,
    handed,
    request,
    types,
)

DONE = EffectEnd(state=EffectState.DONE, result={"refunded": 10, "big": 2**70})


def refund(attempt: int = 1) -> EffectStart:
    return EffectStart(
        key="refund:1001",
        attempt=attempt,
        tool_name="refund",
        arguments={"amount": 10},
        tool_call_id="call-1",
        shown_digest="sha256:shown",
        executed_digest="sha256:executed",
    )


def told(status: ToolCallStatus = ToolCallStatus.DONE) -> ToolReturned:
    return ToolReturned(tool_call_id="call-1", status=status, result="ok")


def uncertain_card(clock: FakeClock) -> CardRequest:
    card = UncertainEffectCard(
        title="Refund", tool_name="refund", tool_params={}, started_at=clock.now(), attempt=1
    )
    return request(uncertain_key("refund:1001", 1), card, ui_tool_id="uncertain_effect")


async def acting(story: Story, store: SqlStore) -> Claimed:
    """A run whose refund has begun."""
    claimed = await story.begin()
    await store.record(claimed.fence, [called("call-1", claimed.fence)])
    await store.start_effect(claimed.fence, refund(), SAVED)
    return claimed


async def test_an_effect_and_the_state_to_go_on_from_are_one_commit(
    story: Story, store: SqlStore, clock: FakeClock
):
    claimed = await acting(story, store)
    clock.advance(seconds=31)
    taken = await store.claim(APP, claimed.fence.run_id, LEASE)
    assert taken is not None
    assert taken.start.run.saved == SAVED
    effect = taken.start.effects["refund:1001"]
    assert (effect.state, effect.attempt, effect.arguments) == (
        EffectState.STARTED,
        1,
        {"amount": 10},
    )
    assert (effect.shown_digest, effect.executed_digest) == ("sha256:shown", "sha256:executed")


async def test_an_attempt_begins_once(story: Story, store: SqlStore):
    claimed = await acting(story, store)
    with pytest.raises(LeaseLost):
        await store.start_effect(claimed.fence, refund(), None)
    await store.start_effect(claimed.fence, refund(attempt=2), None)


async def test_a_call_never_tried_before_counts_as_getting_somewhere(
    story: Story, store: SqlStore, clock: FakeClock
):
    fence = (await acting(story, store)).fence
    takeovers = []
    for attempt in (2, 1, 2):
        clock.advance(seconds=31)
        taken = await store.claim(APP, fence.run_id, LEASE)
        assert taken is not None
        takeovers.append(taken.start.run.takeovers)
        key = f"call-{attempt}" if attempt == 1 else f"call-{len(takeovers)}"
        start = EffectStart(key=key, attempt=attempt, tool_name="refund", arguments={})
        await store.start_effect(taken.fence, start, None)
    assert takeovers == [1, 2, 1], "a first attempt starts the count again, a second one does not"


async def test_a_cancelled_run_begins_nothing(story: Story, store: SqlStore):
    claimed = await story.begin()
    await store.cancel_run(APP, reason="stop", by=None, run_id=claimed.fence.run_id)
    with pytest.raises(LeaseLost):
        await store.start_effect(claimed.fence, refund(), None)


async def test_an_end_is_recorded_with_its_events_and_an_audit_line(
    story: Story, store: SqlStore, clock: FakeClock
):
    claimed = await acting(story, store)
    frames = await store.end_effect(claimed.fence, "refund:1001", 1, DONE, [told()])
    assert types(frames) == ["tool_result:done"]
    line = (await store.audit(APP))[0]
    assert (line.action, line.subject) == ("effect.done", "refund:1001")
    assert line.body["shown_digest"] == "sha256:shown"
    assert line.body["executed_digest"] == "sha256:executed"
    clock.advance(seconds=31)
    taken = await store.claim(APP, claimed.fence.run_id, LEASE)
    assert taken is not None
    effect = taken.start.effects["refund:1001"]
    assert effect.state is EffectState.DONE
    assert isinstance(effect.result, dict)
    assert effect.result["refunded"] == 10


async def test_the_state_that_a_call_has_changed_is_kept_with_its_end_by_the_owner_alone(
    story: Story, store: SqlStore, clock: FakeClock
):
    slow = await acting(story, store)
    clock.advance(seconds=31)
    taken = await store.claim(APP, slow.fence.run_id, LEASE)
    assert taken is not None
    await store.start_effect(taken.fence, refund(attempt=2), SAVED)
    newer, older = replace(SAVED, blob=b"newer"), replace(SAVED, blob=b"older")
    await store.end_effect(taken.fence, "refund:1001", 2, DONE, [told()], saved=newer)
    await store.end_effect(slow.fence, "refund:1001", 1, DONE, [told()], saved=older)
    run = await store.run(APP, slow.fence.run_id)
    assert run is not None
    assert run.saved == newer


async def test_an_end_is_told_once(story: Story, store: SqlStore):
    claimed = await acting(story, store)
    await store.end_effect(claimed.fence, "refund:1001", 1, DONE, [told()])
    failed = EffectEnd(state=EffectState.FAILED, error="no")
    again = await store.end_effect(claimed.fence, "refund:1001", 1, failed, [told()])
    assert again == []
    with pytest.raises(NotFound):
        await store.end_effect(claimed.fence, "refund:1001", 7, DONE, [])


async def test_a_true_result_is_kept_after_a_cancellation(story: Story, store: SqlStore):
    claimed = await acting(story, store)
    await store.cancel_run(APP, reason="stop", by=None, run_id=claimed.fence.run_id)
    frames = await store.end_effect(claimed.fence, "refund:1001", 1, DONE, [told()])
    assert types(frames) == ["tool_result:done"]
    view = await story.view(claimed.fence.chat_id)
    assert view.tool_calls[0].status is ToolCallStatus.DONE
    assert await story.state(claimed.fence.run_id) is RunState.CANCELLED


async def test_a_true_result_settles_the_card_that_asked_what_became_of_it(
    story: Story, store: SqlStore, clock: FakeClock
):
    slow = await acting(story, store)
    clock.advance(seconds=31)
    taken = await store.claim(APP, slow.fence.run_id, LEASE)
    assert taken is not None
    unsure = EffectEnd(state=EffectState.UNCERTAIN)
    await store.end_effect(taken.fence, "refund:1001", 1, unsure, [told(ToolCallStatus.UNCERTAIN)])
    waited = await story.ask(taken.fence, uncertain_card(clock))
    settled = await store.end_effect(slow.fence, "refund:1001", 1, DONE, [told()])
    assert isinstance(settled, Settled)
    assert types(settled.frames) == [
        "tool_result:done",
        "ui_tool_complete:completed",
        "run:ready",
    ]
    assert settled.interaction.id == waited.interactions[0].id
    assert settled.interaction.state is InteractionState.COMPLETED
    response = settled.interaction.response
    assert response is not None
    assert response.response_data.selected_option == "mark_done"
    again = await store.claim(APP, slow.fence.run_id, LEASE)
    assert again is not None
    assert again.start.effects["refund:1001"].state is EffectState.DONE


@pytest.mark.parametrize("other", [form(), handed()], ids=["card", "child"])
async def test_a_true_result_leaves_what_else_the_run_waits_for(
    story: Story, store: SqlStore, clock: FakeClock, other: Request
):
    slow = await acting(story, store)
    clock.advance(seconds=31)
    taken = await store.claim(APP, slow.fence.run_id, LEASE)
    assert taken is not None
    await story.ask(taken.fence, uncertain_card(clock), other)
    settled = await store.end_effect(slow.fence, "refund:1001", 1, DONE, [told()])
    assert isinstance(settled, Settled)
    assert settled.run_state is RunState.WAITING


async def test_a_person_may_say_what_became_of_it_before_the_result_comes(
    story: Story, store: SqlStore, clock: FakeClock
):
    slow = await acting(story, store)
    clock.advance(seconds=31)
    taken = await store.claim(APP, slow.fence.run_id, LEASE)
    assert taken is not None
    waited = await story.ask(taken.fence, uncertain_card(clock))
    settled = await story.answer(waited.interactions[0])
    assert settled.claimed is not None
    frames = await store.end_effect(slow.fence, "refund:1001", 1, DONE, [told()])
    assert types(frames) == ["tool_result:done"]
    assert await story.state(slow.fence.run_id) is RunState.RUNNING


async def test_only_the_newest_attempt_counts(story: Story, store: SqlStore, clock: FakeClock):
    claimed = await acting(story, store)
    not_executed = EffectEnd(state=EffectState.NOT_EXECUTED, error="the server is away")
    await store.end_effect(claimed.fence, "refund:1001", 1, not_executed, [])
    await store.start_effect(claimed.fence, refund(attempt=2), None)
    clock.advance(seconds=31)
    taken = await store.claim(APP, claimed.fence.run_id, LEASE)
    assert taken is not None
    assert {e.attempt for e in taken.start.effects.values()} == {2}


async def test_a_tool_call_is_found_with_its_last_effect(story: Story, store: SqlStore):
    claimed = await acting(story, store)
    found = await store.tool_call(APP, "call-1")
    assert found is not None
    assert (found.chat_id, found.run_id, found.tool_name, found.status) == (
        claimed.fence.chat_id,
        claimed.fence.run_id,
        "refund",
        "running",
    )
    assert found.effect is not None
    assert found.effect.state is EffectState.STARTED
    assert await store.tool_call(APP, "nothing") is None
    assert await store.tool_call("other", "call-1") is None
