"""Another tenant knows an id, and moves nothing with it: every verb that is told a tenant."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from sayso.core.effects import EffectEnd, EffectStart, EffectState
from sayso.core.errors import SaysoError
from sayso.core.interactions import InteractionState
from sayso.core.record import Allowed
from sayso.core.sessions import RunState
from sayso.core.store_results import Checked, Fence
from sayso.store.store import SqlStore
from tests.contract.store.story import APP, LEASE, SAVED, Story, approval, in_time, says, text, yes

OTHER = "other"


def start(key: str = "pay") -> EffectStart:
    return EffectStart(key=key, attempt=1, tool_name="pay", arguments={}, business_key="pay:7")


@pytest.mark.parametrize("verb", ["answer", "dismiss", "extend"])
async def test_of_a_card(story: Story, store: SqlStore, verb: str):
    fence, waited = await story.waiting(approval(**in_time(60)))
    it = waited.interactions[0]
    verbs: dict[str, Callable[[], Awaitable[object]]] = {
        "answer": lambda: store.answer(
            OTHER, Checked(response=yes(it), seen=it), key=None, by="eve", lease=LEASE
        ),
        "dismiss": lambda: store.dismiss(OTHER, it.id, reason=None, by="eve", lease=LEASE),
        "extend": lambda: store.extend(OTHER, it.id, seconds=9, seen=None, by="eve"),
    }
    before = await story.events(fence.chat_id)
    with pytest.raises(SaysoError):
        await verbs[verb]()
    assert await store.interaction(APP, it.id) == it
    assert it.state is InteractionState.PENDING
    assert await story.events(fence.chat_id) == before


@pytest.mark.parametrize(
    "verb", ["record", "wait", "finish", "start_effect", "end_effect", "claim", "requirements"]
)
async def test_of_a_run(story: Story, store: SqlStore, verb: str):
    fence = (await story.begin()).fence
    await store.start_effect(fence, start("begun"), None)
    theirs = replace(fence, app_id=OTHER)
    end = EffectEnd(state=EffectState.DONE, result=1)
    verbs: dict[str, Callable[[], Awaitable[object]]] = {
        "record": lambda: store.record(theirs, [text("x", "words", fence.run_id)]),
        "wait": lambda: story.ask(theirs, approval()),
        "finish": lambda: store.finish(theirs, RunState.COMPLETED),
        "start_effect": lambda: store.start_effect(theirs, start(), SAVED),
        "end_effect": lambda: store.end_effect(theirs, "begun", 1, end, []),
        "requirements": lambda: store.change_requirements(
            OTHER, fence.chat_id, {"version": 1}, by=None, fence=theirs
        ),
        "claim": lambda: _claimed(store, theirs),
    }
    before = await story.events(fence.chat_id)
    with pytest.raises(SaysoError):
        await verbs[verb]()
    assert await story.events(fence.chat_id) == before
    assert await story.state(fence.run_id) is RunState.RUNNING
    held = await store.effect_under(APP, "pay:7")
    assert held is not None
    assert (held.key, held.state) == ("begun", EffectState.STARTED)


async def _claimed(store: SqlStore, fence: Fence) -> None:
    if await store.claim(fence.app_id, fence.run_id, LEASE) is None:
        raise SaysoError("There is nothing to claim.")


async def test_a_business_key_is_held_within_its_tenant_alone(story: Story, store: SqlStore):
    ours = (await story.begin()).fence
    await store.start_effect(ours, start(), None)
    assert await store.effect_under(OTHER, "pay:7") is None
    assert (await store.effect_under(APP, "pay:7")) is not None


async def test_a_card_allows_nothing_in_another_tenant(story: Story, store: SqlStore):
    """Whoever names a card of ours is not told what it showed, nor who answered it."""
    _, waited = await story.waiting(approval())
    it = (await story.answer(waited.interactions[0], yes(waited.interactions[0]))).interaction
    chat = await store.create_chat(OTHER, agent="desk")
    posted = await store.post_message(OTHER, chat.id, says("do it", "m1", by="eve"), LEASE)
    assert posted.claimed is not None
    theirs = posted.claimed.fence
    named = EffectStart(
        key="pay",
        attempt=1,
        tool_name="pay",
        arguments={},
        business_key="pay:7",
        allowed=Allowed(interaction_id=it.id),
    )
    await store.start_effect(theirs, named, None)
    await store.end_effect(theirs, "pay", 1, EffectEnd(state=EffectState.DONE, result=1), [])
    effect = await store.effect_under(OTHER, "pay:7")
    assert effect is not None
    assert effect.shown_digest is None
    (line,) = [one for one in await store.audit(OTHER) if one.action == "effect.done"]
    assert line.actor != "ada"


async def test_a_card_that_is_named_tells_what_it_showed_and_who_answered_it(
    story: Story, store: SqlStore
):
    _, waited = await story.waiting(approval())
    settled = await story.answer(waited.interactions[0], yes(waited.interactions[0]), by="bob")
    assert settled.claimed is not None
    fence, it = settled.claimed.fence, settled.interaction
    named = EffectStart(
        key="pay",
        attempt=1,
        tool_name="pay",
        arguments={},
        business_key="pay:7",
        allowed=Allowed(interaction_id=it.id),
    )
    await store.start_effect(fence, named, None)
    await store.end_effect(fence, "pay", 1, EffectEnd(state=EffectState.DONE, result=1), [])
    effect = await store.effect_under(APP, "pay:7")
    assert effect is not None
    assert effect.shown_digest == it.digest
    (line,) = [one for one in await store.audit(APP) if one.action == "effect.done"]
    assert line.actor == "bob"


async def test_chats_of_two_tenants_may_have_one_id_and_each_audit_is_its_own(store: SqlStore):
    for app in (APP, OTHER):
        await store.create_chat(app, agent="desk", chat_id="same")
        posted = await store.post_message(app, "same", says("do it", "m1"), LEASE)
        assert posted.claimed is not None
        fence = posted.claimed.fence
        await store.start_effect(fence, start(f"of {app}"), None)
        end = EffectEnd(state=EffectState.DONE, result=app)
        await store.end_effect(fence, f"of {app}", 1, end, [])
    for app in (APP, OTHER):
        assert (await store.verify_audit(app)).broken == []
        held = await store.effect_under(app, "pay:7")
        assert held is not None
        assert held.result == app
