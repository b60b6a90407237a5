"""What every route works with, in one place: the engine, the settings, the counters."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import HTTPConnection

from sayso.core.exports import Exports
from sayso.engine.engine import Engine
from sayso.server.limits import Limits
from sayso.server.metrics import Metrics
from sayso.server.verbs import Verbs
from sayso.settings import Settings


class Streams:
    """The answers that never end by themselves. A server that stops has to end them first."""

    def __init__(self) -> None:
        self._open: set[asyncio.Future[Any]] = set()
        self._stopping = False

    @contextmanager
    def kept(self, task: asyncio.Future[Any]) -> Iterator[None]:
        """Own `task` for as long as its answer is being sent."""
        self._open.add(task)
        if self._stopping:
            task.cancel()
        try:
            yield
        finally:
            self._open.discard(task)

    def stop(self) -> None:
        self._stopping = True
        for task in list(self._open):
            task.cancel()


@dataclass(frozen=True, slots=True)
class Service:
    engine: Engine
    settings: Settings
    metrics: Metrics
    verbs: Verbs
    limits: Limits
    exports: Exports
    #: What people may begin with, by agent.
    starters: Mapping[str, Sequence[str]]
    streams: Streams = field(default_factory=Streams)


def service_of(connection: HTTPConnection) -> Service:
    """The service behind this request or socket."""
    service: Service = connection.app.state.service
    return service
