"""The audit as a list: what was decided, the newest first."""

from __future__ import annotations

from functools import cache

import sqlalchemy as sa

from sayso.core.audit import AuditEntry
from sayso.store import tables
from sayso.store.mapping import audit_from
from sayso.store.transaction import Statement, Transaction, param, rows

_a = tables.audit.c


def audit(
    app_id: str, *, chat_id: str | None = None, before: int | None = None, limit: int = 100
) -> Transaction[list[AuditEntry]]:
    params: dict[str, object] = {}
    if chat_id is not None:
        params["chat"] = chat_id
    if before is not None:
        params["before"] = before
    found = yield from rows(_listed(frozenset(params)), app=app_id, most=limit, **params)
    return [audit_from(row) for row in found]


@cache
def _listed(given: frozenset[str]) -> Statement:
    query, order = sa.select(tables.audit).where(_a.app_id == param("app")), _a.position
    if "chat" in given:
        # The same order within one chat, and an index that has only that chat's lines.
        query, order = query.where(_a.chat_id == param("chat")), _a.number
    if "before" in given:
        query = query.where(_a.position < param("before"))
    return Statement(query.order_by(order.desc()).limit(param("most", sa.Integer)))
