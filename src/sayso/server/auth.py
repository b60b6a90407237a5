"""Who asks, and what they may do: taken from the connection, never from what was sent.

On loopback without tokens there is no login: everyone who can reach the server is its owner. With
tokens, each request needs one: in `Authorization: Bearer`, in the cookie that POST /api/session
sets, or (a browser cannot set headers on a WebSocket) as the subprotocol `sayso.token.TOKEN`.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated

from fastapi import Depends, params
from starlette.requests import HTTPConnection

from sayso.core.errors import Forbidden
from sayso.core.interactions import Interaction
from sayso.server.problems import NotSignedIn
from sayso.settings import Settings, Token

COOKIE = "sayso_session"
SUBPROTOCOL = "sayso"
TOKEN_SUBPROTOCOL = "sayso.token."


class Role(IntEnum):
    """Each may do what those before it may."""

    VIEWER = 1
    RESPONDER = 2
    ADMIN = 3


@dataclass(frozen=True, slots=True)
class Principal:
    """The person behind a connection, in their tenant."""

    app_id: str
    person: str
    role: Role
    #: Whether they had to say who they are; else this is the owner, on loopback.
    signed_in: bool = False

    def require(self, role: Role) -> None:
        """Raises Forbidden unless this person has at least this role."""
        if self.role < role:
            raise Forbidden(
                f"This needs the role {role.name.lower()}; yours is {self.role.name.lower()}."
            )

    def may_answer(self, it: Interaction) -> None:
        """Raises Forbidden where the interaction names others. An admin may answer for them, and
        the audit log says so."""
        if it.assignees and self.person not in it.assignees and self.role < Role.ADMIN:
            raise Forbidden(f"'{it.title}' is for {' or '.join(it.assignees)} to answer.")


class Access:
    """Knows the tokens, and recognises people by them."""

    def __init__(self, settings: Settings, *, local_token: Token | None = None) -> None:
        self._owner = Principal(settings.app_id, settings.person, Role.ADMIN)
        self.needs_login = bool(settings.tokens)
        tokens = [*settings.tokens, *([local_token] if local_token is not None else [])]
        self._by_digest = {_digest(t.secret.get_secret_value()): _principal(t) for t in tokens}

    def recognise(self, connection: HTTPConnection) -> Principal:
        """Who this is. Raises NotSignedIn."""
        if not self.needs_login:
            return self._owner
        shown = _bearer(connection) or _from_subprotocol(connection)
        if shown is not None:
            return self.by_token(shown)
        session = connection.cookies.get(COOKIE)
        if session is None:
            raise NotSignedIn("This server asks who you are.")
        found = self._find(session)
        if found is None:
            raise NotSignedIn("Your session is over.")
        return found

    def by_token(self, secret: str) -> Principal:
        """The person of a token. Raises NotSignedIn."""
        found = self._find(_digest(secret))
        if found is None:
            raise NotSignedIn("This token is not known here.")
        return found

    def session_of(self, secret: str) -> str:
        """What the session cookie holds: it stands for the person and hides the token."""
        return _digest(secret)

    def _find(self, digest: str) -> Principal | None:
        # Compares with each token in constant time, so that the time taken tells nothing.
        found = None
        for known, principal in self._by_digest.items():
            if hmac.compare_digest(known.encode(), digest.encode()):
                found = principal
        return found


def principal_of(connection: HTTPConnection) -> Principal:
    """FastAPI's dependency: the person behind this request."""
    access: Access = connection.app.state.access
    return access.recognise(connection)


Who = Annotated[Principal, Depends(principal_of)]


def needs(role: Role) -> params.Depends:
    """A route's dependency: only people with at least this role."""

    def check(who: Who) -> None:
        who.require(role)

    return params.Depends(check)


def _principal(token: Token) -> Principal:
    return Principal(token.app_id, token.person, Role[token.role.upper()], signed_in=True)


def _digest(secret: str) -> str:
    return hashlib.sha256(b"sayso session\n" + secret.encode()).hexdigest()


def _bearer(connection: HTTPConnection) -> str | None:
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _from_subprotocol(connection: HTTPConnection) -> str | None:
    offered: Sequence[str] = connection.scope.get("subprotocols", ())
    for one in offered:
        if one.startswith(TOKEN_SUBPROTOCOL):
            return one.removeprefix(TOKEN_SUBPROTOCOL)
    return None
