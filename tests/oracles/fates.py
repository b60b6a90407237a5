"""How processes end in the middle of a program: each life of it at so many awaits passed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

Passes = Callable[[], Awaitable[None]]


class Fate:
    """The end of one life, at the n-th await that its program passes; 0 is none.

    A body that is open when its process ends has acted or not, and nobody but a person can say."""

    def __init__(self, at: int, end: Callable[[Fate], Awaitable[None]]) -> None:
        self.at, self.passed, self._end = at, 0, end
        #: Seen from the thread of the person, too.
        self.has_come = threading.Event()
        #: The bodies that are open, and those that were when this life was over.
        self.open, self.left = list[str](), list[str]()

    async def passes(self) -> None:
        self.passed += 1
        if self.passed == self.at:
            await self._end(self)

    @contextmanager
    def body(self, name: str) -> Iterator[None]:
        self.open.append(name)
        try:
            yield
        except asyncio.CancelledError:
            self.left.append(name)
            raise
        finally:
            self.open.remove(name)
