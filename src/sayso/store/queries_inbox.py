"""The inbox: one interaction, or a list of those that meet a wish."""

from __future__ import annotations

from functools import cache

import sqlalchemy as sa

from sayso.core.interactions import Interaction, InteractionState
from sayso.core.ports import InteractionFilter
from sayso.store import tables
from sayso.store.codec import dump
from sayso.store.queries_chats import like
from sayso.store.rows import INTERACTION_COLUMNS, interaction_from
from sayso.store.script import Script, Statement, one, p, rows, word

_i = tables.interaction.c

_ONE = Statement(
    sa.select(*INTERACTION_COLUMNS).where(_i.app_id == p("app"), _i.id == p("interaction"))
)


def interaction(app_id: str, interaction_id: str) -> Script[Interaction | None]:
    row = yield from one(_ONE, app=app_id, interaction=interaction_id)
    return interaction_from(row) if row is not None else None


def interactions(
    app_id: str, wanted: InteractionFilter, *, before: str | None, limit: int
) -> Script[list[Interaction]]:
    params: dict[str, object] = {}
    if wanted.status is not None:
        params["wanted_state"] = wanted.status.value
    if wanted.kind is not None:
        params["wanted_kind"] = wanted.kind
    if wanted.chat_id is not None:
        params["wanted_chat"] = wanted.chat_id
    if wanted.run_id is not None:
        params["wanted_run"] = wanted.run_id
    if wanted.assignee is not None:
        params["assignee"] = f"%{like(dump(wanted.assignee))}%"
    if before is not None:
        params["before"] = before
    pending = wanted.status is InteractionState.PENDING
    statement = _listed(frozenset(params), pending)
    if pending:
        del params["wanted_state"]
    found = yield from rows(statement, app=app_id, most=limit, **params)
    return [interaction_from(row) for row in found]


@cache
def _listed(given: frozenset[str], pending: bool) -> Statement:
    """The newest interactions that meet the conditions given; pending ones have their own index."""
    query = sa.select(*INTERACTION_COLUMNS).where(_i.app_id == p("app"))
    if pending:
        query = query.where(_i.state == word(InteractionState.PENDING.value))
    elif "wanted_state" in given:
        query = query.where(_i.state == p("wanted_state"))
    if "wanted_kind" in given:
        query = query.where(_i.kind == p("wanted_kind"))
    if "wanted_chat" in given:
        query = query.where(_i.chat_id == p("wanted_chat"))
    if "wanted_run" in given:
        query = query.where(_i.run_id == p("wanted_run"))
    if "assignee" in given:
        named = _i.assignees.like(p("assignee"), escape="\\")
        query = query.where(sa.or_(_i.assignees == word("[]"), named))
    # In one chat the seq is the order; saying no more keeps SQLite from walking all chats by time.
    one_chat = "wanted_chat" in given or "wanted_run" in given
    order = ("opened_seq",) if one_chat else ("created_at", "opened_seq", "id")
    if "before" in given:
        last = tables.interaction.alias("last").c
        cursor = sa.select(*(last[name] for name in order)).where(
            last.app_id == p("app"), last.id == p("before")
        )
        query = query.where(sa.tuple_(*(_i[name] for name in order)) < cursor.scalar_subquery())
    return Statement(
        query.order_by(*(_i[name].desc() for name in order)).limit(
            sa.bindparam("most", type_=sa.Integer, required=False)
        )
    )
