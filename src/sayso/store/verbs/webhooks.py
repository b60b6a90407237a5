"""Webhooks: claim one that is due, and write how its delivery ended."""

from __future__ import annotations

import sqlalchemy as sa

from sayso.core.asks import Webhook, WebhookState
from sayso.core.ports import Clock
from sayso.store import tables
from sayso.store.chat_log import ChatLog
from sayso.store.codec import micros
from sayso.store.mapping import CHAT_COLUMNS, chat_from
from sayso.store.moves.webhooks import WEBHOOK_COLUMNS, webhook_from
from sayso.store.transaction import (
    Statement,
    Transaction,
    db_now,
    literal,
    one,
    param,
)

_w, _c, _i = tables.webhook.c, tables.chat.c, tables.interaction.c

_DUE = Statement(
    sa.select(_w.app_id, _w.interaction_id)
    .where(_w.state == literal("due"), _w.due_at <= db_now())
    .order_by(_w.due_at)
    .limit(1)
    .with_for_update()
)
_CLAIM = Statement(
    sa.update(tables.webhook)
    .where(_w.app_id == param("app"), _w.interaction_id == param("interaction"))
    .values(
        attempts=_w.attempts + 1,
        due_at=db_now() + param("lease_micros", sa.BigInteger),
    )
    .returning(*WEBHOOK_COLUMNS)
)
_NEXT = Statement(
    sa.select(_w.due_at, db_now().label("db_now"))
    .where(_w.state == literal("due"))
    .order_by(_w.due_at)
    .limit(1)
)
_END = Statement(
    sa.update(tables.webhook)
    .where(
        _w.app_id == param("app"),
        _w.interaction_id == param("interaction"),
        _w.state == literal("due"),
    )
    .values(
        state=param("ended_as"),
        error=param("why"),
        due_at=db_now() + param("again_micros", sa.BigInteger),
        ended_at=param("ended"),
    )
    .returning(_w.attempts)
)
_CHAT = Statement(
    sa.select(*CHAT_COLUMNS)
    .join_from(
        tables.interaction,
        tables.chat,
        sa.and_(_c.app_id == _i.app_id, _c.id == _i.chat_id),
    )
    .where(_i.app_id == param("app"), _i.id == param("interaction"))
    .with_for_update(of=[tables.chat])
)


def claim_webhook(*, seconds: float) -> Transaction[Webhook | None]:
    due = yield from one(_DUE)
    if due is None:
        return None
    claimed = yield from one(
        _CLAIM,
        app=due["app_id"],
        interaction=due["interaction_id"],
        lease_micros=int(seconds * 1_000_000),
    )
    assert claimed is not None
    return webhook_from(claimed)


def next_webhook() -> Transaction[float | None]:
    row = yield from one(_NEXT)
    return (int(row["due_at"]) - int(row["db_now"])) / 1_000_000 if row is not None else None


def end_delivery(
    clock: Clock,
    app_id: str,
    interaction_id: str,
    state: WebhookState,
    *,
    error: str | None = None,
    again_in: float | None = None,
) -> Transaction[None]:
    now = clock.now()
    ended = yield from one(
        _END,
        app=app_id,
        interaction=interaction_id,
        ended_as=state.value,
        why=error,
        again_micros=int((again_in or 0) * 1_000_000),
        ended=micros(now) if state is not WebhookState.DUE else None,
    )
    if ended is None or state is not WebhookState.GIVEN_UP:
        return
    chat = yield from one(_CHAT, app=app_id, interaction=interaction_id)
    assert chat is not None
    log = ChatLog(chat_from(chat), now)
    body = {"attempts": ended["attempts"], "reason": error}
    log.audit("webhook.given_up", interaction_id, actor=None, body=body)
    yield from log.flush()
