"""The text of a segment on its way to the chat: the agent runs in a task of its own, and what it
says is handed on, in order, through a bounded queue.

The agent's task is owned here: when the consumer goes away or is cancelled, the task is cancelled
and awaited.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import aclosing

import orjson

from sayso.adapters.contract import Segment
from sayso.core.raised import told
from sayso.core.segments import SegmentEnd
from sayso.core.tasks import TaskStreamChunk, text_chunk
from sayso.tools.suspension import is_unwinding

log = logging.getLogger("sayso.adapters")

#: Pieces of text an agent may be ahead of its reader.
MAX_WAITING = 64
#: A cancelled agent gets this long for its own `finally` bodies; then it is abandoned, with a log
#: line.
CANCEL_GRACE_SECONDS = 10.0

#: Says a text; with a name, where it is not the run's own agent that speaks.
SayText = Callable[[str, str | None], Awaitable[None]]


class TextQueue:
    """Text from the agent's task to the adapter's generator."""

    def __init__(self, task_id: str) -> None:
        self._task_id = task_id
        self.is_stopping = False
        self._waiting: deque[tuple[str, str | None]] = deque()
        self._changed = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._drained = asyncio.Event()
        self._drained.set()

    async def say(self, text: str, agent_name: str | None = None) -> None:
        """Hand on a piece of text; waits while the reader is far behind. `agent_name` where it is
        not the run's own agent that speaks."""
        if not text:
            return
        while len(self._waiting) >= MAX_WAITING:
            self._room.clear()
            await self._room.wait()
        self._waiting.append((text, agent_name))
        self._drained.clear()
        self._changed.set()

    async def drain(self) -> None:
        """Wait until the reader has taken everything and come back for more."""
        await self._drained.wait()

    async def run(
        self, work: Coroutine[object, object, SegmentEnd]
    ) -> AsyncGenerator[TaskStreamChunk | SegmentEnd, None]:
        """Yield the chunks of the text that `work` says, then the SegmentEnd it returns. Raises
        what it raises."""
        task = asyncio.get_running_loop().create_task(_contained(work))
        task.add_done_callback(lambda _: self._changed.set())
        try:
            while True:
                while self._waiting:
                    yield text_chunk(self._task_id, *self._waiting[0])
                    self._waiting.popleft()
                    self._room.set()
                self._drained.set()
                if task.done():
                    break
                self._changed.clear()
                await self._changed.wait()
            yield task.result()
        finally:
            self.is_stopping = True
            await _stop(task)


async def stream_segment(
    segment: Segment, run: Callable[[TextQueue], Coroutine[object, object, SegmentEnd]]
) -> AsyncGenerator[TaskStreamChunk | SegmentEnd, None]:
    """Run a segment to its end, and yield what its agent and its tools say meanwhile."""
    texts = TextQueue(segment.task.task_id)
    segment.env.say, segment.env.flush_text = texts.say, texts.drain
    segment.env.is_stopping = lambda: texts.is_stopping
    async with aclosing(texts.run(run(texts))) as items:
        async for item in items:
            yield item


def was_said(said: str, text: str) -> bool:
    """Tell whether this text was said, be it in other words of JSON."""
    if said == text:
        return True
    try:
        spoken, whole = orjson.loads(said), orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return bool(spoken in (whole, {"response": whole}))  # so frameworks wrap what is no object


async def _contained(work: Coroutine[object, object, SegmentEnd]) -> SegmentEnd:
    """Let no agent take the process, or the worker, down with it: `sys.exit()` in its code, or a
    cancellation that nobody asked for, is an error of the agent."""
    try:
        return await work
    except Exception:
        raise
    except BaseException as exc:
        if is_unwinding(exc):
            raise
        raise RuntimeError(f"its code raised {told(exc)}") from exc


async def _stop(task: asyncio.Task[SegmentEnd]) -> None:
    if task.done():
        if not task.cancelled():
            task.exception()  # seen: it was raised to the consumer, or the consumer is gone
        return
    task.cancel()
    _, still_running = await asyncio.wait({task}, timeout=CANCEL_GRACE_SECONDS)
    if still_running:
        log.error("a cancelled agent did not stop within %s s", CANCEL_GRACE_SECONDS)
    elif not task.cancelled():
        task.exception()
