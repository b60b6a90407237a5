"""Content by its digest, kept once: what is too large for an event."""

from __future__ import annotations

import zlib

import sqlalchemy as sa

from sayso.core.ports import Clock
from sayso.store import tables
from sayso.store.moves.content import keep
from sayso.store.transaction import Statement, Transaction, one, param

_c = tables.content.c

_CONTENT = Statement(
    sa.select(_c.body).where(_c.app_id == param("app"), _c.digest == param("digest"))
)


def keep_content(clock: Clock, app_id: str, body: bytes) -> Transaction[str]:
    return (yield from keep(clock, app_id, body))


def content(app_id: str, digest: str) -> Transaction[bytes | None]:
    row = yield from one(_CONTENT, app=app_id, digest=digest)
    return zlib.decompress(row["body"]) if row is not None else None
