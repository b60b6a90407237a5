"""Rules that people write: of one tenant, until their end or until they are revoked, on record."""

from __future__ import annotations

from datetime import timedelta

import pytest
import sqlalchemy as sa

from sayso.core.effects import EffectStart
from sayso.core.errors import NotFound, RuleOver
from sayso.core.policy_rules import Rule, Verdict
from sayso.core.record import Allowed
from sayso.core.standing_rules import StandingRule
from sayso.core.store_results import Claimed
from sayso.store.store import SqlStore
from sayso.store.transaction import Statement, execute
from sayso.testing.clock import FakeClock
from tests.contract.store.story import APP, Story


def rule_from(claimed: Claimed, clock: FakeClock, **more: object) -> StandingRule:
    given: dict[str, object] = {
        "id": clock.new_id(),
        "agent_name": "desk",
        "rule": Rule(tool="refund", when={"amount": {"le": 50}}, then=Verdict.ALLOW),
        "written_by": "ada",
        "written_at": clock.now(),
        "interaction_id": "card",
        "chat_id": claimed.fence.chat_id,
    }
    return StandingRule(**{**given, **more})  # type: ignore[arg-type]


def begins_by(rule: StandingRule, key: str) -> EffectStart:
    allowed = Allowed(rule=rule.words, standing=rule.used)
    return EffectStart(key=key, attempt=1, tool_name="refund", arguments={}, allowed=allowed)


async def test_a_rule_is_used_until_it_is_revoked(story: Story, store: SqlStore, clock: FakeClock):
    claimed = await story.begin()
    rule = rule_from(claimed, clock)
    await store.put_rule(APP, rule)
    assert await store.rules_in_force(APP) == [rule]
    await store.start_effect(claimed.fence, begins_by(rule, "one"), None)
    (used,) = await store.rules(APP)
    assert (used.uses, used.last_used_at) == (1, clock.now())
    revoked = await store.revoke_rule(APP, rule.id, by="kim")
    assert (revoked.revoked_by, await store.rules_in_force(APP)) == ("kim", [])
    with pytest.raises(RuleOver, match="ada"):
        await store.start_effect(claimed.fence, begins_by(rule, "two"), None)
    # What has begun by it may be tried again: it may have acted.
    again = EffectStart(
        key="one", attempt=2, tool_name="refund", arguments={}, allowed=begins_by(rule, "").allowed
    )
    await store.start_effect(claimed.fence, again, None)
    assert await store.revoke_rule(APP, rule.id, by="ben") == revoked
    lines = [(line.action, line.actor, line.subject) for line in await store.audit(APP)]
    assert [line for line in lines if line[0].startswith("rule.")] == [
        ("rule.revoked", "kim", rule.id),
        ("rule.written", "ada", rule.id),
    ]
    assert (await store.verify_audit(APP)).broken == []


async def test_a_rule_ends_by_its_time(story: Story, store: SqlStore, clock: FakeClock):
    claimed = await story.begin()
    rule = rule_from(claimed, clock, ends_at=clock.now() + timedelta(minutes=5))
    await store.put_rule(APP, rule)
    clock.advance(minutes=5)
    assert await store.rules_in_force(APP) == []
    with pytest.raises(RuleOver):
        await store.start_effect(claimed.fence, begins_by(rule, "one"), None)


async def test_a_rule_is_of_one_tenant(story: Story, store: SqlStore, clock: FakeClock):
    rule = rule_from(await story.begin(), clock)
    await store.put_rule(APP, rule)
    assert (await store.rules("other"), await store.rules_in_force("other")) == ([], [])
    with pytest.raises(NotFound):
        await store.revoke_rule("other", rule.id, by="eve")
    with pytest.raises(NotFound):
        await store.put_rule("other", rule)
    assert await store.rules_in_force(APP) == [rule]


async def test_a_rule_that_was_changed_by_hand_is_found(
    story: Story, store: SqlStore, clock: FakeClock
):
    rule = rule_from(await story.begin(), clock)
    await store.put_rule(APP, rule)

    async def change(was: str, becomes: str) -> None:
        said = sa.text(f"UPDATE standing_rule SET rule = replace(rule, '{was}', '{becomes}')")
        await store.driver.write(execute(Statement(said)))

    await change("50", "5000")
    (doubt,) = (await store.verify_audit(APP)).broken
    assert rule.id in doubt.detail
    await change("5000", "50")
