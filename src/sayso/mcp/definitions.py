"""What a server says that it offers, read as it may be: a foreign server writes it."""

from __future__ import annotations

from mcp.client import Client
from mcp_types import PaginatedRequestParams, Tool

from sayso.core.digest import JsonObject, object_in
from sayso.mcp.pins import ToolDefinition

#: More is a mistake of the server, or worse: no model could choose among them.
MOST_TOOLS = 1000
#: Under this key of its `_meta`, a tool names a read-only one of its server, which tells its card.
PREVIEW_KEY = "sayso/preview"


async def all_tools(client: Client) -> list[ToolDefinition]:
    found: list[ToolDefinition] = []
    cursor: str | None = None
    while True:
        page = await client.session.list_tools(params=PaginatedRequestParams(cursor=cursor))
        found += map(_definition, page.tools)
        cursor = page.next_cursor
        if cursor is None or len(found) >= MOST_TOOLS or not page.tools:
            return found[:MOST_TOOLS]


def _definition(tool: Tool) -> ToolDefinition:
    hints = tool.annotations
    return ToolDefinition(
        name=tool.name,
        title=tool.title or "",
        description=tool.description or "",
        input_schema=tool.input_schema,
        annotations=hints.model_dump(mode="json", by_alias=True, exclude_none=True)
        if hints is not None
        else {},
        visibility=visibility_of(tool.meta),
        ui=ui_address(tool.meta),
        preview=address_of_preview(tool.meta),
    )


def visibility_of(meta: object) -> tuple[str, ...]:
    """Return who may call it. What cannot be read is for nobody."""
    said = _ui_in(meta).get("visibility")
    if said is None:
        return ("model", "app")
    names = said if isinstance(said, list) else []
    return tuple(name for name in ("model", "app") if name in names)


def ui_address(meta: object) -> str:
    """Return the address of its UI, where it is one; older servers say it flat."""
    said = _ui_in(meta).get("resourceUri")
    said = said if said is not None else object_in(meta).get("ui/resourceUri")
    return said if isinstance(said, str) and said.startswith("ui://") else ""


def address_of_preview(meta: object) -> str:
    """Return the name of the tool that tells it; "" where none does."""
    said = object_in(meta).get(PREVIEW_KEY)
    return said if isinstance(said, str) else ""


def _ui_in(meta: object) -> JsonObject:
    return object_in(object_in(meta).get("ui"))
