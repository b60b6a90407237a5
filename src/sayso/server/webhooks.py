"""Webhooks: the answer to an ask is sent to where its asker listens, signed, until it has arrived.

Signatures are those of Standard Webhooks (https://www.standardwebhooks.com).
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import orjson

from sayso.core.asks import AskRecord, Webhook, WebhookState
from sayso.core.digest import JsonObject
from sayso.core.ports import Clock, Store
from sayso.engine.background import (
    LONGEST_SLEEP_SECONDS,
    SHORTEST_SLEEP_SECONDS,
    BackgroundLoop,
)
from sayso.logs import logger
from sayso.server.outgoing import (
    DELIVERY_SECONDS,
    Network,
    NotDelivered,
    check_arrived,
    post,
)

log = logger("sayso.server")

#: After how long a delivery that nobody ended is tried again.
LEASE_SECONDS = DELIVERY_SECONDS + 5
#: Between two tries; the last goes on until it is given up.
PAUSES = (5.0, 30.0, 120.0, 600.0, 1800.0, 3600.0, 7200.0, 14_400.0)
GIVE_UP_AFTER = timedelta(days=3)
#: Deliveries at once. A receiver that takes its time does not hold up the others.
AT_ONCE = 8


class Webhooks(BackgroundLoop):
    """Delivers what is due, from its rows: whatever dies here is sent again by the next process."""

    failure_event = "webhooks.later"
    # Those who hold a request open are answered first.
    gather_seconds = 0.02

    def __init__(
        self,
        store: Store,
        clock: Clock,
        *,
        secret: Callable[[], str],
        networks: Sequence[Network] = (),
    ) -> None:
        super().__init__()
        self._store, self._clock, self._secret, self._networks = store, clock, secret, networks
        self._free = asyncio.Semaphore(AT_ONCE)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as self._group:
            await super().run()

    async def run_once(self) -> float:
        while not self._free.locked():
            left = await self._store.next_webhook()
            if left is None or left > 0:
                longest = LONGEST_SLEEP_SECONDS
                return longest if left is None else min(max(left, SHORTEST_SLEEP_SECONDS), longest)
            hook = await self._store.claim_webhook(seconds=LEASE_SECONDS)
            if hook is not None:
                await self._free.acquire()
                self._group.create_task(self._take(hook))
        return LONGEST_SLEEP_SECONDS  # whoever gets free nudges

    async def _take(self, hook: Webhook) -> None:
        """Deliver one. What cannot be written now is sent again once its lease is over."""
        try:
            await self._deliver(hook)
        except Exception as exc:
            log.warning(self.failure_event, error=str(exc) or repr(exc))
        finally:
            self._free.release()
            self.nudge()

    async def _deliver(self, hook: Webhook) -> None:
        record = await self._store.ask(hook.app_id, hook.interaction_id)
        assert record is not None
        ended = (hook.app_id, hook.interaction_id)
        try:
            await self._send(hook, record)
        except NotDelivered as exc:
            since = record.card.settled_at or hook.created_at
            if exc.for_good or self._clock.now() - since >= GIVE_UP_AFTER:
                log.warning("webhook.given_up", webhook=hook.id, error=str(exc))
                await self._store.end_delivery(*ended, WebhookState.GIVEN_UP, error=str(exc))
                return
            pause = PAUSES[min(hook.attempts, len(PAUSES)) - 1]
            await self._store.end_delivery(*ended, WebhookState.DUE, error=str(exc), again_in=pause)
        else:
            await self._store.end_delivery(*ended, WebhookState.DELIVERED)

    async def _send(self, hook: Webhook, record: AskRecord) -> None:
        """Raises NotDelivered."""
        headers, body = signed(
            self._secret(), hook.id, "ask.settled", told(record), self._clock.now()
        )
        status = await post(hook.url, headers, body, networks=self._networks)
        if status == 410:
            raise NotDelivered("It is gone (410).", for_good=True)
        check_arrived(status)


def signed(
    secret: str, hook_id: str, what: str, data: JsonObject, now: datetime
) -> tuple[dict[str, str], bytes]:
    """Return the headers and the body of a webhook that tells this."""
    body = orjson.dumps({"type": what, "timestamp": now.isoformat(), "data": data})
    moment = str(int(now.timestamp()))
    headers = {
        "content-type": "application/json",
        "user-agent": "sayso",
        "webhook-id": hook_id,
        "webhook-timestamp": moment,
        "webhook-signature": signature(secret, hook_id, moment, body),
    }
    return headers, body


def signature(secret: str, hook_id: str, timestamp: str, body: bytes) -> str:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = hmac.new(key, f"{hook_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(signed).decode()}"


def told(record: AskRecord) -> JsonObject:
    """Return what a receiver is told: the answer, and what it was to."""
    it = record.card
    return {
        "kind": record.kind.value,
        "state": record.state.value,
        "title": it.title,
        "digest": it.digest,
        "revision": it.revision,
        "arguments": record.arguments,
        **it.settlement(),
    }
