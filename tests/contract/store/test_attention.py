"""Who is looking at a card, and who wants to see it later: both end by their time."""

from __future__ import annotations

from datetime import timedelta

import pytest

from sayso.core.attention import AttentionMoved, Claim
from sayso.core.errors import AlreadyClaimed, NotFound
from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock
from tests.contract.store.story import APP, Story, approval


def claim(clock: FakeClock, of: str, person: str, *, by: str = "", note: str = "") -> Claim:
    until = clock.now() + timedelta(minutes=15)
    return Claim(interaction_id=of, person=person, by=by or person, until=until, note=note)


async def test_a_claim_is_one_persons_until_its_time(
    story: Story, store: SqlStore, clock: FakeClock
):
    run, waited = await story.waiting(approval())
    (card,) = waited.interactions
    kims = claim(clock, card.id, "kim")
    frame = await store.put_claim(APP, kims, take_over=False)
    assert (frame.chat_id, frame.seq, frame.body) == (run.chat_id, None, AttentionMoved(card.id))
    assert (await store.attention(APP, [card.id], "ada")).claims == {card.id: kims}

    adas = claim(clock, card.id, "ada")
    with pytest.raises(AlreadyClaimed, match="kim is looking at this"):
        await store.put_claim(APP, adas, take_over=False)
    await store.drop_claim(APP, card.id, "ada")
    assert (await store.attention(APP, [card.id], "ada")).claims == {card.id: kims}

    clock.advance(seconds=15 * 60)
    assert (await store.attention(APP, [card.id], "ada")).claims == {}
    adas = claim(clock, card.id, "ada")
    await store.put_claim(APP, adas, take_over=False)
    assert (await store.attention(APP, [card.id], "kim")).claims == {card.id: adas}


async def test_it_is_taken_over_handed_over_and_released(
    story: Story, store: SqlStore, clock: FakeClock
):
    _, waited = await story.waiting(approval())
    (card,) = waited.interactions
    await store.put_claim(APP, claim(clock, card.id, "kim"), take_over=False)
    await store.put_claim(APP, claim(clock, card.id, "ada"), take_over=True)
    given = claim(clock, card.id, "ben", by="ada", note="You know this customer.")
    await store.put_claim(APP, given, take_over=False)
    assert (await store.attention(APP, [card.id], "kim")).claims == {card.id: given}
    # Who gave it may take it back, and so may who got it.
    await store.drop_claim(APP, card.id, "ada")
    assert (await store.attention(APP, [card.id], "kim")).claims == {}


async def test_what_is_put_off_is_so_for_one_person_and_comes_back(
    story: Story, store: SqlStore, clock: FakeClock
):
    _, waited = await story.waiting(approval("a"), approval("b"))
    one, two = waited.interactions
    until = clock.now() + timedelta(hours=1)
    await store.put_snooze(APP, one.id, "ada", until)
    ids = [one.id, two.id]
    assert (await store.attention(APP, ids, "ada")).snoozed == {one.id: until}
    assert (await store.attention(APP, ids, "kim")).snoozed == {}
    assert [await store.count_snoozed(APP, who) for who in ("ada", "kim")] == [1, 0]

    clock.advance(seconds=3600)
    assert (await store.attention(APP, ids, "ada")).snoozed == {}
    assert await store.count_snoozed(APP, "ada") == 0
    await store.put_snooze(APP, two.id, "ada", clock.now() + timedelta(hours=1))
    await store.drop_snooze(APP, two.id, "ada")
    assert await store.count_snoozed(APP, "ada") == 0


async def test_what_is_not_there_or_another_tenants_is_not_found(
    story: Story, store: SqlStore, clock: FakeClock
):
    _, waited = await story.waiting(approval())
    (card,) = waited.interactions
    with pytest.raises(NotFound):
        await store.put_claim("other", claim(clock, card.id, "eve"), take_over=False)
    with pytest.raises(NotFound):
        await store.put_snooze(APP, "none", "ada", clock.now() + timedelta(hours=1))
    assert (await store.attention("other", [card.id], "eve")).claims == {}
    assert (await store.attention(APP, [card.id], "ada")).claims == {}
