"""What people do with rules of their own: try one, write it, revoke it."""

from __future__ import annotations

from datetime import timedelta

from sayso.core.inbox import InteractionFilter, InteractionOrder
from sayso.core.interactions import Interaction
from sayso.core.policy_rules import Rule
from sayso.core.similar import DAYS
from sayso.core.standing_rules import StandingRule, Trial, read_rule, trial
from sayso.engine.engine import Engine
from sayso.server.actions import find_interaction
from sayso.server.auth import Principal, Role
from sayso.server.rate_limits import RateLimits
from sayso.server.requests import RuleBody, TriedRuleBody, invalid_field

#: Decisions that a call is compared with.
MOST_COMPARED = 500


class RuleActions:
    """Each checks the person's role and rate. A rule is for everybody of the tenant, so an admin
    writes it; to end one only brings the question back, so whoever answers may."""

    def __init__(self, engine: Engine, rate_limits: RateLimits) -> None:
        self._engine, self._rate_limits = engine, rate_limits

    async def decided_like(self, it: Interaction) -> list[Interaction]:
        """Return what was decided in the last DAYS of calls of the same tool, the last first."""
        if it.tool_name is None:
            return []
        since = self._engine.clock.now() - timedelta(days=DAYS)
        wanted = InteractionFilter(tool=it.tool_name, since=since)
        return await self._engine.store.interactions(
            it.app_id, wanted, order=InteractionOrder.SETTLED, limit=MOST_COMPARED
        )

    async def try_on_the_past(self, who: Principal, body: TriedRuleBody) -> tuple[Rule, Trial]:
        it, rule = await self._read(who, body)
        return rule, trial(rule, it, await self.decided_like(it), me=who.person, days=DAYS)

    async def write(self, who: Principal, body: RuleBody) -> StandingRule:
        it, rule = await self._read(who, body)
        now = self._engine.clock.now()
        if body.ends_at is not None and body.ends_at <= now:
            raise invalid_field("ends_at", "needs to be later than now")
        written = StandingRule(
            id=self._engine.clock.new_id(),
            agent_name=it.agent_name,
            rule=rule,
            written_by=who.person,
            written_at=now,
            interaction_id=it.id,
            chat_id=it.chat_id,
            ends_at=body.ends_at,
        )
        await self._engine.store.put_rule(who.app_id, written)
        return written

    async def revoke(self, who: Principal, rule_id: str) -> StandingRule:
        who.require(Role.RESPONDER)
        self._rate_limits.count_action(who)
        return await self._engine.store.revoke_rule(who.app_id, rule_id, by=who.person)

    async def _read(self, who: Principal, body: TriedRuleBody) -> tuple[Interaction, Rule]:
        who.require(Role.ADMIN)
        self._rate_limits.count_action(who)
        it = await find_interaction(self._engine.store, who, body.interaction_id)
        return it, read_rule(it, body.then, body.when)
