"""The thread in which the connections to MCP servers live. Agents' segments come and go, each maybe
on a loop of its own; a connection outlives them all."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


class Background:
    """A loop in a thread of its own, begun with the first thing to do."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def submit(self, work: Coroutine[object, object, T]) -> Future[T]:
        """Run this there. Cancelling what is returned cancels it."""
        return asyncio.run_coroutine_threadsafe(work, self._started())

    async def run(self, work: Coroutine[object, object, T]) -> T:
        """Run this there, and wait for it here."""
        return await asyncio.wrap_future(self.submit(work))

    def stop(self) -> None:
        """Cancel what still runs there, and wait until it has ended."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return
        loop.call_soon_threadsafe(loop.stop)
        thread.join()

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                # A daemon: who forgets to close it can still end the process. The servers that run
                # here then see the end of their input, and end as well.
                self._thread = threading.Thread(
                    target=_serve, args=(self._loop,), name=self._name, daemon=True
                )
                self._thread.start()
            return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()
