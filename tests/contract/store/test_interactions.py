"""Interactions: asked, answered once, dismissed, extended, expired, listed."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from sayso.core.errors import (
    AlreadySettled,
    IdempotencyKeyReused,
    InvalidInput,
    NotFound,
    StaleDigest,
    VersionConflict,
)
from sayso.core.events import ChatEvent, UiToolOpened
from sayso.core.inbox import InteractionFilter
from sayso.core.interactions import InteractionResponse, InteractionState
from sayso.core.messages import message
from sayso.core.sessions import RunState
from sayso.core.store_results import AnsweredTooLate, Checked, Lease, Moved
from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock
from tests.contract.store.story import (
    APP,
    LEASE,
    SAVED,
    Story,
    approval,
    form,
    in_time,
    no,
    question,
    types,
    yes,
)


async def stored(store: SqlStore, interaction_id: str):
    it = await store.interaction(APP, interaction_id)
    assert it is not None
    return it


# ── asking ──


async def test_waiting_opens_a_card_for_each_request_in_one_batch(story: Story, store: SqlStore):
    fence, waited = await story.waiting(approval("a"), form("b"), question("c"))
    assert waited.state is RunState.WAITING
    assert types(waited.frames) == ["ui_tool", "ui_tool", "ui_tool", "run:waiting"]
    assert [it.call_key for it in waited.interactions] == ["a", "b", "c"]
    assert len({it.batch_id for it in waited.interactions}) == 1
    for it in waited.interactions:
        assert await stored(store, it.id) == it
    run = await store.run(APP, fence.run_id)
    assert run is not None
    assert (run.saved, run.owner, run.lease_until) == (SAVED, None, None)
    cards = [m.metadata["ui_tool"] for m in (await story.view(fence.chat_id)).messages[1:]]
    assert [card["payload"]["sayso"]["batch_id"] for card in cards] == [  # type: ignore[call-overload,index]
        waited.interactions[0].batch_id
    ] * 3
    assert [card["event_id"] for card in cards] == [it.id for it in waited.interactions]  # type: ignore[call-overload,index]


async def test_a_stage_of_the_workflow_reaches_the_card(story: Story):
    fence, _ = await story.waiting(approval(workflow_stage="review"))
    card = (await story.view(fence.chat_id)).messages[-1].metadata["ui_tool"]
    assert card["payload"]["context"]["workflow_stage"] == "review"  # type: ignore[call-overload,index]


async def test_what_its_agent_says_beside_a_card_reaches_the_chat(story: Story):
    _, waited = await story.waiting(approval("a", metadata={"n": 1}), approval("b"))
    bodies = [frame.body for frame in waited.frames if isinstance(frame.body, ChatEvent)]
    opened = [body.data for body in bodies if isinstance(body.data, UiToolOpened)]
    assert [data.metadata for data in opened] == [{"n": 1}, None]


async def test_asking_again_with_the_same_key_is_the_same_interaction(
    story: Story, store: SqlStore, clock: FakeClock
):
    fence, first = await story.waiting(question("a"), question("b", **in_time(60)), each=True)
    settled = await story.answer(first.interactions[0])
    assert settled.claimed is not None
    clock.advance(seconds=10)
    again = await story.ask(
        settled.claimed.fence, question("a"), question("b", **in_time(60)), question("c"), each=True
    )
    assert types(again.frames) == ["ui_tool", "run:waiting"], "only c is new"
    a, b, c = again.interactions
    assert (a.id, a.state) == (first.interactions[0].id, InteractionState.COMPLETED)
    assert (b.id, b.expires_at) == (first.interactions[1].id, first.interactions[1].expires_at)
    assert c.batch_id == b.batch_id
    assert fence.run_id == c.run_id


async def test_a_changed_proposal_redraws_its_card_as_a_new_revision(story: Story, store: SqlStore):
    _, first = await story.waiting(approval("a", amount=10), question("b"), each=True)
    settled = await story.answer(first.interactions[1])
    assert settled.claimed is not None
    again = await story.ask(settled.claimed.fence, approval("a", amount=99), each=True)
    assert types(again.frames) == ["ui_tool", "run:waiting"]
    it = again.interactions[0]
    assert it.id == first.interactions[0].id
    assert it.revision == 2
    assert await stored(store, it.id) == it
    with pytest.raises(StaleDigest):
        await story.answer(it, yes(first.interactions[0]))
    with pytest.raises(StaleDigest):
        await story.answer(it, InteractionResponse(interaction_id=it.id, approved=True))
    assert (await stored(store, it.id)).state is InteractionState.PENDING
    assert (await story.answer(it, yes(it))).interaction.state is InteractionState.COMPLETED


async def test_a_revision_under_its_own_key_joins_the_batch_it_revises(
    story: Story, store: SqlStore
):
    _, first = await story.waiting(approval("a"), question("b"), each=True)
    old = first.interactions[0]
    settled = await story.answer(first.interactions[1])
    assert settled.claimed is not None
    revised = approval("a#2", amount=99, revision=2, tool_call_id="call-a")
    again = await story.ask(settled.claimed.fence, revised, each=True)
    assert types(again.frames) == ["ui_tool", "ui_tool_complete:superseded", "run:waiting"]
    assert again.interactions[0].batch_id == old.batch_id
    assert again.interactions[0].revision == 2
    assert (await stored(store, old.id)).state is InteractionState.SUPERSEDED


async def test_a_revision_counts_on_from_a_card_that_was_redrawn(story: Story):
    _, first = await story.waiting(approval("a"), question("b"), question("c"), each=True)
    redrawn = approval("a", amount=50)
    revised = approval("a#2", amount=99, revision=2, tool_call_id="call-a")
    revisions = []
    for it, request in zip(first.interactions[1:], [redrawn, revised], strict=True):
        settled = await story.answer(it)
        assert settled.claimed is not None
        again = await story.ask(settled.claimed.fence, request, each=True)
        revisions.append(again.interactions[0].revision)
    assert revisions == [2, 3]


async def test_a_second_card_of_one_call_that_revises_nothing_stands_beside_the_first(
    story: Story, store: SqlStore
):
    _, first = await story.waiting(approval("a"), question("b"), each=True)
    settled = await story.answer(first.interactions[1])
    assert settled.claimed is not None
    final = approval("a!final", tool_call_id="call-a")
    again = await story.ask(settled.claimed.fence, final, each=True)
    assert types(again.frames) == ["ui_tool", "run:waiting"]
    assert (await stored(store, first.interactions[0].id)).state is InteractionState.PENDING


async def test_a_default_answer_that_cannot_be_read_is_refused_when_it_is_asked(
    story: Story, store: SqlStore
):
    claimed = await story.begin()
    bad = question(**in_time(60, "answer", {"no_such_field": 1}))
    with pytest.raises(InvalidInput):
        await story.ask(claimed.fence, bad)
    assert await story.state(claimed.fence.run_id) is RunState.RUNNING
    assert await store.interactions(APP, InteractionFilter()) == []


# ── answering ──


async def test_an_answer_claims_its_run_in_the_same_transaction(story: Story, store: SqlStore):
    fence, waited = await story.waiting(approval())
    it = waited.interactions[0]
    settled = await story.answer(it, yes(it), key="key-1")
    assert types(settled.frames) == ["ui_tool_complete:completed", "run:running"]
    assert settled.run_state is RunState.RUNNING
    assert settled.claimed is not None
    assert settled.claimed.fence.number == fence.number + 1
    start = settled.claimed.start
    assert start.run.saved == SAVED
    assert start.answers["k"] == settled.interaction
    assert start.answers["k"].applied_fence == settled.claimed.fence.number
    assert await stored(store, it.id) == settled.interaction
    assert settled.interaction.settled_by == "ada"
    completed = settled.frames[0].body
    assert getattr(completed, "by", None) == "ada"


async def test_an_answer_without_a_free_worker_makes_the_run_ready(story: Story, store: SqlStore):
    fence, waited = await story.waiting(approval())
    settled = await story.answer(waited.interactions[0], yes(waited.interactions[0]), lease=None)
    assert types(settled.frames) == ["ui_tool_complete:completed", "run:ready"]
    assert (settled.claimed, settled.interaction.applied_fence) == (None, None)
    claimed = await store.claim(APP, fence.run_id, LEASE)
    assert claimed is not None
    assert claimed.start.answers["k"].applied_fence == claimed.fence.number
    assert (await stored(store, settled.interaction.id)).applied_fence == claimed.fence.number


async def test_a_worker_of_another_agent_does_not_get_the_run(story: Story):
    _, waited = await story.waiting(approval())
    strange = Lease("lock:x", 30.0, frozenset({"another"}))
    settled = await story.answer(waited.interactions[0], yes(waited.interactions[0]), lease=strange)
    assert (settled.claimed, settled.run_state) == (None, RunState.READY)


async def test_a_rejection_settles_as_rejected_with_its_reason(story: Story):
    fence, waited = await story.waiting(approval())
    settled = await story.answer(waited.interactions[0], no(waited.interactions[0], "Too much"))
    assert settled.interaction.state is InteractionState.REJECTED
    card = (await story.view(fence.chat_id)).messages[-1].metadata["ui_tool"]
    assert card["response_summary"] == "Refund rejected: Too much"  # type: ignore[call-overload,index]


async def test_what_was_approved_with_changes_says_so_and_tells_no_value(story: Story):
    fence, waited = await story.waiting(approval())
    await story.answer(waited.interactions[0], yes(waited.interactions[0], edits={"amount": 7}))
    card = (await story.view(fence.chat_id)).messages[-1].metadata["ui_tool"]
    assert card["response_summary"] == "Refund approved, with amount changed"  # type: ignore[call-overload,index]
    assert card["ui_tool_completed"] is True  # type: ignore[call-overload,index]


async def test_a_batch_is_complete_when_all_of_it_is_settled_in_any_order(
    story: Story, store: SqlStore
):
    fence, waited = await story.waiting(approval("a"), approval("b"), approval("c"))
    a, b, c = waited.interactions
    for it in (c, a):
        settled = await story.answer(it, yes(it))
        assert (settled.claimed, settled.run_state) == (None, RunState.WAITING)
        assert types(settled.frames) == ["ui_tool_complete:completed"]
    settled = await story.answer(b, no(b))
    assert settled.claimed is not None
    assert list(settled.claimed.start.answers) == ["a", "b", "c"]
    applied = {it.applied_fence for it in settled.claimed.start.answers.values()}
    assert applied == {settled.claimed.fence.number}
    for it in waited.interactions:
        assert (await stored(store, it.id)).applied_fence == settled.claimed.fence.number
    assert fence.run_id == settled.claimed.fence.run_id


async def test_each_answer_lets_a_run_go_on_that_resumes_after_each(story: Story, store: SqlStore):
    _, waited = await story.waiting(question("a"), question("b"), each=True)
    first = await story.answer(waited.interactions[0])
    assert first.claimed is not None
    second = await story.answer(waited.interactions[1])
    assert (second.claimed, second.run_state) == (None, RunState.RUNNING)
    assert second.interaction.applied_fence is None
    again = await story.ask(first.claimed.fence, question("b"), each=True, lease=LEASE)
    assert again.state is RunState.READY, "its answer had come already and is not slept through"
    assert again.claimed is not None
    assert again.claimed.start.answers["b"].applied_fence == again.claimed.fence.number
    assert types(again.frames) == ["run:running"]


async def test_answers_that_came_while_a_segment_ran_make_the_run_ready(
    story: Story, store: SqlStore
):
    _, waited = await story.waiting(question("a"), question("b"), each=True)
    first = await story.answer(waited.interactions[0])
    await story.answer(waited.interactions[1])
    assert first.claimed is not None
    again = await story.ask(first.claimed.fence, question("b"), question("c"), each=True)
    assert (again.state, again.claimed) == (RunState.READY, None)
    assert types(again.frames) == ["ui_tool", "run:ready"]
    run = await store.run(APP, first.claimed.fence.run_id)
    assert run is not None
    assert (run.owner, run.lease_until) == (None, None), "anybody may take it"


async def test_a_run_that_asks_only_for_what_it_has_goes_on_since_nobody_else_would_wake_it(
    story: Story,
):
    _, waited = await story.waiting(question())
    settled = await story.answer(waited.interactions[0])
    assert settled.claimed is not None
    again = await story.ask(settled.claimed.fence, question())
    assert again.state is RunState.READY


async def test_waiting_counts_as_getting_somewhere(story: Story, store: SqlStore, clock: FakeClock):
    claimed = await story.begin()
    for _ in range(2):
        clock.advance(seconds=31)
        taken = await store.claim(APP, claimed.fence.run_id, LEASE)
        assert taken is not None
        claimed = taken
    assert claimed.start.run.takeovers == 2
    waited = await story.ask(claimed.fence, question())
    settled = await story.answer(waited.interactions[0])
    assert settled.claimed is not None
    assert settled.claimed.start.run.takeovers == 0


async def test_the_same_answer_again_tells_the_stored_outcome(story: Story):
    fence, waited = await story.waiting(approval())
    it = waited.interactions[0]
    first = await story.answer(it, yes(it), key="key-1")
    before = await story.events(fence.chat_id)
    for key in ("key-1", "key-2", None):
        again = await story.answer(it, yes(it), key=key)
        assert again.repeated
        assert (again.interaction, again.frames, again.claimed) == (first.interaction, (), None)
        assert again.run_state is RunState.RUNNING
    assert await story.events(fence.chat_id) == before


async def test_the_same_answer_again_is_the_same_without_a_login(story: Story):
    _, waited = await story.waiting(approval())
    it = waited.interactions[0]
    await story.answer(it, yes(it), by=None)
    assert (await story.answer(it, yes(it), by=None)).repeated


async def test_another_answer_is_refused_with_the_stored_outcome(story: Story):
    _, waited = await story.waiting(approval())
    it = waited.interactions[0]
    await story.answer(it, yes(it), key="key-1")
    with pytest.raises(AlreadySettled) as refused:
        await story.answer(it, no(it), key="key-2")
    assert refused.value.context["outcome"]["status"] == "completed"  # type: ignore[index]
    with pytest.raises(IdempotencyKeyReused):
        await story.answer(it, no(it), key="key-1")


async def test_an_answer_to_a_card_that_moved_is_checked_again(story: Story, store: SqlStore):
    fence, first = await story.waiting(approval("a", amount=10), question("b"), each=True)
    seen = first.interactions[0]
    settled = await story.answer(first.interactions[1])
    assert settled.claimed is not None
    redrawn = await story.ask(settled.claimed.fence, approval("a", amount=99), each=True)
    again = redrawn.interactions[0]
    before = await story.events(fence.chat_id)

    outcome = await store.answer(
        APP, Checked(response=yes(seen), seen=seen), key="key-1", by="ada", lease=LEASE
    )

    assert outcome == Moved(again)
    assert again.revision == 2
    assert await stored(store, seen.id) == again
    assert await story.events(fence.chat_id) == before
    gone = replace(seen, id="nothing")
    with pytest.raises(NotFound):
        await store.answer(
            APP, Checked(response=yes(gone), seen=gone), key=None, by="ada", lease=LEASE
        )


async def test_an_answer_made_on_an_older_proposal_is_refused(story: Story, store: SqlStore):
    _, waited = await story.waiting(approval())
    it = waited.interactions[0]
    stale = InteractionResponse(
        interaction_id=it.id, approved=True, metadata={"digest": "sha256:other"}
    )
    with pytest.raises(StaleDigest):
        await story.answer(it, stale)
    assert (await stored(store, it.id)).state is InteractionState.PENDING


# ── dismissing ──


async def test_a_dismissal_counts_as_answered(story: Story, store: SqlStore):
    fence, waited = await story.waiting(form())
    it = waited.interactions[0]
    settled = await store.dismiss(APP, it.id, reason="not now", by="ada", lease=LEASE)
    assert types(settled.frames) == ["ui_tool_dismiss:dismissed", "run:running"]
    assert settled.claimed is not None
    assert settled.claimed.start.answers["f"].state is InteractionState.DISMISSED
    assert settled.claimed.start.answers["f"].response is None
    card = (await story.view(fence.chat_id)).messages[-1].metadata["ui_tool"]
    assert card["ui_tool_dismissed"] is True  # type: ignore[call-overload,index]
    assert (await store.dismiss(APP, it.id, reason=None, by="ada", lease=LEASE)).repeated
    with pytest.raises(AlreadySettled):
        await story.answer(it)
    assert (await store.audit(APP))[0].body["reason"] == "not now"


# ── time ──


async def test_a_card_expires_once_and_its_run_goes_on(
    story: Story, store: SqlStore, clock: FakeClock
):
    fence, waited = await story.waiting(approval(**in_time(60)))
    assert await store.next_expiry() == clock.now() + timedelta(seconds=60)
    assert await store.expire_one(now=clock.now(), lease=LEASE) is None
    clock.advance(seconds=60)
    settled = await store.expire_one(now=clock.now(), lease=LEASE)
    assert settled is not None
    assert types(settled.frames) == ["ui_tool_expire:expired", "run:running"]
    assert settled.interaction.state is InteractionState.EXPIRED
    assert settled.interaction.response is not None
    assert not settled.interaction.response.approved
    assert settled.claimed is not None
    assert settled.claimed.fence.run_id == fence.run_id
    assert await store.expire_one(now=clock.now(), lease=LEASE) is None
    assert await store.next_expiry() is None
    assert (await store.interaction(APP, waited.interactions[0].id)) == settled.interaction


async def test_the_longest_overdue_expires_first_one_at_a_time(
    story: Story, store: SqlStore, clock: FakeClock
):
    _, late = await story.waiting(approval("late", **in_time(60)))
    _, early = await story.waiting(approval("early", **in_time(30)))
    clock.advance(seconds=90)
    for waited in (early, late):
        settled = await store.expire_one(now=clock.now(), lease=None)
        assert settled is not None
        assert settled.interaction.id == waited.interactions[0].id
        assert settled.run_state is RunState.READY


async def test_a_card_whose_asker_waits_no_more_expires_at_once(story: Story, store: SqlStore):
    _, waited = await story.waiting(form("a"), form("b"))
    [first, second] = waited.interactions
    await story.answer(second)
    settled = await store.expire_now(APP, first.id, lease=LEASE)
    assert types(settled.frames) == ["ui_tool_expire:expired", "run:running"]
    assert settled.interaction.response is not None
    assert settled.interaction.response.user_message == message("run.asker_gone")
    assert settled.claimed is not None
    # It says so once, and of one that is settled nothing.
    again = await store.expire_now(APP, first.id, lease=LEASE)
    assert (again.repeated, again.interaction) == (True, settled.interaction)
    assert again.run_state is RunState.RUNNING
    assert (await store.expire_now(APP, second.id, lease=LEASE)).repeated
    kept = await store.interaction(APP, second.id)
    assert kept is not None
    assert kept.state is InteractionState.COMPLETED
    with pytest.raises(NotFound):
        await store.expire_now(APP, "nobody", lease=LEASE)


async def test_an_expiry_can_answer_with_a_stated_default(
    story: Story, store: SqlStore, clock: FakeClock
):
    default = in_time(60, "answer", {"response_data": {"selected_option": "a"}})
    await story.waiting(question(options=("a", "b"), **default))
    clock.advance(seconds=60)
    settled = await store.expire_one(now=clock.now(), lease=LEASE)
    assert settled is not None
    response = settled.interaction.response
    assert response is not None
    assert (response.approved, response.response_data.selected_option) == (True, "a")
    assert settled.interaction.state is InteractionState.EXPIRED


async def test_an_expiry_can_end_the_run(story: Story, store: SqlStore, clock: FakeClock):
    fence, _ = await story.waiting(approval(**in_time(60, "cancel")), form())
    queued = await story.say(fence.chat_id, "next")
    clock.advance(seconds=60)
    settled = await store.expire_one(now=clock.now(), lease=LEASE)
    assert settled is not None
    assert types(settled.frames) == [
        "ui_tool_expire:expired",
        "ui_tool_complete:cancelled",
        "run:cancelled",
        "message:complete",
        "run:running",
    ]
    assert settled.run_state is RunState.CANCELLED
    assert settled.cancelled is not None
    assert settled.cancelled.run_id == fence.run_id
    assert settled.next_run_id == queued.run_id
    assert settled.claimed is not None
    assert settled.claimed.fence.run_id == queued.run_id


@pytest.mark.parametrize("verb", ["answer", "dismiss", "extend"])
async def test_who_comes_too_late_performs_the_expiry(
    story: Story, store: SqlStore, clock: FakeClock, verb: str
):
    fence, waited = await story.waiting(approval(**in_time(60)))
    it = waited.interactions[0]
    clock.advance(seconds=61)
    verbs: dict[str, Any] = {
        "answer": lambda: story.answer(it, yes(it)),
        "dismiss": lambda: store.dismiss(APP, it.id, reason=None, by="ada", lease=LEASE),
        "extend": lambda: store.extend(APP, it.id, seconds=60, seen=it.expires_at, by="ada"),
    }
    with pytest.raises(AnsweredTooLate) as late:
        await verbs[verb]()
    settled = late.value.settled
    assert types(settled.frames) == ["ui_tool_expire:expired", "run:ready"]
    assert settled.claimed is None
    assert late.value.context["outcome"]["status"] == "expired"  # type: ignore[index]
    assert (await stored(store, it.id)).state is InteractionState.EXPIRED
    assert await story.state(fence.run_id) is RunState.READY
    with pytest.raises(AlreadySettled):
        await story.answer(it, yes(it))


async def test_more_time_is_given_on_the_time_that_was_seen(
    story: Story, store: SqlStore, clock: FakeClock
):
    fence, waited = await story.waiting(approval(**in_time(60)))
    it = waited.interactions[0]
    assert it.expires_at is not None
    longer = await store.extend(APP, it.id, seconds=100, seen=it.expires_at, by="ada")
    (frame,) = longer.frames
    assert isinstance(frame.body, ChatEvent)
    assert (frame.body.by, longer.run_state) == ("ada", RunState.WAITING)
    line = (await store.audit(APP))[0]
    assert (line.action, line.subject, line.actor) == ("interaction.extended", it.id, "ada")
    assert line.body["before"] == it.as_json()["expires_at"]
    assert line.body["expires_at"] == longer.interaction.as_json()["expires_at"]
    with pytest.raises(InvalidInput, match="9999") as refused:
        await store.extend(APP, it.id, seconds=10**12, seen=None, by="ada")
    assert refused.value.context == {"errors": [{"path": "seconds", "message": "is too much"}]}
    longer = await store.extend(APP, it.id, seconds=200, seen=None, by="ada")
    assert longer.interaction.expires_at == it.expires_at + timedelta(seconds=300)
    assert types(longer.frames) == ["ui_tool"]
    card = (await story.view(fence.chat_id)).messages[-1].metadata["ui_tool"]
    shown = card["payload"]["sayso"]["expires_at"]  # type: ignore[call-overload,index]
    assert shown == longer.interaction.as_json()["expires_at"]
    with pytest.raises(VersionConflict):
        await store.extend(APP, it.id, seconds=300, seen=it.expires_at, by="bob")
    clock.advance(seconds=61)
    assert await store.expire_one(now=clock.now(), lease=None) is None
    settled = await story.answer(it, yes(it))
    with pytest.raises(AlreadySettled):
        await store.extend(APP, it.id, seconds=1, seen=None, by="ada")
    assert settled.interaction.expires_at == longer.interaction.expires_at


async def test_a_card_without_a_time_needs_no_more_of_it(story: Story, store: SqlStore):
    _, waited = await story.waiting(approval())
    with pytest.raises(InvalidInput):
        await store.extend(APP, waited.interactions[0].id, seconds=60, seen=None, by="ada")


# ── listing ──


async def test_interactions_are_listed_newest_first_in_pages(
    story: Story, store: SqlStore, clock: FakeClock
):
    opened = []
    for n in range(4):
        _, waited = await story.waiting(form(f"a{n}"), form(f"b{n}"))
        opened += [it.id for it in waited.interactions]
        clock.advance(seconds=1)
    listed: list[str] = []
    before = None
    while page := await store.interactions(APP, InteractionFilter(), before=before, limit=3):
        listed += [it.id for it in page]
        before = page[-1].id
    assert sorted(listed) == sorted(opened)
    assert len(set(listed)) == len(listed)
    assert set(listed[:2]) == set(opened[-2:])
    assert await store.interactions(APP, InteractionFilter(), before="nothing") == []


async def test_interactions_are_filtered_by_what_is_asked(story: Story, store: SqlStore):
    fence, waited = await story.waiting(approval("a", assignees=("ada",)), form("f"))
    other, _ = await story.waiting(question("q", assignees=("Ada", 'b"o%b')))
    await story.answer(waited.interactions[0], yes(waited.interactions[0]))

    async def keys(**wanted: object) -> set[str]:
        found = await store.interactions(APP, InteractionFilter(**wanted))  # type: ignore[arg-type]
        return {it.call_key for it in found}

    assert await keys(status=InteractionState.PENDING) == {"f", "q"}
    assert await keys(status=InteractionState.COMPLETED) == {"a"}
    assert await keys(kind="form") == {"f"}
    assert await keys(chat_id=fence.chat_id) == {"a", "f"}
    assert await keys(run_id=other.run_id) == {"q"}
    assert await keys(assignee="ada") == {"a", "f"}
    assert await keys(assignee="Ada") == {"f", "q"}
    assert await keys(assignee='b"o%b') == {"f", "q"}
    assert await keys(assignee="b%") == {"f"}
    assert await keys(status=InteractionState.PENDING, chat_id=other.chat_id) == {"q"}


async def test_the_same_answer_again_is_the_same_whether_or_not_it_names_what_it_was_made_on(
    story: Story,
):
    _, waited = await story.waiting(approval())
    it = waited.interactions[0]
    await story.answer(it, yes(it))
    silent = InteractionResponse(interaction_id=it.id, approved=True)
    assert (await story.answer(it, silent)).repeated
    with pytest.raises(AlreadySettled):
        await story.answer(it, silent.model_copy(update={"metadata": {"digest": "sha256:other"}}))


async def test_the_audit_line_of_a_rejection_has_the_persons_reason(story: Story, store: SqlStore):
    _, waited = await story.waiting(approval("a", tool_call_id="call-a"))
    await story.answer(waited.interactions[0], no(waited.interactions[0], "wrong box"), by="ben")
    [line] = [one for one in await store.audit(APP) if one.action == "interaction.rejected"]
    assert (line.actor, line.body["reason"]) == ("ben", "wrong box")
    assert line.body["tool_name"] == "refund"
    assert line.body["tool_call_id"] == "call-a"
