"""The application: every route, around one engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING

from fastapi import FastAPI

from sayso._version import __version__
from sayso.core.offerings import Exports
from sayso.engine.engine import Engine
from sayso.keys import push_key as key_in
from sayso.keys import webhook_secret
from sayso.server import (
    console,
    problems,
    rest_asks,
    rest_chats,
    rest_choices,
    rest_exports,
    rest_interactions,
    rest_meta,
    rest_push,
    rest_records,
    rest_rules,
    rest_tool_apps,
    rest_tool_servers,
    sse,
    websocket,
)
from sayso.server.actions import PersonActions
from sayso.server.ask_actions import AskActions
from sayso.server.auth import Access, SignInLinks
from sayso.server.mail import MailServer
from sayso.server.metrics import Metrics
from sayso.server.middleware import SecurityMiddleware
from sayso.server.pushes import Carriers, Pushes
from sayso.server.rate_limits import RateLimits
from sayso.server.rule_actions import RuleActions
from sayso.server.service import Service
from sayso.server.web_push import PushKey, is_available, new_push_key
from sayso.server.webhooks import Webhooks
from sayso.settings import Settings, Token

if TYPE_CHECKING:
    from sayso.mcp import Servers

_PARTS = (
    *(rest_meta, rest_chats, rest_interactions, rest_asks, rest_records, rest_exports),
    *(rest_choices, rest_push, rest_rules, rest_tool_apps, rest_tool_servers, sse, websocket),
)


def create_app(
    engine: Engine,
    settings: Settings | None = None,
    *,
    local_tokens: Sequence[Token] = (),
    links: SignInLinks | None = None,
    starts_engine: bool = True,
    exports: Exports | None = None,
    starters: Mapping[str, Sequence[str]] | None = None,
    mcp: Servers | None = None,
) -> FastAPI:
    """Return the server around `engine`, which it starts and stops unless its caller does.
    Raises InvalidInput for settings that would let anyone in unasked."""
    settings = (settings or Settings()).checked()
    carriers = _carriers(settings)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        if not starts_engine:
            async with _delivering(engine, carriers):
                yield
            return
        await engine.start()
        try:
            async with _delivering(engine, carriers):
                yield
        finally:
            await engine.stop()

    app = FastAPI(
        title="Sayso",
        version=__version__,
        summary="The interaction layer between AI agents and people.",
        lifespan=life,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,  # ours is behind the login
    )
    metrics = Metrics(lambda: engine.health)
    rate_limits = RateLimits(
        acts_per_second=settings.acts_per_second, streams=settings.streams_per_person
    )
    app.state.service = Service(
        engine,
        settings,
        metrics,
        PersonActions(engine, rate_limits),
        AskActions(engine, rate_limits),
        RuleActions(engine, rate_limits),
        rate_limits,
        exports or {},
        starters or {},
        carriers,
        mcp,
    )
    app.state.access = Access(
        settings, engine.store, engine.clock, local_tokens=local_tokens, links=links
    )
    app.add_middleware(SecurityMiddleware, settings=settings, metrics=metrics)
    problems.install(app)
    # As they were built at import: to include a router is to build each of its routes anew.
    pages = console.routes(console.STATIC)
    for router in (*(part.router for part in _PARTS), pages):
        app.router.routes.extend(router.routes)
    app.router.default = pages.default
    return app


def _carriers(settings: Settings) -> Carriers:
    """Return what people are told by, as far as it is set up. Raises InvalidInput."""
    given, mail = settings.webhook_secret, settings.mail_server
    return Carriers(
        push_key=cache(lambda: _push_key(settings)),
        secret=lambda: webhook_secret(given.get_secret_value() if given is not None else None),
        mail=MailServer.read(mail.get_secret_value(), settings.mail_from or "") if mail else None,
        networks=settings.webhook_networks,
        mail_after=settings.mail_after_seconds,
    )


def _push_key(settings: Settings) -> PushKey | None:
    """Return what pushes are signed with, if they can be; the first who wants one makes it."""
    if not is_available():
        return None
    return PushKey.read(key_in(settings.data_dir, new=new_push_key), settings.push_contact)


@asynccontextmanager
async def _delivering(engine: Engine, by: Carriers) -> AsyncIterator[None]:
    """Own the tasks that send webhooks, and notices to people who are away."""
    hooks = Webhooks(engine.store, engine.clock, secret=by.secret, networks=by.networks)
    pushes = Pushes(engine.store, engine.clock, by)
    engine.runtime.on_ask_settled = hooks.nudge
    engine.runtime.on_card_opened = pushes.nudge
    tasks = [
        asyncio.create_task(hooks.run(), name="sayso-webhooks"),
        asyncio.create_task(pushes.run(), name="sayso-pushes"),
    ]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
