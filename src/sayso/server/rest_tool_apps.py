"""The tools' own UIs (MCP Apps): what was kept of one shows it again, and calls nothing; what it
asks for while it is open is checked here."""

from __future__ import annotations

import orjson
from fastapi import APIRouter, Request
from starlette.responses import Response

from sayso.core.digest import JsonObject
from sayso.core.errors import NotFound
from sayso.core.ports import Store
from sayso.core.tool_ui import ToolUi
from sayso.core.ui_calls import UiCallRecord, UiCallState
from sayso.server.auth import Principal, Who
from sayso.server.requests import UiRequestBody, Wait
from sayso.server.responses import (
    REFUSALS,
    JsonRoute,
    ToolUiFrameReply,
    ToolUiReply,
    UiCallReply,
    UiCallsReply,
    UiRpcReply,
    json_response,
)
from sayso.server.service import Actions, Service, TheService, TheStore
from sayso.server.tool_ui_frames import frame_origin, origin_of

_NOT_KEPT = {"Cache-Control": "no-store"}

router = APIRouter(route_class=JsonRoute, tags=["tool UIs"], responses=REFUSALS)


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
        "tool_result": orjson.loads(result) if result is not None else None,
    }
    return json_response(reply, headers=_NOT_KEPT)


@router.post("/api/mcp/apps/{tool_call_id}/frame", response_model=ToolUiFrameReply)
async def frame_ui(request: Request, service: TheService, who: Who, tool_call_id: str) -> Response:
    """An address for one look at a tool's own UI, on another origin than the console's; null where
    this server has none, and for a schema, which is no page."""
    store = service.engine.store
    _, _, ui = await _ui(store, who, tool_call_id)
    page = await store.content(who.app_id, ui.content) if ui.content else None
    console = origin_of(request)
    other = frame_origin(console, service.settings.tool_ui_origin)
    if page is None or other is None or ui.format != "html":
        return json_response({"src": None})
    # A page of somebody else's that has the elements, if this server knows it.
    asking = request.headers.get("origin", "").rstrip("/").lower()
    known = {origin.rstrip("/").lower() for origin in service.settings.allowed_origins}
    around = [console, *({asking} & known - {console})]
    path = service.tool_ui_frames.open(page, ui.origins, *around)
    src = f"{other}{request.scope.get('root_path', '')}{path}"
    return json_response({"src": src}, headers=_NOT_KEPT)


@router.post(
    "/api/mcp/apps/{tool_call_id}/rpc",
    response_model=UiRpcReply,
    responses={202: {"model": UiRpcReply, "description": "The call is not at its end."}},
)
async def ask_host(
    service: TheService, actions: Actions, who: Who, tool_call_id: str, body: UiRequestBody
) -> Response:
    """What a tool's own UI asks for: `tools/call` and `resources/read`, both of its own server. A
    call passes the same policy as a model's; one that a person has to allow, or that changes
    something, is answered with 202, and goes on whatever becomes of the UI."""
    came = await actions.ask_for_ui(who, tool_call_id, body)
    if not isinstance(came, UiCallRecord):
        return json_response({"result": came, "call": None}, headers=_NOT_KEPT)
    call = await _call_json(service, who, came)
    status = 200 if came.state is UiCallState.ENDED else 202
    return json_response({"result": None, "call": call}, status, headers=_NOT_KEPT)


@router.get("/api/mcp/apps/{tool_call_id}/calls", response_model=UiCallsReply)
async def open_calls(store: TheStore, service: TheService, who: Who, tool_call_id: str) -> Response:
    """The calls of this UI that are not at their end."""
    await _ui(store, who, tool_call_id)
    found = await store.open_ui_calls(who.app_id, tool_call_id)
    calls = [await _call_json(service, who, record) for record in found]
    return json_response({"calls": calls}, headers=_NOT_KEPT)


@router.get("/api/mcp/apps/{tool_call_id}/calls/{call_id}", response_model=UiCallReply)
async def get_call(
    *,
    service: TheService,
    who: Who,
    tool_call_id: str,
    call_id: str,
    wait: Wait = 0,
    seen: UiCallState | None = None,
) -> Response:
    """One call of this UI. `wait` holds the reply, for so many seconds, until it no longer stands
    as it was `seen`, or else as it stands now."""
    uis = service.engine.uis
    record = await uis.find(who.app_id, tool_call_id, call_id)
    if wait and record.state is not UiCallState.ENDED:
        with service.rate_limits.count_stream(who), service.streams.held():
            record = await uis.moved(
                who.app_id, tool_call_id, record, seen=seen or record.state, seconds=wait
            )
    return json_response(await _call_json(service, who, record), headers=_NOT_KEPT)


@router.get("/tool-ui/{token}", include_in_schema=False)
async def framed_ui(service: TheService, token: str) -> Response:
    """The page itself. Who has the address may see it, once."""
    framed = service.tool_ui_frames.take(token)
    if framed is None:
        raise NotFound("This address has been used.", fix="Open the tool's UI again.")
    headers = {"Content-Security-Policy": framed.policy, **_NOT_KEPT}
    headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return Response(framed.page, 200, headers, "text/html; charset=utf-8")


async def _ui(store: Store, who: Principal, tool_call_id: str) -> tuple[str, JsonObject, ToolUi]:
    call = await store.tool_call(who.app_id, tool_call_id)
    if call is None or call.ui is None:
        raise NotFound(f"The call '{tool_call_id}' has no UI of its own.")
    return call.tool_name, call.arguments, call.ui


async def _call_json(service: Service, who: Principal, record: UiCallRecord) -> JsonObject:
    has_ended = record.state is UiCallState.ENDED
    return {
        "id": record.run.id,
        "tool": record.tool,
        "state": record.state.value,
        "cards": list(record.cards),
        "result": await service.engine.uis.result(who.app_id, record) if has_ended else None,
    }
