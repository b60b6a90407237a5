"""Effects: what an approved call did, one row per attempt."""

from __future__ import annotations

from dataclasses import replace

import sqlalchemy as sa

from sayso.core.chat_view import ToolCallItem
from sayso.core.effects import (
    Effect,
    EffectStart,
    KeyHeld,
    ToolCallRecord,
)
from sayso.core.errors import LeaseLost
from sayso.core.feed import Frame
from sayso.core.ports import Clock
from sayso.core.sessions import SavedState
from sayso.core.store_results import Fence
from sayso.store import tables
from sayso.store.chat_log import ChatLog
from sayso.store.mapping import ITEM_COLUMNS, OF_CALL, chat_from, effect_from, item_from
from sayso.store.moves.effect_start import (
    begin_attempt,
    give_up_key,
    holder_of,
    use_grant,
    use_rule,
)
from sayso.store.moves.runs import lease_lost, lock_fenced
from sayso.store.moves.saved_states import save_state
from sayso.store.transaction import (
    Statement,
    Transaction,
    execute,
    literal,
    one,
    param,
)

_e, _i, _m = tables.effect.c, tables.interaction.c, tables.item.c

_GOT_SOMEWHERE = Statement(
    sa.update(tables.run)
    .where(tables.run.c.app_id == param("app"), tables.run.c.id == param("of_run"))
    .values(takeovers=0)
)
_DONE_BEFORE = Statement(
    sa.select(_e.attempt)
    .where(*OF_CALL, _e.attempt < param("of_attempt"), _e.state == literal("done"))
    .limit(1)
)
_ALLOWED_ON = Statement(
    sa.select(_i.digest).where(_i.app_id == param("app"), _i.id == param("interaction"))
)
_CALL = Statement(
    sa.select(*ITEM_COLUMNS)
    .where(
        _m.app_id == param("app"),
        _m.id == param("call"),
        _m.kind == literal("tool_call"),
    )
    .order_by(_m.sequence.desc())
    .limit(1)
)
_LAST_EFFECT = Statement(
    sa.select(*tables.effect.c)
    .where(
        _e.app_id == param("app"), _e.run_id == param("of_run"), _e.tool_call_id == param("call")
    )
    .order_by(_e.attempt.desc())
    .limit(1)
)


def start_effect(
    clock: Clock, fence: Fence, start: EffectStart, saved: SavedState | None
) -> Transaction[list[Frame]]:
    found = yield from lock_fenced(fence)
    log = ChatLog(chat_from(found), clock.now())
    if start.grant is not None:
        use_grant(log, start.grant)
    if start.allowed.standing is not None and start.attempt == 1:
        yield from use_rule(fence.app_id, start.allowed.standing, now=log.now)
    shown = start.shown_digest
    if shown is None and start.allowed.interaction_id is not None:
        shown = yield from _shown_digest(fence.app_id, start.allowed.interaction_id)
    if start.attempt > 1:
        of = {"app": fence.app_id, "of_run": fence.run_id, "of_key": start.key}
        if (yield from one(_DONE_BEFORE, **of, of_attempt=start.attempt)) is not None:
            # Its true end has come since this segment began: whoever reads the row anew knows it.
            raise LeaseLost(f"An earlier attempt of '{start.key}' is done: it is not run again.")
    key = start.business_key
    if key is not None and start.attempt > 1:
        yield from give_up_key(fence.app_id, fence.run_id, start.key)
    if not (yield from begin_attempt(fence, replace(start, shown_digest=shown), now=log.now)):
        # An attempt begins once; or its business key is held by a call of this run or another.
        held_by = (yield from holder_of(fence.app_id, key)) if key is not None else None
        mine = (fence.run_id, start.key)
        if held_by is not None and (held_by["run_id"], held_by["key"]) != mine:
            raise KeyHeld(effect_from(held_by))
        raise lease_lost(fence)
    if saved is not None:
        yield from save_state(fence.app_id, fence.run_id, saved)
    # A call that was never tried before is progress; one that is tried again may be what kills.
    if start.attempt == 1 and found["r_takeovers"]:
        yield from execute(_GOT_SOMEWHERE, app=fence.app_id, of_run=fence.run_id)
    return (yield from log.flush())


def _shown_digest(app_id: str, interaction_id: str) -> Transaction[str | None]:
    """Return the digest of the card on which a gated action was allowed: it runs later, and knows
    only the card."""
    row = yield from one(_ALLOWED_ON, app=app_id, interaction=interaction_id)
    return row["digest"] if row is not None else None


def effect_under(app_id: str, business_key: str) -> Transaction[Effect | None]:
    row = yield from holder_of(app_id, business_key)
    return effect_from(row) if row is not None else None


def tool_call(app_id: str, tool_call_id: str) -> Transaction[ToolCallRecord | None]:
    row = yield from one(_CALL, app=app_id, call=tool_call_id)
    if row is None:
        return None
    call = item_from(row)
    assert isinstance(call, ToolCallItem)
    last = yield from one(_LAST_EFFECT, app=app_id, of_run=call.run_id, call=tool_call_id)
    return ToolCallRecord(
        tool_call_id=call.tool_call_id,
        chat_id=row["m_chat_id"],
        run_id=call.run_id,
        tool_name=call.name,
        arguments=call.arguments,
        status=call.status.value,
        ui=call.ui,
        effect=effect_from(last) if last is not None else None,
    )
