"""Where a tool's own UI is framed: on another origin than the console, under a policy of its own.

The document has no origin (`sandbox`), so it reaches neither the console nor storage of its own; it
may load and send only where its server has said. Its address is good for one look.
"""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.requests import Request

from sayso.core.tool_ui import UiOrigins

#: An address that nobody has used for so long is void.
_SECONDS = 60.0
_MOST_OPEN = 500
_OTHER_NAME = {"127.0.0.1": "localhost", "localhost": "127.0.0.1"}


@dataclass(frozen=True, slots=True)
class Framed:
    page: bytes
    policy: str


class ToolUiFrames:
    """The pages that are about to be framed, each under an address of its own."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, tuple[float, Framed]] = OrderedDict()

    def open(self, page: bytes, origins: UiOrigins, *around: str) -> str:
        """Return the path at which this page can be had once, in a frame of pages of `around`."""
        while len(self._open) >= _MOST_OPEN:
            self._open.popitem(last=False)
        token = secrets.token_urlsafe(24)
        until = time.monotonic() + _SECONDS
        self._open[token] = until, Framed(page, policy(origins, *around))
        return f"/tool-ui/{token}"

    def take(self, token: str) -> Framed | None:
        until, framed = self._open.pop(token, (0.0, None))
        return framed if time.monotonic() < until else None


def policy(origins: UiOrigins, *around: str) -> str:
    """Return the Content-Security-Policy of such a page."""
    return "; ".join(
        (
            "default-src 'none'",
            _named("script-src 'unsafe-inline' blob:", origins.resource),
            _named("style-src 'unsafe-inline'", origins.resource),
            _named("img-src data: blob:", origins.resource),
            _named("font-src data:", origins.resource),
            _named("media-src data: blob:", origins.resource),
            _named("connect-src", origins.connect or ["'none'"]),
            "worker-src blob:",
            _named("frame-src", origins.frame or ["'none'"]),
            "object-src 'none'",
            _named("base-uri", origins.base_uri or ["'none'"]),
            "form-action 'none'",
            "webrtc 'block'",
            " ".join(("frame-ancestors", *around)),
            "sandbox allow-scripts",
        )
    )


def _named(directive: str, origins: list[str]) -> str:
    return " ".join((directive, *origins))


def origin_of(request: Request) -> str:
    """Return the origin at which this request has come, whatever path this server has there."""
    return f"{request.base_url.scheme}://{request.base_url.netloc}"


def frame_origin(console: str, named: str | None) -> str | None:
    """Return the other origin that leads here: the one that the settings name, or on loopback the
    other name of it. None where there is none."""
    if named is not None:
        return named.rstrip("/") if named.rstrip("/") != console else None
    parts = urlsplit(console)
    other = _OTHER_NAME.get(parts.hostname or "")
    port = f":{parts.port}" if parts.port is not None else ""
    return f"{parts.scheme}://{other}{port}" if other is not None else None
