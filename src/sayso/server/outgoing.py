"""Requests to addresses that a client named: they lead out of here, and to no private network.

An address is looked up and checked at each delivery, and it is that address which is called: a name
that leads elsewhere the next time, a redirect, or a proxy does not lead into a private network.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Iterator, Mapping, Sequence

import httpx

from sayso.server.requests import invalid_field

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

#: How long a receiver may take.
DELIVERY_SECONDS = 15.0
#: Addresses of IPv6 in which one of IPv4 is written (RFC 6052).
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


class NotDelivered(Exception):
    """Why a delivery failed; `for_good` where trying again cannot help."""

    def __init__(self, why: str, *, for_good: bool = False) -> None:
        super().__init__(why)
        self.for_good = for_good


def check_url(url: str, *, field: str) -> None:
    """Refuse a URL to which nothing can be sent. Raises InvalidInput."""
    try:
        read = httpx.URL(url)
        is_one = read.scheme in ("http", "https") and bool(read.host) and not read.userinfo
    except httpx.InvalidURL:
        is_one = False
    if not is_one:
        raise invalid_field(field, "is no http or https URL without a user")


async def post(
    url: str, headers: Mapping[str, str], body: bytes, *, networks: Sequence[Network] = ()
) -> int:
    """Post this, and return the status that came back. Raises NotDelivered."""
    try:
        async with asyncio.timeout(DELIVERY_SECONDS):
            to = httpx.URL(url)
            return await _post(to, await _checked_address(to, networks), headers, body)
    except TimeoutError as exc:
        raise NotDelivered("It took too long.") from exc
    except (httpx.HTTPError, httpx.InvalidURL) as exc:
        raise NotDelivered(f"{type(exc).__name__}: {exc}") from exc


def check_arrived(status: int) -> None:
    """Raises NotDelivered for a status that says otherwise."""
    if 300 <= status < 400:
        raise NotDelivered(f"It leads elsewhere ({status}): redirects are not followed.")
    if not 200 <= status < 300:
        raise NotDelivered(f"It answered {status}.")


def may_be_called(address: Address, networks: Sequence[Network]) -> bool:
    """Return whether a request may go to this address: a public one, or one of these networks."""
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


async def _checked_address(url: httpx.URL, networks: Sequence[Network]) -> Address:
    """Look the host up now; every address that it has must be one that may be called."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(url.raw_host.decode(), None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as exc:
        raise NotDelivered(f"{url.host} is not found: {exc}.") from exc
    addresses = [ipaddress.ip_address(entry[4][0]) for entry in found]
    for address in addresses:
        if not may_be_called(address, networks):
            raise NotDelivered(f"{url.host} is {address}, which is no public address.")
    return addresses[0]


async def _post(url: httpx.URL, address: Address, headers: Mapping[str, str], body: bytes) -> int:
    """Send it to just this address, under the name of its host. What comes back is not read."""
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
