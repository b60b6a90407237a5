"""What an MCP tool returned: as JSON for models and people (its `_meta` is for neither), or, of a
preview, as what a card shows beside the arguments."""

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
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from sayso.core.digest import JsonObject
from sayso.core.errors import ToolMistake, ToolUnavailable
from sayso.core.tool_result_cards import detect
from sayso.tools.tool import Prepared


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


class _Said(BaseModel):
    model_config = ConfigDict(extra="ignore")

    summary: str = ""
    entity_type: str = ""
    action: str = ""
    message: str | None = None
    details: JsonObject = Field(default_factory=dict)
    impact: str | None = None
    warnings: list[str] = Field(default_factory=list)
    editable: list[str] | None = None


def as_prepared(server: str, arguments: JsonObject, result: CallToolResult) -> Prepared:
    """Return what the card shows of a call, as its preview tells it: that is called with the same
    arguments, and can add to the card and take nothing away. Raises ToolMistake where the server
    refuses the call, and ToolUnavailable where its answer cannot be read."""
    if result.is_error:
        raise ToolMistake(text_of(result) or f"{server} refuses this, and does not say why.")
    try:
        said = _Said.model_validate(result.structured_content)
    except ValidationError as exc:
        raise ToolUnavailable(f"What '{server}' says of this call cannot be read.") from exc
    return Prepared(
        summary=said.summary,
        entity_type=said.entity_type,
        action=said.action,
        message=said.message,
        # The real arguments stand on every card, whatever the server says of them.
        details={**arguments, **{k: v for k, v in said.details.items() if k not in arguments}},
        impact=said.impact,
        warnings=said.warnings,
        editable=said.editable,
        context={"MCP server": server},
    )


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
