"""Browsers that are told by push: each of what was opened since, and of nothing twice."""

from __future__ import annotations

from dataclasses import replace

from sayso.core.pushes import MOST_BROWSERS, PushSubscription, id_of
from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock
from tests.contract.store.story import APP, Story, approval, form


def browser(clock: FakeClock, name: str = "one", **more: object) -> PushSubscription:
    now = clock.now()
    made = PushSubscription(
        app_id=APP,
        id=id_of(name),
        person="ada",
        endpoint=f"https://push.example/{name}",
        p256dh="key",
        auth="auth",
        created_at=now,
        told_until=now,
        due_at=now,
    )
    return replace(made, **more)  # type: ignore[arg-type]  # a test's own names


async def test_a_browser_is_told_what_was_opened_since_it_was_told(
    story: Story, store: SqlStore, clock: FakeClock
):
    _, before = await story.waiting(form())
    clock.advance(seconds=1)
    await store.put_push_subscription(browser(clock))
    assert (await store.due_pushes()).notices == []
    clock.advance(seconds=1)
    _, waited = await story.waiting(approval())
    (notice,) = (await store.due_pushes()).notices
    (card,) = waited.interactions
    assert [it.id for it in notice.cards] == [card.id]
    assert notice.as_json() == {
        "title": "Needs your answer: Refund",
        "path": f"/i/{card.id}",
        "tag": card.id,
        "waiting": 2,
        "open": [card.id, before.interactions[0].id],
    }
    await store.told_push(notice)
    assert (await store.due_pushes()).notices == []


async def test_many_are_told_as_one(story: Story, store: SqlStore, clock: FakeClock):
    await store.put_push_subscription(browser(clock, language="zh-Hans"))
    clock.advance(seconds=1)
    await story.waiting(approval("a"), approval("b"))
    (notice,) = (await store.due_pushes()).notices
    told = notice.as_json()
    assert (told["title"], told["path"]) == ("2 个请求需要您答复", "/inbox")


async def test_what_is_answered_first_or_for_others_is_not_told(
    story: Story, store: SqlStore, clock: FakeClock
):
    await store.put_push_subscription(browser(clock))
    await store.put_push_subscription(browser(clock, "of bob", person="b_b"))
    await store.put_push_subscription(browser(clock, "elsewhere", app_id="other"))
    clock.advance(seconds=1)
    _, waited = await story.waiting(approval("a", assignees=["b_b"]), approval("b"))
    await story.answer(waited.interactions[1])
    (notice,) = (await store.due_pushes()).notices
    assert notice.to.person == "b_b"
    assert [it.id for it in notice.cards] == [waited.interactions[0].id]


async def test_one_that_failed_is_due_later_and_is_told_everything(
    story: Story, store: SqlStore, clock: FakeClock
):
    await store.put_push_subscription(browser(clock))
    clock.advance(seconds=1)
    await story.waiting(approval())
    await store.tell_push_later(APP, id_of("one"), again_in=30)
    due = await store.due_pushes()
    assert (due.notices, due.next_in) == ([], 30)
    clock.advance(seconds=30)
    (notice,) = (await store.due_pushes()).notices
    assert notice.to.attempts == 1
    await store.told_push(notice)
    clock.advance(seconds=1)
    await story.waiting(form())
    (notice,) = (await store.due_pushes()).notices
    assert (len(notice.cards), notice.to.attempts) == (1, 0)


async def test_only_its_person_forgets_a_browser_and_the_oldest_make_room(
    store: SqlStore, clock: FakeClock, story: Story
):
    for n in range(MOST_BROWSERS + 2):
        clock.advance(seconds=1)
        await store.put_push_subscription(browser(clock, str(n)))
    await store.forget_push_subscription(APP, id_of("5"), "bob")
    await store.forget_push_subscription(APP, id_of("6"), "ada")
    clock.advance(seconds=1)
    await story.waiting(approval())
    found = {notice.to.id for notice in (await store.due_pushes()).notices}
    assert found == {id_of(str(n)) for n in range(2, MOST_BROWSERS + 2) if n != 6}
