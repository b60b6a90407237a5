"""An attempt begins once: its row is what says so."""

from __future__ import annotations

from datetime import datetime

from sayso.core.effects import EffectStart, EffectState
from sayso.core.store_results import Fence
from sayso.store import tables
from sayso.store.codec import dump, micros
from sayso.store.mapping import allowed_record
from sayso.store.transaction import Statement, Transaction, insert, one

_START = Statement(insert(tables.effect).on_conflict_do_nothing().returning(tables.effect.c.key))


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
