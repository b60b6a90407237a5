"""What became of what people decided: each decision with its own attempt, and none made up."""

from __future__ import annotations

from sayso.core.effects import EffectEnd, EffectStart, EffectState
from sayso.core.events import ToolCallStatus, ToolReturned
from sayso.core.interactions import InteractionState
from sayso.core.record import Allowed, KnownState, Outcome, OutcomeState
from sayso.store.store import SqlStore
from tests.contract.store.story import APP, Story, approval, called, no, yes


async def test_each_decision_is_told_with_its_own_attempt(story: Story, store: SqlStore):
    fence = (await story.begin()).fence
    calls = ["call-a", "call-b", "call-c"]
    await store.record(fence, [called(call, fence) for call in calls])
    waited = await story.ask(fence, *(approval(key) for key in "abc"))
    paid, waits, refused = waited.interactions
    await story.answer(paid, yes(paid))
    await story.answer(refused, no(refused))
    settled = await story.answer(waits, yes(waits))
    assert settled.claimed is not None
    at_work = settled.claimed.fence
    allowed = Allowed(interaction_id=paid.id)
    start = EffectStart(
        key="a",
        attempt=1,
        tool_name="refund",
        arguments={},
        tool_call_id="call-a",
        allowed=allowed,
    )
    await store.start_effect(at_work, start, None)
    end = EffectEnd(state=EffectState.FAILED, error="No money")
    told = ToolReturned(tool_call_id="call-a", status=ToolCallStatus.FAILED, error="No money")
    await store.end_effect(at_work, "a", 1, end, [told])

    known = [it for it in [await store.interaction(APP, it.id) for it in waited.interactions] if it]
    found = await store.accounts(APP, known)
    states = {key: found[it.id].state for key, it in zip("abc", known, strict=True)}
    assert states == {"a": KnownState.FAILED, "b": KnownState.NOT_YET, "c": KnownState.NOT_RUN}
    assert (found[paid.id].error, found[waits.id].error) == ("No money", None)


async def test_of_what_nobody_decided_nothing_is_told(story: Story, store: SqlStore):
    fence, waited = await story.waiting(approval())
    await store.cancel_run(APP, reason="stop", by="ada", run_id=fence.run_id)
    it = await store.interaction(APP, waited.interactions[0].id)
    assert it is not None
    assert it.state is InteractionState.CANCELLED
    assert await store.accounts(APP, [it]) == {}


async def test_a_run_that_ended_without_its_call_leaves_nothing_to_tell(
    story: Story, store: SqlStore
):
    """`NOT_YET` would promise what nobody does any more."""
    _, waited = await story.waiting(approval())
    settled = await story.answer(waited.interactions[0], yes(waited.interactions[0]))
    assert settled.claimed is not None
    await story.finish(settled.claimed.fence)
    it = await store.interaction(APP, waited.interactions[0].id)
    assert it is not None
    assert await store.accounts(APP, [it]) == {}


async def test_what_did_not_run_is_told_without_the_arguments_of_a_run(
    story: Story, store: SqlStore
):
    fence = (await story.begin()).fence
    await store.record(fence, [called("call-k", fence)])
    waited = await story.ask(fence, approval())
    asked = waited.interactions[0]
    settled = await story.answer(asked, yes(asked))
    assert settled.claimed is not None
    outcome = Outcome(interaction_id=asked.id, state=OutcomeState.NOT_RUN)
    told = ToolReturned(tool_call_id="call-k", status=ToolCallStatus.FAILED, outcome=outcome)
    await store.record(settled.claimed.fence, [told])
    it = await store.interaction(APP, asked.id)
    assert it is not None
    account = (await store.accounts(APP, [it]))[asked.id]
    assert (account.state, account.arguments) == (KnownState.NOT_RUN, None)
