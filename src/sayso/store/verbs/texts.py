"""Keep the pieces of a text that is still being written."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from sayso.core.store_results import TextPiece
from sayso.store import tables
from sayso.store.codec import clean
from sayso.store.transaction import Statement, Transaction, execute, insert, literal, param

_t = tables.open_text.c

_PIECE = insert(tables.open_text)
# Kept only while its segment holds the run and its message has not been closed; what was kept as
# pieces may come once more as a longer one.
_KEEP = Statement(
    _PIECE.from_select(
        ["app_id", "chat_id", "message_id", "position", "run_id", "agent_name", "text"],
        sa.select(
            param("app", sa.Text),
            param("chat", sa.Text),
            param("message", sa.Text),
            param("offset", sa.BigInteger),
            param("run_id", sa.Text),
            param("agent", sa.Text),
            param("piece", sa.Text),
        ).where(
            sa.exists().where(
                tables.run.c.app_id == param("app"),
                tables.run.c.id == param("run_id"),
                tables.run.c.fence == param("fence"),
                tables.run.c.state == literal("running"),
            ),
            ~sa.exists().where(
                tables.item.c.app_id == param("app"),
                tables.item.c.chat_id == param("chat"),
                tables.item.c.kind == literal("message"),
                tables.item.c.id == param("message"),
            ),
        ),
    ).on_conflict_do_update(
        index_elements=list(tables.open_text.primary_key.columns),
        set_={"text": _PIECE.excluded.text},
        where=sa.func.length(_PIECE.excluded.text) > sa.func.length(_t.text),
    )
)


def keep_texts(pieces: Sequence[TextPiece]) -> Transaction[None]:
    for piece in pieces:
        yield from execute(
            _KEEP,
            app=piece.fence.app_id,
            chat=piece.fence.chat_id,
            message=piece.message_id,
            offset=piece.offset,
            run_id=piece.fence.run_id,
            fence=piece.fence.number,
            agent=piece.agent_name,
            piece=clean(piece.text),
        )
