"""The state of a run of Strands: what is saved of it (for each agent that runs, the framework's own
snapshot), and what its agents share while it runs.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, TypeVar

import orjson
from strands import Agent
from strands.types.exceptions import EventLoopException

from sayso.adapters.contract import Segment
from sayso.adapters.state_codec import StateCodec
from sayso.adapters.text_queue import SayText
from sayso.adapters.turn import Enclosing, Turn
from sayso.core.digest import JsonObject
from sayso.tools.suspension import Suspend

#: Under this name the state is kept, and the adapter is known.
NAME = "strands"
_BYTES = "__bytes__"


def _as_text(value: object) -> JsonObject:
    """Return the bytes of an image or a document as JSON."""
    if isinstance(value, bytes):
        return {_BYTES: base64.b64encode(value).decode()}
    raise TypeError(f"{type(value).__name__} is no part of a message")


def _unpack(blob: bytes) -> Any:
    found = orjson.loads(blob)
    return _with_bytes(found) if _BYTES.encode() in blob else found


def _with_bytes(value: Any) -> Any:
    match value:
        case {"__bytes__": str(text)}:
            return base64.b64decode(text)
        case dict():
            return {name: _with_bytes(one) for name, one in value.items()}
        case list():
            return [_with_bytes(one) for one in value]
        case _:
            return value


CODEC = StateCodec(
    framework=NAME,
    distribution="strands-agents",
    format=1,
    pack=partial(orjson.dumps, default=_as_text),
    unpack=_unpack,
)


@dataclass
class AgentRow:
    """What is known of one run of one agent."""

    #: The framework's own snapshot; None before the run has begun.
    snapshot: dict[str, Any] | None = None
    #: Whether what it was asked is in there.
    asked: bool = False
    #: How often its model has replied.
    replies: int = 0
    #: The calls of the newest reply whose arguments are no JSON object.
    unreadable: list[str] = field(default_factory=list)
    #: How it ended: the reason, the message, and its structured answer.
    ended: dict[str, Any] | None = None


@dataclass
class StrandsState:
    """What is saved, under the names of these fields. The chat's memory has the first three."""

    #: The agents that run, by where they stand; the segment's own is at "".
    agents: dict[str, AgentRow]
    #: How many messages of people the memory has seen; later ones are told from the chat.
    people: int = 0
    #: What agents behind tools remember of the chat, by the names of their tools.
    kept: dict[str, Any] = field(default_factory=dict)
    #: The calls that end the turn, with the framework's last words for it.
    stops: dict[str, str | None] = field(default_factory=dict)

    def dump(self) -> bytes:
        agents = {path: vars(row) for path, row in self.agents.items()}
        return CODEC.dump({**vars(self), "agents": agents})

    @classmethod
    def load(cls, blob: bytes, written_by: str) -> StrandsState:
        with CODEC.load(blob, written_by) as body:
            rows = {path: AgentRow(**row) for path, row in body.pop("agents").items()}
            return cls(rows, **body)


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
        self.pending = self.pending or self.turn.fatal is not None
        if self.pending:
            raise Suspend(())


#: What encloses the code that runs.
ENCLOSING: ContextVar[StrandsEnclosing] = ContextVar("sayso_strands_enclosing")
