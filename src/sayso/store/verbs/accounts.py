"""What became of decisions, read from the row of the effect, or where a call keeps none, from the
card, which was told in the transaction that ended the call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import sqlalchemy as sa

from sayso.core.cards import RequirementsCard
from sayso.core.decisions import asks_to_act, was_allowed
from sayso.core.digest import JsonObject
from sayso.core.effects import Effect
from sayso.core.interactions import Interaction, InteractionState
from sayso.core.record import Account, KnownState
from sayso.core.sessions import RunState
from sayso.store import tables
from sayso.store.codec import load
from sayso.store.mapping import effect_from
from sayso.store.transaction import (
    Row,
    Statement,
    Transaction,
    chunks,
    ids,
    literal,
    one_of,
    param,
    rows,
)

_e, _i, _r = tables.effect.c, tables.interaction.c, tables.run.c

#: Settled so, nothing ran under it, whatever came of the call later.
_SAID_NO = {InteractionState.REJECTED, InteractionState.DISMISSED, InteractionState.EXPIRED}


def accounts(app_id: str, settled: Sequence[Interaction]) -> Transaction[dict[str, Account]]:
    asked = [it for it in settled if it.state.is_final and asks_to_act(it)]
    found = {
        it.id: Account(state=KnownState.NOT_RUN)
        for it in asked
        if it.state in _SAID_NO and not was_allowed(it)
    }
    allowed = [it for it in asked if was_allowed(it)]
    for part in chunks(allowed):
        effects = yield from _effects_of(app_id, part)
        places = yield from rows(_places(len(part)), app=app_id, **ids(it.id for it in part))
        by_id = {row["id"]: row for row in places}
        for it in part:
            account = _account(it, effects.get(it.id), by_id[it.id])
            if account is not None:
                found[it.id] = account
    return found


def _effects_of(app_id: str, allowed: Sequence[Interaction]) -> Transaction[dict[str, Effect]]:
    """Return the newest attempt under each of these approvals."""
    calls = {f"call_{n}": it.tool_call_id or "" for n, it in enumerate(allowed)}
    named = ids(it.id for it in allowed)
    found = yield from rows(_effects(len(allowed)), app=app_id, **named, **calls)
    newest: dict[str, Effect] = {}
    for row in found:
        effect = effect_from(row)
        for it in allowed:
            if _ran_under(it, effect, row):
                newest[it.id] = effect
    return newest


def _ran_under(it: Interaction, effect: Effect, row: Row) -> bool:
    if effect.allowed.interaction_id is not None:
        return effect.allowed.interaction_id == it.id
    # An older version wrote down the digest alone.
    same_call = row["tool_call_id"] == it.tool_call_id and row["run_id"] == it.run_id
    return same_call and effect.shown_digest is not None and effect.shown_digest == it.digest


def _account(it: Interaction, effect: Effect | None, place: Row) -> Account | None:
    is_open = RunState(place["run_state"]).is_open
    told = _told(place["card"], "metadata", "ui_tool", "outcome")
    call = _told(place["call"])
    arguments = call.get("arguments") if call else None
    ran = arguments if isinstance(arguments, dict) else None
    if effect is None:
        if told:
            keep = {key: value for key, value in told.items() if key in Account.model_fields}
            if told.get("state") == KnownState.NOT_RUN.value:
                return Account.model_validate(keep)
            return Account.model_validate({**keep, "arguments": ran})
        if is_open and it.asker is not None:
            return Account(state=KnownState.NOT_USED)
        return Account(state=KnownState.NOT_YET) if is_open and _is_ours(it, call) else None
    outcome = effect.outcome
    if effect.outcome_state is not None:
        state = KnownState(effect.outcome_state.value)
    else:
        state = KnownState.RUNNING if is_open else KnownState.UNCLEAR
    error = told.get("error") if outcome is not None and told else None
    return Account(
        state=state,
        title=effect.allowed.title,
        changed=effect.allowed.changed,
        error=error if isinstance(error, str) else None,
        at=effect.ended_at,
        executed_digest=effect.executed_digest,
        arguments=ran if state is not KnownState.NOT_RUN else None,
    )


def _is_ours(it: Interaction, call: JsonObject | None) -> bool:
    """Return whether Sayso is to run something for it: an action behind a gate, or just this call.
    What an agent asks with `ctx.approve` it does itself."""
    is_call = call is not None and call.get("name") == it.tool_name
    return is_call or isinstance(it.card, RequirementsCard)


def _told(body: str | None, *path: str) -> JsonObject | None:
    """Return an object within a stored item; None where it is not there."""
    found = load(body) if body is not None else None
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else None


@cache
def _effects(count: int) -> Statement:
    """Build two queries in one, each with an index of its own: by the card, and by the call."""
    calls = [param(f"call_{n}") for n in range(count)]
    of_card = sa.select(*tables.effect.c).where(
        _e.app_id == param("app"), one_of(_e.interaction_id, count)
    )
    of_call = sa.select(*tables.effect.c).where(
        _e.app_id == param("app"), _e.tool_call_id.in_(calls), _e.interaction_id.is_(None)
    )
    return Statement(sa.union_all(of_card, of_call).order_by("started_at", "attempt"))


@cache
def _places(count: int) -> Statement:
    """Build the query for where each approval stands: its card, its call as people see them, its
    run."""
    card, call = tables.item.alias("card"), tables.item.alias("call")
    i = tables.interaction
    joined = (
        i.join(tables.run, sa.and_(_r.app_id == _i.app_id, _r.id == _i.run_id))
        .outerjoin(card, sa.and_(*_same(card, "message"), card.c.id == _i.id))
        .outerjoin(call, sa.and_(*_same(call, "tool_call"), call.c.id == _i.tool_call_id))
    )
    return Statement(
        sa.select(
            _i.id,
            _r.state.label("run_state"),
            card.c.body.label("card"),
            call.c.body.label("call"),
        )
        .select_from(joined)
        .where(_i.app_id == param("app"), one_of(_i.id, count))
    )


def _same(item: sa.FromClause, kind: str) -> Iterator[sa.ColumnElement[bool]]:
    yield item.c.app_id == _i.app_id
    yield item.c.chat_id == _i.chat_id
    yield item.c.kind == literal(kind)
