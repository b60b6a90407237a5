"""The audit: its lines as a list, the seals over them, and the documents that leave signed with its
keys, which only the store has.

The sealer chains the heads of the chats that moved, in no person's transaction.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache

import sqlalchemy as sa

from sayso.core.audit import (
    AuditEntry,
    AuditKey,
    ChatEnd,
    ExportResult,
    Seal,
    check_signed,
    signed,
)
from sayso.core.digest import JsonObject
from sayso.store import tables
from sayso.store.codec import dump, micros
from sayso.store.mapping import audit_from, seal_from
from sayso.store.transaction import (
    Statement,
    Transaction,
    audit_keys,
    chunks,
    execute,
    one,
    param,
    rows,
)

_a, _s = tables.audit.c, tables.seal.c

#: Lines read at once; and heads in one seal, so that none is too long to be read.
_STRETCH = 1000

_NEWEST_LINE = Statement(
    sa.select(_a.position).order_by(_a.position.desc()).limit(1),
)
_LAST_SEALED = Statement(sa.select(_s.position).order_by(_s.position.desc()).limit(1))
_LINES = Statement(
    sa.select(_a.position, _a.app_id, _a.chat_id, _a.number, _a.hash)
    .where(_a.position > param("after"))
    .order_by(_a.position)
    .limit(_STRETCH)
)
_LAST_SEAL = Statement(
    sa.select(tables.seal).where(_s.app_id == param("app")).order_by(_s.number.desc()).limit(1)
)
_INSERT = Statement(sa.insert(tables.seal))


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


def is_behind() -> Transaction[bool]:
    """Return whether there are lines that no seal knows."""
    newest, sealed = (yield from one(_NEWEST_LINE)), (yield from one(_LAST_SEALED))
    return newest is not None and (sealed is None or newest["position"] > sealed["position"])


def seal_what_moved(now: datetime) -> Transaction[None]:
    """Seal all lines that are there, of every tenant. The first seals take in, in one transaction,
    what is older than them: whatever has no key and is not known to them was not written by us."""
    sealed = yield from one(_LAST_SEALED)
    position: int = sealed["position"] if sealed is not None else 0
    moved: dict[str, dict[str, ChatEnd]] = {}
    while found := (yield from rows(_LINES, after=position)):
        for row in found:
            position = row["position"]
            heads = moved.setdefault(row["app_id"], {})
            heads[row["chat_id"]] = ChatEnd(row["number"], row["hash"])
    key = (yield from audit_keys()).current
    for app_id, heads in moved.items():
        for part in chunks(list(heads.items()), _STRETCH):
            yield from _seal(app_id, dict(part), position, now, key)


def last_seal(app_id: str) -> Transaction[Seal | None]:
    row = yield from one(_LAST_SEAL, app=app_id)
    return seal_from(row) if row is not None else None


def sign_export(app_id: str, document: JsonObject) -> Transaction[JsonObject]:
    return signed({**document, "app_id": app_id}, (yield from audit_keys()).current)


def check_export(app_id: str, document: JsonObject) -> Transaction[ExportResult]:
    return check_signed(document, app_id, (yield from audit_keys()))


@cache
def _listed(given: frozenset[str]) -> Statement:
    query, order = sa.select(tables.audit).where(_a.app_id == param("app")), _a.position
    if "chat" in given:
        # The same order within one chat, and an index that has only that chat's lines.
        query, order = query.where(_a.chat_id == param("chat")), _a.number
    if "before" in given:
        query = query.where(_a.position < param("before"))
    return Statement(query.order_by(order.desc()).limit(param("most", sa.Integer)))


def _seal(
    app_id: str, heads: dict[str, ChatEnd], position: int, now: datetime, key: AuditKey
) -> Transaction[None]:
    last = yield from last_seal(app_id)
    number, previous = (last.number + 1, last.hash) if last is not None else (1, "")
    seal = Seal(app_id=app_id, number=number, at=now, heads=heads).after(previous, key)
    yield from execute(
        _INSERT,
        app_id=app_id,
        number=number,
        at=micros(now),
        position=position,
        heads=dump({chat: [end.number, end.hash] for chat, end in heads.items()}),
        key_id=seal.key_id,
        hash=seal.hash,
    )
