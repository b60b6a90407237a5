"""Rules that people write while they decide: written and revoked, each with its line in the audit
of the chat whose card it was written from."""

from __future__ import annotations

import sqlalchemy as sa

from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput, NotFound
from sayso.core.policy_rules import Rule, Verdict
from sayso.core.ports import Clock
from sayso.core.standing_rules import MOST_RULES, StandingRule
from sayso.store import audited_rows, tables
from sayso.store.chat_log import ChatLog
from sayso.store.codec import dump, instant, load, micros, optional
from sayso.store.moves.chats import log_of
from sayso.store.moves.effect_start import IN_FORCE
from sayso.store.transaction import Row, Statement, Transaction, insert, one, param, rows

_s = tables.standing_rule.c

_PUT = Statement(insert(tables.standing_rule).returning(*_s))
_REVOKE = Statement(
    sa.update(tables.standing_rule)
    .where(_s.app_id == param("app"), _s.id == param("of"), _s.revoked_at.is_(None))
    .values(revoked_by=param("who"), revoked_at=param("now"))
    .returning(*_s)
)
_RULE = Statement(sa.select(*_s).where(_s.app_id == param("app"), _s.id == param("of")))
_RULES = Statement(
    sa.select(*_s)
    .where(_s.app_id == param("app"))
    .order_by(_s.written_at.desc(), _s.id.desc())
    .limit(param("most", sa.Integer))
)
_IN_FORCE = Statement(sa.select(*_s).where(IN_FORCE).order_by(_s.written_at, _s.id))


def put_rule(clock: Clock, app_id: str, rule: StandingRule) -> Transaction[None]:
    log = yield from log_of(clock, app_id, rule.chat_id)
    if len((yield from rules_in_force(clock, app_id))) >= MOST_RULES:
        raise InvalidInput(f"{MOST_RULES} rules hold already.", fix="Revoke some of them first.")
    said: JsonObject = {"tool": rule.rule.tool, "when": dict(rule.rule.when)}
    row = yield from one(
        _PUT,
        app_id=app_id,
        id=rule.id,
        chat_id=rule.chat_id,
        interaction_id=rule.interaction_id,
        agent_name=rule.agent_name,
        rule=dump({**said, "then": rule.rule.then.value}),
        written_by=rule.written_by,
        written_at=micros(rule.written_at),
        ends_at=optional(micros, rule.ends_at),
        revoked_by=None,
        revoked_at=None,
        uses=0,
        last_used_at=None,
    )
    assert row is not None
    yield from _tell(log, "rule.written", row, by=rule.written_by)


def revoke_rule(clock: Clock, app_id: str, rule_id: str, *, by: str) -> Transaction[StandingRule]:
    found = yield from one(_RULE, app=app_id, of=rule_id)
    if found is None:
        raise NotFound(f"There is no rule '{rule_id}'.")
    log = yield from log_of(clock, app_id, found["chat_id"])
    row = yield from one(_REVOKE, app=app_id, of=rule_id, who=by, now=micros(log.now))
    if row is not None:
        yield from _tell(log, "rule.revoked", row, by=by)
    return _rule_from(row or found)


def rules(app_id: str, *, limit: int = 200) -> Transaction[list[StandingRule]]:
    return [_rule_from(row) for row in (yield from rows(_RULES, app=app_id, most=limit))]


def rules_in_force(clock: Clock, app_id: str) -> Transaction[list[StandingRule]]:
    found = yield from rows(_IN_FORCE, app=app_id, now=micros(clock.now()))
    return [_rule_from(row) for row in found]


def _tell(log: ChatLog, action: str, row: Row, *, by: str) -> Transaction[None]:
    rule = _rule_from(row)
    body: JsonObject = {**load(row["rule"]), "title": rule.words, "ends_at": row["ends_at"]}
    log.audit(action, rule.id, actor=by, body=body, row=audited_rows.rule(row))
    yield from log.flush()


def _rule_from(row: Row) -> StandingRule:
    said = load(row["rule"])
    return StandingRule(
        id=row["id"],
        agent_name=row["agent_name"],
        rule=Rule(tool=said["tool"], when=said["when"], then=Verdict(said["then"])),
        written_by=row["written_by"],
        written_at=instant(row["written_at"]),
        interaction_id=row["interaction_id"],
        chat_id=row["chat_id"],
        ends_at=optional(instant, row["ends_at"]),
        revoked_by=row["revoked_by"],
        revoked_at=optional(instant, row["revoked_at"]),
        uses=row["uses"],
        last_used_at=optional(instant, row["last_used_at"]),
    )
