"""The inbox and the history: filters, orders, pages and counts over all chats."""

from datetime import datetime, timedelta
from typing import Any

from sayso.core.effects import EffectEnd, EffectStart, EffectState
from sayso.core.inbox import InteractionFilter, InteractionOrder
from sayso.core.interactions import InteractionState
from sayso.core.ports import Store
from sayso.core.record import Allowed
from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock
from tests.contract.store.story import APP, Story, approval, form, held, in_time, no, question, yes

PENDING = InteractionState.PENDING


async def keys(
    store: Store, order: InteractionOrder = InteractionOrder.NEWEST, **wanted: Any
) -> list[str]:
    found = await store.interactions(APP, InteractionFilter(**wanted), order=order)
    return [it.call_key for it in found]


async def paged(store: Store, order: InteractionOrder, **wanted: Any) -> list[str]:
    """The same, two at a time."""
    found: list[str] = []
    before = None
    while page := await store.interactions(
        APP, InteractionFilter(**wanted), order=order, before=before, limit=2
    ):
        found += [it.call_key for it in page]
        before = page[-1].id
    return found


async def test_what_waits_is_ordered_by_its_age_or_by_its_time(
    story: Story, store: Store, clock: FakeClock
):
    await story.waiting(approval("old"))
    clock.advance(seconds=1)
    await story.waiting(form("late", **in_time(900)), form("soon", **in_time(60)))
    clock.advance(seconds=1)
    await story.waiting(question("new"))
    for order, expected in (
        (InteractionOrder.OLDEST, ["old", "late", "soon", "new"]),
        (InteractionOrder.NEWEST, ["new", "soon", "late", "old"]),
        (InteractionOrder.EXPIRING, ["soon", "late", "old", "new"]),
    ):
        assert await keys(store, order, status=PENDING) == expected
        assert await paged(store, order, status=PENDING) == expected
    soon = clock.now() + timedelta(minutes=5)
    assert await keys(store, status=PENDING, expires_before=soon) == ["soon"]


async def test_the_history_is_told_in_the_order_of_the_decisions(
    story: Story, store: Store, clock: FakeClock
):
    _, waited = await story.waiting(approval("a"), approval("b"), form("c"))
    a, b, c = waited.interactions
    moments = []
    for it, answer, by in ((c, yes(c), "ada"), (a, no(a, "wrong list"), "ben"), (b, yes(b), "ada")):
        clock.advance(seconds=1)
        moments.append(clock.now())
        await story.answer(it, answer, by=by)
    await story.waiting(approval("waits"))
    told = InteractionOrder.SETTLED
    assert await keys(store, told) == ["b", "a", "c"]
    assert await paged(store, told) == ["b", "a", "c"]
    assert await keys(store, told, chat_id=a.chat_id) == ["b", "a", "c"]
    assert await paged(store, told, chat_id=a.chat_id) == ["b", "a", "c"]
    assert await keys(store, told, settled_by="ada") == ["b", "c"]
    assert await keys(store, told, decision="reject") == ["a"]
    assert await keys(store, told, tool="refund") == ["b", "a"]
    assert await keys(store, told, tool="refun_") == []
    assert await keys(store, told, agent="desk", kind="form") == ["c"]
    assert await keys(store, told, since=moments[1]) == ["b", "a"]
    assert await keys(store, told, since=moments[1], until=moments[2]) == ["a"]
    assert await keys(store, told, status=InteractionState.REJECTED) == ["a"]


async def test_words_are_found_on_the_card_and_in_the_answer(story: Story, store: Store):
    _, waited = await story.waiting(approval("a", amount=4211), form("f"))
    a = waited.interactions[0]
    assert await keys(store, words="REFUND") == ["a"]
    assert await keys(store, words=" 4211 ") == ["a"]
    assert await keys(store, words="deli") == ["f"]
    # Not the names of fields, nor what a schema says.
    assert await keys(store, words="tool_params") == []
    assert await keys(store, words="street") == []
    assert await keys(store, words="%") == []
    assert await keys(store, words="  ") == ["f", "a"]
    await story.answer(a, no(a, "Die STRASSE ist falsch"))
    assert await keys(store, words="straße") == ["a"]


async def test_asking_again_changes_what_is_found(story: Story, store: Store):
    fence, waited = await story.waiting(approval("a", amount=4211), question("q"), each=True)
    settled = await story.answer(waited.interactions[1])
    assert settled.claimed is not None
    await story.ask(settled.claimed.fence, approval("a", amount=9000))
    assert await keys(store, words="9000") == ["a"]
    assert await keys(store, words="4211") == []
    assert fence.run_id == settled.claimed.fence.run_id


async def test_what_a_person_chose_is_found_by_who_and_since_when(
    story: Story, store: Store, clock: FakeClock
):
    async def answered(key: str, by: str) -> datetime | None:
        _, waited = await story.waiting(question(key, options=("a", "b")), approval(f"{key}!"))
        asked, approved = waited.interactions
        await story.answer(asked, yes(asked, selected_option="a"), by=by)
        settled = await story.answer(approved, yes(approved), by=by)
        clock.advance(seconds=1)
        return settled.interaction.settled_at

    async def chosen(by: str, **limits: Any) -> list[str]:
        return [it.call_key for it in await store.chosen_by(APP, by, **limits)]

    first = await answered("first", "ada")
    await answered("second", "ada")
    await answered("other", "ben")
    assert await chosen("ada") == ["second", "first"]
    assert await chosen("ada", limit=1) == ["second"]
    assert await chosen("ada", since=first) == ["second"]
    assert await chosen("ben") == ["other"]
    assert await store.chosen_by("other", "ada") == []


async def test_what_waits_is_counted_by_kind_and_agent(story: Story, store: Store):
    assert await store.count_pending(APP) == []
    # What is held needs nobody.
    _, waited = await story.waiting(approval("a"), approval("b"), form("f"), held())
    await story.answer(waited.interactions[0])
    assert [chat.pending for chat in await store.list_chats(APP)] == [2]
    counted = {(c.kind, c.agent_name): c.count for c in await store.count_pending(APP)}
    assert counted == {("approval", "desk"): 1, ("form", "desk"): 1}
    assert await store.count_pending("other") == []


async def test_chats_with_a_preference_are_found_by_who_opened_them(story: Story, store: Store):
    mine, plain = await story.chat(title='My "always_allow": [1]'), await story.chat()
    await store.set_chat_preference(APP, mine, "always_allow", ["refund"], by="ada")
    await store.set_chat_preference(APP, plain, "theme", "dark", by="ada")
    found = await store.chats_preferring(APP, "always_allow", by="ada")
    assert [(head.id, head.preferences["always_allow"]) for head in found] == [(mine, ["refund"])]
    assert await store.chats_preferring(APP, "always_allow", by="ben") == []
    assert await store.chats_preferring("other", "always_allow", by="ada") == []
    await store.set_chat_preference(APP, mine, "always_allow", [], by="ada")
    assert await store.chats_preferring(APP, "always_allow", by="ada") == []


async def test_what_was_changed_before_its_approval_is_found(story: Story, store: Store):
    _, waited = await story.waiting(approval("a"), approval("b"))
    a, b = waited.interactions
    await story.answer(a, yes(a, edits={"amount": 5}))
    # What somebody writes is no edit, however it looks.
    await story.answer(b, yes(b, additional_notes='"edits":{"amount": 5}'))
    assert sorted(await keys(store)) == ["a", "b"]
    assert await keys(store, edited=True) == ["a"]


async def test_what_became_of_an_approval_is_found(story: Story, store: SqlStore):
    _, waited = await story.waiting(approval("a"), approval("b"), approval("c"))
    for it in waited.interactions:
        await story.answer(it)
    a, b, _ = waited.interactions
    claimed = await story.begin()
    failed, done = (EffectEnd(state=state) for state in (EffectState.FAILED, EffectState.DONE))
    # The second was tried again, and ran.
    for it, number, end in ((a, 1, failed), (b, 1, failed), (b, 2, done)):
        start = EffectStart(
            key=f"refund:{it.id}",
            attempt=number,
            tool_name="refund",
            arguments={},
            tool_call_id="call-1",
            allowed=Allowed(interaction_id=it.id),
        )
        await store.start_effect(claimed.fence, start, None)
        await store.end_effect(claimed.fence, start.key, number, end, [])
    assert await keys(store, outcome="went_wrong") == ["a"]
    assert await keys(store, outcome="ran") == ["b"]
