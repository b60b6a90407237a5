"""An attempt begins once: its row says so. What allows it, a business key, a grant or a person's
rule, is taken in the transaction in which it begins: what is revoked lets nothing begin."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from sayso.core.effects import EffectStart, EffectState, GrantUse
from sayso.core.errors import RuleOver
from sayso.core.events import RequirementsChanged
from sayso.core.record import UsedRule
from sayso.core.requirements import used_up
from sayso.core.store_results import Fence
from sayso.store import tables
from sayso.store.chat_log import ChatLog
from sayso.store.codec import dump, micros
from sayso.store.mapping import OF_CALL, allowed_record
from sayso.store.transaction import (
    Row,
    Statement,
    Transaction,
    execute,
    in_state,
    insert,
    one,
    param,
)

_e, _s = tables.effect.c, tables.standing_rule.c

_START = Statement(insert(tables.effect).on_conflict_do_nothing().returning(_e.key))
_HOLDER = Statement(
    sa.select(*_e).where(
        _e.app_id == param("app"),
        _e.business_key == param("held"),
        in_state(_e.state, "started", "uncertain", "done"),
    )
)
_HAND_ON_KEY = Statement(
    sa.update(tables.effect)
    .where(*OF_CALL, _e.business_key.is_not(None))
    .values(business_key=sa.null())
)
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


def begin_attempt(fence: Fence, start: EffectStart, *, now: datetime) -> Transaction[bool]:
    """Write that an attempt begins. Return False where it, or a holder of its business key, has
    begun before."""
    started = yield from one(
        _START,
        app_id=fence.app_id,
        run_id=fence.run_id,
        key=start.key,
        attempt=start.attempt,
        chat_id=fence.chat_id,
        state=EffectState.STARTED.value,
        tool_call_id=start.tool_call_id,
        tool_name=start.tool_name,
        arguments=dump(start.arguments),
        result=None,
        error=None,
        shown_digest=start.shown_digest,
        executed_digest=start.executed_digest,
        business_key=start.business_key,
        started_at=micros(now),
        ended_at=None,
        **allowed_record(start.allowed),
    )
    return started is not None


def holder_of(app_id: str, business_key: str) -> Transaction[Row | None]:
    """Return the row of the effect that holds this key: begun, unclear or done."""
    return (yield from one(_HOLDER, app=app_id, held=business_key))


def give_up_key(app_id: str, run_id: str, key: str) -> Transaction[None]:
    """Take the business key from a call: for its own next attempt, or for whoever has it now."""
    yield from execute(_HAND_ON_KEY, app=app_id, of_run=run_id, of_key=key)


def use_grant(log: ChatLog, grant: GrantUse) -> None:
    """Mark a grant as used. Raises GrantVoid."""
    kept = log.chat.head.requirements
    log.add(RequirementsChanged(requirements=used_up(kept, grant.grant_id, grant.value_hash)))


def use_rule(app_id: str, used: UsedRule, *, now: datetime) -> Transaction[None]:
    """Count a use. Raises RuleOver."""
    if (yield from one(_USE, app=app_id, of=used.rule_id, now=micros(now))) is None:
        raise RuleOver(f"The rule of {used.by} was revoked, or its time is over.")
