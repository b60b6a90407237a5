"""What the routes of one server share, and how a route asks for its part of it.

A route that reads asks the store. A route that changes something asks `PersonActions`, which check
the person's role and rate first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends
from starlette.requests import HTTPConnection

from sayso.core.offerings import Exports
from sayso.core.ports import Store
from sayso.engine.engine import Engine
from sayso.server.actions import PersonActions
from sayso.server.ask_actions import AskActions
from sayso.server.metrics import Metrics
from sayso.server.pushes import Carriers
from sayso.server.rate_limits import RateLimits
from sayso.server.rule_actions import RuleActions
from sayso.server.tool_ui_frames import ToolUiFrames
from sayso.settings import Settings

if TYPE_CHECKING:
    from sayso.mcp import Servers


class OpenStreams:
    """The responses that never end by themselves. A server that stops has to end them first."""

    def __init__(self) -> None:
        self._open: set[asyncio.Future[Any]] = set()
        self._stopping = False

    @contextmanager
    def track(self, task: asyncio.Future[Any]) -> Iterator[None]:
        """Own `task` for as long as its response is being sent."""
        self._open.add(task)
        if self._stopping:
            task.cancel()
        try:
            yield
        finally:
            self._open.discard(task)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Leave this block at once, and go on after it, when the server stops."""
        task = asyncio.current_task()
        assert task is not None
        try:
            with self.track(task):
                yield
        except asyncio.CancelledError:
            if not self._stopping or task.uncancel() > 0:
                raise

    def stop(self) -> None:
        self._stopping = True
        for task in list(self._open):
            task.cancel()


@dataclass(frozen=True, slots=True)
class Service:
    engine: Engine
    settings: Settings
    metrics: Metrics
    actions: PersonActions
    asks: AskActions
    rules: RuleActions
    rate_limits: RateLimits
    exports: Exports
    #: What people may begin with, by agent.
    starters: Mapping[str, Sequence[str]]
    #: What people who are away are told by.
    carriers: Carriers
    #: The MCP servers of this application, if it has any.
    mcp: Servers | None = None
    tool_ui_frames: ToolUiFrames = field(default_factory=ToolUiFrames)
    streams: OpenStreams = field(default_factory=OpenStreams)


async def service_of(connection: HTTPConnection) -> Service:
    """Return the service behind this request or socket."""
    service: Service = connection.app.state.service
    return service


async def _store(connection: HTTPConnection) -> Store:
    return (await service_of(connection)).engine.store


async def _actions(connection: HTTPConnection) -> PersonActions:
    return (await service_of(connection)).actions


# What a route names in its signature.
TheService = Annotated[Service, Depends(service_of)]
TheStore = Annotated[Store, Depends(_store)]
Actions = Annotated[PersonActions, Depends(_actions)]
