"""Where people who are away are told: each place of what was opened since, and of nothing twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from sayso.core.attention import Claim
from sayso.core.digest import JsonObject
from sayso.core.pushes import MOST_BROWSERS, PushSubscription, id_of
from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock
from tests.contract.store.story import APP, Story, approval, form, held


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
    assert (await store.due_pushes(mail_after=60)).notices == []
    clock.advance(seconds=1)
    _, waited = await story.waiting(approval(), held())
    (notice,) = (await store.due_pushes(mail_after=60)).notices
    card, _ = waited.interactions
    assert [it.id for it in notice.cards] == [card.id]
    assert notice.as_json() == {
        "title": "Needs your answer: Refund",
        "path": f"/i/{card.id}",
        "tag": card.id,
        "waiting": 2,
        "open": [card.id, before.interactions[0].id],
    }
    await store.told_push(notice, rests=0)
    assert (await store.due_pushes(mail_after=60)).notices == []


async def test_many_are_told_as_one(story: Story, store: SqlStore, clock: FakeClock):
    await store.put_push_subscription(browser(clock, language="zh-Hans"))
    clock.advance(seconds=1)
    await story.waiting(approval("a"), approval("b"))
    (notice,) = (await store.due_pushes(mail_after=60)).notices
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
    (notice,) = (await store.due_pushes(mail_after=60)).notices
    assert notice.to.person == "b_b"
    assert [it.id for it in notice.cards] == [waited.interactions[0].id]


async def test_one_that_failed_is_due_later_and_is_told_everything(
    story: Story, store: SqlStore, clock: FakeClock
):
    await store.put_push_subscription(browser(clock))
    clock.advance(seconds=1)
    await story.waiting(approval())
    await store.tell_push_later(APP, id_of("one"), again_in=30)
    due = await store.due_pushes(mail_after=60)
    assert (due.notices, due.next_in) == ([], 30)
    clock.advance(seconds=30)
    (notice,) = (await store.due_pushes(mail_after=60)).notices
    assert notice.to.attempts == 1
    await store.told_push(notice, rests=0)
    clock.advance(seconds=1)
    await story.waiting(form())
    (notice,) = (await store.due_pushes(mail_after=60)).notices
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
    found = {notice.to.id for notice in (await store.due_pushes(mail_after=60)).notices}
    assert found == {id_of(str(n)) for n in range(2, MOST_BROWSERS + 2) if n != 6}


async def test_what_is_handed_over_or_had_back_is_told_whenever_it_was_opened(
    story: Story, store: SqlStore, clock: FakeClock
):
    _, waited = await story.waiting(approval())
    (card,) = waited.interactions
    clock.advance(seconds=1)
    await store.put_push_subscription(browser(clock))
    await store.put_push_subscription(browser(clock, "elsewhere", app_id="other"))
    clock.advance(seconds=1)
    now = clock.now()
    own = Claim(interaction_id=card.id, person="ada", by="ada", until=now + timedelta(hours=1))
    await store.put_claim(APP, own, take_over=False)
    assert (await store.due_pushes(mail_after=60)).notices == []
    await store.put_claim(APP, replace(own, by="kim"), take_over=True)
    (notice,) = (await store.due_pushes(mail_after=60)).notices
    assert notice.as_json()["title"] == "kim left this for you: Refund"
    await store.told_push(notice, rests=0)

    clock.advance(seconds=1)
    await store.put_snooze(APP, card.id, "ada", clock.now() + timedelta(hours=1))
    clock.advance(seconds=3599)
    assert (await store.due_pushes(mail_after=60)).notices == []
    clock.advance(seconds=1)
    # Another's snooze forgets those that are long over, and not this one.
    await store.put_snooze(APP, card.id, "ben", clock.now() + timedelta(hours=1))
    (notice,) = (await store.due_pushes(mail_after=60)).notices
    assert [it.id for it in notice.cards] == [card.id]
    await store.told_push(notice, rests=0)
    assert (await store.due_pushes(mail_after=60)).notices == []


async def test_what_is_put_off_before_it_was_told_waits(
    story: Story, store: SqlStore, clock: FakeClock
):
    await store.put_push_subscription(browser(clock))
    clock.advance(seconds=1)
    _, waited = await story.waiting(approval())
    await store.put_snooze(APP, waited.interactions[0].id, "ada", clock.now() + timedelta(hours=1))
    assert (await store.due_pushes(mail_after=60)).notices == []
    clock.advance(seconds=3600)
    assert len((await store.due_pushes(mail_after=60)).notices) == 1


async def test_in_quiet_hours_nothing_is_told_and_then_what_still_waits(
    story: Story, store: SqlStore, clock: FakeClock
):
    clock.advance(seconds=(datetime(2031, 7, 1, 20, 59, tzinfo=UTC) - clock.now()).total_seconds())
    await store.put_push_subscription(browser(clock))
    hours: JsonObject = {"from": "23:00", "until": "07:00", "zone": "Europe/Berlin"}
    await store.put_preferences(APP, "ada", {"quiet_hours": hours})
    clock.advance(seconds=60)
    _, waited = await story.waiting(approval("a"), approval("b"))
    assert (await store.due_pushes(mail_after=60)).notices == []
    await story.answer(waited.interactions[1])
    clock.advance(seconds=8 * 3600 - 1)
    assert (await store.due_pushes(mail_after=60)).notices == []
    clock.advance(seconds=1)
    (notice,) = (await store.due_pushes(mail_after=60)).notices
    assert [it.id for it in notice.cards] == [waited.interactions[0].id]


async def test_a_mail_waits_a_moment_and_tells_nothing_that_was_answered_in_it(
    story: Story, store: SqlStore, clock: FakeClock
):
    by_mail = browser(clock, endpoint="mailto:ada@example.org", p256dh="", auth="")
    await store.put_push_subscription(by_mail)
    assert await store.push_subscriptions(APP, "ada") == [by_mail]
    clock.advance(seconds=1)
    _, waited = await story.waiting(approval("a"), approval("b"))
    clock.advance(seconds=59)
    assert (await store.due_pushes(mail_after=60)).notices == []
    await story.answer(waited.interactions[1])
    clock.advance(seconds=1)
    (notice,) = (await store.due_pushes(mail_after=60)).notices
    assert [it.id for it in notice.cards] == [waited.interactions[0].id]
    await store.told_push(notice, rests=300)
    await story.waiting(form())
    clock.advance(seconds=60)
    due = await store.due_pushes(mail_after=60)
    assert (due.notices, due.next_in) == ([], 240)


async def test_of_two_nodes_one_tells(story: Story, store: SqlStore, clock: FakeClock):
    await store.put_push_subscription(browser(clock))
    clock.advance(seconds=1)
    await story.waiting(approval())
    (notice,) = (await store.due_pushes(mail_after=60)).notices
    assert await store.take_push(notice, seconds=20)
    assert not await store.take_push(notice, seconds=20)
    assert (await store.due_pushes(mail_after=60)).notices == []
    # Who took it has died.
    clock.advance(seconds=20)
    (again,) = (await store.due_pushes(mail_after=60)).notices
    assert again.id == notice.id
    assert await store.take_push(again, seconds=20)
    await store.told_push(again, rests=0)
    assert not await store.take_push(again, seconds=20)
