"""Child runs: born when their parent waits, told when they end, cancelled when it is."""

from __future__ import annotations

import pytest

from sayso.core.children import Request, child_run_id
from sayso.core.events import ToolCalled
from sayso.core.inbox import InteractionFilter
from sayso.core.ports import Store
from sayso.core.segments import SegmentStart
from sayso.core.sessions import RunState
from sayso.core.store_results import Claimed, Fence, Finished, Lease, Waited
from tests.contract.store.story import (
    APP,
    BOTH,
    LEASE,
    SAVED,
    Story,
    approval,
    handed,
    in_time,
    no,
    question,
    text,
    types,
    yes,
)


async def handing(story: Story, *requests: Request, each: bool = False) -> tuple[Fence, Waited]:
    """A run that has handed these over; the children run at once."""
    fence = (await story.begin()).fence
    return fence, await story.ask(fence, *requests, each=each, lease=BOTH)


async def ends(
    store: Store, fence: Fence, state: RunState = RunState.COMPLETED, **more: object
) -> Finished:
    return await store.finish(fence, state, lease=BOTH, **more)  # type: ignore[arg-type]


async def test_a_child_begins_with_its_task_alone_where_its_parent_begins_to_wait(
    story: Story, store: Store
) -> None:
    fence, waited = await handing(story, handed())
    assert waited.state is RunState.WAITING
    assert types(waited.frames) == [], "nobody is asked anything: the chat is still at work"
    (child,) = waited.children
    start = child.start
    assert start.run.id == child_run_id(fence.run_id, "part")
    assert start.run.agent == "clerk"
    assert start.run.task.words == "count them"
    assert start.run.person == "ada"
    assert start.run.parent_run_id == fence.run_id
    assert (start.history, start.agent_state, start.children) == ([], None, {})
    assert await store.family(APP, fence.run_id) == [start.run.id]


async def test_a_child_that_this_process_cannot_run_is_ready_for_another(
    story: Story, store: Store
) -> None:
    fence = (await story.begin()).fence
    waited = await story.ask(fence, handed(), lease=LEASE)
    assert waited.children == []
    (found,) = await store.claim_due(BOTH, limit=9, not_mine=[], at_once=False)
    assert found.fence.run_id == child_run_id(fence.run_id, "part")


async def test_the_end_of_a_child_lets_its_parent_go_on_with_its_output(
    story: Story, store: Store
) -> None:
    fence, waited = await handing(story, handed())
    (child,) = waited.children
    said = [text("m-child", "I count. Four.", child.fence.run_id)]
    ended = await ends(store, child.fence, output="Four.", events=said, memory=b"no memory")
    parent = ended.claimed
    assert parent is not None
    assert parent.fence.run_id == fence.run_id == ended.next_run_id
    told = parent.start.children["part"]
    assert (told.state, told.output, told.error) == (RunState.COMPLETED, "Four.", None)
    await ends(store, parent.fence)
    # The child has left no memory, and its words are in the chat under its parent's run.
    again = await story.say(fence.chat_id, "again", lease=BOTH)
    assert again.claimed is not None
    assert "I count. Four." in [m.content for m in again.claimed.start.history]


async def test_a_failure_and_its_reason_are_told(story: Story, store: Store) -> None:
    _, waited = await handing(story, handed())
    error = {"code": "agent_failed", "detail": "no paper"}
    ended = await ends(store, waited.children[0].fence, RunState.FAILED, error=error)
    assert ended.claimed is not None
    told = ended.claimed.start.children["part"]
    assert (told.state, told.error) == (RunState.FAILED, error)


@pytest.mark.parametrize("each", [False, True])
async def test_a_parent_of_two_goes_on_after_each_or_after_all(
    story: Story, store: Store, each: bool
) -> None:
    fence, waited = await handing(story, handed("one"), handed("two"), each=each)
    one, two = waited.children
    first = await ends(store, one.fence, output="1")
    assert (first.claimed is not None) is each
    if first.claimed is not None:
        assert set(first.claimed.start.children) == {"one"}
        # It waits for the other alone now; what it was told is no news any more.
        asked = await story.ask(first.claimed.fence, handed("two"), each=True, lease=BOTH)
        assert asked.state is RunState.WAITING
        assert asked.children == []
    last = await ends(store, two.fence, output="2")
    assert last.claimed is not None
    assert last.claimed.fence.run_id == fence.run_id
    assert {key: end.output for key, end in last.claimed.start.children.items()} == {
        "one": "1",
        "two": "2",
    }


async def test_a_child_that_ends_before_its_parent_waits_again_is_not_slept_through(
    story: Story, store: Store
) -> None:
    _, waited = await handing(story, handed("one"), handed("two"), each=True)
    one, two = waited.children
    first = await ends(store, one.fence)
    assert first.claimed is not None
    while_it_runs = await ends(store, two.fence, output="2")
    assert while_it_runs.claimed is None
    again = await story.ask(first.claimed.fence, handed("two"), each=True, lease=BOTH)
    assert again.state is RunState.READY
    assert again.claimed is not None
    assert again.claimed.start.children["two"].output == "2"


async def test_a_parent_waits_for_its_card_and_its_child(story: Story, store: Store) -> None:
    fence, waited = await handing(story, approval(), handed())
    settled = await story.answer(waited.interactions[0], yes(waited.interactions[0]), lease=BOTH)
    assert settled.run_state is RunState.WAITING
    # Nobody is asked anything any more: the chat is still at work.
    assert types(settled.frames) == ["ui_tool_complete:completed", "run:running"]
    ended = await ends(store, waited.children[0].fence)
    assert ended.claimed is not None
    assert set(ended.claimed.start.answers) == {"k"}
    assert set(ended.claimed.start.children) == {"part"}
    assert ended.claimed.fence.run_id == fence.run_id


async def test_words_that_answer_a_parent_leave_its_child_at_work(
    story: Story, store: Store
) -> None:
    fence, _ = await handing(story, question(), handed())
    posted = await story.say(fence.chat_id, "the red one", lease=BOTH)
    assert (posted.status, posted.claimed) == ("answered", None)
    assert types(posted.frames)[-1] == "run:running"


async def test_the_same_call_is_the_same_child(story: Story, store: Store) -> None:
    fence, waited = await handing(story, handed(), approval(), each=True)
    (child,) = waited.children
    settled = await story.answer(waited.interactions[0], yes(waited.interactions[0]), lease=BOTH)
    assert settled.claimed is not None
    again = await story.ask(settled.claimed.fence, handed(), each=True, lease=BOTH)
    assert again.state is RunState.WAITING
    assert again.children == []
    assert await store.family(APP, fence.run_id) == [child.fence.run_id]


async def test_the_cards_of_a_child_show_in_the_chat_and_their_answers_go_to_it(
    story: Story, store: Store
) -> None:
    fence, waited = await handing(story, handed())
    child = waited.children[0].fence
    asked = await story.ask(child, approval("pay"), lease=BOTH)
    assert types(asked.frames) == ["ui_tool", "run:waiting"]
    view = await story.view(fence.chat_id)
    assert view.run is not None
    assert (view.run.run_id, view.run.status) == (fence.run_id, "waiting")
    settled = await story.answer(asked.interactions[0], yes(asked.interactions[0]), lease=BOTH)
    assert types(settled.frames) == ["ui_tool_complete:completed", "run:running"]
    assert settled.claimed is not None
    assert settled.claimed.fence.run_id == child.run_id
    assert set(settled.claimed.start.answers) == {"pay"}
    assert await story.state(fence.run_id) is RunState.WAITING


async def test_plain_words_answer_the_free_question_of_a_child(story: Story, store: Store) -> None:
    fence, waited = await handing(story, handed())
    child = waited.children[0].fence
    await story.ask(child, question(), lease=BOTH)
    posted = await story.say(fence.chat_id, "the red one", lease=BOTH)
    assert posted.status == "answered"
    assert posted.run_id == fence.run_id
    assert posted.claimed is not None
    assert posted.claimed.fence.run_id == child.run_id
    answer = posted.claimed.start.answers["q"].response
    assert answer is not None
    assert answer.response_data.additional_notes == "the red one"


async def test_a_message_meanwhile_is_queued_and_starts_after_the_parent(
    story: Story, store: Store
) -> None:
    fence, waited = await handing(story, handed())
    posted = await story.say(fence.chat_id, "and then?", lease=BOTH)
    assert posted.status == "queued"
    ended = await ends(store, waited.children[0].fence)
    assert ended.claimed is not None
    assert ended.claimed.fence.run_id == fence.run_id
    last = await ends(store, ended.claimed.fence)
    assert last.next_run_id == posted.run_id


@pytest.mark.parametrize("how", ["cancel", "supersede", "parent_ends"])
async def test_what_ends_the_parent_ends_its_children_and_theirs(
    story: Story, store: Store, how: str
) -> None:
    fence, waited = await handing(story, handed(), approval(), each=True)
    child = waited.children[0].fence
    grand = await story.ask(child, handed("deeper"), lease=BOTH)
    (grandchild,) = grand.children
    family = [child.run_id, grandchild.fence.run_id]
    assert await store.family(APP, fence.run_id) == family
    asked = await story.ask(grandchild.fence, approval("pay"), lease=BOTH)
    match how:
        case "cancel":
            cancelled = await store.cancel_run(APP, reason="no", by="ada", chat_id=fence.chat_id)
            assert cancelled.run is not None
            assert cancelled.run.id == fence.run_id
        case "supersede":
            assert (await story.say(fence.chat_id, supersede=True)).status == "superseded"
        case _:
            settled = await story.answer(waited.interactions[0], no(waited.interactions[0]))
            assert settled.claimed is not None
            await ends(store, settled.claimed.fence, RunState.FAILED)
    for run_id in family:
        assert await story.state(run_id) is RunState.CANCELLED
    it = await store.interaction(APP, asked.interactions[0].id)
    assert it is not None
    assert it.state.is_final
    open_cards = InteractionFilter(chat_id=fence.chat_id)
    assert all(i.state.is_final for i in await store.interactions(APP, open_cards))


async def test_a_running_child_of_a_cancelled_parent_is_named_so_that_it_stops(
    story: Story, store: Store
) -> None:
    fence, waited = await handing(story, handed())
    cancelled = await store.cancel_run(APP, reason="no", by="ada", run_id=fence.run_id)
    assert cancelled.stopped == [waited.children[0].fence.run_id]


async def test_a_child_that_is_cancelled_alone_tells_its_parent_why(
    story: Story, store: Store
) -> None:
    fence, waited = await handing(story, handed())
    child = waited.children[0].fence
    cancelled = await store.cancel_run(
        APP, reason="not that", by="ada", run_id=child.run_id, lease=BOTH
    )
    assert cancelled.claimed is not None
    assert cancelled.claimed.fence.run_id == fence.run_id
    told = cancelled.claimed.start.children["part"]
    assert (told.state, told.output) == (RunState.CANCELLED, "not that")


async def test_an_expiry_that_cancels_ends_the_child_and_not_its_parent(
    story: Story, store: Store
) -> None:
    fence, waited = await handing(story, handed())
    await story.ask(waited.children[0].fence, approval("pay", **in_time(5, "cancel")), lease=BOTH)
    story.clock.advance(seconds=6)
    settled = await store.expire_one(now=story.clock.now(), lease=BOTH)
    assert settled is not None
    assert settled.claimed is not None
    assert settled.claimed.fence.run_id == fence.run_id
    assert settled.claimed.start.children["part"].output == "Nobody answered in time."


async def test_an_expiry_that_cancels_a_parent_names_its_child_so_that_it_stops(
    story: Story, store: Store
) -> None:
    _, waited = await handing(story, handed(), approval(**in_time(5, "cancel")))
    story.clock.advance(seconds=6)
    settled = await store.expire_one(now=story.clock.now(), lease=BOTH)
    assert settled is not None
    assert settled.stopped == [waited.children[0].fence.run_id]


async def test_a_takeover_of_parent_and_child_loses_neither(story: Story, store: Store) -> None:
    fence, waited = await handing(story, handed())
    heir = Lease("lock:two", 30.0, frozenset({"desk", "clerk"}))
    taken = await store.claim_due(heir, limit=9, not_mine=[], at_once=True)
    assert [one.fence.run_id for one in taken] == [waited.children[0].fence.run_id]
    ended = await store.finish(taken[0].fence, RunState.COMPLETED, output="Four.", lease=heir)
    assert ended.claimed is not None
    # The parent's segment dies before it has done anything with it: the next is told the same.
    again = await store.claim_due(
        Lease("lock:three", 30.0, frozenset({"desk"})), limit=9, not_mine=[], at_once=True
    )
    assert [_told(one) for one in again] == [_told(ended.claimed)] == ["Four."]
    assert again[0].fence.run_id == fence.run_id


async def test_another_tenant_has_no_such_family(story: Story, store: Store) -> None:
    fence, _ = await handing(story, handed())
    assert await store.family("other", fence.run_id) == []


async def test_a_call_in_the_chat_is_named_like_the_child_it_started(
    story: Story, store: Store
) -> None:
    """Who follows a run knows its children by its calls alone."""
    fence = (await story.begin()).fence
    call = ToolCalled(
        tool_call_id=child_run_id(fence.run_id, "part"),
        name="ask_clerk",
        arguments={"task": "count"},
        run_id=fence.run_id,
    )
    waited = await store.wait(
        fence, SAVED, [handed()], resume_each=False, events=[call], lease=BOTH
    )
    assert waited.children[0].fence.run_id == call.tool_call_id


def _told(claimed: Claimed) -> str:
    start: SegmentStart = claimed.start
    return start.children["part"].output


async def test_the_child_of_another_run_holds_up_nobody(story: Story, store: Store) -> None:
    await handing(story, handed())
    _, waited = await story.waiting(approval())
    (it,) = waited.interactions
    assert (await story.answer(it, yes(it))).run_state is RunState.RUNNING
