"""A rule of a person is used in the transaction in which its call begins: what is revoked lets
nothing begin."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from sayso.core.errors import RuleOver
from sayso.core.record import UsedRule
from sayso.store import tables
from sayso.store.codec import micros
from sayso.store.transaction import Statement, Transaction, one, param

_s = tables.standing_rule.c

#: Of the rules of a tenant those that hold at `now`.
IN_FORCE = sa.and_(
    _s.app_id == param("app"),
    _s.revoked_at.is_(None),
    sa.or_(_s.ends_at.is_(None), _s.ends_at > param("now")),
)
_USE = Statement(
    sa.update(tables.standing_rule)
    .where(IN_FORCE, _s.id == param("of"))
    .values(uses=_s.uses + 1, last_used_at=param("now"))
    .returning(_s.id)
)


def use_rule(app_id: str, used: UsedRule, *, now: datetime) -> Transaction[None]:
    """Count a use. Raises RuleOver."""
    if (yield from one(_USE, app=app_id, of=used.rule_id, now=micros(now))) is None:
        raise RuleOver(f"The rule of {used.by} was revoked, or its time is over.")
