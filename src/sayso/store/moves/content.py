"""Content is kept once by its digest, by itself or as the cards open that show it."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from sayso.core.digest import content_digest
from sayso.core.interactions import CardRequest
from sayso.core.ports import Clock
from sayso.store import tables
from sayso.store.codec import micros
from sayso.store.transaction import Statement, Transaction, execute, insert

_KEEP = Statement(insert(tables.content).on_conflict_do_nothing())


def keep(clock: Clock, app_id: str, body: bytes) -> Transaction[str]:
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
            yield from keep(clock, app_id, body)
