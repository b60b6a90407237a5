"""What a card shows of a call beside its arguments, as the tool's own server tells it.

A tool names a read-only tool of its server under `_meta`; that one is called with the same
arguments. It can add to the card, and take nothing away.
"""

from __future__ import annotations

from mcp_types import CallToolResult
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sayso.core.digest import JsonObject
from sayso.core.errors import ToolMistake, ToolUnavailable
from sayso.mcp.results import text_of
from sayso.tools.tool import Prepared

#: Under this key of a tool's `_meta`.
PREVIEW_KEY = "sayso/preview"


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


def address_of_preview(meta: object) -> str:
    """Return the name of the tool that tells it; "" where none does."""
    said = meta.get(PREVIEW_KEY) if isinstance(meta, dict) else None
    return said if isinstance(said, str) else ""


def as_prepared(server: str, arguments: JsonObject, result: CallToolResult) -> Prepared:
    """Return what the card shows. Raises ToolMistake where the server refuses the call, and
    ToolUnavailable where its answer cannot be read."""
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
