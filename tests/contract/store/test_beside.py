"""Beside the chat: drafts, artifacts, preferences; and the audit."""

import pytest

from sayso.core.digest import JsonObject
from sayso.core.errors import NotFound, VersionConflict
from sayso.core.events import ArtifactChanged, ChatEvent, Draft
from sayso.core.interactions import InteractionResponse
from sayso.core.sessions import RunState
from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock
from tests.contract.store.story import (
    APP,
    LEASE,
    Story,
    approval,
    form,
    in_time,
    no,
    types,
    yes,
)


async def test_a_draft_is_one_row_for_a_person_and_a_card(story: Story, store: SqlStore):
    fence, waited = await story.waiting(form())
    card = waited.interactions[0].id
    frame = await store.put_draft(APP, Draft(card, "ada", {"street": "Haupt"}))
    assert frame is not None
    assert (frame.chat_id, frame.seq) == (fence.chat_id, None)
    await store.put_draft(APP, Draft(card, "ada", {"street": "Hauptstraße"}))
    await store.put_draft(APP, Draft(card, "bob", {"street": "Elsewhere"}))
    assert await store.drafts(APP, fence.chat_id, "ada") == [
        Draft(card, "ada", {"street": "Hauptstraße"})
    ]
    assert await store.drafts("other", fence.chat_id, "ada") == []
    await story.answer(waited.interactions[0])
    assert await store.drafts(APP, fence.chat_id, "ada") == []
    assert await store.put_draft(APP, Draft(card, "ada", {})) is None
    assert await store.put_draft(APP, Draft("nothing", "ada", {})) is None


async def test_an_expired_card_keeps_what_was_typed(
    story: Story, store: SqlStore, clock: FakeClock
):
    fence, waited = await story.waiting(form(**in_time(60)))
    draft = Draft(waited.interactions[0].id, "ada", {"street": "Haupt"})
    await store.put_draft(APP, draft)
    clock.advance(seconds=61)
    await store.expire_one(now=clock.now(), lease=None)
    assert await store.drafts(APP, fence.chat_id, "ada") == [draft]
    claimed = (await store.claim_due(LEASE, limit=1, not_mine=[], at_once=False))[0]
    await store.finish(claimed.fence, RunState.COMPLETED)
    assert await store.drafts(APP, fence.chat_id, "ada") == [draft]


async def test_an_artifact_changes_only_on_the_version_that_was_seen(story: Story, store: SqlStore):
    claimed = await story.begin()
    made = ArtifactChanged(id="plan", ui_tool_id="plan", title="Plan", content=["a"], version=1)
    await store.record(claimed.fence, [made])
    item, frames = await store.put_artifact(
        APP, "plan", content=["a", "b"], title=None, if_version=1, by="ada"
    )
    assert types(frames) == ["artifact"]
    assert (item.version, item.content, item.title, item.updated_by) == (
        2,
        ["a", "b"],
        "Plan",
        "ada",
    )
    assert await store.artifact(APP, "plan") == item
    with pytest.raises(VersionConflict):
        await store.put_artifact(APP, "plan", content=[], title=None, if_version=1, by="bob")
    with pytest.raises(NotFound):
        await store.put_artifact(APP, "nothing", content=[], title=None, if_version=1, by="bob")
    assert await store.artifact("other", "plan") is None


async def test_a_chats_preferences_reach_the_segment(story: Story, store: SqlStore):
    fence, waited = await story.waiting(approval())
    frames = await store.set_chat_preference(
        APP, fence.chat_id, "always_allow", ["refund"], by="ada"
    )
    assert types(frames) == ["preference"]
    assert isinstance(frames[0].body, ChatEvent)
    assert frames[0].body.by == "ada"
    settled = await story.answer(waited.interactions[0], yes(waited.interactions[0]))
    assert settled.claimed is not None
    assert settled.claimed.start.preferences == {"always_allow": ["refund"]}
    actions = [line.action for line in await store.audit(APP)]
    assert "preference.always_allow" in actions
    with pytest.raises(NotFound):
        await store.set_chat_preference(APP, "nowhere", "k", 1, by=None)


async def test_an_approval_can_be_remembered_for_the_chat(story: Story, store: SqlStore):
    fence, waited = await story.waiting(approval("a"), approval("b"), approval("c", offers=True))
    a, b, c = waited.interactions
    for it, approved in ((a, True), (b, False)):
        # Not offered, or not approved: nothing is remembered, whatever the answer says.
        said = yes(it) if approved else no(it)
        await story.answer(it, remembering(said))
    view = await story.view(fence.chat_id)
    assert view.preferences == {}
    await store.set_chat_preference(APP, fence.chat_id, "always_allow", ["look"], by="ada")

    settled = await story.answer(c, remembering(yes(c)))

    assert types(settled.frames)[:2] == ["ui_tool_complete:completed", "preference"]
    assert settled.claimed is not None
    assert settled.claimed.start.preferences == {"always_allow": ["look", "refund"]}
    tool = (await story.view(fence.chat_id)).messages[-1].metadata["ui_tool"]
    assert isinstance(tool, dict)
    assert tool["response_summary"] == ("Refund approved, from now on without asking in this chat")
    actions = [entry.action for entry in await store.audit(APP, chat_id=fence.chat_id)]
    assert "preference.always_allow" in actions


async def test_what_is_remembered_already_is_not_remembered_again(story: Story):
    fence, waited = await story.waiting(approval("a", offers=True), approval("b", offers=True))
    for it in waited.interactions:
        await story.answer(it, remembering(yes(it)))
    assert (await story.view(fence.chat_id)).preferences == {"always_allow": ["refund"]}


async def test_a_default_answer_is_not_remembered_for_the_chat(
    story: Story, store: SqlStore, clock: FakeClock
):
    default: JsonObject = {"approved": True, "metadata": {"always_allow": True}}
    asked = approval("a", offers=True, **in_time(1, "answer", default))
    fence, _ = await story.waiting(asked)
    clock.advance(seconds=2)
    settled = await store.expire_one(now=clock.now(), lease=None)
    assert settled is not None
    assert (await story.view(fence.chat_id)).preferences == {}


def remembering(said: InteractionResponse) -> InteractionResponse:
    return said.model_copy(update={"metadata": {**said.metadata, "always_allow": True}})


async def test_a_persons_preferences_are_merged_and_null_removes(store: SqlStore):
    assert await store.preferences(APP, "ada") == {}
    await store.put_preferences(APP, "ada", {"theme": "dark", "language": "zh"})
    kept = await store.put_preferences(APP, "ada", {"theme": None, "sound": False})
    assert kept == {"language": "zh", "sound": False}
    assert await store.preferences(APP, "ada") == kept
    assert await store.preferences(APP, "bob") == {}
    assert await store.preferences("other", "ada") == {}


async def test_the_audit_says_who_decided_what_on_which_digest(story: Story, store: SqlStore):
    fence, waited = await story.waiting(approval("a"), approval("b", amount=20))
    a, b = waited.interactions
    await story.answer(a, yes(a), by="ada")
    await story.answer(b, no(b, "Too much"), by="bob")
    second, first = await store.audit(APP, chat_id=fence.chat_id)
    assert (first.actor, first.action, first.subject, first.number) == (
        "ada",
        "interaction.completed",
        a.id,
        1,
    )
    assert a.digest is not None
    assert first.body["shown_digest"] == a.digest
    assert first.body["response"]["metadata"]["digest"] == a.digest  # type: ignore[index,call-overload]
    assert (second.actor, second.action) == ("bob", "interaction.rejected")
    assert second.body["reason"] == "Too much"


async def test_the_audit_is_read_in_pages_over_all_chats(story: Story, store: SqlStore):
    for _ in range(3):
        _, waited = await story.waiting(approval("a"), approval("b"))
        for it in waited.interactions:
            await story.answer(it, yes(it))
    read = []
    before = None
    while page := await store.audit(APP, before=before, limit=2):
        read += page
        before = page[-1].position
    assert len({(line.chat_id, line.number) for line in read}) == 6
    assert [line.position for line in read] == sorted((e.position for e in read), reverse=True)
