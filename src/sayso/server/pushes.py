"""People who are away are told what waits for them: by their browsers' push services, by mail, or
by a webhook of their own.

They are told titles and links and no more. What is told is read from the rows when it is sent:
after a crash it is told again rather than not at all, under the same name.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import orjson

from sayso.core.digest import JsonObject
from sayso.core.ports import Clock, Store
from sayso.core.pushes import Carrier, PushNotice
from sayso.engine.background import LONGEST_SLEEP_SECONDS, SHORTEST_SLEEP_SECONDS, BackgroundLoop
from sayso.logs import logger
from sayso.server.mail import MailServer
from sayso.server.outgoing import DELIVERY_SECONDS, Network, NotDelivered, check_arrived, post
from sayso.server.web_push import PushKey, encrypted
from sayso.server.webhooks import signed

log = logger("sayso.server")

#: Between two tries at one place; the last goes on.
PAUSES = (5.0, 30.0, 120.0, 600.0, 3600.0, 14_400.0)
#: After how long a notice that nobody ended is told again: a mail takes several exchanges.
LEASE_SECONDS = 6 * DELIVERY_SECONDS
#: Between two mails to one person, who reads them in one go.
MAIL_RESTS_SECONDS = 300.0
#: For how long a push service keeps a notice for a phone that is off: as long as they do.
KEPT_SECONDS = 28 * 86_400
#: What a push service says of a browser that has unsubscribed, and a webhook of itself.
GONE = (404, 410)


@dataclass(frozen=True, slots=True)
class Carriers:
    """What a server tells people by; None is what it cannot."""

    push_key: Callable[[], PushKey | None]
    #: What webhooks are signed with.
    secret: Callable[[], str]
    mail: MailServer | None = None
    networks: Sequence[Network] = ()
    mail_after: float = 60.0


class Pushes(BackgroundLoop):
    """Tells each place what was opened, handed over or had back since it was told last."""

    failure_event = "push.later"
    # Whoever is at a page sees the card first.
    gather_seconds = 0.02

    def __init__(self, store: Store, clock: Clock, by: Carriers) -> None:
        super().__init__()
        self._store, self._clock, self._by = store, clock, by

    async def run_once(self) -> float:
        after = self._by.mail_after
        while (due := await self._store.due_pushes(mail_after=after)).notices:
            async with asyncio.TaskGroup() as group:
                for notice in due.notices:
                    group.create_task(self._tell(notice))
        longest = LONGEST_SLEEP_SECONDS
        return min(max(due.next_in or longest, SHORTEST_SLEEP_SECONDS), longest)

    async def _tell(self, notice: PushNotice) -> None:
        to = notice.to
        # One of several nodes tells it.
        if not await self._store.take_push(notice, seconds=LEASE_SECONDS):
            return
        try:
            status = await self._send(notice)
            if status in GONE:
                await self._store.forget_push_subscription(to.app_id, to.id, to.person)
                return
            check_arrived(status)
        except NotDelivered as exc:
            log.warning(self.failure_event, to=to.id[:8], by=to.carrier.value, error=str(exc))
            pause = PAUSES[min(to.attempts, len(PAUSES) - 1)]
            await self._store.tell_push_later(to.app_id, to.id, again_in=pause)
        else:
            rests = MAIL_RESTS_SECONDS if to.carrier is Carrier.MAIL else 0.0
            await self._store.told_push(notice, rests=rests)

    async def _send(self, notice: PushNotice) -> int:
        """Return the status that came back. Raises NotDelivered."""
        match notice.to.carrier:
            case Carrier.PUSH:
                return await self._push(notice)
            case Carrier.WEBHOOK:
                return await self._call(notice)
            case Carrier.MAIL:
                if self._by.mail is None:
                    raise NotDelivered("SAYSO_MAIL_SERVER is not set.")
                await self._by.mail.send(notice, self._clock.now())
                return 200

    async def _push(self, notice: PushNotice) -> int:
        to, key = notice.to, self._by.push_key()
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
        return await self._post(notice, headers, body)

    async def _call(self, notice: PushNotice) -> int:
        secret = secret_of_place(self._by.secret(), notice.to.id)
        headers, body = signed(secret, notice.id, "cards.waiting", _told(notice), self._clock.now())
        return await self._post(notice, headers, body)

    async def _post(self, notice: PushNotice, headers: Mapping[str, str], body: bytes) -> int:
        return await post(notice.to.endpoint, headers, body, networks=self._by.networks)


def secret_of_place(secret: str, place_id: str) -> str:
    """Return what the notices to one webhook are signed with: its owner knows no other's."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    own = hmac.new(key, f"place {place_id}".encode(), hashlib.sha256).digest()
    return f"whsec_{base64.b64encode(own).decode()}"


def _told(notice: PushNotice) -> JsonObject:
    told = notice.as_json()
    return {
        "title": told["title"],
        "url": f"{notice.to.page}{told['path']}",
        "waiting": told["waiting"],
        "interaction_ids": [it.id for it in notice.cards],
    }
