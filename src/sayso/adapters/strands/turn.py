"""What all agents of one segment share: its toolbox, what is saved of them, and who waits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from strands import Agent
from strands.types.exceptions import EventLoopException

from sayso.adapters.contract import Segment
from sayso.adapters.strands.state import AgentRow, StrandsState
from sayso.adapters.text_queue import SayText
from sayso.adapters.turn import Enclosing, Turn
from sayso.tools.suspension import Suspend

T = TypeVar("T")


class Running(Protocol):
    """An agent as it runs within a segment (running_agent)."""

    agent: Agent
    #: Its words are for the person: it is the segment's own, or has the turn handed over.
    speaks: bool
    #: Where it stands in a team.
    place: str
    #: Keeps for the chat what an agent behind a tool remembers.
    remember: Callable[[], None]

    @property
    def turn(self) -> StrandsTurn: ...

    def keep(self, row: AgentRow) -> None: ...

    def stream_within(
        self, prompt: Any, run: Any, options: Mapping[str, Any]
    ) -> AsyncIterator[Any]: ...


class StrandsTurn(Turn[StrandsState]):
    def __init__(
        self,
        segment: Segment,
        state: StrandsState,
        root: str,
        take: Callable[[Agent, StrandsEnclosing], Running],
        say_text: SayText | None = None,
    ) -> None:
        super().__init__(segment, state, root, say_text)
        #: Lets an agent run within a body.
        self.take = take
        self.loop = asyncio.get_running_loop()
        #: The agents that run now, by where they stand.
        self.running: dict[str, Running] = {}

    async def on_loop(self, work: Awaitable[T]) -> T:
        """Do this where the segment runs: the framework runs agents that tools call in loops of
        their own."""
        if asyncio.get_running_loop() is self.loop:
            return await work
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_done(work), self.loop))

    async def say(self, text: str, speaker: str | None = None) -> None:
        await self.on_loop(super().say(text, speaker))

    def row(self, path: str) -> AgentRow:
        return self.state.agents.setdefault(path, AgentRow())

    def forget_within(self, key: str) -> None:
        """Forget the agents that the body of this call has run: it has ended."""
        for path in [path for path in self.state.agents if path.startswith(f"{key}>")]:
            del self.state.agents[path]
            self.running.pop(path, None)

    def saved(self) -> bytes:
        for path, agent in self.running.items():
            agent.keep(self.row(path))
        return self.state.dump()


def unwrapped(exc: Exception) -> Exception:
    """Return what was raised in a turn; the framework wraps it where a reply was not the first."""
    while isinstance(exc, EventLoopException):
        exc = exc.original_exception
    return exc


async def _done(work: Awaitable[T]) -> T:
    return await work


@dataclass
class StrandsEnclosing(Enclosing[StrandsTurn]):
    #: Our copies of the application's agents, which live as long as the body runs.
    copies: dict[int, Running] = field(default_factory=dict)

    def check(self) -> None:
        """Raise Suspend where no agent may go on: the body may have made an answer of that."""
        if self.turn.fatal is not None or self.pending:
            raise Suspend(())


#: What encloses the code that runs.
ENCLOSING: ContextVar[StrandsEnclosing] = ContextVar("sayso_strands_enclosing")
