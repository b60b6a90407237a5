"""Push: people without an open page are told what waits for them, by their browsers' push services.

A browser is told titles and no more, encrypted for it. What is told is read from the rows when it
is sent: after a crash it is told again rather than not at all, which replaces the same notice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import orjson

from sayso.core.ports import Clock, Store
from sayso.core.pushes import PushNotice
from sayso.engine.background import LONGEST_SLEEP_SECONDS, SHORTEST_SLEEP_SECONDS, BackgroundLoop
from sayso.logs import logger
from sayso.server.outgoing import Network, NotDelivered, check_arrived, post
from sayso.server.web_push import PushKey, encrypted

log = logger("sayso.server")

#: Between two tries at one browser; the last goes on.
PAUSES = (5.0, 30.0, 120.0, 600.0, 3600.0, 14_400.0)
#: For how long a push service keeps a notice for a phone that is off: as long as they do.
KEPT_SECONDS = 28 * 86_400
#: What a push service says of a browser that has unsubscribed.
GONE = (404, 410)


class Pushes(BackgroundLoop):
    """Tells each browser what was opened since it was told last."""

    failure_event = "push.later"
    # Whoever is at a page sees the card first.
    gather_seconds = 0.02

    def __init__(
        self,
        store: Store,
        clock: Clock,
        *,
        key: Callable[[], PushKey | None],
        networks: Sequence[Network] = (),
    ) -> None:
        super().__init__()
        self._store, self._clock, self._key, self._networks = store, clock, key, networks

    async def run_once(self) -> float:
        while (due := await self._store.due_pushes()).notices:
            async with asyncio.TaskGroup() as group:
                for notice in due.notices:
                    group.create_task(self._tell(notice))
        longest = LONGEST_SLEEP_SECONDS
        return min(max(due.next_in or longest, SHORTEST_SLEEP_SECONDS), longest)

    async def _tell(self, notice: PushNotice) -> None:
        to = notice.to
        try:
            status = await self._send(notice)
            if status in GONE:
                await self._store.forget_push_subscription(to.app_id, to.id, to.person)
                return
            check_arrived(status)
        except NotDelivered as exc:
            log.warning(self.failure_event, browser=to.id[:8], error=str(exc))
            pause = PAUSES[min(to.attempts, len(PAUSES) - 1)]
            await self._store.tell_push_later(to.app_id, to.id, again_in=pause)
        else:
            await self._store.told_push(notice)

    async def _send(self, notice: PushNotice) -> int:
        to, key = notice.to, self._key()
        if key is None:
            raise NotDelivered("sayso[push] is not installed.")
        headers = {
            "authorization": key.authorization(to.endpoint, self._clock.now()),
            "content-encoding": "aes128gcm",
            "content-type": "application/octet-stream",
            "ttl": str(KEPT_SECONDS),
            "urgency": "high",
        }
        body = encrypted(orjson.dumps(notice.as_json()), to.p256dh, to.auth)
        return await post(to.endpoint, headers, body, networks=self._networks)
