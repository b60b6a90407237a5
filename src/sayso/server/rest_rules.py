"""Rules that people write while they decide: tried on what they decided before, kept, revoked."""

from __future__ import annotations

from datetime import datetime

from fastapi import APIRouter
from starlette.responses import Response

from sayso.core.digest import JsonObject
from sayso.core.policy_rules import rule_as_toml
from sayso.core.standing_rules import StandingRule
from sayso.server.auth import Who
from sayso.server.requests import RuleBody, TriedRuleBody
from sayso.server.responses import (
    REFUSALS,
    JsonRoute,
    RuleReply,
    RulesReply,
    TrialReply,
    json_response,
)
from sayso.server.service import TheService, TheStore

router = APIRouter(route_class=JsonRoute, tags=["rules"], responses=REFUSALS)


@router.get("/api/rules", response_model=RulesReply)
async def list_rules(store: TheStore, service: TheService, who: Who) -> Response:
    """The rules of this tenant, also those that hold no longer; the newest first."""
    now = service.engine.clock.now()
    return json_response({"rules": [_shown(rule, now) for rule in await store.rules(who.app_id)]})


@router.post("/api/rules/trial", response_model=TrialReply)
async def try_rule(service: TheService, who: Who, body: TriedRuleBody) -> Response:
    """What a rule would have done with the decisions of the last 30 days. Nothing is written."""
    rule, tried = await service.rules.try_on_the_past(who, body)
    return json_response({**tried.as_json(), "toml": rule_as_toml(rule)})


@router.post("/api/rules", response_model=RuleReply, status_code=201)
async def write_rule(service: TheService, who: Who, body: RuleBody) -> Response:
    """Write a rule from a card. It answers the next calls like that one, whoever would be
    asked; the card itself stays open."""
    written = await service.rules.write(who, body)
    return json_response(_shown(written, written.written_at), 201)


@router.delete("/api/rules/{rule_id}", response_model=RuleReply)
async def revoke_rule(service: TheService, who: Who, rule_id: str) -> Response:
    """End a rule now: what has not begun by it asks again."""
    revoked = await service.rules.revoke(who, rule_id)
    return json_response(_shown(revoked, service.engine.clock.now()))


def _shown(rule: StandingRule, now: datetime) -> JsonObject:
    return {**rule.as_json(), "holds": rule.holds(now)}
