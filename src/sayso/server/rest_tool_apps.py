"""The tools' own UIs (MCP Apps): what was kept of one shows it again, and calls nothing."""

from __future__ import annotations

import orjson
from fastapi import APIRouter, Request
from pydantic import JsonValue
from starlette.responses import Response

from sayso.core.digest import JsonObject
from sayso.core.errors import NotFound
from sayso.core.ports import Store
from sayso.core.tool_ui import ToolUi
from sayso.server.auth import Principal, Who
from sayso.server.responses import JsonRoute, ToolUiFrameReply, ToolUiReply, json_response
from sayso.server.service import TheService, TheStore
from sayso.server.tool_ui_frames import frame_origin

router = APIRouter(route_class=JsonRoute, tags=["tool UIs"])


@router.get("/api/mcp/apps/{tool_call_id}/ui", response_model=ToolUiReply)
async def get_ui(store: TheStore, who: Who, tool_call_id: str) -> Response:
    """A tool's own UI: its page, what its tool was called with, and the result whole."""
    name, arguments, ui = await _ui(store, who, tool_call_id)
    page = await store.content(who.app_id, ui.content) if ui.content else None
    result = await store.content(who.app_id, ui.result)
    reply: JsonObject = {
        "tool_call_id": tool_call_id,
        "tool_name": name,
        "ui": ui.model_dump(mode="json"),
        "ui_content": page.decode() if page is not None else None,
        "tool_input": arguments,
        "tool_result": _loaded(result),
    }
    return json_response(reply, headers={"Cache-Control": "no-store"})


@router.post("/api/mcp/apps/{tool_call_id}/frame", response_model=ToolUiFrameReply)
async def frame_ui(request: Request, service: TheService, who: Who, tool_call_id: str) -> Response:
    """An address for one look at a tool's own UI, on another origin than the console's; null where
    this server has none."""
    store = service.engine.store
    _, _, ui = await _ui(store, who, tool_call_id)
    page = await store.content(who.app_id, ui.content) if ui.content else None
    console = str(request.base_url).rstrip("/")
    other = frame_origin(console, service.settings.tool_ui_origin)
    if page is None or other is None:
        return json_response({"src": None})
    path = service.tool_ui_frames.open(page, ui.origins, console)
    return json_response({"src": f"{other}{path}"}, headers={"Cache-Control": "no-store"})


@router.get("/tool-ui/{token}", include_in_schema=False)
async def framed_ui(service: TheService, token: str) -> Response:
    """The page itself. Who has the address may see it, once."""
    framed = service.tool_ui_frames.take(token)
    if framed is None:
        raise NotFound("This address has been used.", fix="Open the tool's UI again.")
    headers = {"Content-Security-Policy": framed.policy, "Cache-Control": "no-store"}
    headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return Response(framed.page, 200, headers, "text/html; charset=utf-8")


async def _ui(store: Store, who: Principal, tool_call_id: str) -> tuple[str, JsonObject, ToolUi]:
    call = await store.tool_call(who.app_id, tool_call_id)
    if call is None or call.ui is None:
        raise NotFound(f"The call '{tool_call_id}' has no UI of its own.")
    return call.tool_name, call.arguments, call.ui


def _loaded(result: bytes | None) -> JsonValue:
    loaded: JsonValue = orjson.loads(result) if result is not None else None
    return loaded
