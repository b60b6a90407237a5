"""The application: every route, around one engine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI

from sayso._version import __version__
from sayso.core.exports import Exports
from sayso.engine.engine import Engine
from sayso.server import (
    console,
    live,
    problems,
    rest_chats,
    rest_interactions,
    rest_meta,
    rest_records,
    stream,
)
from sayso.server.auth import Access
from sayso.server.edge import Edge
from sayso.server.limits import Limits
from sayso.server.metrics import Metrics
from sayso.server.replies import ProblemReply
from sayso.server.service import Service
from sayso.server.verbs import Verbs
from sayso.settings import Settings, Token


def create_app(
    engine: Engine,
    settings: Settings | None = None,
    *,
    local_token: Token | None = None,
    starts_engine: bool = True,
    exports: Exports | None = None,
    starters: Mapping[str, Sequence[str]] | None = None,
) -> FastAPI:
    """The server around `engine`, which it starts and stops unless its caller does. Raises
    InvalidInput for settings that would let anyone in unasked."""
    settings = (settings or Settings()).checked()

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        if not starts_engine:
            yield
            return
        await engine.start()
        try:
            yield
        finally:
            await engine.stop()

    refusals: dict[int | str, dict[str, Any]] = {
        "4XX": {"model": ProblemReply, "description": "A problem document (RFC 9457)"}
    }
    app = FastAPI(
        title="Sayso",
        version=__version__,
        summary="The interaction layer between AI agents and people.",
        lifespan=life,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        responses=refusals,
    )
    metrics = Metrics(lambda: engine.health)
    limits = Limits(acts_per_second=settings.acts_per_second, streams=settings.streams_per_person)
    app.state.service = Service(
        engine, settings, metrics, Verbs(engine, limits), limits, exports or {}, starters or {}
    )
    app.state.access = Access(settings, local_token=local_token)
    app.add_middleware(Edge, settings=settings, metrics=metrics)
    problems.install(app)
    for part in (rest_meta, rest_chats, rest_interactions, rest_records, stream, live):
        app.include_router(part.router)
    app.include_router(console.routes(console.STATIC))
    return app
