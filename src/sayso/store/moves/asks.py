"""What follows on the answer to an ask: an approval waits, ready, for its asker to start; all else
is the end."""

from __future__ import annotations

from dataclasses import replace

import sqlalchemy as sa

from sayso.core.asks import AskKind, asked_in
from sayso.core.cards import UncertainEffectCard
from sayso.core.decisions import was_allowed
from sayso.core.effects import SKIPPED, Effect, EffectEnd, EffectState, Ruling
from sayso.core.events import ToolCallStatus, ToolReturned
from sayso.core.interactions import Interaction, InteractionState
from sayso.core.sessions import Run, RunState
from sayso.store import tables
from sayso.store.chat_log import ChatLog
from sayso.store.mapping import RunRow, effect_from
from sayso.store.moves.effect_outcomes import audit_end, said_of, with_outcome, write_end
from sayso.store.moves.runs import add_run_event, move
from sayso.store.transaction import Statement, Transaction, one, param

_e = tables.effect.c

_NEWEST = Statement(
    sa.select(*_e)
    .where(_e.app_id == param("app"), _e.run_id == param("of_run"))
    .order_by(_e.attempt.desc())
    .limit(1)
)


def after_answer(log: ChatLog, row: RunRow, it: Interaction) -> Transaction[RunRow]:
    if isinstance(it.card, UncertainEffectCard):
        may_start = yield from _rule(log, row.run, it)
    else:
        may_start = asked_in(row.run).kind is AskKind.APPROVE and was_allowed(it)
        if not may_start and it.tool_call_id is not None:
            log.add(ToolReturned(tool_call_id=it.tool_call_id, status=_refused(it)))
    state = RunState.READY if may_start else RunState.COMPLETED
    return (yield from move_ask(log, row, state))


def move_ask(log: ChatLog, row: RunRow, state: RunState) -> Transaction[RunRow]:
    """Move the run of an ask to where nobody holds it."""
    moved = yield from move(log, row, replace(row.run, state=state))
    add_run_event(log, moved.run)
    return moved


def newest_effect(app_id: str, run_id: str) -> Transaction[Effect | None]:
    row = yield from one(_NEWEST, app=app_id, of_run=run_id)
    return effect_from(row) if row is not None else None


def end_newest(
    log: ChatLog, run: Run, effect: Effect, end: EffectEnd, *, call_id: str | None
) -> Transaction[None]:
    """Write and tell how the newest attempt ended, as far as is known."""
    row = yield from write_end(log, run, effect.key, effect.attempt, end)
    told = ToolReturned(
        tool_call_id=call_id or effect.key,
        status=ToolCallStatus(end.state.value),
        result=end.result,
        error=end.error,
        arguments=effect.arguments,
    )
    for data in with_outcome([told], call_id, effect_from(row)):
        log.add(data)
    yield from audit_end(log, run, row, told)


def _rule(log: ChatLog, run: Run, it: Interaction) -> Transaction[bool]:
    """Do what a person said of an attempt of which nobody knew. Return whether it may be started
    again."""
    said = said_of(it)
    if said is None:
        return False  # its asker has told the truth meanwhile
    if said is Ruling.RUN_AGAIN:
        return True
    effect = yield from newest_effect(run.app_id, run.id)
    assert effect is not None
    end = EffectEnd(state=EffectState.NOT_EXECUTED, error=SKIPPED)
    if said is Ruling.MARK_DONE and it.response is not None:
        result = it.response.response_data.values.get("result")
        end = EffectEnd(state=EffectState.DONE, result=result)
    yield from end_newest(log, run, effect, end, call_id=it.tool_call_id)
    return False


def _refused(it: Interaction) -> ToolCallStatus:
    is_no = it.state in (InteractionState.REJECTED, InteractionState.EXPIRED)
    return ToolCallStatus.REJECTED if is_no else ToolCallStatus.CANCELLED
