"""The audit: what was decided, and whether each chat's chain of hashes is whole."""

from __future__ import annotations

from functools import cache

import sqlalchemy as sa

from sayso.core.audit import AuditEntry, BrokenChain
from sayso.store import tables
from sayso.store.codec import instant
from sayso.store.log import chain_link
from sayso.store.rows import audit_from
from sayso.store.script import Script, Statement, p, rows

_a, _c = tables.audit.c, tables.chat.c

# Lines read at once while verifying: a tenant's whole audit does not fit in memory.
_STRETCH = 1000

_HEADS = Statement(
    sa.select(_c.id, _c.audit_number, _c.audit_hash)
    .where(_c.app_id == p("app"), _c.id > p("after"))
    .order_by(_c.id)
    .limit(_STRETCH)
)
_CHAIN = Statement(
    sa.select(tables.audit)
    .where(_a.app_id == p("app"), _a.chat_id == p("chat"), _a.number > p("after"))
    .order_by(_a.number)
    .limit(_STRETCH)
)


def audit(
    app_id: str, *, chat_id: str | None, before: int | None, limit: int
) -> Script[list[AuditEntry]]:
    params: dict[str, object] = {}
    if chat_id is not None:
        params["chat"] = chat_id
    if before is not None:
        params["before"] = before
    found = yield from rows(_listed(frozenset(params)), app=app_id, most=limit, **params)
    return [audit_from(row) for row in found]


@cache
def _listed(given: frozenset[str]) -> Statement:
    query, order = sa.select(tables.audit).where(_a.app_id == p("app")), _a.position
    if "chat" in given:
        # The same order within one chat, and an index that has only that chat's lines.
        query, order = query.where(_a.chat_id == p("chat")), _a.number
    if "before" in given:
        query = query.where(_a.position < p("before"))
    return Statement(
        query.order_by(order.desc()).limit(sa.bindparam("most", type_=sa.Integer, required=False))
    )


def verify_audit(app_id: str) -> Script[list[BrokenChain]]:
    """The first line of each chat at which its chain does not hold."""
    broken: list[BrokenChain] = []
    after = ""
    while heads := (yield from rows(_HEADS, app=app_id, after=after)):
        for head in heads:
            number = yield from _first_broken(
                app_id, head["id"], head["audit_number"], head["audit_hash"]
            )
            if number is not None:
                broken.append(BrokenChain(chat_id=head["id"], number=number))
        after = heads[-1]["id"]
    return broken


def _first_broken(app_id: str, chat_id: str, length: int, last_hash: str) -> Script[int | None]:
    number, previous = 0, ""
    while lines := (yield from rows(_CHAIN, app=app_id, chat=chat_id, after=number)):
        for line in lines:
            number += 1
            link = chain_link(
                previous,
                number=number,
                at=instant(line["at"]),
                actor=line["actor"],
                action=line["action"],
                subject=line["subject"],
                body=line["body"],
            )
            if line["number"] != number or line["hash"] != link:
                return number
            previous = link
    if number != length or previous != last_hash:
        return number + 1 if number < length else number
    return None
