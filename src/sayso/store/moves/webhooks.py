"""A webhook falls due in the transaction that settles the card it tells of."""

from __future__ import annotations

import sqlalchemy as sa

from sayso.core.asks import Webhook, WebhookState
from sayso.core.interactions import Interaction
from sayso.store import tables
from sayso.store.codec import instant, micros, optional
from sayso.store.mapping import prefixed
from sayso.store.transaction import Row, Statement, Transaction, db_now, execute, literal, param

_w = tables.webhook.c

WEBHOOK_COLUMNS = prefixed(tables.webhook, "w")

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
    return Webhook(
        app_id=row["w_app_id"],
        interaction_id=row["w_interaction_id"],
        url=row["w_url"],
        state=WebhookState(row["w_state"]),
        attempts=row["w_attempts"],
        created_at=instant(row["w_created_at"]),
        due_at=optional(instant, row["w_due_at"]),
        error=row["w_error"],
        ended_at=optional(instant, row["w_ended_at"]),
    )
