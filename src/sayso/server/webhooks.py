"""Webhooks: the answer to an ask is sent to where its asker listens, signed, until it has arrived.

Signatures are those of Standard Webhooks (https://www.standardwebhooks.com). An address is looked
up and checked at each delivery, and it is that address which is called: a name that leads elsewhere
the next time, a redirect, or a proxy does not lead into a private network.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import ipaddress
import socket
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta

import httpx
import orjson

from sayso.core.asks import AskRecord, Webhook, WebhookState
from sayso.core.digest import JsonObject
from sayso.core.errors import InvalidInput
from sayso.core.ports import Clock, Store
from sayso.engine.background import (
    LONGEST_SLEEP_SECONDS,
    SHORTEST_SLEEP_SECONDS,
    BackgroundLoop,
)
from sayso.logs import logger

log = logger("sayso.server")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

#: How long a receiver may take, and after how long a delivery that nobody ended is tried again.
DELIVERY_SECONDS, LEASE_SECONDS = 15.0, 20.0
#: Between two tries; the last goes on until it is given up.
PAUSES = (5.0, 30.0, 120.0, 600.0, 1800.0, 3600.0, 7200.0, 14_400.0)
GIVE_UP_AFTER = timedelta(days=3)
#: Deliveries at once. A receiver that takes its time does not hold up the others.
AT_ONCE = 8
#: Addresses of IPv6 in which one of IPv4 is written (RFC 6052).
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


class NotDelivered(Exception):
    """Why a delivery failed; `for_good` where trying again cannot help."""

    def __init__(self, why: str, *, for_good: bool = False) -> None:
        super().__init__(why)
        self.for_good = for_good


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
        url = httpx.URL(hook.url)
        try:
            async with asyncio.timeout(DELIVERY_SECONDS):
                address = await self._checked_address(url)
                status = await _post(url, address, self._signed(hook, record))
        except TimeoutError as exc:
            raise NotDelivered("It took too long.") from exc
        except httpx.HTTPError as exc:
            raise NotDelivered(f"{type(exc).__name__}: {exc}") from exc
        if status == 410:
            raise NotDelivered("It is gone (410).", for_good=True)
        if 300 <= status < 400:
            raise NotDelivered(f"It leads elsewhere ({status}): redirects are not followed.")
        if not 200 <= status < 300:
            raise NotDelivered(f"It answered {status}.")

    async def _checked_address(self, url: httpx.URL) -> Address:
        """Look the host up now; every address that it has must be one that may be called."""
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(url.raw_host.decode(), None, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as exc:
            raise NotDelivered(f"{url.host} is not found: {exc}.") from exc
        addresses = [ipaddress.ip_address(entry[4][0]) for entry in found]
        for address in addresses:
            if not may_be_called(address, self._networks):
                raise NotDelivered(f"{url.host} is {address}, which is no public address.")
        return addresses[0]

    def _signed(self, hook: Webhook, record: AskRecord) -> tuple[dict[str, str], bytes]:
        now = self._clock.now()
        body = orjson.dumps(
            {"type": "ask.settled", "timestamp": now.isoformat(), "data": told(record)}
        )
        moment = str(int(now.timestamp()))
        headers = {
            "content-type": "application/json",
            "user-agent": "sayso",
            "webhook-id": hook.id,
            "webhook-timestamp": moment,
            "webhook-signature": signature(self._secret(), hook.id, moment, body),
        }
        return headers, body


def check_callback(url: str) -> None:
    """Refuse a URL to which nothing can be sent. Raises InvalidInput."""
    try:
        read = httpx.URL(url)
        is_one = read.scheme in ("http", "https") and bool(read.host) and not read.userinfo
    except httpx.InvalidURL:
        is_one = False
    if not is_one:
        what = "is no http or https URL without a user"
        raise InvalidInput(
            f"callback_url: {what}.",
            context={"errors": [{"path": "callback_url", "message": what}]},
        )


def signature(secret: str, hook_id: str, timestamp: str, body: bytes) -> str:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = hmac.new(key, f"{hook_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(signed).decode()}"


def may_be_called(address: Address, networks: Sequence[Network]) -> bool:
    """Return whether a webhook may go to this address: a public one, or one of these networks."""
    return all(
        (part.is_global and not part.is_multicast)
        or any(part in network for network in networks if network.version == part.version)
        for part in _meant_by(address)
    )


def _meant_by(address: Address) -> Iterator[Address]:
    """Return the address, or those of IPv4 that it stands for."""
    if isinstance(address, ipaddress.IPv4Address):
        yield address
        return
    within = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64:
        within.append(ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF))
    inner = [part for part in within if part is not None]
    yield from inner or [address]


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


async def _post(url: httpx.URL, address: Address, signed: tuple[dict[str, str], bytes]) -> int:
    """Send it to just this address, under the name of its host. What comes back is not read."""
    headers, body = signed
    async with httpx.AsyncClient(trust_env=False, follow_redirects=False) as http:
        request = http.build_request(
            "POST",
            url.copy_with(host=str(address)),
            headers={**headers, "host": url.netloc.decode()},
            content=body,
            extensions={"sni_hostname": url.host},
        )
        answer = await http.send(request, stream=True)
        await answer.aclose()
        return answer.status_code
