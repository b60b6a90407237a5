"""What the server says of itself: health, versions, agents, metrics; and signing in."""

from __future__ import annotations

import asyncio
import platform

from fastapi import APIRouter, Request
from starlette.responses import Response

from sayso._version import __version__
from sayso.core.digest import JsonObject
from sayso.core.errors import SaysoError
from sayso.server.auth import COOKIE, Access, Principal, Who
from sayso.server.bodies import SessionBody
from sayso.server.metrics import CONTENT_TYPE_LATEST
from sayso.server.replies import (
    AgentsReply,
    HealthReply,
    JsonRoute,
    SessionReply,
    VersionReply,
    reply,
)
from sayso.server.service import Service, service_of

router = APIRouter(route_class=JsonRoute, tags=["meta"])

# Counts up when a client of the version before could misread an answer.
WIRE_VERSION = 1
STORE_SECONDS = 2.0


@router.get("/api/health", response_model=HealthReply)
async def health(request: Request) -> Response:
    """Whether this process can take work. Needs no login; 503 while it cannot."""
    service = service_of(request)
    store = await _store_health(service)
    engine = dict(service.engine.health)
    well = store == "ok" and engine.get("worker") == "running"
    body: JsonObject = {"status": "ok" if well else "degraded", "store": store, "engine": engine}
    return reply(body, 200 if well else 503)


@router.get("/api/version", response_model=VersionReply)
async def version() -> Response:
    python = platform.python_version()
    return reply({"version": __version__, "python": python, "wire": WIRE_VERSION})


@router.get("/metrics", response_class=Response)
async def metrics(request: Request, who: Who) -> Response:
    """Prometheus text."""
    return Response(service_of(request).metrics.text(), media_type=CONTENT_TYPE_LATEST)


@router.get("/api/agents", response_model=AgentsReply)
async def agents(request: Request, who: Who) -> Response:
    """The agents, what they can do, their tools, and what people may begin with."""
    service = service_of(request)
    engine = service.engine
    found: list[JsonObject] = [
        {
            "name": name,
            "adapter": program.adapter_name,
            "capabilities": program.capabilities.as_json(),
            "tools": list(program.tool_names),
            "starters": list(service.starters.get(name, ())),
        }
        for name, program in engine.programs.items()
        if name == program.name  # else a former name, under which its older chats go on
    ]
    return reply({"agents": found, "default": engine.default_agent})


@router.get("/api/session", response_model=SessionReply)
async def session(request: Request, who: Who) -> Response:
    """Who you are here."""
    return reply(_session(request, who))


@router.post("/api/session", response_model=SessionReply)
async def sign_in(request: Request, body: SessionBody) -> Response:
    """Exchange a token for a session cookie, which no script of the page can read."""
    access: Access = request.app.state.access
    answer = reply(_session(request, access.by_token(body.token)))
    answer.set_cookie(
        COOKIE,
        access.session_of(body.token),
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
        path="/",
    )
    return answer


@router.delete("/api/session", status_code=204)
async def sign_out() -> Response:
    answer = Response(status_code=204)
    answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return answer


def _session(request: Request, who: Principal) -> JsonObject:
    access: Access = request.app.state.access
    return {
        "person": who.person,
        "role": who.role.name.lower(),
        "app_id": who.app_id,
        "needs_login": access.needs_login,
    }


async def _store_health(service: Service) -> str:
    try:
        async with asyncio.timeout(STORE_SECONDS):
            await service.engine.store.next_expiry()
    except TimeoutError:
        return "slow"
    except SaysoError as exc:
        return exc.code
    return "ok"
