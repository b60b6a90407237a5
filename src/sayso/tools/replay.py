"""Find the step of an operation in the journal: by the path of the asking task, and by what it
asks. And bring a body to its end, with all that its tasks have under way.

A step that waits raises Suspend once nothing else of its body is at work, so that no sibling is
stopped in the middle of a call. From then on the body waits, whatever its code makes of Suspend: it
reaches no further step before the answer is there.
"""

from __future__ import annotations

import asyncio
import random
import weakref
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from datetime import datetime
from typing import NoReturn, TypeVar

from pydantic import JsonValue, TypeAdapter

from sayso.core.children import Request
from sayso.core.errors import Critical, LeaseLost
from sayso.core.interactions import Proposal
from sayso.tools.calls import ToolCaller
from sayso.tools.journal import Step, fingerprint_of
from sayso.tools.segment_env import SegmentEnv
from sayso.tools.suspension import Suspend, is_unwinding

T = TypeVar("T")

#: Turns of the event loop in which a sibling that was begun may come to its own step.
TURNS = 5


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
        #: What the steps that wait ask for, by call key; and the paths that Suspend has left.
        self._waits: dict[str, Request] = {}
        self._left: set[str] = set()
        #: Steps at work, and the task that each is in.
        self._at_work: dict[asyncio.Future[None], asyncio.Task[object] | None] = {}
        self._gathers = 0
        #: Tasks within `once`.
        self._acts: set[asyncio.Task[object] | None] = set()
        self._is_over = False
        #: What a person approved; None where no approval was needed.
        self.proposal = proposal

    def thread_slot(self) -> AbstractAsyncContextManager[None]:
        """Hold a slot for a plain function that runs in a thread."""
        return self._env.thread_slot()

    async def _end(self, raised: BaseException | None = None) -> None:
        """Let what is at work come to its end. Raises Suspend where any of it waits."""
        if self._at_work or len(self._paths) > 1:
            await self._until_others_rest()
        self._is_over = True
        asked = {request.call_key: request for request in _asked_by(raised)}
        if (asked or self._waits) and not isinstance(raised, Critical | LeaseLost):
            raise Suspend(list({**asked, **self._waits}.values())) from None

    async def _wait(self, requests: Sequence[Request]) -> NoReturn:
        """Leave the body at this step, once the others have come to their end or wait as well."""
        if not self._may_ask:
            raise RuntimeError("`prepare` must not ask: it only computes what the card shows")
        if _current_task() in self._acts:
            raise RuntimeError("`ctx.once` must not ask: ask before it")
        self._waits.update({request.call_key: request for request in requests})
        me = _current_task()
        self._stop_working()
        try:
            await self._until_others_rest()
        finally:
            self._left.add(self._paths.get(me, self._scope) if me else self._scope)
        if me is not None:
            me.add_done_callback(_hear)
        raise Suspend(requests)

    @contextmanager
    def _working(self) -> Iterator[None]:
        """Count what runs in here as a step at work, until it waits."""
        mark: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._at_work[mark] = _current_task()
        try:
            yield
        finally:
            self._rests(mark)

    @contextmanager
    def _acting(self) -> Iterator[None]:
        me = _current_task()
        self._acts.add(me)
        try:
            yield
        finally:
            self._acts.discard(me)

    def _stop_working(self) -> None:
        """Count the steps of this task as no longer at work: they wait."""
        me = _current_task()
        for mark in [mark for mark, task in self._at_work.items() if task is me]:
            self._rests(mark)

    def _rests(self, mark: asyncio.Future[None]) -> None:
        if self._at_work.pop(mark, self) is not self:
            mark.set_result(None)

    async def _until_others_rest(self) -> None:
        me, loop = _current_task(), asyncio.get_running_loop()
        turns = 0
        while turns < TURNS:
            await asyncio.sleep(0)
            turns += 1
            others = [
                mark
                for mark, task in self._at_work.items()
                if task is not me and mark.get_loop() is loop
            ]
            if others:
                await asyncio.wait(others, return_when=asyncio.FIRST_COMPLETED)
                turns = 0

    async def _reach(self, kind: str, name: str, arguments: JsonValue) -> Step:
        await self._env.flush_text()
        return self._step(kind, name, arguments)

    def _step(self, kind: str, name: str, arguments: JsonValue) -> Step:
        path = self._path(kind, name, arguments)
        self._check_goes_on(path)
        return self._env.journal.reach(path, kind, name, arguments)

    def _check_goes_on(self, path: str) -> None:
        """Raise Suspend where this body waits already: what would come next is not known yet."""
        if path in self._left or (self._left and not self._gathers):
            raise Suspend(list(self._waits.values()))
        if self._is_over:
            raise RuntimeError("What this context was made for has ended.")

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

    def _path(self, kind: str, name: str, arguments: JsonValue = None) -> str:
        """Return the path of the asking task. The owning task uses the scope; each gathered task
        gets its own path.

        A task that the agent started by itself is named by the first step it reaches: which of them
        is first to reach one may differ from time to time.
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
            if self._env.journal.naming > 1:
                first = f"{first}.{fingerprint_of(arguments)}"
            self._stray_tasks[first] = number = self._stray_tasks.get(first, -1) + 1
            path = f"{first}.{number}/"
        self._paths[task] = path
        return path


async def come_to_end(body: Awaitable[T], steps: Steps) -> T:
    """Await a body, and the calls that its tasks have under way. Raises Suspend where any of its
    steps waits, whatever the body itself returns or raises."""
    task = _current_task()
    if task is not None and steps._env.journal.naming > 1:
        steps._owner = weakref.ref(task)
    try:
        returned = await body
    except BaseException as exc:
        if not isinstance(exc, Suspend | BaseExceptionGroup) and is_unwinding(exc):
            raise
        await steps._end(exc)
        raise
    await steps._end()
    return returned


def _hear(task: asyncio.Task[object]) -> None:
    """Let asyncio not report a task that nobody awaits: that it waits is known."""
    if not task.cancelled():
        task.exception()


def _asked_by(exc: BaseException | None) -> Sequence[Request]:
    """Return what the Suspends in there ask for: a TaskGroup raises them as a group."""
    if isinstance(exc, BaseExceptionGroup):
        return [request for one in exc.exceptions for request in _asked_by(one)]
    return exc.requests if isinstance(exc, Suspend) else ()


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
