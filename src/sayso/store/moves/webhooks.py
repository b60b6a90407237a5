"""A webhook falls due in the transaction that settles the card it tells of."""

from __future__ import annotations

import sqlalchemy as sa

from sayso.core.asks import Webhook, WebhookState
from sayso.core.interactions import Interaction
from sayso.store import tables
from sayso.store.codec import instant, micros
from sayso.store.transaction import Row, Statement, Transaction, db_now, execute, literal, param

_w = tables.webhook.c

_NEW = Statement(sa.insert(tables.webhook))
_TELL = Statement(
    sa.update(tables.webhook)
    .where(
        _w.app_id == param("app"),
        _w.interaction_id == param("interaction"),
        _w.state == literal("waiting"),
    )
    .values(state=literal("due"), due_at=db_now())
)


def add_webhook(hook: Webhook) -> Transaction[None]:
    yield from execute(
        _NEW,
        app_id=hook.app_id,
        interaction_id=hook.interaction_id,
        url=hook.url,
        state=hook.state.value,
        attempts=hook.attempts,
        due_at=None,
        error=None,
        created_at=micros(hook.created_at),
        ended_at=None,
    )


def tell_answer(it: Interaction) -> Transaction[None]:
    yield from execute(_TELL, app=it.app_id, interaction=it.id)


def webhook_from(row: Row) -> Webhook:
    due_at, ended_at = row["due_at"], row["ended_at"]
    return Webhook(
        app_id=row["app_id"],
        interaction_id=row["interaction_id"],
        url=row["url"],
        state=WebhookState(row["state"]),
        attempts=row["attempts"],
        created_at=instant(row["created_at"]),
        due_at=instant(due_at) if due_at is not None else None,
        error=row["error"],
        ended_at=instant(ended_at) if ended_at is not None else None,
    )
