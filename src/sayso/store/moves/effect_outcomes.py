"""How an attempt ended: written, read as a person said it, told; and what becomes of one whose run
ends before it."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from sayso.core.digest import JsonObject
from sayso.core.effects import LEFT_BEHIND, Effect, EffectEnd, EndSource, Ruling
from sayso.core.events import EventData, ToolCallStatus, ToolReturned
from sayso.core.interactions import Interaction
from sayso.core.record import Allowed
from sayso.core.sessions import Run
from sayso.store import audited_rows, tables
from sayso.store.chat_log import ChatLog
from sayso.store.codec import dump, micros, optional
from sayso.store.mapping import OF_CALL, effect_from
from sayso.store.transaction import (
    Row,
    Statement,
    Transaction,
    literal,
    one,
    param,
    rows,
    update,
)

_e, _i = tables.effect.c, tables.interaction.c

_END = Statement(
    update(tables.effect, ("state", "result", "error", "ended_at"))
    .where(*OF_CALL, _e.attempt == param("of_attempt"))
    .returning(*_e)
)
_later = tables.effect.alias("later")
#: An attempt that went on as the next one (it had asked in its middle) is told by that one.
_LEAVE = Statement(
    sa.update(tables.effect)
    .where(
        _e.app_id == param("app"),
        _e.run_id == param("of_run"),
        _e.state == literal("started"),
        ~sa.exists().where(
            _later.c.app_id == _e.app_id,
            _later.c.run_id == _e.run_id,
            _later.c.key == _e.key,
            _later.c.attempt > _e.attempt,
        ),
    )
    .values(state=literal("uncertain"), error=param("error"), ended_at=param("ended_at"))
    .returning(*_e)
)

_SETTLED_BY = Statement(
    sa.select(_i.settled_by).where(_i.app_id == param("app"), _i.id == param("interaction"))
)


def write_end(log: ChatLog, run: Run, key: str, attempt: int, end: EffectEnd) -> Transaction[Row]:
    row = yield from one(
        _END,
        app=run.app_id,
        of_run=run.id,
        of_key=key,
        of_attempt=attempt,
        state=end.state.value,
        result=optional(dump, end.result),
        error=end.error,
        ended_at=micros(log.now),
    )
    assert row is not None
    return row


def audit_end(log: ChatLog, run: Run, row: Row, told: ToolReturned | None) -> Transaction[None]:
    """Add the audit line of an end, in the name of whoever allowed the call."""
    effect = effect_from(row)
    log.audit(
        f"effect.{effect.state.value}",
        effect.key,
        actor=(yield from who_allowed(run.app_id, effect.allowed, run.person)),
        body=effect_line(row, told),
        row=audited_rows.effect(row),
    )


def said_of(it: Interaction | None) -> Ruling | None:
    """Return what a person said of an attempt; None where none has, or where its true end did."""
    if it is None or not it.state.is_final:
        return None
    said = it.response
    if said is not None and said.metadata.get("told_by") == EndSource.BODY.value:
        return None
    chosen = said.response_data.selected_option if said is not None else None
    return Ruling(chosen) if chosen in list(Ruling) else Ruling.SKIP


def mark_uncertain(log: ChatLog, run: Run) -> Transaction[set[str]]:
    """Mark what is under way in a run that ends as uncertain: nobody waits for it, and its true end
    may still come. Return the ids of these calls."""
    left = yield from rows(
        _LEAVE, app=run.app_id, of_run=run.id, error=LEFT_BEHIND, ended_at=micros(log.now)
    )
    calls: set[str] = set()
    for row in left:
        call_id = row["tool_call_id"]
        told = ToolReturned(
            tool_call_id=call_id or row["key"], status=ToolCallStatus.UNCERTAIN, error=LEFT_BEHIND
        )
        if call_id is not None:
            calls.add(call_id)
            for data in with_outcome([told], call_id, effect_from(row)):
                log.add(data)
        yield from audit_end(log, run, row, told)
    return calls


def effect_line(row: Row, told: ToolReturned | None) -> JsonObject:
    """Return the body of an audit line. It shows what ran as people were told it: the effect's own
    row holds the real values of masked arguments, and the executed digest is over those."""
    effect = effect_from(row)
    return {
        "run_id": row["run_id"],
        "attempt": effect.attempt,
        "tool_call_id": row["tool_call_id"],
        "tool_name": effect.tool_name,
        "arguments": told.arguments if told is not None else None,
        "shown_digest": effect.shown_digest,
        "executed_digest": effect.executed_digest,
        "state": effect.state.value,
        "error": told.error if told is not None else None,
        **effect.allowed.model_dump(mode="json", exclude_defaults=True),
    }


def with_outcome(
    events: Sequence[EventData], call_id: str | None, effect: Effect
) -> list[EventData]:
    """Return the events that tell how a call ended, with the outcome for the card on which it was
    allowed: the effect's row knows both."""
    outcome = effect.outcome
    if outcome is None or call_id is None:
        return list(events)
    stamped = {"outcome": outcome}
    is_told = any(isinstance(data, ToolReturned) for data in events)
    if not is_told:
        said = ToolReturned(
            tool_call_id=call_id, status=ToolCallStatus(effect.state.value), error=effect.error
        )
        events = [*events, said]
    return [
        data.model_copy(update=stamped)
        if isinstance(data, ToolReturned) and data.tool_call_id == call_id
        else data
        for data in events
    ]


def who_allowed(app_id: str, allowed: Allowed, person: str | None) -> Transaction[str | None]:
    """Return who answered the card, or wrote the message; None where a rule let it run."""
    if allowed.interaction_id is not None:
        row = yield from one(_SETTLED_BY, app=app_id, interaction=allowed.interaction_id)
        return row["settled_by"] if row is not None else None
    return person if allowed.message_id is not None else None
