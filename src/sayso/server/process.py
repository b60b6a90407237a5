"""The process around the application: its socket, its address for other programs, its shutdown.

While it runs, `server.json` in the data directory (readable by its owner only) tells its address
and a token, so that `sayso inbox` and scripts on this machine find it. `asker.json` beside it has a
token that can ask and not answer; it stays the same, since an asker may come back with its key.
"""

from __future__ import annotations

import asyncio
import errno
import os
import secrets
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
import uvicorn
from fastapi import FastAPI
from pydantic import SecretStr
from starlette.types import ASGIApp
from uvicorn.server import HANDLED_SIGNALS

from sayso.core.errors import InvalidInput, PortTaken
from sayso.core.offerings import Exports
from sayso.engine.engine import Engine
from sayso.server.app import create_app
from sayso.server.auth import SignInLinks
from sayso.server.metrics import Metrics
from sayso.server.middleware import SecurityMiddleware
from sayso.server.request_timeout import http_protocol
from sayso.settings import LOOPBACK, Settings, Token

if TYPE_CHECKING:
    from sayso.mcp import Servers

ADDRESS_FILE = "server.json"
ASKER_FILE = "asker.json"
#: Whom the asks of this machine's programs come from, as far as is known.
LOCAL_ASKER = "local asker"
# A WebSocket message may hold what a body may, and the frame around it.
_FRAME_BYTES = 64 * 1024
_MOST_BODY_BYTES = 64 * 1024 * 1024
# The kernel gives up a peer that takes nothing for this long; asyncio would wait for ever.
_DEAD_PEER_MILLISECONDS = 60_000


def serve(
    engine: Engine,
    settings: Settings,
    *,
    exports: Exports | None = None,
    starters: Mapping[str, Sequence[str]] | None = None,
    mcp: Servers | None = None,
    ready: Callable[[str], None] = print,
    say: Callable[[str], None] = print,
) -> None:
    """Serve until SIGINT or SIGTERM. `ready` is told the address once it can be opened, and `say`
    prints what comes later.

    Raises PortTaken, and what starting the engine raises.
    """
    token = Token(secret=SecretStr(secrets.token_urlsafe(32)), person=settings.person)
    address_file, asker_file = (settings.data_dir / name for name in (ADDRESS_FILE, ASKER_FILE))
    kept = _secret_in(asker_file) or secrets.token_urlsafe(32)
    asker = Token(secret=SecretStr(kept), person=LOCAL_ASKER, role="asker")
    listening = bind(settings.host, settings.port)
    address = address_of(listening)
    links = SignInLinks(lambda code: say(f"Sign in, once, by {address}/sign-in/{code}"))
    app = create_app(
        engine,
        settings,
        local_tokens=[token, asker],
        links=links if settings.sign_in else None,
        starts_engine=False,
        exports=exports,
        starters=starters,
        mcp=mcp,
    )

    def started() -> None:
        ready(address)
        if settings.sign_in:
            links.give()

    server = SaysoServer(config(app, settings), app, started=started)

    async def run() -> None:
        await engine.start()
        try:
            write_address_file(address_file, address, token)
            write_address_file(asker_file, address, asker)
            await server.serve(sockets=[listening])
        finally:
            _forget_address(address_file, token)
            await engine.stop()

    try:
        loop_factory = server.config.get_loop_factory()
        with asyncio.Runner(loop_factory=loop_factory) as runner, _signals_to(server):
            runner.run(run())
    finally:
        listening.close()


def serve_asgi(
    app: ASGIApp, *, port: int, host: str = "127.0.0.1", ready: Callable[[str], None] = print
) -> None:
    """Serve an application of a pack at an address beside Sayso's own, with the same checks, until
    SIGINT or SIGTERM. `ready` is told the address once it can be opened.

    Raises PortTaken, and InvalidInput for an address that is not of this machine alone: nobody
    signs in there.
    """
    if host not in LOOPBACK:
        raise InvalidInput(
            f"{host} can be reached from other machines, and nobody signs in there.",
            fix="Use 127.0.0.1, and a tunnel from elsewhere.",
        )
    listening = bind(host, port)
    try:
        plain = uvicorn.Config(guarded(app), lifespan="on", log_level="warning", access_log=False)
        _ToldServer(plain, lambda: ready(address_of(listening))).run(sockets=[listening])
    finally:
        listening.close()


def guarded(app: ASGIApp) -> ASGIApp:
    """Return the application behind the checks of a server on loopback: its names alone, no page
    from elsewhere, no body without end."""
    settings = Settings().model_copy(
        update={"host": "127.0.0.1", "max_body_bytes": _MOST_BODY_BYTES}
    )
    return SecurityMiddleware(app, settings=settings, metrics=Metrics(dict))


@contextmanager
def _signals_to(server: SaysoServer) -> Iterator[None]:
    """Let SIGINT and SIGTERM end the server, and nothing else: the engine is stopped after it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {sig: signal.signal(sig, server.handle_exit) for sig in HANDLED_SIGNALS}
    try:
        yield
    finally:
        for sig, handler in before.items():
            signal.signal(sig, handler)


def config(app: FastAPI, settings: Settings) -> uvicorn.Config:
    """Configure uvicorn: no proxy is trusted, nothing is compressed, pings find dead clients."""
    return uvicorn.Config(
        app,
        http=http_protocol(settings.request_seconds),
        lifespan="on",
        ws_max_size=settings.max_body_bytes + _FRAME_BYTES,
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
        # Costs more CPU per delta than it saves on a local network; a proxy can do it for others.
        ws_per_message_deflate=False,
        proxy_headers=False,
        server_header=False,
        access_log=False,
        log_level="warning",
        timeout_graceful_shutdown=settings.stop_seconds,
    )


class _ToldServer(uvicorn.Server):
    """uvicorn's server, which tells once it has started."""

    def __init__(self, config: uvicorn.Config, on_started: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_started = on_started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_started()


class SaysoServer(_ToldServer):
    """It ends the streams that would never end before it waits for them, and leaves the signals to
    its process."""

    def __init__(
        self, config: uvicorn.Config, app: FastAPI, *, started: Callable[[], None] = lambda: None
    ) -> None:
        super().__init__(config, started)
        self._sayso = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._sayso.state.service.streams.stop()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        # uvicorn's own raises the signal again once it has ended, which would end the process
        # before the engine is stopped.
        yield


def bind(host: str, port: int) -> socket.socket:
    """Open a listening socket. Raises PortTaken, InvalidInput."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    if sys.platform != "win32":
        # There it would let two programs listen at once.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _DEAD_PEER_MILLISECONDS)
    try:
        listening.bind((host, port))
        listening.listen(2048)
    except OSError as exc:
        listening.close()
        if exc.errno == errno.EADDRINUSE:
            raise PortTaken(
                f"Port {port} on {host} is in use by another program.",
                fix=f"Stop it, or choose another port: --port {port + 1}.",
            ) from exc
        raise InvalidInput(
            f"Cannot listen on {host}:{port}: {exc.strerror or exc}.",
            fix="Choose another --host or --port; ports below 1024 need an administrator.",
        ) from exc
    listening.set_inheritable(False)
    if hasattr(os, "register_at_fork"):
        # A tool's forked child may outlive us, and would keep the port from the next start.
        os.register_at_fork(after_in_child=listening.close)
    return listening


def address_of(listening: socket.socket) -> str:
    """Return the address that a browser on this machine opens."""
    host, port = listening.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # it listens everywhere, so here too
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _secret_in(path: Path) -> str | None:
    """Return the secret that this file keeps, if it does."""
    try:
        return str(orjson.loads(path.read_bytes())["token"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_address_file(path: Path, address: str, token: Token) -> None:
    """Write where we listen, for programs of the same user. Nobody else may read it."""
    body = {"address": address, "token": token.secret.get_secret_value(), "pid": os.getpid()}
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(f".{os.getpid()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with os.fdopen(os.open(fresh, flags, 0o600), "wb") as file:
        file.write(orjson.dumps(body))
    fresh.replace(path)


def _forget_address(path: Path, token: Token) -> None:
    """Take our address away, unless a server that started meanwhile has put its own there."""
    if _secret_in(path) == token.secret.get_secret_value():
        path.unlink(missing_ok=True)
