"""Closes a connection whose request does not arrive whole within its time.

uvicorn waits for the rest of a request for ever, so that a program which sends half of one, again
and again, takes every connection that the system allows. What a request may take to be *answered*
is not limited here: a stream stays open for days.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_TOO_LATE = (
    b"HTTP/1.1 408 Request Timeout\r\n"
    b"content-type: text/plain; charset=utf-8\r\nconnection: close\r\n\r\n"
    b"The request did not arrive in time."
)


def http_protocol(seconds: float) -> type[asyncio.Protocol]:
    """Return the HTTP protocol for uvicorn. `seconds` count from the connection's opening, and
    from the first byte of each later request."""

    class TimedProtocol(HttpToolsProtocol):
        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._start_timer()

        def on_message_begin(self) -> None:
            super().on_message_begin()
            self._start_timer()

        def on_message_complete(self) -> None:
            self._stop_timer()
            super().on_message_complete()

        def handle_websocket_upgrade(self) -> None:
            self._stop_timer()
            super().handle_websocket_upgrade()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_timer()
            super().connection_lost(exc)

        def _start_timer(self) -> None:
            self._stop_timer()
            self._timer = self.loop.call_later(seconds, self._on_timeout)

        def _stop_timer(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

        def _on_timeout(self) -> None:
            if self.flow.read_paused:
                return self._start_timer()  # the server is not reading
            # uvicorn begins with None there.
            if self.cycle is None or self.cycle.response_complete:  # type: ignore[redundant-expr]
                self.transport.write(_TOO_LATE)
            self.transport.close()

    return TimedProtocol
