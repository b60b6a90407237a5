"""What an MCP tool returned, as JSON for models and people. Its `_meta` is for neither."""

from __future__ import annotations

from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
)
from pydantic import JsonValue

from sayso.core.tool_result_cards import detect


def plain_result(tool_name: str, result: CallToolResult) -> JsonValue:
    """Return its text; where it has none, or where its structured content asks a person for
    something, that."""
    structured: JsonValue = result.structured_content
    text = text_of(result)
    if structured is None:
        return text
    return structured if not text or detect(tool_name, structured) is not None else text


def text_of(result: CallToolResult) -> str:
    """Return all that it says; what is no text is named."""
    return "\n".join(_said(block) for block in result.content)


def _said(block: object) -> str:
    match block:
        case TextContent(text=text):
            return text
        case ImageContent(mime_type=kind, data=data) | AudioContent(mime_type=kind, data=data):
            return f"[{kind}, {len(data) * 3 // 4:,} bytes]"
        case ResourceLink(name=name, uri=uri):
            return f"[{name}: {uri}]"
        case EmbeddedResource(resource=BlobResourceContents(uri=uri, mime_type=kind)):
            return f"[{kind or 'a file'}: {uri}]"
        case EmbeddedResource(resource=resource):
            return str(getattr(resource, "text", ""))
        case _:
            return f"[{type(block).__name__}]"
