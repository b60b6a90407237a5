"""Effects: begun once, ended once, by whoever knows the truth."""

from dataclasses import replace

import pytest

from sayso.core.cards import UncertainEffectCard
from sayso.core.children import Request
from sayso.core.effects import (
    Effect,
    EffectEnd,
    EffectStart,
    EffectState,
    EndSource,
    KeyHeld,
    uncertain_key,
)
from sayso.core.errors import LeaseLost, NotFound
from sayso.core.events import (
    ChatEvent,
    ErrorShown,
    ToolCallStatus,
    ToolReturned,
    ToolUiOpened,
)
from sayso.core.interactions import (
    CardRequest,
    Interaction,
    InteractionResponse,
    InteractionState,
    ResponseData,
)
from sayso.core.messages import message
from sayso.core.sessions import RunState
from sayso.core.store_results import Claimed, Fence, Settled
from sayso.core.tool_ui import ToolUi
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
    text,
    types,
    yes,
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
    run = await store.run(APP, claimed.fence.run_id)
    assert run is not None
    assert run.saved == SAVED, "where there is nothing newer, what was kept stays"


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


async def test_of_a_run_that_is_not_there_nothing_ends(story: Story, store: SqlStore):
    nowhere = replace((await story.begin()).fence, run_id="nowhere")
    with pytest.raises(NotFound, match="no run 'nowhere'"):
        await store.end_effect(nowhere, "refund:1001", 1, DONE, [])


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
    assert taken.start.run.saved == SAVED
    effect = taken.start.effects["refund:1001"]
    assert effect.state is EffectState.DONE
    assert isinstance(effect.result, dict)
    assert effect.result["refunded"] == 10


async def test_the_audit_line_tells_the_arguments_as_the_calls_own_row_does(
    story: Story, store: SqlStore
):
    claimed = await acting(story, store)
    masked = told().model_copy(update={"arguments": {"amount": "•••"}})
    before = text("x", "Nearly there.", claimed.fence.run_id)
    await store.end_effect(claimed.fence, "refund:1001", 1, DONE, [before, masked])
    line = (await store.audit(APP))[0]
    assert line.body["arguments"] == {"amount": "•••"}


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


async def test_a_run_that_waits_keeps_the_state_it_waits_with(story: Story, store: SqlStore):
    claimed = await acting(story, store)
    await story.ask(claimed.fence, form())
    late = replace(SAVED, blob=b"late")
    await store.end_effect(claimed.fence, "refund:1001", 1, DONE, [told()], saved=late)
    run = await store.run(APP, claimed.fence.run_id)
    assert run is not None
    assert run.saved == SAVED


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
    unclear = replace(unsure, result={"status": "error"})
    assert await store.end_effect(slow.fence, "refund:1001", 1, unclear, []) == []
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
    line = (await store.audit(APP))[0]
    assert line.body["reason"] == message("run.result_came")
    again = await store.claim(APP, slow.fence.run_id, LEASE)
    assert again is not None
    assert again.start.effects["refund:1001"].state is EffectState.DONE


@pytest.mark.parametrize("each", [False, True], ids=["alone", "each"])
async def test_a_true_result_lets_its_run_go_on_at_once(
    story: Story, store: SqlStore, clock: FakeClock, each: bool
):
    """As an answer does: whoever writes the end claims the run, where nothing else is open."""
    slow = await acting(story, store)
    clock.advance(seconds=31)
    taken = await store.claim(APP, slow.fence.run_id, LEASE)
    assert taken is not None
    others = [form()] if each else []
    await story.ask(taken.fence, uncertain_card(clock), *others, each=each)
    settled = await store.end_effect(slow.fence, "refund:1001", 1, DONE, [told()], lease=LEASE)
    assert isinstance(settled, Settled)
    assert settled.claimed is not None
    assert settled.claimed.start.effects["refund:1001"].state is EffectState.DONE
    assert settled.interaction.applied_fence == settled.claimed.fence.number


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


async def judged(
    story: Story, store: SqlStore, clock: FakeClock, option: str
) -> tuple[Fence, Claimed, Interaction]:
    """A slow owner's fence, the segment that has taken over, and what a person said of the call."""
    slow = await acting(story, store)
    clock.advance(seconds=31)
    taken = await store.claim(APP, slow.fence.run_id, LEASE)
    assert taken is not None
    unsure = EffectEnd(state=EffectState.UNCERTAIN)
    await store.end_effect(taken.fence, "refund:1001", 1, unsure, [told(ToolCallStatus.UNCERTAIN)])
    waited = await story.ask(taken.fence, uncertain_card(clock))
    it = waited.interactions[0]
    settled = await story.answer(it, yes(it, selected_option=option))
    assert settled.claimed is not None
    return slow.fence, settled.claimed, it


async def actions(store: SqlStore) -> list[str]:
    return [line.action for line in await store.audit(APP)]


async def newest(store: SqlStore, clock: FakeClock, fence: Fence) -> Effect:
    """The call's newest attempt, as whoever takes the run over next is told it."""
    clock.advance(seconds=31)
    taken = await store.claim(APP, fence.run_id, LEASE)
    assert taken is not None
    return taken.start.effects["refund:1001"]


SKIPPED = EffectEnd(state=EffectState.NOT_EXECUTED, error="skipped", told_by=EndSource.PERSON)


@pytest.mark.parametrize("applied", [False, True], ids=["answered", "carried out"])
async def test_a_true_result_stands_beside_a_persons_skip(
    story: Story, store: SqlStore, clock: FakeClock, applied: bool
):
    slow, owner, it = await judged(story, store, clock, "skip")
    if applied:
        await store.end_effect(owner.fence, "refund:1001", 1, SKIPPED, [])
    frames = await store.end_effect(slow, "refund:1001", 1, DONE, [told()])
    assert types(frames) == ["tool_result:done", "error"]
    assert (await actions(store))[:2] == ["effect.contradicted", "effect.done"]
    line = (await store.audit(APP))[0]
    assert (line.actor, line.body["said"], line.body["interaction_id"]) == ("ada", "skip", it.id)
    view = await story.view(slow.chat_id)
    assert view.tool_calls[0].status is ToolCallStatus.DONE
    card = view.messages[-1].metadata["ui_tool"]
    assert isinstance(card, dict)
    assert isinstance(card["payload"], dict)
    meta = card["payload"]["sayso"]
    assert isinstance(meta, dict)
    assert (meta["run_id"], meta["tool_call_id"]) == (slow.run_id, "call-1")
    assert isinstance(frames, list)
    told_beside = frames[-1].body
    assert isinstance(told_beside, ChatEvent)
    assert isinstance(told_beside.data, ErrorShown)
    assert told_beside.data.run_id == slow.run_id
    shown = str(card)
    assert "ran after all" in shown
    assert "effect.contradicted" in shown, "its text can be said in other languages"
    kept = await store.interaction(APP, it.id)
    assert kept is not None
    assert kept.response is not None
    assert kept.response.response_data.selected_option == "skip", "the person's word stays"
    assert await store.end_effect(slow, "refund:1001", 1, DONE, [told()]) == [], "told before"
    # The segment that carries the skip out comes after the truth, and changes nothing of it.
    assert await store.end_effect(owner.fence, "refund:1001", 1, SKIPPED, []) == []
    assert (await newest(store, clock, slow)).state is EffectState.DONE


async def test_a_true_result_comes_while_the_call_is_run_again(
    story: Story, store: SqlStore, clock: FakeClock
):
    slow, owner, _ = await judged(story, store, clock, "run_again")
    await store.start_effect(owner.fence, refund(attempt=2), SAVED)
    frames = await store.end_effect(slow, "refund:1001", 1, DONE, [told()])
    assert types(frames) == ["error"], "the row tells the newest attempt"
    assert "effect.contradicted" in await actions(store)
    view = await story.view(slow.chat_id)
    assert "run twice" in str(view.messages[-1].metadata["ui_tool"])
    frames = await store.end_effect(owner.fence, "refund:1001", 2, DONE, [told()])
    assert types(frames) == ["tool_result:done"]


async def test_of_what_nobody_was_asked_about_every_end_is_told(story: Story, store: SqlStore):
    """Its tool may be run as often as need be, and so it was."""
    fence = (await acting(story, store)).fence
    await store.start_effect(fence, refund(attempt=2), None)
    for attempt in (1, 2):
        frames = await store.end_effect(fence, "refund:1001", attempt, DONE, [told()])
        assert types(frames) == ["tool_result:done"]


async def test_what_has_turned_out_to_be_done_is_not_run_again(
    story: Story, store: SqlStore, clock: FakeClock
):
    slow, owner, _ = await judged(story, store, clock, "run_again")
    frames = await store.end_effect(slow, "refund:1001", 1, DONE, [told()])
    assert types(frames) == ["tool_result:done", "error"], "no later attempt has the row"
    with pytest.raises(LeaseLost):
        await store.start_effect(owner.fence, refund(attempt=2), SAVED)
    assert (await newest(store, clock, slow)).state is EffectState.DONE


@pytest.mark.parametrize(
    ("option", "end"),
    [
        ("mark_done", DONE),
        ("skip", EffectEnd(state=EffectState.NOT_EXECUTED, error="the server is away")),
        ("run_again", EffectEnd(state=EffectState.FAILED, error="no")),
    ],
)
async def test_a_true_result_that_says_what_the_person_said_contradicts_nobody(
    story: Story, store: SqlStore, clock: FakeClock, option: str, end: EffectEnd
):
    slow, _, _ = await judged(story, store, clock, option)
    await store.end_effect(slow, "refund:1001", 1, end, [told()])
    assert "effect.contradicted" not in await actions(store)


async def test_a_call_that_was_taken_as_done_and_was_not(
    story: Story, store: SqlStore, clock: FakeClock
):
    slow, owner, _ = await judged(story, store, clock, "mark_done")
    marked = EffectEnd(state=EffectState.DONE, result="so I hear", told_by=EndSource.PERSON)
    await store.end_effect(owner.fence, "refund:1001", 1, marked, [told()])
    failed = EffectEnd(state=EffectState.FAILED, error="refused")
    frames = await store.end_effect(slow, "refund:1001", 1, failed, [told(ToolCallStatus.FAILED)])
    assert types(frames) == ["tool_result:failed", "error"]
    view = await story.view(slow.chat_id)
    assert "did not run" in str(view.messages[-1].metadata["ui_tool"])
    assert await store.end_effect(slow, "refund:1001", 1, failed, [told()]) == [], "told before"
    assert (await newest(store, clock, slow)).state is EffectState.FAILED


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
    ui = ToolUi(server="shop", resource_uri="ui://refund")
    await store.record(claimed.fence, [ToolUiOpened(tool_call_id="call-1", ui=ui)])
    shown = await store.tool_call(APP, "call-1")
    assert shown is not None
    assert (found.ui, shown.ui) == (None, ui)
    await store.record(claimed.fence, [called("call-2", claimed.fence)])
    unbegun = await store.tool_call(APP, "call-2")
    assert unbegun is not None
    assert unbegun.effect is None
    assert await store.tool_call(APP, "nothing") is None
    assert await store.tool_call("other", "call-1") is None


# ── business keys ──


def keyed(key: str, *, attempt: int = 1, under: str = "refund:1001") -> EffectStart:
    return EffectStart(
        key=key, attempt=attempt, tool_name="refund", arguments={}, business_key=under
    )


@pytest.mark.parametrize("end", [None, DONE, EffectEnd(state=EffectState.UNCERTAIN)])
async def test_a_business_key_is_held_by_one_effect_of_the_tenant(
    story: Story, store: SqlStore, end: EffectEnd | None
):
    first, second = await story.begin(), await story.begin()
    await store.start_effect(first.fence, keyed("one"), None)
    if end is not None:
        await store.end_effect(first.fence, "one", 1, end, [])
    with pytest.raises(KeyHeld) as held:
        await store.start_effect(second.fence, keyed("one"), SAVED)
    assert held.value.holder.key == "one"
    assert await store.effect_under(APP, "refund:1001") == held.value.holder
    assert await store.effect_under("another", "refund:1001") is None
    await store.start_effect(second.fence, keyed("one", under="refund:1002"), None)
    run = await store.run(APP, second.fence.run_id)
    assert run is not None
    assert run.saved is None, "what did not begin has left nothing behind"


@pytest.mark.parametrize("state", [EffectState.FAILED, EffectState.NOT_EXECUTED])
async def test_what_failed_or_was_not_executed_frees_its_key(
    story: Story, store: SqlStore, state: EffectState
):
    first, second = await story.begin(), await story.begin()
    await store.start_effect(first.fence, keyed("one"), None)
    await store.end_effect(first.fence, "one", 1, EffectEnd(state=state, error="no"), [])
    assert await store.effect_under(APP, "refund:1001") is None
    await store.start_effect(second.fence, keyed("one"), None)


async def test_the_next_attempt_of_a_call_has_its_key(story: Story, store: SqlStore):
    first, second = await story.begin(), await story.begin()
    unsure = EffectEnd(state=EffectState.UNCERTAIN)
    await store.start_effect(first.fence, keyed("one"), None)
    await store.end_effect(first.fence, "one", 1, unsure, [])
    await store.start_effect(first.fence, keyed("one", attempt=2), None)
    holder = await store.effect_under(APP, "refund:1001")
    assert holder is not None
    assert holder.attempt == 2
    await store.end_effect(first.fence, "one", 1, DONE, [])  # the first came to an end after all
    with pytest.raises(KeyHeld):
        await store.start_effect(second.fence, keyed("one"), None)


async def test_an_attempt_with_a_key_begins_once(story: Story, store: SqlStore):
    claimed = await story.begin()
    await store.start_effect(claimed.fence, keyed("one"), None)
    with pytest.raises(LeaseLost):
        await store.start_effect(claimed.fence, keyed("one"), None)


@pytest.mark.parametrize("is_taken", [True, False])
async def test_a_late_truth_is_kept_although_another_call_has_taken_the_key(
    story: Story, store: SqlStore, clock: FakeClock, is_taken: bool
):
    slow, second = await story.begin(), await story.begin()
    await store.start_effect(slow.fence, keyed("one"), None)
    unsure = EffectEnd(state=EffectState.UNCERTAIN)
    await store.end_effect(slow.fence, "one", 1, unsure, [])
    card = UncertainEffectCard(
        title="Refund", tool_name="refund", tool_params={}, started_at=clock.now(), attempt=1
    )
    asked = request(uncertain_key("one", 1), card, ui_tool_id="uncertain_effect")
    waited = await story.ask(slow.fence, asked)
    skip = InteractionResponse(
        interaction_id=waited.interactions[0].id,
        approved=True,
        response_data=ResponseData(selected_option="skip"),
    )
    await story.answer(waited.interactions[0], skip)
    skipped = EffectEnd(state=EffectState.NOT_EXECUTED, error="skipped", told_by=EndSource.PERSON)
    await store.end_effect(slow.fence, "one", 1, skipped, [])
    if is_taken:
        await store.start_effect(second.fence, keyed("one"), None)
    await store.end_effect(slow.fence, "one", 1, DONE, [])  # it had acted all the same
    holder = await store.effect_under(APP, "refund:1001")
    assert holder is not None
    state = EffectState.STARTED if is_taken else EffectState.DONE
    assert holder.state is state, "the second one has it, if there is one"
