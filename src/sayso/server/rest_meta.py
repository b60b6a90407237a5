"""What the server says of itself: health, versions, agents, metrics; and signing in."""

from __future__ import annotations

import asyncio
import platform

from fastapi import APIRouter, Request
from starlette.responses import Response

from sayso._version import __version__
from sayso.core.digest import JsonObject
from sayso.core.errors import SaysoError, StoreBusy
from sayso.core.ports import Store
from sayso.server.auth import COOKIE, Access, Principal, TheAccess, Who
from sayso.server.metrics import CONTENT_TYPE_LATEST
from sayso.server.requests import SessionBody
from sayso.server.responses import (
    REFUSALS,
    AgentsReply,
    HealthReply,
    JsonRoute,
    SessionReply,
    VersionReply,
    json_response,
)
from sayso.server.service import TheService

router = APIRouter(route_class=JsonRoute, tags=["meta"], responses=REFUSALS)

# Counts up when a client of the version before could misread an answer.
WIRE_VERSION = 1
STORE_SECONDS = 2.0


@router.get("/api/health", response_model=HealthReply)
async def health(service: TheService) -> Response:
    """Whether this process can take work: its database can be written, and its worker answers.
    Needs no login; 503 while it cannot, with a code in `store` and words for it."""
    trouble = await _trouble_of_store(service.engine.store)
    engine = dict(service.engine.health)
    well = trouble is None and engine.get("worker") == "running"
    body: JsonObject = {
        "status": "ok" if well else "degraded",
        "store": "ok" if trouble is None else trouble.code,
        "detail": None if trouble is None else trouble.title,  # where it lies is nobody's business
        "fix": None if trouble is None else trouble.fix,
        "engine": engine,
    }
    return json_response(body, 200 if well else 503)


@router.get("/api/version", response_model=VersionReply)
async def version() -> Response:
    python = platform.python_version()
    return json_response({"version": __version__, "python": python, "wire": WIRE_VERSION})


@router.get("/api/openapi.json", include_in_schema=False)
async def openapi(request: Request, who: Who) -> Response:
    """This API, described."""
    return json_response(request.app.openapi())


@router.get("/metrics", response_class=Response)
async def metrics(service: TheService, who: Who) -> Response:
    """Prometheus text."""
    return Response(service.metrics.text(), media_type=CONTENT_TYPE_LATEST)


@router.get("/api/agents", response_model=AgentsReply)
async def agents(service: TheService, who: Who) -> Response:
    """The agents, what they can do, their tools, and what people may begin with."""
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
    return json_response({"agents": found, "default": engine.default_agent})


@router.get("/api/session", response_model=SessionReply)
async def session(access: TheAccess, who: Who) -> Response:
    """Who you are here."""
    return json_response(_session(access, who))


@router.post("/api/session", response_model=SessionReply)
async def sign_in(request: Request, access: TheAccess, body: SessionBody) -> Response:
    """Exchange a token for a session cookie, which no script of the page can read."""
    who, cookie = await access.sign_in(body.token, request)
    answer = json_response(_session(access, who))
    _set_cookie(answer, cookie, secure=access.is_secure(request))
    return answer


@router.get("/sign-in/{code}", include_in_schema=False)
async def sign_in_by_link(request: Request, access: TheAccess, code: str) -> Response:
    """Sign this browser in, once, and show the page."""
    _, cookie = await access.sign_in(code, request)
    answer = Response(status_code=303, headers={"Location": "../"})
    _set_cookie(answer, cookie, secure=access.is_secure(request))
    return answer


@router.delete("/api/session", status_code=204)
async def sign_out(request: Request, access: TheAccess) -> Response:
    """End this browser's session; the cookie is worth nothing from here on."""
    await access.sign_out(request)
    answer = Response(status_code=204)
    answer.delete_cookie(
        COOKIE, path="/", httponly=True, samesite="strict", secure=access.is_secure(request)
    )
    return answer


def _set_cookie(answer: Response, cookie: str, *, secure: bool) -> None:
    answer.set_cookie(COOKIE, cookie, httponly=True, samesite="strict", secure=secure, path="/")


def _session(access: Access, who: Principal) -> JsonObject:
    return {
        "person": who.person,
        "role": who.role.name.lower(),
        "app_id": who.app_id,
        "needs_login": access.needs_login,
    }


async def _trouble_of_store(store: Store) -> SaysoError | None:
    try:
        async with asyncio.timeout(STORE_SECONDS):
            await store.check()
            await store.next_expiry()
    except TimeoutError:
        return StoreBusy(f"The database has not answered for {STORE_SECONDS:g} seconds.")
    except SaysoError as exc:
        return exc
    return None
