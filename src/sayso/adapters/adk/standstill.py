"""When a segment ends before its agents do: all that is left of them waits for people, or something
failed."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from typing import NoReturn

from sayso.core.children import Request
from sayso.core.raised import Unwinding

#: Turns of the event loop in which nothing may be at work before a run is stopped to wait: ADK
#: takes some dozens to hand on an event of a parallel agent. Where one still works, stopping costs
#: no more than playing it again.
QUIET_TURNS = 200
#: Keys of the calls that the running code is inside of, outermost first: agents run within tools.
INSIDE: ContextVar[tuple[str, ...]] = ContextVar("sayso_adk_inside", default=())


class RunStopping(Unwinding):
    """Takes down the code around a call that waits. It is no cancellation: ADK tells the callbacks
    for errors and ends of agents of those, and waiting is neither."""


class Standstill:
    """What is at work in a segment, what waits, and whether the segment stops."""

    def __init__(self) -> None:
        #: The cards that calls of this segment asked for, by call key, in the order of the calls.
        self.requests: dict[str, tuple[Request, ...]] = {}
        #: Set when the segment is to end: its agents all wait, or something failed.
        self.halt = asyncio.Event()
        self.stopping = False
        self.failure: BaseException | None = None
        #: Model calls and tool bodies at work right now.
        self._busy: set[str] = set()

    def begin(self, one: str) -> None:
        self._busy.add(one)

    def end(self, one: str) -> None:
        if one in self._busy:
            self._busy.discard(one)
            self._look(QUIET_TURNS)

    async def fail(self, exc: BaseException) -> NoReturn:
        """End the segment with this error, whatever the agents' own callbacks would make of it."""
        self.failure = self.failure or exc
        self._stop()
        await self._until_stopped()

    async def wait(self, key: str, requests: tuple[Request, ...]) -> NoReturn:
        """Leave a call where it waits for people."""
        if self.stopping:
            raise RunStopping
        self.requests[key] = requests
        for outer in INSIDE.get():  # they do nothing but wait for this call
            self._busy.discard(outer)
        self._look(QUIET_TURNS)
        try:
            await self._until_stopped()
        except asyncio.CancelledError:
            # The agents gave the call up themselves: a parallel agent was ended early.
            self.requests[key] = ()
            raise

    async def _until_stopped(self) -> NoReturn:
        try:
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            if not self.stopping:
                raise
        raise RunStopping

    def _look(self, turns: int) -> None:
        """Stop once nothing has been at work for some turns of the loop while calls wait."""
        if self._busy or self.stopping or not any(self.requests.values()):
            return
        if turns == 0:
            self._stop()
        else:
            asyncio.get_running_loop().call_soon(self._look, turns - 1)

    def _stop(self) -> None:
        self.stopping = True
        self.halt.set()
