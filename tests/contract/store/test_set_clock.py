"""Somebody sets the machine's clock: no lease moves, and a card has the time it was given."""

from datetime import timedelta

import pytest

from sayso.core.interactions import InteractionState
from sayso.core.store_results import AnsweredTooLate, Settled
from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock
from tests.contract.store.story import (
    APP,
    LEASE,
    OTHER_LEASE,
    Story,
    approval,
    in_time,
    question,
)

#: Hours by which the clock is set.
JUMPS = pytest.mark.parametrize("hours", [3, -3])


@JUMPS
async def test_a_lease_lasts_as_long_as_it_was_given(
    story: Story, store: SqlStore, clock: FakeClock, hours: float
):
    fence = (await story.begin()).fence
    run_id = fence.run_id
    clock.set_by(hours=hours)
    assert await store.claim(APP, run_id, OTHER_LEASE) is None
    clock.advance(seconds=20)
    assert store.renew_blocking(LEASE.owner, [fence], 30.0) == {run_id}
    clock.advance(seconds=20)
    assert await store.claim_due(OTHER_LEASE, limit=9, not_mine=(), at_once=False) == []
    clock.advance(seconds=11)
    taken = await store.claim_due(OTHER_LEASE, limit=9, not_mine=(), at_once=False)
    assert [claimed.fence.run_id for claimed in taken] == [run_id]


@JUMPS
async def test_a_card_expires_when_its_time_has_passed_and_not_before(
    story: Story, store: SqlStore, clock: FakeClock, hours: float
):
    _, waited = await story.waiting(approval(**in_time(3600)))
    clock.set_by(hours=hours)
    clock.advance(seconds=3599)
    assert await store.expire_one(now=clock.now(), lease=None) is None
    clock.advance(seconds=1)
    settled = await store.expire_one(now=clock.now(), lease=None)
    assert settled is not None
    assert settled.interaction.id == waited.interactions[0].id
    assert settled.interaction.settled_at == clock.now(), "it is told by the clock on the wall"


@JUMPS
async def test_an_answer_is_in_time_as_long_as_the_card_has_time(
    story: Story, store: SqlStore, clock: FakeClock, hours: float
):
    card = (await story.waiting(approval(**in_time(60))))[1].interactions[0]
    clock.set_by(hours=hours)
    clock.advance(seconds=59)
    settled = await story.answer(card)
    assert isinstance(settled, Settled)
    assert settled.interaction.state is InteractionState.COMPLETED

    late = (await story.waiting(approval(**in_time(60))))[1].interactions[0]
    clock.set_by(hours=-hours)
    clock.advance(seconds=60)
    with pytest.raises(AnsweredTooLate):
        await store.dismiss(APP, late.id, reason=None, by="ada", lease=None)


@JUMPS
async def test_words_are_an_answer_as_long_as_the_question_has_time(
    story: Story, clock: FakeClock, hours: float
):
    fence, _ = await story.waiting(question(**in_time(60)))
    clock.set_by(hours=hours)
    clock.advance(seconds=59)
    assert (await story.say(fence.chat_id, "the first")).status == "answered"

    fence, _ = await story.waiting(question(**in_time(60)))
    clock.set_by(hours=-hours)
    clock.advance(seconds=60)
    assert (await story.say(fence.chat_id, "the second")).status == "queued"


@JUMPS
async def test_more_time_is_counted_from_the_time_there_was(
    story: Story, store: SqlStore, clock: FakeClock, hours: float
):
    card = (await story.waiting(approval(**in_time(60))))[1].interactions[0]
    clock.set_by(hours=hours)
    clock.advance(seconds=59)
    longer = await store.extend(APP, card.id, seconds=60, seen=card.expires_at, by="ada")
    assert isinstance(longer, Settled)
    assert longer.interaction.expires_at == clock.steady() + timedelta(seconds=61)
    clock.advance(seconds=60)
    assert await store.expire_one(now=clock.now(), lease=None) is None
    clock.advance(seconds=1)
    assert await store.expire_one(now=clock.now(), lease=None) is not None
