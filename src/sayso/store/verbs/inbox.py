"""The inbox and the history: one interaction, a list of some, what one chose, how many wait."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa

from sayso.core.cards import CardKind
from sayso.core.effects import EffectState
from sayso.core.inbox import InteractionFilter, InteractionOrder, PendingCount
from sayso.core.interactions import Interaction, InteractionState
from sayso.store import tables
from sayso.store.codec import dump, micros, optional
from sayso.store.mapping import INTERACTION_COLUMNS, interaction_from
from sayso.store.search_text import like_pattern, searchable
from sayso.store.transaction import Statement, Transaction, literal, one, param, rows

_i, _e = tables.interaction.c, tables.effect.c

_ONE = Statement(
    sa.select(*INTERACTION_COLUMNS).where(_i.app_id == param("app"), _i.id == param("interaction"))
)
_COUNTS = Statement(
    sa.select(_i.kind, _i.agent_name, sa.func.count().label("count"))
    .where(_i.app_id == param("app"), sa.text(tables.NEEDS_PERSON))
    .group_by(_i.kind, _i.agent_name)
    .order_by(_i.kind, _i.agent_name)
)
_CHOSEN_BY = Statement(
    sa.select(*INTERACTION_COLUMNS)
    .where(
        _i.app_id == param("app"),
        _i.settled_by == param("who"),
        _i.settled_at > param("since"),
        sa.text(tables.CHOSEN),
    )
    .order_by(_i.settled_at.desc(), _i.opened_seq.desc())
    .limit(param("most", sa.Integer))
)
#: An answer with edits, as it is stored; a quote within a text has a backslash before it.
_EDITS = '%"edits":{"%'
#: After every time there can be: what has none expires last.
_NEVER = 2**62


def _effect_of_it(is_so: sa.ColumnElement[bool]) -> sa.Exists:
    return sa.exists().where(_e.app_id == _i.app_id, _e.interaction_id == _i.id, is_so)


#: The condition of each part of the filter, by the name of its parameter.
_CONDITIONS: dict[str, sa.ColumnElement[bool]] = {
    "wanted_state": _i.state == param("wanted_state"),
    "wanted_kind": _i.kind == param("wanted_kind"),
    "wanted_chat": _i.chat_id == param("wanted_chat"),
    "wanted_run": _i.run_id == param("wanted_run"),
    "wanted_agent": _i.agent_name == param("wanted_agent"),
    "wanted_tool": _i.tool_name == param("wanted_tool"),
    "wanted_decision": _i.decision == param("wanted_decision"),
    "wanted_person": _i.settled_by == param("wanted_person"),
    "assignee": sa.or_(
        _i.assignees == literal("[]"), _i.assignees.like(param("assignee"), escape="\\")
    ),
    "since": _i.settled_at >= param("since"),
    "until": _i.settled_at < param("until"),
    "expiring": _i.expires_at < param("expiring"),
    "words": _i.search_text.like(param("words"), escape="\\"),
    "edits": _i.response.like(param("edits")),
    "ran": _effect_of_it(_e.state == param("ran")),
    "went_wrong": sa.and_(
        _effect_of_it(_e.state.not_in([EffectState.DONE.value, EffectState.STARTED.value])),
        ~_effect_of_it(_e.state == param("went_wrong")),
    ),
}


def interaction(app_id: str, interaction_id: str) -> Transaction[Interaction | None]:
    row = yield from one(_ONE, app=app_id, interaction=interaction_id)
    return interaction_from(row) if row is not None else None


def interactions(
    app_id: str,
    wanted: InteractionFilter,
    *,
    order: InteractionOrder = InteractionOrder.NEWEST,
    before: str | None = None,
    limit: int = 50,
) -> Transaction[list[Interaction]]:
    params = {name: value for name, value in _params(wanted).items() if value is not None}
    if before is not None:
        params["before"] = before
    pending = wanted.status is InteractionState.PENDING
    statement = _listed(frozenset(params), pending, order)
    found = yield from rows(statement, app=app_id, most=limit, **params)
    return [interaction_from(row) for row in found]


def chosen_by(
    app_id: str, person: str, *, since: datetime | None = None, limit: int = 50
) -> Transaction[list[Interaction]]:
    after = micros(since) if since is not None else -1
    found = yield from rows(_CHOSEN_BY, app=app_id, who=person, since=after, most=limit)
    return [interaction_from(row) for row in found]


def count_pending(app_id: str) -> Transaction[list[PendingCount]]:
    found = yield from rows(_COUNTS, app=app_id)
    return [
        PendingCount(kind=row["kind"], agent_name=row["agent_name"], count=row["count"])
        for row in found
    ]


def _params(wanted: InteractionFilter) -> dict[str, object]:
    words = searchable((wanted.words or "").strip())
    assignee = like_pattern(dump(wanted.assignee)) if wanted.assignee is not None else None
    return {
        "wanted_state": wanted.status.value if wanted.status is not None else None,
        "wanted_kind": wanted.kind,
        "wanted_chat": wanted.chat_id,
        "wanted_run": wanted.run_id,
        "wanted_agent": wanted.agent,
        "wanted_tool": wanted.tool,
        "wanted_decision": wanted.decision,
        "wanted_person": wanted.settled_by,
        "assignee": f"%{assignee}%" if assignee is not None else None,
        "since": optional(micros, wanted.since),
        "until": optional(micros, wanted.until),
        "expiring": optional(micros, wanted.expires_before),
        "words": f"%{like_pattern(words)}%" if words else None,
        "edits": _EDITS if wanted.edited else None,
        wanted.outcome or "ran": EffectState.DONE.value if wanted.outcome else None,
    }


@cache
def _listed(given: frozenset[str], pending: bool, order: InteractionOrder) -> Statement:
    """Build the query for the conditions given; pending and settled ones have indexes of their
    own."""
    query = sa.select(*INTERACTION_COLUMNS).where(_i.app_id == param("app"))
    if pending:
        query = query.where(_i.state == literal(InteractionState.PENDING.value))
        given -= {"wanted_state"}
    if order is InteractionOrder.SETTLED:
        query = query.where(sa.text(f"interaction.{tables.SETTLED}"))
        if "wanted_kind" not in given:
            # The approval that was held tells how it ended: one decision is one line.
            query = query.where(_i.kind != literal(CardKind.HOLD.value))
    query = query.where(*(is_so for name, is_so in _CONDITIONS.items() if name in given))
    # In one chat the seq is the order; saying no more keeps SQLite from walking all chats by time.
    one_chat = bool(given & {"wanted_chat", "wanted_run"})
    columns = _columns(tables.interaction, order, one_chat)
    rising = order in (InteractionOrder.OLDEST, InteractionOrder.EXPIRING)
    if "before" in given:
        last = tables.interaction.alias("last")
        cursor = sa.select(*_columns(last, order, one_chat)).where(
            last.c.app_id == param("app"), last.c.id == param("before")
        )
        here, there = sa.tuple_(*columns), cursor.scalar_subquery()
        query = query.where(here > there if rising else here < there)
    return Statement(
        query.order_by(*(column if rising else column.desc() for column in columns)).limit(
            param("most", sa.Integer)
        )
    )


def _columns(
    table: sa.FromClause, order: InteractionOrder, one_chat: bool
) -> list[sa.ColumnElement[Any]]:
    """Return what the order compares; `id` makes it total."""
    c = table.c
    match order:
        case InteractionOrder.SETTLED:
            return [c.settled_at, c.opened_seq, c.id]
        case InteractionOrder.EXPIRING:
            never = sa.literal_column(str(_NEVER), sa.BigInteger)
            return [sa.func.coalesce(c.expires_at, never), c.created_at, c.opened_seq, c.id]
        case _ if one_chat:
            return [c.opened_seq]
        case _:
            return [c.created_at, c.opened_seq, c.id]
