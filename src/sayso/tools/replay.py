"""Find the step of an operation in the journal: by the path of the asking task, and by what it
asks."""

from __future__ import annotations

import asyncio
import random
import weakref
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime

from pydantic import JsonValue, TypeAdapter

from sayso.core.interactions import Proposal
from sayso.tools.calls import ToolCaller
from sayso.tools.journal import Step
from sayso.tools.segment_env import SegmentEnv
from sayso.tools.suspension import Suspend


class Steps:
    """The base of a context: where it stands in the journal."""

    def __init__(
        self,
        env: SegmentEnv,
        toolbox: ToolCaller,
        *,
        scope: str = "",
        call_key: str | None = None,
        proposal: Proposal | None = None,
        may_ask: bool = True,
    ) -> None:
        self._env = env
        self._toolbox = toolbox
        self._scope = scope
        self._call_key = call_key
        self._may_ask = may_ask
        self._owner: weakref.ref[asyncio.Task[object]] | None = None
        self._paths: weakref.WeakKeyDictionary[asyncio.Task[object], str] = (
            weakref.WeakKeyDictionary()
        )
        self._stray_tasks: dict[str, int] = {}
        self._said: list[str] = []
        #: What a person approved; None where no approval was needed.
        self.proposal = proposal

    def thread_slot(self) -> AbstractAsyncContextManager[None]:
        """Hold a slot for a plain function that runs in a thread."""
        return self._env.thread_slot()

    async def _reach(self, kind: str, name: str, arguments: JsonValue) -> Step:
        await self._env.flush_text()
        return self._step(kind, name, arguments)

    def _step(self, kind: str, name: str, arguments: JsonValue) -> Step:
        return self._env.journal.reach(self._path(kind, name), kind, name, arguments)

    def _once_journalled(self, kind: str, make: Callable[[], JsonValue]) -> JsonValue:
        step = self._step(kind, "", None)
        if not step.done:
            step.finish(make())
        return step.outcome()

    def now(self) -> datetime:
        """Return the time; on replay the time it was."""
        said = self._once_journalled("now", lambda: self._env.clock.now().isoformat())
        return TypeAdapter(datetime).validate_python(said)

    def uuid(self) -> str:
        return str(self._once_journalled("uuid", self._env.clock.new_id))

    def random(self) -> float:
        value = self._once_journalled("random", random.random)
        assert isinstance(value, float)
        return value

    def _path(self, kind: str, name: str) -> str:
        """Return the path of the asking task. The owning task uses the scope; each gathered task
        gets its own path.

        A task that the agent started by itself is named by the first step it reaches.
        """
        task = _current_task()
        if task is None:
            return self._scope
        if task in self._paths:
            return self._paths[task]
        if self._owner is None or self._owner() is None:
            self._owner = weakref.ref(task)
        if self._owner() is task:
            path = self._scope
        else:
            first = f"{self._scope}~{kind}.{name}"
            self._stray_tasks[first] = number = self._stray_tasks.get(first, -1) + 1
            path = f"{first}.{number}/"
        self._paths[task] = path
        return path


def _current_task() -> asyncio.Task[object] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:  # a plain function in its thread
        return None


async def all_of(tasks: Sequence[asyncio.Task[object]]) -> list[object]:
    """Wait for all of them. Return their values, or raise one Suspend with all that they ask, or
    the first error by position."""
    try:
        if tasks:
            await asyncio.wait(tasks)
    except asyncio.CancelledError:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
    raised = [exc for task in tasks if (exc := task.exception()) is not None]
    for exc in raised:
        if not isinstance(exc, Exception | Suspend):
            raise exc
    pauses = [exc for exc in raised if isinstance(exc, Suspend)]
    if pauses:
        raise Suspend([request for pause in pauses for request in pause.requests])
    for exc in raised:
        raise exc
    return [task.result() for task in tasks]
