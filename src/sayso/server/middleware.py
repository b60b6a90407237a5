"""The outermost middleware: what is refused, counted or added before a route is looked up.

- Host: on loopback only loopback names, so that a foreign name that resolves here (DNS rebinding)
  reaches nothing.
- Body: one that is too large is refused while it comes in, chunked or not.
- Origin: a page from elsewhere may change nothing and open no WebSocket (CSRF, hijacking); a page
  that the settings name may do what its token may (CORS, never with cookies).
- An error that no route handles becomes a problem document.
"""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Iterable
from urllib.parse import urlsplit

from fastapi import HTTPException
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sayso.core.errors import Forbidden
from sayso.core.messages import message
from sayso.server.metrics import Metrics
from sayso.server.problems import problem_of
from sayso.settings import LOOPBACK, Settings

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
#: What a browser says of a request that our own page, or the person, has made.
_OURS = frozenset({"same-origin", "none"})
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_PREFLIGHT = {
    "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
    "access-control-allow-headers": "accept, authorization, content-type, idempotency-key, "
    "if-match, if-none-match, last-event-id, prefer",
    "access-control-max-age": "600",
}
_EXPOSED = b"etag, location, preference-applied, retry-after"


class SecurityMiddleware:
    """Wraps the application. Pure ASGI: it adds no task and no copy to a request."""

    def __init__(self, app: ASGIApp, *, settings: Settings, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics
        self._hosts = _allowed_hosts(settings)
        self._max_body_bytes = settings.max_body_bytes
        self._origins = frozenset(origin.rstrip("/").lower() for origin in settings.allowed_origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        sender = _Sender(scope, send, self._allowed_origin(scope))
        try:
            self._check_host_and_origin(scope)
            if sender.is_preflight:
                await Response(None, 204, _PREFLIGHT)(scope, receive, sender.send)
                return
            await self._app(scope, self._limit_body(scope, receive), sender.send)
        except Exception as exc:
            if sender.started:
                raise
            await problem_of(exc).response()(scope, receive, sender.send)
        finally:
            if scope["type"] == "http":
                self._metrics.count_request(scope, sender.status, sender.seconds)

    def _check_host_and_origin(self, scope: Scope) -> None:
        """Raise Forbidden for a Host that is not ours or a page that may not call us."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self._hosts is not None and _name(host) not in self._hosts:
            raise Forbidden(
                f"This server is not known as {_name(host)!r}.",
                fix="Open it as http://127.0.0.1 or http://localhost, or name this host in "
                "SAYSO_ALLOWED_HOSTS.",
            )
        if scope["type"] == "http" and scope["method"] in _SAFE_METHODS:
            return
        origin = headers.get("origin")
        if origin is None:
            # Browsers send one or the other; other clients send neither.
            if headers.get("sec-fetch-site", "none").lower() not in _OURS:
                raise Forbidden("A page from elsewhere may not do this.")
            return
        if not self._may_call(origin.lower(), host.lower(), scope):
            raise Forbidden(
                f"A page of {origin} may not do this.",
                fix="Use the console of this server, or name that origin in SAYSO_ALLOWED_ORIGINS.",
            )

    def _allowed_origin(self, scope: Scope) -> bytes | None:
        """Return the origin of this request, if it is another one that the settings allow."""
        origin = Headers(scope=scope).get("origin", "")
        return origin.encode() if origin.lower() in self._origins else None

    def _limit_body(self, scope: Scope, receive: Receive) -> Receive:
        """Return a `receive` that refuses a body beyond the limit. Raises HTTPException 413."""
        if scope["type"] != "http" or scope["method"] in _SAFE_METHODS:
            return receive
        limit = self._max_body_bytes
        length = Headers(scope=scope).get("content-length", "")
        if length.isascii() and length.isdigit() and int(length) > limit:
            raise _too_large(limit)
        taken = 0

        async def bounded() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > limit:
                raise _too_large(limit)
            return message

        return bounded

    def _may_call(self, origin: str, host: str, scope: Scope) -> bool:
        if origin in self._origins:
            return True
        try:
            page = urlsplit(origin)
            port = page.port or (443 if page.scheme == "https" else 80)
        except ValueError:
            return False
        if page.scheme not in ("http", "https"):
            return False
        if page.netloc == host:
            return True
        # A proxy for development speaks with the server's own address as Origin, and its own Host.
        server = scope.get("server")
        own_port = server is not None and server[1] == port
        return own_port and self._hosts is not None and page.hostname in LOOPBACK


class _Sender:
    """Sends the response with the headers that every response has, and remembers its status."""

    def __init__(self, scope: Scope, send: Send, allowed_origin: bytes | None) -> None:
        self._send = send
        self._added = [*_HEADERS]
        if allowed_origin is not None:
            self._added += [
                (b"access-control-allow-origin", allowed_origin),
                (b"access-control-expose-headers", _EXPOSED),
                (b"vary", b"Origin"),
            ]
        self.is_preflight = (
            allowed_origin is not None
            and scope.get("method") == "OPTIONS"
            and "access-control-request-method" in Headers(scope=scope)
        )
        self._began = time.perf_counter()
        self.started = False
        self.status = 500

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._began

    async def send(self, message: Message) -> None:
        if not self.started:
            self.started = True
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                self.status = message["status"]
                present = {name for name, _ in message.get("headers", ())}
                added = [pair for pair in self._added if pair[0] not in present]
                message = {**message, "headers": [*message.get("headers", ()), *added]}
        await self._send(message)


def _too_large(limit: int) -> HTTPException:
    # FastAPI's own class: while it reads a body, it turns every other exception into a 400.
    detail = message("problem.body_too_large", limit=f"{limit:,}")
    # The connection stays open: closing it over an unread body would reset it, and the client would
    # never read why. uvicorn throws away what still comes.
    return HTTPException(413, detail)


def _allowed_hosts(settings: Settings) -> frozenset[str] | None:
    """Return the names this server answers to; None where it answers to any, and asks for a
    token."""
    named = _lower(settings.allowed_hosts)
    framed_at = urlsplit(settings.tool_ui_origin or "").hostname
    framing = _lower([framed_at] if framed_at else [])
    if settings.is_loopback:
        return named | LOOPBACK | framing
    return (named | _lower([settings.host]) | framing) if named else None


def _lower(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.lower() for name in names)


def _name(host: str) -> str:
    """Return the name in a Host header, without its port: `[::1]:8765` is `::1`."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return str(ipaddress.ip_address(name)) if ":" in name else name
    except ValueError:
        return ""
