"""Serves an ASGI application of a pack at an address beside Sayso's own, with the same checks:
loopback names alone, no page from elsewhere, no body without end."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

from sayso.core.errors import InvalidInput
from sayso.server.metrics import Metrics
from sayso.server.middleware import SecurityMiddleware
from sayso.server.process import address_of, bind
from sayso.settings import LOOPBACK, Settings

_MOST_BODY_BYTES = 64 * 1024 * 1024


def serve_asgi(
    app: ASGIApp, *, port: int, host: str = "127.0.0.1", ready: Callable[[str], None] = print
) -> None:
    """Serve until SIGINT or SIGTERM. `ready` is told the address once it can be opened.

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
        config = uvicorn.Config(guarded(app), lifespan="on", log_level="warning", access_log=False)
        _Server(config, lambda: ready(address_of(listening))).run(sockets=[listening])
    finally:
        listening.close()


def guarded(app: ASGIApp) -> ASGIApp:
    """Return the application behind the checks of a server on loopback."""
    settings = Settings().model_copy(
        update={"host": "127.0.0.1", "max_body_bytes": _MOST_BODY_BYTES}
    )
    return SecurityMiddleware(app, settings=settings, metrics=Metrics(dict))


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_started()
