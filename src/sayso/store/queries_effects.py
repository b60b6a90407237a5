"""Effects: what an approved call did, one row per attempt."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from sayso.core.decisions import Settle
from sayso.core.digest import JsonObject
from sayso.core.effects import (
    Effect,
    EffectEnd,
    EffectStart,
    EffectState,
    ToolCallRecord,
    uncertain_key,
)
from sayso.core.errors import NotFound
from sayso.core.events import EventData, ToolReturned
from sayso.core.feed import Frame
from sayso.core.interactions import Interaction, InteractionResponse, InteractionState, ResponseData
from sayso.core.ports import Clock
from sayso.core.sessions import RunState, SavedState
from sayso.core.transactions import Fence, Settled
from sayso.core.view import ToolCallItem
from sayso.store import tables
from sayso.store.children import children_of
from sayso.store.codec import dump, micros
from sayso.store.log import ChatLog
from sayso.store.queries_requirements import use_up
from sayso.store.queries_runs import save
from sayso.store.rows import (
    INTERACTION_COLUMNS,
    ITEM_COLUMNS,
    chat_from,
    effect_from,
    interaction_from,
    item_from,
    run_from,
)
from sayso.store.running import RUN_AND_CHAT, held, lease_lost, set_going
from sayso.store.script import (
    Row,
    Script,
    Statement,
    do,
    insert,
    one,
    p,
    word,
)
from sayso.store.settling import pending_of, settle

_e, _i, _m = tables.effect.c, tables.interaction.c, tables.item.c

_START = Statement(insert(tables.effect).on_conflict_do_nothing().returning(_e.key))
_END = Statement(
    sa.update(tables.effect)
    .where(
        _e.app_id == p("app"),
        _e.run_id == p("of_run"),
        _e.key == p("of_key"),
        _e.attempt == p("of_attempt"),
        _e.state.in_([word("started"), word("uncertain")]),
    )
    .values({name: p(name) for name in ("state", "result", "error", "ended_at")})
    .returning(*tables.effect.c)
)
_GOT_SOMEWHERE = Statement(
    sa.update(tables.run)
    .where(tables.run.c.app_id == p("app"), tables.run.c.id == p("of_run"))
    .values(takeovers=0)
)
_ATTEMPT = Statement(
    sa.select(_e.state).where(
        _e.app_id == p("app"),
        _e.run_id == p("of_run"),
        _e.key == p("of_key"),
        _e.attempt == p("of_attempt"),
    )
)
_UNCERTAIN_CARD = Statement(
    sa.select(*INTERACTION_COLUMNS)
    .where(
        _i.app_id == p("app"),
        _i.run_id == p("of_run"),
        _i.call_key == p("of_key"),
        _i.state == word("pending"),
    )
    .with_for_update()
)
_CALL = Statement(
    sa.select(*ITEM_COLUMNS)
    .where(
        _m.app_id == p("app"),
        _m.id == p("call"),
        _m.kind == word("tool_call"),
    )
    .order_by(_m.sequence.desc())
    .limit(1)
)
_LAST_EFFECT = Statement(
    sa.select(*tables.effect.c)
    .where(_e.app_id == p("app"), _e.run_id == p("of_run"), _e.tool_call_id == p("call"))
    .order_by(_e.attempt.desc())
    .limit(1)
)


def start_effect(
    clock: Clock, fence: Fence, start: EffectStart, saved: SavedState | None
) -> Script[list[Frame]]:
    """Commit that this attempt begins, before it does; an attempt begins once. Its grant, where it
    has one, is used up with it."""
    found = yield from held(fence)
    log = ChatLog(chat_from(found), clock.now())
    if start.grant is not None:
        use_up(log, start.grant)
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
        started_at=micros(clock.now()),
        ended_at=None,
    )
    if started is None:
        raise lease_lost(fence)
    if saved is not None:
        yield from save(fence, saved)
    # A call that was never tried before is progress; one that is tried again may be what kills.
    if start.attempt == 1 and found["r_takeovers"]:
        yield from do(_GOT_SOMEWHERE, app=fence.app_id, of_run=fence.run_id)
    return (yield from log.flush())


def end_effect(
    clock: Clock,
    fence: Fence,
    key: str,
    attempt: int,
    *,
    ended: EffectEnd,
    events: Sequence[EventData],
    saved: SavedState | None = None,
) -> Script[Settled | list[Frame]]:
    """What really came of an attempt, from whoever knows it: the one write without a fence."""
    found = yield from one(RUN_AND_CHAT, app=fence.app_id, run_id=fence.run_id)
    if found is None:
        raise NotFound(f"There is no run '{fence.run_id}'.")
    attempted = {"app": fence.app_id, "of_run": fence.run_id, "of_key": key, "of_attempt": attempt}
    now = clock.now()
    row = yield from one(
        _END,
        **attempted,
        state=ended.state.value,
        result=dump(ended.result) if ended.result is not None else None,
        error=ended.error,
        ended_at=micros(now),
    )
    if row is None:
        if (yield from one(_ATTEMPT, **attempted)) is None:
            raise NotFound(f"Attempt {attempt} of '{key}' was never started.")
        return []  # told before: its end and its events stand
    run = run_from(found).run
    if saved is not None and run.fence == fence.number and run.state is RunState.RUNNING:
        yield from save(fence, saved)
    log = ChatLog(chat_from(found), now)
    for data in events:
        log.add(data)
    effect = effect_from(row)
    told = next((data for data in events if isinstance(data, ToolReturned)), None)
    log.audit(f"effect.{ended.state.value}", key, actor=None, body=_line(fence, row, effect, told))
    card = None
    if ended.state is not EffectState.UNCERTAIN:
        card = yield from one(
            _UNCERTAIN_CARD,
            app=fence.app_id,
            of_run=fence.run_id,
            of_key=uncertain_key(key, attempt),
        )
    if card is None:
        return (yield from log.flush())
    return (yield from _settle_uncertain(log, found, interaction_from(card), effect))


def _settle_uncertain(log: ChatLog, found: Row, it: Interaction, effect: Effect) -> Script[Settled]:
    """A person was asked what became of it; now the truth has come by itself."""
    run = run_from(found)
    truth = Settle(InteractionState.COMPLETED, _true_answer(it, effect))
    settled = yield from settle(log, it, truth, by=None, reason="The result came after all.")
    cards, children = (yield from pending_of(run.run)), (yield from children_of(run))
    is_all = not cards and not any(child.is_open for child in children)
    if run.run.state is RunState.WAITING and (run.resume_each or is_all):
        run = yield from set_going(log, run, None, found["db_now"])
    elif children:
        log.tree_moved = True
    frames = yield from log.flush()
    return Settled(interaction=settled, frames=frames, run_state=run.run.state)


def _true_answer(it: Interaction, effect: Effect) -> InteractionResponse:
    values: JsonObject = {"state": effect.state.value, "result": effect.result}
    if effect.error is not None:
        values["error"] = effect.error
    return InteractionResponse(
        interaction_id=it.id,
        approved=True,
        response_data=ResponseData(selected_option="mark_done", values=values),
    )


def _line(fence: Fence, row: Row, effect: Effect, told: ToolReturned | None) -> JsonObject:
    """The audit line. What ran stands here as people were told it: the effect's own row holds the
    real values of masked arguments, and the executed digest is over those."""
    return {
        "run_id": fence.run_id,
        "attempt": effect.attempt,
        "tool_call_id": row["tool_call_id"],
        "tool_name": effect.tool_name,
        "arguments": told.arguments if told is not None else None,
        "shown_digest": effect.shown_digest,
        "executed_digest": effect.executed_digest,
        "state": effect.state.value,
        "error": told.error if told is not None else None,
    }


def tool_call(app_id: str, tool_call_id: str) -> Script[ToolCallRecord | None]:
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
        effect=effect_from(last) if last is not None else None,
    )
