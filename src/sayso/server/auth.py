"""Who asks, and what they may do: taken from the connection, never from what was sent.

On loopback without tokens there is no login: everyone who can reach the server is its owner, but
for who shows the token of an asker. With tokens, or where a browser has to sign in by a link that
the server prints, each request needs one: in `Authorization: Bearer`, in the cookie that POST
/api/session sets, or (a browser cannot set headers on a WebSocket) as the subprotocol
`sayso.token.TOKEN`.
"""

from __future__ import annotations

import hmac
import math
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import IntEnum
from typing import Annotated

from fastapi import Depends, params
from starlette.requests import HTTPConnection

from sayso.core.errors import Forbidden, RateLimited
from sayso.core.interactions import Interaction
from sayso.core.messages import message
from sayso.core.ports import Clock, Store
from sayso.core.sign_ins import SignIn, SignInLength, digest_of
from sayso.logs import logger
from sayso.server.problems import NotSignedIn
from sayso.settings import Settings, Token

log = logger("sayso.server")

COOKIE = "sayso_session"
SUBPROTOCOL = "sayso"
TOKEN_SUBPROTOCOL = "sayso.token."
#: Stands in a sign-in for the link by which it began. No digest looks like it.
_BY_LINK = "link"
#: How many wrong tokens an address may try.
AT_ONCE = 10
PER_SECOND = 0.2
#: So many addresses are remembered; an attacker who has more is not stopped by this.
_ADDRESSES = 4096


class Role(IntEnum):
    """Each may do what those before it may; but an asker only asks, and no one else does but an
    admin."""

    ASKER = 0
    VIEWER = 1
    RESPONDER = 2
    ADMIN = 3


@dataclass(frozen=True, slots=True)
class Principal:
    """The person behind a connection, in their tenant."""

    app_id: str
    person: str
    role: Role
    #: Whether they had to say who they are; else this is the owner on loopback, or a program of
    #: the same user, with the token that lies in a file of theirs.
    signed_in: bool = False

    def require(self, role: Role) -> None:
        """Raise Forbidden unless this person has at least this role."""
        if self.role < role:
            raise Forbidden(
                message("problem.role", role=role.name.lower(), own=self.role.name.lower())
            )

    def may_answer(self, it: Interaction) -> None:
        """Raise Forbidden where the interaction names others. An admin may answer for them, and
        the audit log says so."""
        if it.assignees and self.person not in it.assignees and self.role < Role.ADMIN:
            raise Forbidden(message("problem.for_others", title=it.name, people=[*it.assignees]))


class Access:
    """Identifies people by their tokens, and by the cookies of browsers that signed in."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        clock: Clock,
        *,
        local_tokens: Sequence[Token] = (),
        links: SignInLinks | None = None,
    ) -> None:
        self._app_id, self._store, self._clock = settings.app_id, store, clock
        self._owner = Principal(settings.app_id, settings.person, Role.ADMIN)
        self._by_link = replace(self._owner, signed_in=True)
        self._length = SignInLength(
            timedelta(seconds=settings.session_idle_seconds),
            timedelta(seconds=settings.session_seconds),
        )
        self._always_secure = settings.secure_cookies
        self.needs_login = bool(settings.tokens) or settings.sign_in
        self._failed_logins = FailedLogins()
        self._links = links or SignInLinks()
        tokens = [(token, False) for token in local_tokens]
        tokens += [(token, True) for token in settings.tokens]
        self._by_digest = {
            digest_of(t.secret.get_secret_value()): self._principal(t, signed_in=signed_in)
            for t, signed_in in tokens
        }

    async def authenticate(self, connection: HTTPConnection) -> Principal:
        """Return who this is. Raises NotSignedIn, RateLimited."""
        shown = _bearer(connection) or _from_subprotocol(connection)
        if not self.needs_login:
            found = self._find(digest_of(shown)) if shown is not None else None
            return found if found is not None and found.role is Role.ASKER else self._owner
        if shown is not None:
            return self.by_token(shown, connection)
        cookie = connection.cookies.get(COOKIE)
        if cookie is None:
            raise NotSignedIn("This server asks who you are.")
        found = await self._signed_in(digest_of(cookie))
        if found is None:
            raise NotSignedIn("Your session is over.")
        return found

    def by_token(self, secret: str, connection: HTTPConnection) -> Principal:
        """Return the person of a token. Raises NotSignedIn, RateLimited."""
        found = self._find(digest_of(secret))
        if found is None:
            self._failed_logins.record(
                connection.client.host if connection.client is not None else ""
            )
            raise NotSignedIn("This token is not known here.")
        return found

    async def sign_in(self, secret: str, connection: HTTPConnection) -> tuple[Principal, str]:
        """Return the person of a token, or of a link that was not used yet, and a new cookie that
        stands for it. Raises NotSignedIn, Forbidden, RateLimited."""
        by_link = self._links.use(secret)
        who = self._by_link if by_link else self.by_token(secret, connection)
        who.require(Role.VIEWER)
        cookie, now = secrets.token_urlsafe(32), self._clock.now()
        new = SignIn(
            id=digest_of(cookie),
            app_id=who.app_id,
            token=_BY_LINK if by_link else digest_of(secret),
            began_at=now,
            seen_at=now,
        )
        await self._store.begin_sign_in(new, self._length)
        return who, cookie

    async def sign_out(self, connection: HTTPConnection) -> None:
        """End the session of this cookie."""
        if (cookie := connection.cookies.get(COOKIE)) is not None:
            await self._store.end_sign_in(digest_of(cookie))

    def is_secure(self, connection: HTTPConnection) -> bool:
        """Return whether the cookie may travel by https only. A client that lies about its proxy
        harms itself alone."""
        scheme = connection.headers.get("x-forwarded-proto", "").partition(",")[0].strip().lower()
        return self._always_secure or connection.url.scheme == "https" or scheme == "https"

    async def _signed_in(self, sign_in_id: str) -> Principal | None:
        found, now = await self._store.sign_in(sign_in_id), self._clock.now()
        if found is None or self._length.is_over(found, now):
            return None
        if self._length.is_worth_noting(found, now):
            await self._store.note_sign_in(sign_in_id, now)
        if found.token == _BY_LINK:
            return self._by_link if self._links.are_given else None
        return self._find(found.token)

    def _find(self, digest: str) -> Principal | None:
        # Compares with each token in constant time, so that the time taken tells nothing.
        found = None
        for known, principal in self._by_digest.items():
            if hmac.compare_digest(known.encode(), digest.encode()):
                found = principal
        return found

    def _principal(self, token: Token, *, signed_in: bool) -> Principal:
        app_id = token.app_id if token.app_id is not None else self._app_id
        return Principal(app_id, token.person, Role[token.role.upper()], signed_in=signed_in)


class SignInLinks:
    """Links that sign a browser in, once: who reads the server's terminal is its owner. When a
    code has been used, the next is told."""

    def __init__(self, tell: Callable[[str], None] | None = None) -> None:
        self._tell, self._code = tell, ""

    @property
    def are_given(self) -> bool:
        """Whether anybody can sign in by one."""
        return self._tell is not None

    def give(self) -> None:
        """Make a code and tell it."""
        if self._tell is not None:
            self._code = secrets.token_urlsafe(32)
            self._tell(self._code)

    def use(self, code: str) -> bool:
        """Return whether this is the code; it is none from here on."""
        if not self._code or not hmac.compare_digest(self._code.encode(), code.encode()):
            return False
        self.give()
        return True


@dataclass(slots=True)
class _Failures:
    left: float
    at: float
    #: Since the last line in the log.
    unlogged: int = 0


class FailedLogins:
    """Limits how often an address may try a wrong token, and logs that it does.

    Right tokens always pass: many people may come from one address, and nobody guesses a token of
    96 bits. What this ends is the load, and the silence.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._by_address: OrderedDict[str, _Failures] = OrderedDict()

    def record(self, address: str) -> None:
        """Count one failure, and log it as long as there are few. Raises RateLimited."""
        now = self._now()
        failures = self._by_address.pop(address, None) or _Failures(AT_ONCE, now)
        self._by_address[address] = failures
        while len(self._by_address) > _ADDRESSES:
            self._by_address.popitem(last=False)
        failures.left = min(AT_ONCE, failures.left + (now - failures.at) * PER_SECOND)
        failures.at = now
        failures.unlogged += 1
        if failures.left < 1:
            wait = math.ceil((1 - failures.left) / PER_SECOND)
            raise RateLimited("Too many wrong tokens.", context={"retry_after": wait})
        failures.left -= 1
        log.warning("auth.wrong_token", address=address, times=failures.unlogged)
        failures.unlogged = 0


async def principal_of(connection: HTTPConnection) -> Principal:
    """Return the person behind this request: a dependency of routes. An asker is none."""
    who = await _authenticated(connection)
    who.require(Role.VIEWER)
    return who


async def asker_of(connection: HTTPConnection) -> Principal:
    """Return who asks from outside: a dependency of the routes of asks, and of no others."""
    who = await _authenticated(connection)
    if who.role is not Role.ASKER:
        who.require(Role.ADMIN)
    return who


async def _access_of(connection: HTTPConnection) -> Access:
    access: Access = connection.app.state.access
    return access


async def _authenticated(connection: HTTPConnection) -> Principal:
    return await (await _access_of(connection)).authenticate(connection)


TheAccess = Annotated[Access, Depends(_access_of)]
Who = Annotated[Principal, Depends(principal_of)]
Asks = Annotated[Principal, Depends(asker_of)]


def needs(role: Role) -> params.Depends:
    """Make a dependency of a route: only people with at least this role."""

    def check(who: Who) -> None:
        who.require(role)

    return params.Depends(check)


def _bearer(connection: HTTPConnection) -> str | None:
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _from_subprotocol(connection: HTTPConnection) -> str | None:
    offered: Sequence[str] = connection.scope.get("subprotocols", ())
    for one in offered:
        if one.startswith(TOKEN_SUBPROTOCOL):
            return one.removeprefix(TOKEN_SUBPROTOCOL)
    return None
