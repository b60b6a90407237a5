"""The MCP servers of this application, for admins: how they stand, which of their tools are held
and why, and the agreement to exactly what was shown."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import JsonValue
from starlette.responses import Response

from sayso.core.digest import JsonObject
from sayso.core.errors import NotFound
from sayso.server.auth import Role, Who, needs
from sayso.server.requests import AgreeBody
from sayso.server.responses import REFUSALS, JsonRoute, ToolServersReply, json_response
from sayso.server.service import Service, TheService

router = APIRouter(
    route_class=JsonRoute,
    tags=["tool servers"],
    responses=REFUSALS,
    dependencies=[needs(Role.ADMIN)],
)


@router.get("/api/admin/tool-servers", response_model=ToolServersReply)
async def tool_servers(service: TheService) -> Response:
    """How each server stands, and which of its tools wait for an agreement."""
    return json_response(_told(service))


@router.post("/api/admin/tool-servers/{server}/agree", response_model=ToolServersReply)
async def agree(service: TheService, who: Who, server: str, body: AgreeBody) -> Response:
    """Agree to a tool as its difference showed it: one that has changed since is refused."""
    if service.mcp is None:
        raise NotFound("There are no MCP servers here.", fix="")
    service.mcp.agree(server, body.tool, digest=body.digest, by=who.person)
    return json_response(_told(service))


def _told(service: Service) -> JsonObject:
    servers = service.mcp
    if servers is None:
        return {"servers": []}
    held = servers.held()
    return {
        "servers": [
            {
                "name": status.name,
                "state": status.state,
                "problem": status.problem,
                "protocol": status.protocol,
                "tools": list[JsonValue](status.offered),
                "held": [
                    {
                        "tool": one.now.name,
                        "digest": one.now.digest,
                        "is_new": one.before is None,
                        "changes": list[JsonValue](one.changes),
                        "difference": list[JsonValue](one.difference),
                    }
                    for one in held
                    if one.server == status.name
                ],
            }
            for status in servers.statuses()
        ]
    }
