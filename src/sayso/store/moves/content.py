"""Content by its digest, kept once, by itself or as the cards open that show it: what is too large
for an event."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import sqlalchemy as sa

from sayso.core.digest import content_digest
from sayso.core.interactions import CardRequest
from sayso.core.ports import Clock
from sayso.store import tables
from sayso.store.codec import micros
from sayso.store.transaction import Statement, Transaction, execute, insert, one, param

_c = tables.content.c

_KEEP = Statement(insert(tables.content).on_conflict_do_nothing())
_CONTENT = Statement(
    sa.select(_c.body).where(_c.app_id == param("app"), _c.digest == param("digest"))
)


def keep_content(clock: Clock, app_id: str, body: bytes) -> Transaction[str]:
    digest = content_digest(body)
    yield from execute(
        _KEEP,
        app_id=app_id,
        digest=digest,
        body=zlib.compress(body, 1),
        created_at=micros(clock.now()),
    )
    return digest


def keep_files(clock: Clock, app_id: str, requests: Sequence[CardRequest]) -> Transaction[None]:
    """Keep the files beside these cards."""
    for request in requests:
        for body in request.files.values():
            yield from keep_content(clock, app_id, body)


def content(app_id: str, digest: str) -> Transaction[bytes | None]:
    row = yield from one(_CONTENT, app=app_id, digest=digest)
    return zlib.decompress(row["body"]) if row is not None else None
