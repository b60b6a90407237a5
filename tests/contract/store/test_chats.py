"""Chats: opened, renamed, listed, and read as pages that join without a seam."""

import pytest

from sayso.core.errors import InvalidInput, NotFound
from sayso.core.events import ArtifactChanged
from sayso.core.sessions import RunState
from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock
from sayso.testing.fold import fold, merge_page
from tests.contract.store.story import APP, Story, called, form, text, types


async def test_a_new_chat_is_empty_and_has_its_own_log(story: Story):
    one, other = await story.chat(title="Orders"), await story.chat()
    view = await story.view(one)
    assert (view.title, view.agent, view.seq) == ("Orders", "desk", 1)
    assert view.log_id != (await story.view(other)).log_id


async def test_opening_a_chat_with_a_known_id_gives_that_chat(store: SqlStore):
    first = await store.create_chat(APP, agent="desk", chat_id="mine", title="Kept")
    again = await store.create_chat(APP, agent="desk", chat_id="mine", title="Ignored")
    assert again == first
    assert again.title == "Kept"


async def test_another_tenant_sees_nothing(story: Story, store: SqlStore):
    fence, waited = await story.waiting(form())
    assert await store.load_view("other", fence.chat_id) is None
    assert await store.events_after("other", fence.chat_id, 0) == []
    assert await store.run("other", fence.run_id) is None
    assert await store.interaction("other", waited.interactions[0].id) is None
    assert await store.list_chats("other") == []
    assert await store.audit("other") == []
    with pytest.raises(NotFound):
        await store.cancel_run("other", reason="", by=None, run_id=fence.run_id)


async def test_two_tenants_may_use_the_same_ids(store: SqlStore):
    for app in (APP, "other"):
        await store.create_chat(app, agent="desk", chat_id="same", title=app)
    ours, theirs = await store.load_view(APP, "same"), await store.load_view("other", "same")
    assert ours is not None
    assert theirs is not None
    assert (ours.title, theirs.title) == (APP, "other")


async def test_renaming_tells_who_did_it(story: Story, store: SqlStore):
    chat_id = await story.chat()
    frames = await store.rename_chat(APP, chat_id, "Refunds", by="ada")
    assert types(frames) == ["title"]
    assert (await story.events(chat_id))[-1].by == "ada"
    assert (await story.view(chat_id)).title == "Refunds"
    with pytest.raises(NotFound):
        await store.rename_chat(APP, "nowhere", "x", by=None)


async def test_chats_are_listed_last_changed_first_with_their_open_cards(
    story: Story, store: SqlStore, clock: FakeClock
):
    quiet = await story.chat(title="Quiet")
    clock.advance(seconds=1)
    fence, _ = await story.waiting(form("a"), form("b"))
    listed = await store.list_chats(APP)
    assert [(chat.head.id, chat.pending) for chat in listed] == [(fence.chat_id, 2), (quiet, 0)]
    assert listed[0].as_json()["run"] is not None


async def test_pages_of_chats_lose_none_that_changed_at_one_moment(
    story: Story, store: SqlStore, clock: FakeClock
):
    wanted = set()
    for _ in range(3):
        wanted |= {await story.chat() for _ in range(3)}
        clock.advance(seconds=1)
    seen: list[str] = []
    before = None
    for _ in range(3):
        page = await store.list_chats(APP, before=before, limit=2)
        seen += [chat.head.id for chat in page]
        before = page[-1].updated_at
    assert await store.list_chats(APP, before=before, limit=2) == []
    assert sorted(seen) == sorted(wanted)


@pytest.mark.parametrize(
    ("q", "found"),
    [
        ("ORDERS", True),
        ("straße", True),
        ("STRASSE", True),
        ("100%", True),
        ("1_0", False),
        ("x", False),
    ],
)
async def test_search_finds_titles_and_words(story: Story, store: SqlStore, q: str, found: bool):
    titled = await story.chat(title="My orders")
    await story.say(titled, "Ship 100% to Hauptstraße 5")
    await story.chat(title="Nothing here")
    assert [chat.head.id for chat in await store.list_chats(APP, q=q)] == (
        [titled] if found else []
    )


async def test_events_come_again_from_any_seq_in_the_bytes_that_were_published(
    story: Story, store: SqlStore
):
    claimed = await story.begin()
    published = await store.record(claimed.fence, [text("t1", "Hello", claimed.fence.run_id)])
    again = await store.events_after(APP, claimed.fence.chat_id, published[0].seq or 0)
    assert again == []
    again = await store.events_after(APP, claimed.fence.chat_id, (published[0].seq or 0) - 1)
    assert [frame.json for frame in again] == [frame.json for frame in published]
    assert again == list(published)


async def test_pages_join_without_a_seam(story: Story, store: SqlStore):
    claimed = await story.begin()
    fence = claimed.fence
    await store.record(fence, [called("old-call", fence)])
    await store.record(
        fence,
        [
            ArtifactChanged(
                id="plan", ui_tool_id="plan", title="Plan", content={"n": 1}, version=1
            ),
            *[text(f"t{n}", f"Message {n}", fence.run_id) for n in range(20)],
        ],
    )
    first = await store.load_view(APP, fence.chat_id, limit=5)
    assert first is not None
    assert len(first.messages) == 5
    assert [call.tool_call_id for call in first.tool_calls] == ["old-call"], "open items always"
    assert [artifact.artifact_id for artifact in first.artifacts] == ["plan"]
    whole, pages = first, 1
    while whole.before is not None:
        older = await store.load_view(APP, fence.chat_id, before=whole.before, limit=5)
        assert older is not None
        assert len(older.messages) + len(older.tool_calls) <= 5
        whole, pages = merge_page(whole, older), pages + 1
    assert pages > 3
    assert whole == await story.whole(fence.chat_id)


async def test_a_page_that_holds_everything_has_nothing_before_it(story: Story, store: SqlStore):
    claimed = await story.begin()
    await store.record(claimed.fence, [text("t1", "Hello", claimed.fence.run_id)])
    both = await store.load_view(APP, claimed.fence.chat_id, limit=2)
    assert both is not None
    assert (len(both.messages), both.before) == (2, None)
    one = await store.load_view(APP, claimed.fence.chat_id, limit=1)
    assert one is not None
    assert one.before == one.messages[0].sequence


async def test_a_first_page_and_the_events_after_it_are_the_whole(story: Story, store: SqlStore):
    fence, waited = await story.waiting(form("a"), form("b"))
    snapshot = await story.view(fence.chat_id)
    await story.answer(waited.interactions[0])
    await story.answer(waited.interactions[1], lease=None)
    later = [event for event in await story.events(fence.chat_id) if event.seq > snapshot.seq]
    assert later
    assert fold(snapshot, later) == await story.whole(fence.chat_id)


async def test_a_missing_chat_is_none_and_its_log_is_empty(store: SqlStore):
    assert await store.load_view(APP, "nowhere") is None
    assert await store.events_after(APP, "nowhere", 0) == []
    assert await store.open_texts(APP, "nowhere") == []


async def test_words_no_database_likes_are_kept_as_far_as_they_can_be(
    story: Story, store: SqlStore
):
    claimed = await story.begin("a \x00 in it")
    half_a_pair = text("t1", "tail \udc00", claimed.fence.run_id)
    await store.record(claimed.fence, [half_a_pair])
    await store.finish(claimed.fence, RunState.COMPLETED)
    view = await story.view(claimed.fence.chat_id)
    assert [m.content for m in view.messages] == ["a \x00 in it", "tail ?"]
    with pytest.raises(InvalidInput):
        await story.say(claimed.fence.chat_id, "half a pair \ud83d")


async def test_titles_are_read_for_many_chats_at_once(store: SqlStore):
    made = [await store.create_chat(APP, agent="desk", title=f"Order {n}") for n in range(25)]
    untitled = await store.create_chat(APP, agent="desk")
    other = await store.create_chat("other", agent="desk", title="Theirs")
    ids = [view.id for view in (*made, *made, untitled, other)]
    assert await store.chat_titles(APP, ids) == {view.id: view.title for view in made}
    assert await store.chat_titles(APP, []) == {}
