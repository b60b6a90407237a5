"""A UI of an MCP server: read by its address and checked, with what it may do."""

from __future__ import annotations

import binascii
import json
from base64 import b64decode
from collections.abc import Mapping

from mcp.shared.exceptions import MCPError
from mcp_types import BlobResourceContents, ReadResourceResult, TextResourceContents
from pydantic import JsonValue, ValidationError

from sayso.core.digest import object_in
from sayso.core.errors import SaysoError
from sayso.core.tool_ui import (
    APP_MEDIA_TYPE,
    LARGEST_SCHEMA_BYTES,
    LARGEST_UI_BYTES,
    SCHEMA_MEDIA_TYPE,
    ToolUi,
    origins_in,
    permissions_in,
)
from sayso.mcp.connection import Connection
from sayso.mcp.replies import Broke, Silent


async def read_ui(connection: Connection, uri: str) -> tuple[ToolUi, bytes]:
    """Return the UI and its page. One that cannot be read says why, and has no page."""
    ui = ToolUi(server=connection.name, resource_uri=uri)
    try:
        result = await connection.read_resource(uri)
        found = _content(result, uri)
        if isinstance(found, str):
            return _without(ui, "wrong_type", found), b""
        content, page = found
        if content.mime_type == SCHEMA_MEDIA_TYPE:
            return _schema(ui, page)
        if len(page) > LARGEST_UI_BYTES:
            said = f"It has {len(page):,} bytes; the limit is {LARGEST_UI_BYTES:,}."
            return _without(ui, "too_large", said), b""
        meta = _ui_of(content.meta) or _ui_of(await connection.resource_meta(uri))
    except (Broke, Silent) as exc:
        return _without(ui, "unreadable", str(exc)), b""
    except SaysoError as exc:
        return _without(ui, "unreadable", exc.detail), b""
    except MCPError as exc:
        return _without(ui, "unreadable", f"The server says: {exc.error.message}"), b""
    except ValidationError:
        return _without(ui, "unreadable", "The server's answer is no resource."), b""
    known = {
        "origins": origins_in(meta),
        "permissions": permissions_in(meta),
        "prefers_border": meta.get("prefersBorder") is not False,
    }
    return ui.model_copy(update=known), page


Content = TextResourceContents | BlobResourceContents


def _content(result: ReadResourceResult, uri: str) -> tuple[Content, bytes] | str:
    """Return the page of this address, or why there is none."""
    content = next((one for one in result.contents if str(one.uri) == uri), None)
    if content is None:
        return "The server gives nothing under its address."
    if content.mime_type not in (APP_MEDIA_TYPE, SCHEMA_MEDIA_TYPE):
        return f"It is of the type '{content.mime_type or 'unknown'}', not '{APP_MEDIA_TYPE}'."
    if isinstance(content, TextResourceContents):
        return content, content.text.encode()
    try:
        page = b64decode(content.blob, validate=True)
        page.decode()
    except (binascii.Error, UnicodeDecodeError):
        return "Its bytes are no text."
    return content, page


def _schema(ui: ToolUi, page: bytes) -> tuple[ToolUi, bytes]:
    """Return a view of the result that is drawn here."""
    if len(page) > LARGEST_SCHEMA_BYTES:
        said = f"It has {len(page):,} bytes; the limit of a schema is {LARGEST_SCHEMA_BYTES:,}."
        return _without(ui, "too_large", said), b""
    try:
        schema = json.loads(page)
    except (ValueError, RecursionError):
        schema = None
    if not isinstance(schema, dict):
        return _without(ui, "wrong_type", "It is no JSON Schema."), b""
    return ui.model_copy(update={"format": "schema"}), page


def _ui_of(meta: Mapping[str, JsonValue] | None) -> Mapping[str, JsonValue]:
    return object_in((meta or {}).get("ui"))


def _without(ui: ToolUi, problem: str, detail: str) -> ToolUi:
    return ui.model_copy(update={"has_ui": False, "problem": problem, "detail": detail})
