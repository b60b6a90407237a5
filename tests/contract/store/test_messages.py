"""A message and what it means: a start, a place in the queue, an answer, a new turn."""

import pytest

from sayso.core.children import ChildRequest
from sayso.core.errors import (
    AlreadySettled,
    Forbidden,
    MessageIdReused,
    NotFound,
    TaskIdReused,
)
from sayso.core.events import ErrorShown
from sayso.core.ids import derived_id
from sayso.core.interactions import CardRequest, InteractionState
from sayso.core.sessions import RunState
from sayso.core.store_results import NewMessage
from sayso.core.tasks import TaskRequest, UniversalMessage
from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock
from tests.contract.store.story import (
    APP,
    LEASE,
    Story,
    approval,
    called,
    form,
    gate_card,
    in_time,
    question,
    says,
    text,
    types,
)


async def test_a_message_starts_a_run_that_is_claimed_at_once(story: Story):
    chat_id = await story.chat()
    posted = await story.say(chat_id, "refund order 1001")
    assert posted.status == "started"
    assert types(posted.frames) == ["message:complete", "run:running", "title"]
    assert posted.claimed is not None
    start = posted.claimed.start
    assert start.run.task.words == "refund order 1001"
    assert (await story.view(chat_id)).title == "Refund order 1001"
    assert (start.run.state, start.run.fence, start.run.owner) == (RunState.RUNNING, 1, LEASE.owner)
    assert start.run.person == "ada"
    assert posted.claimed.fence.run_id == posted.run_id


@pytest.mark.parametrize("lease", [None, LEASE.__class__("lock:x", 30.0, frozenset({"another"}))])
async def test_without_a_worker_for_it_a_run_is_ready(story: Story, lease: object):
    posted = await story.say(await story.chat(), lease=lease)  # type: ignore[arg-type]
    assert posted.claimed is None
    assert types(posted.frames) == ["message:complete", "run:ready", "title"]
    assert await story.state(posted.run_id or "") is RunState.READY


async def test_the_same_message_again_is_the_same_message(story: Story, store: SqlStore):
    chat_id = await story.chat()
    message = says("once", "m")
    first = await store.post_message(APP, chat_id, message, LEASE)
    again = await store.post_message(APP, chat_id, says("once", "m"), LEASE)
    assert (again.status, again.message_id, again.run_id, again.frames, again.claimed) == (
        "repeated",
        first.message_id,
        first.run_id,
        (),
        None,
    )
    with pytest.raises(MessageIdReused):
        await store.post_message(APP, chat_id, says("twice", "m"), LEASE)


async def test_the_same_task_under_another_message_id_joins_it(story: Story, store: SqlStore):
    chat_id = await story.chat()
    task = TaskRequest(task_id="t", messages=[UniversalMessage(role="user", content="go")])
    first = await store.post_message(APP, chat_id, says("go", "a", task=task), LEASE)
    again = await store.post_message(APP, chat_id, says("go", "b", task=task), LEASE)
    assert (again.status, again.run_id) == ("repeated", first.run_id)
    other = task.model_copy(update={"context": {"page": "/"}})
    with pytest.raises(TaskIdReused):
        await store.post_message(APP, chat_id, says("go", "c", task=other), LEASE)


async def test_two_chats_may_use_the_same_message_and_task_ids(story: Story, store: SqlStore):
    runs = {
        (await store.post_message(APP, await story.chat(), says("go", "m"), LEASE)).run_id
        for _ in range(2)
    }
    assert len(runs) == 2


async def test_a_message_to_no_chat_is_not_found(store: SqlStore):
    with pytest.raises(NotFound):
        await store.post_message(APP, "nowhere", says("x", "m"), LEASE)


async def test_messages_during_a_run_wait_in_their_order(story: Story, store: SqlStore):
    claimed = await story.begin("first")
    chat_id = claimed.fence.chat_id
    second = await story.say(chat_id, "second")
    third = await story.say(chat_id, "third")
    assert [second.status, third.status] == ["queued", "queued"]
    assert types(second.frames) == ["message:queued"]
    assert await story.state(second.run_id or "") is RunState.QUEUED
    ended = await store.finish(claimed.fence, RunState.COMPLETED, lease=LEASE)
    assert types(ended.frames) == ["run:completed", "message:complete", "run:running"]
    assert ended.next_run_id == second.run_id
    assert ended.claimed is not None
    assert ended.claimed.start.run.task.words == "second"
    assert await story.state(third.run_id or "") is RunState.QUEUED
    await story.finish(ended.claimed.fence)
    assert await story.state(third.run_id or "") is RunState.READY
    order = [m.content for m in (await story.view(chat_id)).messages]
    assert order == ["first", "second", "third"]


async def test_words_are_taken_back_until_their_turn_comes(story: Story, store: SqlStore):
    claimed = await story.begin("first")
    chat_id = claimed.fence.chat_id
    second = await story.say(chat_id, "second")
    third = await story.say(chat_id, "third")
    assert second.message_id is not None
    with pytest.raises(Forbidden):
        await store.withdraw_message(APP, chat_id, second.message_id, by="somebody else")
    with pytest.raises(NotFound):
        await store.withdraw_message("other", chat_id, second.message_id, by="ada")
    gone = await store.withdraw_message(APP, chat_id, second.message_id, by="ada")
    assert types(gone.frames) == ["message:interrupted"]
    assert await story.state(second.run_id or "") is RunState.CANCELLED
    ended = await store.finish(claimed.fence, RunState.COMPLETED, lease=LEASE)
    assert ended.next_run_id == third.run_id
    # The agent has these, and those were taken back once.
    for message in (second, third):
        with pytest.raises(AlreadySettled):
            await store.withdraw_message(APP, chat_id, message.message_id or "", by="ada")
    assert await story.state(third.run_id or "") is RunState.RUNNING


async def test_a_run_that_was_queued_knows_what_was_said_meanwhile(story: Story, store: SqlStore):
    claimed = await story.begin("first")
    await story.say(claimed.fence.chat_id, "second")
    await story.say(claimed.fence.chat_id, "third, which is not its business yet")
    last_words = text("t1", "done with the first", claimed.fence.run_id)
    ended = await store.finish(claimed.fence, RunState.COMPLETED, events=[last_words], lease=LEASE)
    assert ended.claimed is not None
    history = ended.claimed.start.history
    assert [(m.role, m.content) for m in history] == [
        ("user", "first"),
        ("assistant", "done with the first"),
    ]


async def test_history_and_memory_are_given_at_the_start_only(story: Story, store: SqlStore):
    first = await story.begin("first")
    assert (first.start.agent_state, list(first.start.history)) == (None, [])
    await store.finish(first.fence, RunState.COMPLETED, memory=b"\x00remembered")
    second = await story.say(first.fence.chat_id, "second")
    assert second.claimed is not None
    state = second.claimed.start.agent_state
    assert state is not None
    assert (state.blob, state.version) == (b"\x00remembered", 1)
    waited = await story.ask(second.claimed.fence, form())
    settled = await story.answer(waited.interactions[0])
    assert settled.claimed is not None
    assert settled.claimed.start.agent_state is None
    assert list(settled.claimed.start.history) == []
    await store.finish(settled.claimed.fence, RunState.COMPLETED, memory=b"more")
    third = await story.say(first.fence.chat_id, "third")
    assert third.claimed is not None
    assert third.claimed.start.agent_state is not None
    assert third.claimed.start.agent_state.version == 2


async def test_plain_words_answer_the_one_open_free_question(story: Story, store: SqlStore):
    fence, waited = await story.waiting(question())
    posted = await story.say(fence.chat_id, "the red one")
    assert (posted.status, posted.run_id) == ("answered", fence.run_id)
    assert types(posted.frames) == ["message:complete", "ui_tool_complete:completed", "run:running"]
    assert posted.claimed is not None
    answered = posted.claimed.start.answers["q"]
    assert answered.response is not None
    assert answered.response.response_data.additional_notes == "the red one"
    assert answered.settled_by == "ada"
    assert answered.id == waited.interactions[0].id
    again = await store.post_message(
        APP, fence.chat_id, says("the red one", f"m{story._messages}"), LEASE
    )
    assert again.status == "repeated"


@pytest.mark.parametrize(
    ("requests", "why"),
    [
        ([question(options=("a", "b"))], "a choice is not answered by words"),
        ([question("a"), question("b")], "which of the two?"),
        ([approval()], "an approval needs a decision"),
        ([question(assignees=("bob",))], "it is for somebody else"),
    ],
    ids=["choice", "two", "approval", "another person"],
)
async def test_words_that_are_no_answer_wait_their_turn(
    story: Story, requests: list[CardRequest], why: str
):
    fence, _ = await story.waiting(*requests)
    posted = await story.say(fence.chat_id, "the red one")
    assert posted.status == "queued", why
    assert await story.state(fence.run_id) is RunState.WAITING


async def test_a_free_question_beside_a_card_takes_the_words_and_the_run_waits_on(story: Story):
    fence, _ = await story.waiting(question(), approval())
    posted = await story.say(fence.chat_id, "the red one")
    assert (posted.status, posted.claimed) == ("answered", None)
    assert await story.state(fence.run_id) is RunState.WAITING


async def test_words_to_a_question_whose_time_is_over_are_no_answer(
    story: Story, store: SqlStore, clock: FakeClock
):
    fence, waited = await story.waiting(question(**in_time(60)))
    clock.advance(seconds=61)
    assert (await story.say(fence.chat_id, "late")).status == "queued"
    settled = await store.expire_one(now=clock.now(), lease=None)
    assert settled is not None
    assert settled.interaction.id == waited.interactions[0].id


async def test_superseding_ends_what_waits_and_starts_at_once(story: Story, store: SqlStore):
    fence, waited = await story.waiting(approval(), form())
    queued = await story.say(fence.chat_id, "in the queue")
    posted = await story.say(fence.chat_id, "forget that", supersede=True)
    assert posted.status == "superseded"
    assert types(posted.frames) == [
        "ui_tool_complete:superseded",
        "ui_tool_complete:superseded",
        "run:cancelled",
        "message:complete",
        "run:running",
    ]
    assert posted.cancelled is not None
    assert posted.cancelled.run_id == fence.run_id
    assert await story.state(fence.run_id) is RunState.CANCELLED
    for it in waited.interactions:
        after = await store.interaction(APP, it.id)
        assert after is not None
        assert after.state is InteractionState.SUPERSEDED
    assert posted.claimed is not None
    assert posted.claimed.start.run.task.words == "forget that"
    await story.finish(posted.claimed.fence)
    assert await story.state(queued.run_id or "") is RunState.READY


async def test_a_message_is_read_beside_what_stood_before_it_and_asks(
    story: Story, store: SqlStore
):
    fence = (await story.begin("first")).fence
    error = ErrorShown(
        message_id="e",
        ui_tool_id="recoverable_error",
        agent_name="desk",
        run_id=fence.run_id,
        payload={"title": "No", "sayso": {"card": "recoverable_error"}},
    )
    await store.record(fence, [text("t", "This order:", fence.run_id), error])
    await story.ask(fence, approval())
    posted = await story.say(fence.chat_id, "not that one", supersede=True)
    assert posted.claimed is not None
    stood = [(it.text, it.card, it.was_open) for it in posted.claimed.start.spoken]
    assert stood == [("This order:", None, False), ("", "approval", True)]


async def test_superseding_a_running_run_takes_it_from_its_owner(story: Story, store: SqlStore):
    claimed = await story.begin()
    await store.record(claimed.fence, [called("c1", claimed.fence)])
    posted = await story.say(claimed.fence.chat_id, "stop", supersede=True)
    assert posted.cancelled == claimed.fence
    view = await story.view(claimed.fence.chat_id)
    assert [call.status.value for call in view.tool_calls] == ["cancelled"]


async def test_superseding_nothing_is_a_start(story: Story):
    assert (await story.say(await story.chat(), supersede=True)).status == "started"


def tries_again(client_id: str, **arguments: int) -> NewMessage:
    task = TaskRequest(
        task_id=client_id,
        task_type="tool_retry",
        messages=[UniversalMessage(role="user", content="Retry refund")],
        context={"tool_name": "refund", "tool_call_id": "t1", "arguments": {**arguments}},
    )
    return says("Retry refund", client_id, task=task, retry_of="t1")


async def test_a_child_with_the_same_task_is_no_retry(story: Story, store: SqlStore):
    """A child has no message in the chat that the press of a button could be told of."""
    fence = (await story.begin()).fence
    retry = tries_again("r")
    child = ChildRequest(call_key="part", agent="desk", task=retry.task)
    await story.ask(fence, child, lease=LEASE)
    again = tries_again("r2")
    posted = await store.post_message(APP, fence.chat_id, again, LEASE)
    assert posted.status == "queued"


@pytest.mark.parametrize("card", [question(), gate_card()], ids=["free question", "gate"])
async def test_a_call_that_is_tried_again_answers_nothing(
    story: Story, store: SqlStore, card: CardRequest
):
    """It is a button on the card of an earlier run, and no word to what is open now."""
    fence, waited = await story.waiting(card)
    posted = await store.post_message(APP, fence.chat_id, tries_again("r"), LEASE)
    assert posted.status == "queued"
    open_one = await store.interaction(APP, waited.interactions[0].id)
    assert open_one is not None
    assert open_one.state is InteractionState.PENDING


async def test_the_card_of_an_error_folds_when_its_call_is_tried_again(
    story: Story, store: SqlStore
):
    fence = (await story.begin()).fence
    card = ErrorShown(
        message_id=derived_id("t1", "critical_failure"),
        ui_tool_id="critical_failure",
        agent_name="desk",
        run_id=fence.run_id,
        payload={"title": "Refund failed"},
    )
    await store.record(fence, [card])
    await story.finish(fence)
    posted = await store.post_message(APP, fence.chat_id, tries_again("r"), LEASE)
    assert types(posted.frames)[0] == "ui_tool_complete:superseded"


async def test_words_of_the_one_whose_question_it_is_answer_it(story: Story):
    fence, _ = await story.waiting(question(assignees=("ada",)))
    assert (await story.say(fence.chat_id, "the red one", by="ada")).status == "answered"


async def test_a_call_is_tried_again_once_at_a_time(story: Story, store: SqlStore):
    """Two presses of the button, or two tabs: one of them is enough."""
    chat_id = await story.chat()
    first = await store.post_message(APP, chat_id, tries_again("r1", amount=1), LEASE)
    again = await store.post_message(APP, chat_id, tries_again("r2", amount=1), LEASE)
    assert (again.status, again.run_id, again.message_id) == (
        "repeated",
        first.run_id,
        first.message_id,
    )
    other = await store.post_message(APP, chat_id, tries_again("r3", amount=2), LEASE)
    assert other.status == "queued"
    waits = await store.post_message(APP, chat_id, tries_again("r4", amount=2), LEASE)
    assert (waits.status, waits.run_id) == ("repeated", other.run_id)
    assert first.claimed is not None
    await story.finish(first.claimed.fence)
    anew = await store.post_message(APP, chat_id, tries_again("r5", amount=1), LEASE)
    assert anew.status == "queued"
