"""What the runs of agents in one segment share, and what encloses each of them: the segment, or the
body of a call that runs another agent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Self, TypeVar

from pydantic import JsonValue

from sayso.adapters.contract import Segment
from sayso.adapters.model_trouble import model_unavailable
from sayso.adapters.text_queue import SayText
from sayso.core.children import Request
from sayso.core.errors import ModelUnavailable
from sayso.core.segments import Cancelled, SegmentEnd, Waiting
from sayso.core.sessions import SavedState
from sayso.tools.calls import CallSuspended, Returned
from sayso.tools.suspension import Stopped, Suspend
from sayso.tools.tool import Runnable

#: What a framework holds for the result of a call that waits. No model is asked with it.
WAITING = "This call waits for a person."
StateT = TypeVar("StateT")
T = TypeVar("T")


class Paused(Exception):
    """Ends a run of an agent: a call of it waits for a person, or something ended the segment."""


class Turn(Generic[StateT]):
    """The turn of one segment: its toolbox, what is saved of it, who waits, and what ended it."""

    #: What a framework lets pass through where it makes results of all other exceptions.
    paused: ClassVar[type[Exception]] = Paused

    def __init__(
        self, segment: Segment, state: StateT, root: str | None, say_text: SayText | None = None
    ) -> None:
        #: `root` is the name that the framework knows the segment's own agent by.
        self.segment, self.state, self.root = segment, state, root
        self.toolbox = segment.toolbox
        self.ours = {tool.name: tool for tool in self.toolbox.tools}
        #: The cards that this segment asked for, by their keys.
        self.requests: dict[str, Request] = {}
        #: What ended the segment; a framework would make a tool's error of it.
        self.fatal: BaseException | None = None
        #: Where text goes; a tool that is called alone says nothing.
        self._say_text = say_text

    @property
    def is_over(self) -> bool:
        """Whether the segment ends before its agent does."""
        return bool(self.requests) or self.fatal is not None

    def end_with(self, exc: BaseException) -> None:
        """End the segment with this; the first counts."""
        self.fatal = self.fatal or exc

    def end(self, saved: Callable[[], SavedState]) -> SegmentEnd:
        """Return the end of a segment in which something waits. Raises what has ended it."""
        if isinstance(self.fatal, Stopped):
            return Cancelled(reason=self.fatal.reason)
        if self.fatal is not None:
            raise self.fatal
        return Waiting(saved=saved(), requests=list(self.requests.values()))

    def name_of(self, speaker: str | None) -> str:
        """Return the name people know an agent by: the root's is the one it is served under."""
        return self.segment.agent_name if speaker in (None, self.root) else str(speaker)

    async def say(self, text: str, speaker: str | None = None) -> None:
        if self._say_text is not None:
            await self._say_text(text, None if speaker == self.root else speaker)

    async def call(
        self,
        key: str,
        name: str,
        arguments: Mapping[str, JsonValue] | None,
        tool: Runnable | None = None,
        *,
        speaker: str,
    ) -> Returned | None:
        """Make a call through the toolbox; None stands for arguments that cannot be read. Returns
        None where it waits. Raises `paused` where something ended the segment."""
        came: Returned | CallSuspended
        try:
            if arguments is None:
                came = await self.toolbox.refuse_unreadable(key, name, agent_name=speaker)
            else:
                came = await self.toolbox.call(key, name, arguments, agent_name=speaker, tool=tool)
        except asyncio.CancelledError:
            raise
        except BaseException as exc:
            self.end_with(exc)
            raise self.paused("The segment is over.") from exc
        if isinstance(came, Returned):
            return came
        self.requests.update({request.call_key: request for request in came.requests})
        return None


TurnT = TypeVar("TurnT", bound=Turn[Any])


@dataclass
class Enclosing(Generic[TurnT]):
    """What encloses runs of agents: the segment, or the body of a call that runs agents."""

    turn: TurnT
    #: The call whose body it is; empty for the segment.
    key: str = ""
    #: A call in here waits for a person: no model is asked any more.
    pending: bool = False
    _runs: dict[str, int] = field(default_factory=dict)

    def path(self, agent: str) -> str:
        """Return where the next run of this agent stands; the same when the body runs again."""
        number = self._runs[agent] = self._runs.get(agent, -1) + 1
        return f"{self.key}>{agent}" + (f".{number}" if number else "")

    def stop(self, why: BaseException) -> Exception:
        """End the segment for this; what runs in here has not come to its end."""
        self.turn.end_with(why)
        self.pending = True
        return self.turn.paused("The segment is over.")

    async def call(
        self,
        key: str,
        name: str,
        arguments: Mapping[str, JsonValue] | None,
        tool: Runnable | None = None,
        *,
        speaker: str,
    ) -> Returned | None:
        """Make a call of an agent that runs in here: see Turn.call."""
        try:
            came = await self.turn.call(key, name, arguments, tool, speaker=speaker)
        except self.turn.paused:
            self.pending = True
            raise
        self.pending = self.pending or came is None
        return came

    @contextmanager
    def body(self, var: ContextVar[Self]) -> Iterator[None]:
        """Run the body of the call in here. Raises Suspend where an agent that it ran waits; the
        body may have made an answer, or an error, of that."""
        try:
            with within(var, self):
                yield
        except Exception:
            self._check()
            raise
        self._check()

    def _check(self) -> None:
        if self.pending:
            raise Suspend(())


EnclosingT = TypeVar("EnclosingT", bound=Enclosing[Any])


class KeptReplies(Generic[EnclosingT]):
    """What the models of one run of an agent have said, in order: no model is asked twice for the
    same."""

    def __init__(self, enclosing: EnclosingT, path: str) -> None:
        self.turn, self.enclosing, self.path = enclosing.turn, enclosing, path
        self._kept: list[Any] = self.turn.state.replies.setdefault(path, [])
        #: How often a model has replied: calls are of the newest reply.
        self.count = 0

    def key(self, call_id: str) -> str:
        """Return the key of a call of the newest reply."""
        prefix = f"{self.path}>" if self.path else ""
        return f"{prefix}{self.count}:{call_id}"

    def next_kept(self) -> Any | None:
        """Return the next reply as it was kept, if it was. Raises `paused` where no model may be
        asked."""
        if self.turn.fatal is not None:
            raise self.enclosing.stop(self.turn.fatal)
        if self.enclosing.pending:
            raise self.turn.paused("A call waits for a person.")
        return self._kept[self.count] if self.count < len(self._kept) else None

    @contextmanager
    def passing_trouble(self) -> Iterator[None]:
        """Trouble with the model of an agent within a call ends the segment, and not the call: that
        goes on when the model is back."""
        try:
            yield
        except Exception as exc:
            secrets = self.turn.segment.env.secrets
            passes = isinstance(exc, ModelUnavailable) or model_unavailable(exc, secrets)
            if not self.path or not passes:
                raise
            raise self.enclosing.stop(exc) from exc


@contextmanager
def within(var: ContextVar[T], value: T) -> Iterator[T]:
    """Set a context variable for a block."""
    token = var.set(value)
    try:
        yield value
    finally:
        var.reset(token)
