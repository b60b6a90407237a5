"""Text still being written: pieces that are appended, and go when their message closes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import sqlalchemy as sa

from sayso.core.events import MessageStatus, MessageWritten, OpenText
from sayso.core.store_results import TextPiece
from sayso.store import tables
from sayso.store.chat_log import ChatLog
from sayso.store.codec import clean
from sayso.store.transaction import (
    Row,
    Statement,
    Transaction,
    execute,
    insert,
    literal,
    param,
    rows,
)

_t = tables.open_text.c

_PIECES = (
    sa.select(_t.message_id, _t.position, _t.text, _t.agent_name, _t.run_id)
    .where(_t.app_id == param("app"), _t.chat_id == param("chat"))
    .order_by(_t.message_id, _t.position)
)
_OF_CHAT = Statement(_PIECES)
_OF_RUN = Statement(_PIECES.where(_t.run_id == param("run_id")))
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

_FORGET = Statement(
    sa.delete(tables.open_text).where(
        _t.app_id == param("app"), _t.chat_id == param("chat"), _t.message_id == param("message")
    )
)
_FORGET_RUN = Statement(
    sa.delete(tables.open_text).where(
        _t.app_id == param("app"), _t.chat_id == param("chat"), _t.run_id == param("run_id")
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


def open_texts(app_id: str, chat_id: str) -> Transaction[list[OpenText]]:
    return _joined((yield from rows(_OF_CHAT, app=app_id, chat=chat_id)))


def forget_text(log: ChatLog, message_id: str) -> Transaction[None]:
    """Drop the pieces of a message that is closed."""
    yield from execute(_FORGET, app=log.chat.app_id, chat=log.chat.id, message=message_id)


def close_texts(log: ChatLog, run_id: str, *, closed: Collection[str] = ()) -> Transaction[None]:
    """Close what a run left open, as interrupted; `closed` are messages that end by themselves."""
    found = yield from rows(_OF_RUN, app=log.chat.app_id, chat=log.chat.id, run_id=run_id)
    if not found:
        return
    for text in _joined(found):
        if text.message_id not in closed:
            log.add(
                MessageWritten(
                    message_id=text.message_id,
                    role="assistant",
                    content=text.text,
                    agent_name=text.agent_name,
                    run_id=run_id,
                    status=MessageStatus.INTERRUPTED,
                ),
                new=True,
            )
    yield from execute(_FORGET_RUN, app=log.chat.app_id, chat=log.chat.id, run_id=run_id)


def _joined(pieces: Sequence[Row]) -> list[OpenText]:
    """Join the pieces of each message to one text; a piece that overlaps adds only what is new."""
    texts: dict[str, OpenText] = {}
    for piece in pieces:
        message_id = piece["message_id"]
        have = texts[message_id].text if message_id in texts else ""
        if piece["position"] > len(have):
            continue  # a piece before it never came: what follows cannot be placed
        texts[message_id] = OpenText(
            message_id,
            have[: piece["position"]] + piece["text"]
            if piece["position"] + len(piece["text"]) >= len(have)
            else have,
            piece["agent_name"],
            piece["run_id"],
        )
    return list(texts.values())
