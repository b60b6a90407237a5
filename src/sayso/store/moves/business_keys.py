"""Business keys: which effect of a tenant holds one, and how it is given up."""

from __future__ import annotations

import sqlalchemy as sa

from sayso.store import tables
from sayso.store.transaction import Row, Statement, Transaction, execute, literal, one, param

_e = tables.effect.c

_HOLDER = Statement(
    sa.select(*tables.effect.c).where(
        _e.app_id == param("app"),
        _e.business_key == param("held"),
        _e.state.in_([literal("started"), literal("uncertain"), literal("done")]),
    )
)
_HAND_ON_KEY = Statement(
    sa.update(tables.effect)
    .where(
        _e.app_id == param("app"),
        _e.run_id == param("of_run"),
        _e.key == param("of_key"),
        _e.business_key.is_not(None),
    )
    .values(business_key=sa.null())
)


def holder_of(app_id: str, business_key: str) -> Transaction[Row | None]:
    """Return the row of the effect that holds this key: begun, unclear or done."""
    return (yield from one(_HOLDER, app=app_id, held=business_key))


def give_up_key(app_id: str, run_id: str, key: str) -> Transaction[None]:
    """Take the business key from a call: for its own next attempt, or for whoever has it now."""
    yield from execute(_HAND_ON_KEY, app=app_id, of_run=run_id, of_key=key)
