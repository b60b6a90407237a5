"""How a run of AutoGen stops, and where in it an agent stands.

AutoGen cannot be left in the middle of a turn and entered again there. So a run that waits is
played again from the start of its turn: every reply of a model is given from the record, every call
that has ended is given from the toolbox, and so it comes back to where it was. What runs in one
`RunScope` stops together: a tool never raises (AutoGen hangs where a tool is cancelled,
autogen#7956), the next call of a model does, and the framework's own error path takes everything
down.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

from autogen_agentchat.base import TaskResult

T = TypeVar("T")

#: What waits in code that is not ours (a memory, a list of remote tools) gets this long to return.
UNWIND_SECONDS = 2.0


class StopRun(Exception):
    """Takes a run down from inside: it waits for a person, or was cancelled. Never an error."""


class _QuietWhileStopping(logging.Filter):
    """The runtime of a team logs what is raised while it is taken down, with tracebacks; waiting is
    no error. And it logs whole messages below a warning, with arguments that no mask reaches."""

    def filter(self, record: logging.LogRecord) -> bool:
        scope = _current.get()
        if scope is None:
            return True
        tells_secrets = scope.has_secrets and record.levelno < logging.WARNING
        return not (scope.pending or scope.stopping or tells_secrets)


#: The scope that the running code belongs to: tasks inherit it.
_current: ContextVar[RunScope | None] = ContextVar("sayso_autogen_scope", default=None)
# A logger's filter does not see what its children log.
for _name in ("autogen_core", "autogen_core.events", "autogen_agentchat.events"):
    logging.getLogger(_name).addFilter(_QuietWhileStopping())


class RunScope:
    """What runs together and stops together: the agent of a segment, or one task of a delegate."""

    def __init__(self, *, has_secrets: bool) -> None:
        #: Whether a tool in here has arguments that nobody may read in a log.
        self.has_secrets = has_secrets
        #: A call in here waits for a person: no model is asked any more.
        self.pending = False
        self.stopping = False
        #: What ended the segment itself (a lost lease): raised as it is.
        self.fatal: BaseException | None = None
        #: The first error of a model, before a team made words of it.
        self.cause: Exception | None = None
        self._inside: dict[asyncio.Task[Any], int] = {}
        self._went = asyncio.Event()

    def check(self) -> None:
        """Raise StopRun where nothing new may begin."""
        if self.pending or self.stopping:
            raise StopRun

    def stop(self) -> None:
        """Let nothing new begin, and cancel what is under way; the task that calls this goes on."""
        self.stopping = True
        for task in self._inside:
            if task is not asyncio.current_task():
                task.cancel()

    def fail(self, exc: BaseException) -> None:
        self.fatal = self.fatal or exc
        self.stop()

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Around everything that may take time; a cancellation by `stop` comes out as StopRun."""
        self._begin()
        task = asyncio.current_task()
        assert task is not None
        self._inside[task] = self._inside.get(task, 0) + 1
        try:
            yield
        except asyncio.CancelledError:
            if not self.stopping:
                raise
            task.uncancel()
            raise StopRun from None
        finally:
            self._inside[task] -= 1
            if not self._inside[task]:
                del self._inside[task]
            self._went.set()

    def _begin(self) -> None:
        if self.stopping:
            raise StopRun

    async def run(self, stream: AsyncIterator[Any], saw: Callable[[Any], Awaitable[None]]) -> Any:
        """Return the TaskResult of a stream, or None where it waits for people."""
        work = asyncio.ensure_future(self._last(stream, saw))
        try:
            await asyncio.wait({work})
            await self._quiet()
        except asyncio.CancelledError:
            self.stop()
            await _unwound(work)
            await self._quiet()
            raise
        raised = work.exception() if not work.cancelled() else asyncio.CancelledError()
        if self.fatal is not None:
            raise self.fatal
        if self.pending:
            return None
        if raised is not None:
            raise self.cause or raised
        return work.result()

    async def _last(
        self, stream: AsyncIterator[Any], saw: Callable[[Any], Awaitable[None]]
    ) -> TaskResult:
        _current.set(self)
        result: TaskResult | None = None
        async for item in stream:
            if isinstance(item, TaskResult):
                result = item
            else:
                await saw(item)
        assert result is not None, "a stream of AutoGen ends with its TaskResult"
        return result

    async def _quiet(self) -> None:
        """Wait for the branches of a team that are still under way when the team has stopped."""
        while self._inside:
            self._went.clear()
            await self._went.wait()


async def _unwound(work: asyncio.Future[Any]) -> None:
    await asyncio.wait({work}, timeout=UNWIND_SECONDS)
    while not work.done():
        work.cancel()
        await asyncio.wait({work}, timeout=UNWIND_SECONDS)
    if not work.cancelled():
        work.exception()  # seen: it is how the run came down


@dataclass
class AgentPlace:
    """Where in a run an agent or a team stands: the path that keys its replies and its calls."""

    name: str
    above: AgentPlace | None = None
    #: The name people know it by, where that is another one.
    known_as: str | None = None
    #: Whether what its model says is for the person.
    speaks: bool = True
    #: How many replies its model has given here: a part of the key of every call they make.
    replies: int = 0
    #: Counted where turns are recorded, and not played again.
    turn: int | None = None
    unnamed: int = 0

    @property
    def path(self) -> str:
        name = self.name if self.turn is None else f"{self.name}#{self.turn}"
        return f"{self.above.path}/{name}" if self.above is not None else name

    def next_turn(self) -> str:
        """Begin a turn that is recorded. Returns its key."""
        self.turn = 0 if self.turn is None else self.turn + 1
        self.replies = self.unnamed = 0
        return self.path
