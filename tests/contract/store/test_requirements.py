"""The requirements of a chat: each version made from the one before, a grant used once, and the
message that is read beside the gate's card."""

import pytest

from sayso.core.digest import JsonObject
from sayso.core.effects import EffectStart, GrantUse
from sayso.core.errors import GrantVoid, LeaseLost, NotFound, VersionConflict
from sayso.core.interactions import InteractionResponse, InteractionState
from sayso.core.requirements import (
    Grant,
    RequirementState,
    SpokenYes,
    next_version,
    started_over,
    state_in,
    value_hash,
    with_grant,
)
from sayso.core.sessions import RunState
from sayso.core.store_results import Claimed
from sayso.store.store import SqlStore
from sayso.testing.clock import FakeClock
from tests.contract.store.story import APP, LEASE, SAVED, Story, gate_card, types

VALUES: JsonObject = {"destination": "Rome"}
HASH = value_hash("checklist", VALUES)


def kept(version: int, *grants: Grant) -> JsonObject:
    state = RequirementState(version=version)
    for grant in grants:
        state = with_grant(state, grant)
    return {"version": version, "state": state.model_dump(mode="json")}


def grant(grant_id: str = "g1") -> Grant:
    return Grant(
        id=grant_id, action="checklist", value_hash=HASH, values=VALUES, given_by="message-1"
    )


def start(attempt: int = 1, *, wanted: str = HASH, key: str = "run it") -> EffectStart:
    return EffectStart(
        key=key,
        attempt=attempt,
        tool_name="create_checklist",
        arguments=VALUES,
        grant=GrantUse(grant_id="g1", value_hash=wanted),
    )


async def granted(story: Story, store: SqlStore) -> Claimed:
    claimed = await story.begin()
    fence = claimed.fence
    await store.change_requirements(APP, fence.chat_id, kept(1, grant()), by=None, fence=fence)
    return claimed


async def test_each_version_is_made_from_the_one_before(story: Story, store: SqlStore):
    claimed = await story.begin()
    chat = claimed.fence.chat_id
    assert await store.requirements(APP, chat) is None
    await store.change_requirements(APP, chat, kept(1), by="ada")
    for wrong in (1, 3):
        with pytest.raises(VersionConflict):
            await store.change_requirements(APP, chat, kept(wrong), by="bob")
    await store.change_requirements(APP, chat, kept(2), by="bob")
    assert await store.requirements(APP, chat) == kept(2)
    view = await store.load_view(APP, chat)
    assert view is not None
    assert view.requirements == kept(2)


async def test_another_tenants_are_not_found(story: Story, store: SqlStore):
    claimed = await story.begin()
    with pytest.raises(NotFound):
        await store.requirements("other", claimed.fence.chat_id)


async def test_a_run_that_lost_its_lease_writes_none(
    story: Story, store: SqlStore, clock: FakeClock
):
    claimed = await story.begin()
    clock.advance(seconds=31)
    taken = await store.claim(APP, claimed.fence.run_id, LEASE)
    assert taken is not None
    fence = claimed.fence
    with pytest.raises(LeaseLost):
        await store.change_requirements(APP, fence.chat_id, kept(1), by=None, fence=fence)


async def test_a_grant_is_used_up_where_its_effect_starts(
    story: Story, store: SqlStore, clock: FakeClock
):
    claimed = await granted(story, store)
    frames = await store.start_effect(claimed.fence, start(), SAVED)
    assert [frame.seq is not None for frame in frames] == [True]
    state = state_in(await store.requirements(APP, claimed.fence.chat_id))
    assert [one.status for one in state.grants] == ["used"]
    assert state.version == 2
    with pytest.raises(GrantVoid):
        await store.start_effect(claimed.fence, start(key="again"), None)
    # The refused one left nothing behind: the attempt was never begun.
    clock.advance(seconds=31)
    taken = await store.claim(APP, claimed.fence.run_id, LEASE)
    assert taken is not None
    assert list(taken.start.effects) == ["run it"]
    assert taken.start.requirements == await store.requirements(APP, claimed.fence.chat_id)


async def test_a_grant_for_other_values_does_not_hold(story: Story, store: SqlStore):
    claimed = await granted(story, store)
    with pytest.raises(GrantVoid):
        await store.start_effect(claimed.fence, start(wanted="sha256:other"), None)


def forget(known: JsonObject | None) -> JsonObject:
    state = started_over(state_in(known))
    return {"version": state.version + 1, "state": next_version(state).model_dump(mode="json")}


async def test_who_starts_over_lets_the_next_message_begin_with_nothing(
    story: Story, store: SqlStore
):
    """One transaction: the run that is open goes, what was known goes, and only then does what
    waited in the queue begin."""
    claimed = await granted(story, store)
    queued = await story.say(claimed.fence.chat_id, "create it")
    assert queued.status == "queued"
    over = await store.start_over(
        APP, claimed.fence.chat_id, forget, reason="Started over.", by="ada", lease=LEASE
    )
    assert over.fence == claimed.fence
    assert over.claimed is not None
    assert over.claimed.fence.run_id == queued.run_id == over.next_run_id
    assert over.claimed.start.requirements == await store.requirements(APP, claimed.fence.chat_id)
    left = state_in(over.claimed.start.requirements)
    assert [grant.status for grant in left.grants] == ["void"]
    said = ["run:cancelled", "requirements", "message:complete", "run:running"]
    assert types(over.frames) == said
    with pytest.raises(LeaseLost):
        await store.start_effect(claimed.fence, start(), None)


async def test_who_starts_over_takes_the_open_cards_away(story: Story, store: SqlStore):
    fence, waited = await story.waiting(gate_card())
    over = await store.start_over(
        APP, fence.chat_id, forget, reason="Started over.", by="ada", lease=None
    )
    assert over.run is not None
    assert over.run.state is RunState.CANCELLED
    card = await store.interaction(APP, waited.interactions[0].id)
    assert card is not None
    assert card.state is InteractionState.CANCELLED


async def test_who_starts_over_where_nothing_runs_forgets_alone(story: Story, store: SqlStore):
    chat = await story.chat()
    await store.change_requirements(APP, chat, kept(1, grant()), by="ada")
    over = await store.start_over(APP, chat, forget, reason="Started over.", by="ada", lease=LEASE)
    assert (over.run, over.claimed, types(over.frames)) == (None, None, ["requirements"])
    with pytest.raises(NotFound):
        await store.start_over("other", chat, forget, reason="x", by="ada", lease=LEASE)


async def test_what_cannot_be_forgotten_cancels_nothing(story: Story, store: SqlStore):
    claimed = await granted(story, store)
    with pytest.raises(VersionConflict):
        await store.start_over(
            APP, claimed.fence.chat_id, lambda _: kept(7), reason="x", by="ada", lease=LEASE
        )
    assert await story.state(claimed.fence.run_id) is RunState.RUNNING


async def test_words_beside_the_gates_card_are_read_with_it(
    story: Story, store: SqlStore, clock: FakeClock
):
    claimed = await story.begin()
    waited = await store.wait(claimed.fence, SAVED, [gate_card()], resume_each=False)
    posted = await story.say(claimed.fence.chat_id, "yes", lease=None)
    assert posted.status == "superseded"
    card = await store.interaction(APP, waited.interactions[0].id)
    assert card is not None
    assert card.state is InteractionState.SUPERSEDED
    assert posted.run_id is not None
    taken = await store.claim(APP, posted.run_id, LEASE)
    assert taken is not None
    yes = SpokenYes(interaction_id=card.id, message_id=posted.message_id, words="yes")
    clock.advance(seconds=1)
    for _ in range(2):  # a segment made twice says it twice
        now = await store.requirements(APP, claimed.fence.chat_id)
        version = int(str((now or {"version": 0})["version"])) + 1
        await store.change_requirements(
            APP, claimed.fence.chat_id, kept(version), by=None, fence=taken.fence, yes=yes
        )
    spoken = await store.interaction(APP, card.id)
    assert spoken is not None
    assert (spoken.state, spoken.settled_by) == (InteractionState.COMPLETED, "ada")
    assert (spoken.answer_key, spoken.settled_at) == (posted.message_id, clock.now())
    assert spoken.response == InteractionResponse(
        interaction_id=card.id,
        approved=True,
        user_message="yes",
        metadata={"message_id": posted.message_id, "digest": card.digest},
    )
    actions = [line.action for line in await store.audit(APP)]
    assert actions.count("interaction.completed") == 1
