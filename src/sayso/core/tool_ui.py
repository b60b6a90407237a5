"""A tool's own UI (an MCP App) as a chat tells of it: where its content is, and what it may do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sayso.core.digest import object_in

#: The media type of a UI, exactly as it has to be.
APP_MEDIA_TYPE = "text/html;profile=mcp-app"
#: A view of the result as a JSON Schema, which our own cards draw.
SCHEMA_MEDIA_TYPE = "application/schema+json"
LARGEST_SCHEMA_BYTES = 256 * 1024
#: The largest of the reference servers has 4.3 MB.
LARGEST_UI_BYTES = 8 * 1024 * 1024

_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_ORIGIN = re.compile(rf"(https?|wss?)://(\*\.{_LABEL}\.)?{_LABEL}(\.{_LABEL})*(:[0-9]{{1,5}})?/?")
_PERMISSIONS = {
    "camera": "camera",
    "microphone": "microphone",
    "geolocation": "geolocation",
    "clipboardWrite": "clipboard-write",
}


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class UiOrigins(_Part):
    """Where a UI may load from and send to, each an origin; nowhere where it names none."""

    connect: list[str] = Field(default_factory=list)
    resource: list[str] = Field(default_factory=list)
    frame: list[str] = Field(default_factory=list)
    base_uri: list[str] = Field(default_factory=list)


class ToolUi(_Part):
    server: str
    resource_uri: str
    has_ui: bool = True
    #: A page of its own, or a JSON Schema by which its result is drawn.
    format: Literal["html", "schema"] = "html"
    #: Where the content and the result are read.
    url: str = ""
    #: The digests under which they are kept, and how large the content is.
    content: str = ""
    result: str = ""
    size: int = 0
    origins: UiOrigins = UiOrigins()
    #: As a frame's `allow` names them.
    permissions: list[str] = Field(default_factory=list)
    prefers_border: bool = True
    #: Why it could not be read: "unreadable", "wrong_type", "too_large"; empty where it was.
    problem: str = ""
    detail: str = ""
    #: After which call of the model, from 1.
    round: int = 1


def origins_in(meta: Mapping[str, JsonValue]) -> UiOrigins:
    """Read the `csp` of a UI's metadata. What is no origin is left out: it could carry a directive
    of its own."""
    given = object_in(meta.get("csp"))
    return UiOrigins(
        connect=_origins(given.get("connectDomains")),
        resource=_origins(given.get("resourceDomains")),
        frame=_origins(given.get("frameDomains")),
        base_uri=_origins(given.get("baseUriDomains")),
    )


def permissions_in(meta: Mapping[str, JsonValue]) -> list[str]:
    asked = object_in(meta.get("permissions"))
    return [name for key, name in _PERMISSIONS.items() if asked.get(key) is not None]


def _origins(given: JsonValue) -> list[str]:
    named = given if isinstance(given, list) else []
    texts = [one.lower() for one in named if isinstance(one, str)]
    found = [text.removesuffix("/") for text in texts if _ORIGIN.fullmatch(text)]
    return list(dict.fromkeys(found))[:50]
