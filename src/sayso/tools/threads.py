"""Threads for plain functions: one for each call, and a bounded number at once for each chat.

A slot is taken before a call is recorded as started, and released when its thread has really ended.
What one chat has under way, stuck calls of cancelled runs included, never keeps another chat
waiting.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager, nullcontext
from contextvars import copy_context
from typing import Protocol, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from sayso.core.errors import ToolUnavailable
from sayso.core.raised import told

log = logging.getLogger("sayso.tools")

T = TypeVar("T")

#: More than a model calls at once; with a hundred segments at work these are 1,600 threads.
SLOTS_PER_CHAT = 16


class ThreadSlot:
    """A slot taken for one call."""

    def __init__(self, free: asyncio.Semaphore) -> None:
        self._free = free
        self._is_released = False

    def release(self) -> None:
        if not self._is_released:
            self._is_released = True
            self._free.release()


class Threads:
    """Bounds how many plain functions run at once in each chat."""

    def __init__(self, slots: int = SLOTS_PER_CHAT) -> None:
        self._count = slots
        # Per event loop: a stuck loop is abandoned together with its slots.
        self._free: WeakKeyDictionary[
            asyncio.AbstractEventLoop, WeakValueDictionary[str, asyncio.Semaphore]
        ] = WeakKeyDictionary()

    async def take(self, chat_id: str) -> ThreadSlot:
        """Wait for a slot. A caller that is cancelled while waiting has begun nothing."""
        chats = self._free.setdefault(asyncio.get_running_loop(), WeakValueDictionary())
        free = chats.get(chat_id)
        if free is None:
            free = chats[chat_id] = asyncio.Semaphore(self._count)
        await free.acquire()
        return ThreadSlot(free)

    @asynccontextmanager
    async def slot(self, chat_id: str) -> AsyncIterator[None]:
        taken = await self.take(chat_id)
        try:
            yield
        finally:
            taken.release()


def in_thread(function: Callable[[], T]) -> Awaitable[T]:
    """Start it in a thread of its own, now. Nothing stops it; a process that ends does not wait."""
    done: Future[T] = Future()
    done.set_running_or_notify_cancel()  # from here on it refuses to be cancelled
    context = copy_context()

    def run() -> None:
        try:
            result = context.run(function)
        except (StopIteration, GeneratorExit, KeyboardInterrupt) as exc:
            # No future takes the first two, and nobody has pressed Ctrl-C in a thread.
            done.set_exception(RuntimeError(told(exc)))
        except BaseException as exc:  # passed on to the caller, whatever it is
            done.set_exception(exc)
        else:
            done.set_result(result)

    try:
        threading.Thread(target=run, name="sayso-tool", daemon=True).start()
    except RuntimeError as exc:
        raise ToolUnavailable(f"No thread could be started for it: {exc}.") from exc
    return asyncio.wrap_future(done)


async def call_function(
    function: Callable[..., object], takes_context: bool, ctx: object, values: Mapping[str, object]
) -> object:
    first = (ctx,) if takes_context else ()
    if is_async(function):
        found = function(*first, **values)
        if inspect.isasyncgen(found):
            async with aclosing(found) as pieces:
                return [piece async for piece in pieces]
        assert inspect.isawaitable(found)
        return await found
    # A plain function may block: it runs in a thread, so that it never holds the event loop.
    found = await in_thread(lambda: _whole(function(*first, **values)))
    return await found if inspect.isawaitable(found) else found


def _whole(found: object) -> object:
    """Return what a generator yields, all of it: its body runs as it is read, so here and now."""
    return list(found) if inspect.isgenerator(found) else found


class _HasThreadSlots(Protocol):
    def thread_slot(self) -> AbstractAsyncContextManager[None]: ...


def slot_for(function: Callable[..., object], ctx: object) -> AbstractAsyncContextManager[None]:
    """Hold a slot for what runs in a thread; nothing where no context bounds it."""
    if is_async(function) or not hasattr(ctx, "thread_slot"):
        return nullcontext()
    holder: _HasThreadSlots = ctx
    return holder.thread_slot()


def is_async(function: Callable[..., object]) -> bool:
    called = getattr(function, "__call__", None)  # noqa: B004  # an object with an async __call__
    return any(
        inspect.iscoroutinefunction(it) or inspect.isasyncgenfunction(it)
        for it in (function, called)
    )


class DetachedThreads:
    """Owns the threads of cancelled segments until their true results are recorded."""

    def __init__(self) -> None:
        self._tasks: dict[asyncio.Task[None], str] = {}

    def adopt(self, call_id: str, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks[task] = call_id
        task.add_done_callback(self._ended)

    async def wait(self) -> None:
        """Wait until all of them have ended (for shutdown, and for tests)."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def until_ended(self, call_id: str) -> None:
        """Wait until the thread of this call has ended, if one was left behind."""
        of_it = [task for task, held in self._tasks.items() if held == call_id]
        if of_it:
            await asyncio.wait(of_it)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.pop(task, None)
        if not task.cancelled() and task.exception() is not None:
            log.error("a result came too late and was lost", exc_info=task.exception())
