"""Calls that stay open while their server asks a person, as servers of before 2026 do.

Such a server asks in the middle of a call, by a request of its own. The call's run waits as any
other; what is held for it is the request, the call and the connection, here. What was asked is
numbered, so that the same question of a call that was begun anew is known again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol
from uuid import uuid4

from mcp_types import (
    ElicitRequest,
    ElicitRequestParams,
    ElicitResult,
    InputRequests,
    InputResponses,
)

from sayso.core.held_calls import CallOfRun, HeldCall
from sayso.mcp.replies import Asked, Broke, Reply, StateExpired

log = logging.getLogger("sayso.mcp")

#: So many calls are held on one connection. By HTTP each of them takes a stream out of a hundred.
MOST_HELD = 50

_CANCEL = ElicitResult(action="cancel")

#: The call in whose stream of messages a question came. Over stdio there is one stream for all.
_here: ContextVar[OpenCall | None] = ContextVar("sayso_mcp_call", default=None)


class Channel(Protocol):
    """What calls go through: the connection."""

    name: str

    @property
    def is_broken(self) -> bool: ...


class Patience:
    """How long a call may be silent. While a person is asked, that has no end."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self._limit = seconds, asyncio.timeout(seconds)
        self._is_entered = self._is_stopped = False

    async def __aenter__(self) -> None:
        await self._limit.__aenter__()
        self._is_entered = True

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._is_entered = False
        await self._limit.__aexit__(kind, exc, traceback)

    def starts_anew(self) -> None:
        if not self._is_stopped:
            self._set(asyncio.get_running_loop().time() + self.seconds)

    def stops(self) -> None:
        self._is_stopped = True
        self._set(None)

    def goes_on(self) -> None:
        self._is_stopped = False
        self.starts_anew()

    def _set(self, until: float | None) -> None:
        if self._is_entered and not self._limit.expired():
            self._limit.reschedule(until)


Send = Callable[["OpenCall"], Awaitable[Reply]]


@dataclass(eq=False, slots=True)
class Question:
    """A request of the server, that it waits for."""

    params: ElicitRequestParams
    answer: asyncio.Future[ElicitResult]

    def settle(self, answer: ElicitResult) -> None:
        if not self.answer.done():
            self.answer.set_result(answer)


class OpenCall:
    """One call, until its end has been fetched."""

    def __init__(self, line: Channel, of: CallOfRun | None, person: str | None) -> None:
        self.id = uuid4().hex
        self.line, self.of, self.person = line, of, person
        self.patience = Patience(0)
        #: What the server waits for, by its number.
        self.questions: dict[str, Question] = {}
        #: Whether the connection broke while the server waited for a person.
        self.broke_off = False
        #: Whether somebody works on it; else its run waits.
        self.is_awaited = True
        self._asked = 0
        self._moved = asyncio.Event()
        self._end: asyncio.Task[Reply] | None = None

    @property
    def is_over(self) -> bool:
        return self._end is not None and self._end.done()

    def begin(self, send: Send, on_end: Callable[[OpenCall], None]) -> None:
        def ended(task: asyncio.Task[Reply]) -> None:
            if not task.cancelled():
                task.exception()  # told to whoever fetches it
            self._moved.set()
            on_end(self)

        self._end = asyncio.create_task(self._made(send), name=f"mcp-call-{self.id}")
        self._end.add_done_callback(ended)

    async def _made(self, send: Send) -> Reply:
        _here.set(self)
        try:
            return await send(self)
        except Broke:
            self.broke_off = bool(self.questions)
            raise
        finally:
            for question in self.questions.values():
                question.settle(_CANCEL)
            self.questions.clear()

    def is_asked(self, question: Question) -> None:
        self._asked += 1
        self.questions[str(self._asked)] = question
        self.patience.stops()
        self._moved.set()

    def asks_no_more(self, question: Question) -> None:
        self.questions = {key: one for key, one in self.questions.items() if one is not question}
        if not self.questions:
            self.patience.goes_on()

    async def reply(self) -> Reply:
        """Wait for its end, or for what it asks first."""
        assert self._end is not None
        self.is_awaited = True
        try:
            while not self.is_over and not self.questions:
                self._moved.clear()
                await self._moved.wait()
        finally:
            self.is_awaited = False
        if self.is_over:
            return await self._end
        asked: InputRequests = {
            key: ElicitRequest(params=one.params) for key, one in self.questions.items()
        }
        return Asked(input_requests=asked, call_id=self.id)

    def take(self, answers: InputResponses) -> None:
        """Give the server what people said. What was answered before stays as it was."""
        for key, answer in answers.items():
            question = self.questions.get(key)
            if question is not None and isinstance(answer, ElicitResult):
                question.settle(answer)
                self.asks_no_more(question)

    def stop(self) -> None:
        """Cancel it, which the server is told."""
        if self._end is not None:
            self._end.cancel()


class OpenCalls:
    """All open calls of an application. They live on the loop of the connections."""

    def __init__(self) -> None:
        self._calls: dict[str, OpenCall] = {}
        #: What came over a line that all calls share, while it is not known which of them asks.
        self._unclaimed: dict[Question, Channel] = {}
        #: Called when a call moves that nobody works on.
        self.on_moved: Callable[[], None] = lambda: None

    @property
    def held(self) -> list[HeldCall]:
        return [
            HeldCall(call.id, call.of, bool(call.questions))
            for call in list(self._calls.values())
            if call.of is not None and not call.is_awaited
        ]

    async def call(
        self, line: Channel, send: Send, *, of: CallOfRun | None, person: str | None
    ) -> Reply:
        """Make a call. One of no run is given up where it asks: nobody would go on with it."""
        call = OpenCall(line, of, person)
        self._calls[call.id] = call
        call.begin(send, self._ended)
        return await self._fetched(call)

    async def go_on(self, call_id: str, answers: InputResponses) -> Reply:
        """Answer, and wait on. Raises StateExpired where the call is not here, or where it broke
        off before anybody answered."""
        call = self._calls.get(call_id)
        if call is None or call.broke_off:
            self._calls.pop(call_id, None)
            raise StateExpired("The server that has asked is gone.")
        call.take(answers)
        return await self._fetched(call)

    def give_up(self, call_id: str) -> None:
        call = self._calls.pop(call_id, None)
        if call is not None:
            call.stop()

    async def asked(self, line: Channel, params: ElicitRequestParams) -> ElicitResult:
        """Wait for the answer to what a server asks within one of its calls."""
        if sum(bool(call.questions) for call in self._on(line)) >= MOST_HELD:
            log.warning("MCP server %r asks too much at once; it was cancelled", line.name)
            return _CANCEL
        question = Question(params, asyncio.get_running_loop().create_future())
        call = _here.get()
        if call is None:
            self._unclaimed[question] = line
            self._deal()
        elif call.is_over:
            return _CANCEL
        else:
            call.is_asked(question)
        try:
            return await question.answer
        finally:
            self._unclaimed.pop(question, None)
            if not line.is_broken:  # else it is the call that has ended
                self._forget(question)

    def is_heard(self, call: OpenCall) -> None:
        """Note a sign of life: of all that may be the one which asks."""
        for one in self._on(call.line) if call.line in self._unclaimed.values() else [call]:
            one.patience.starts_anew()

    async def _fetched(self, call: OpenCall) -> Reply:
        is_held = False
        try:
            reply = await call.reply()
            is_held = isinstance(reply, Asked) and reply.call_id is not None
            return reply
        finally:
            if not is_held or call.of is None:
                self.give_up(call.id)

    def _on(self, line: Channel) -> list[OpenCall]:
        return [call for call in self._calls.values() if call.line is line and not call.is_over]

    def _forget(self, question: Question) -> None:
        """Note that the server waits for it no more."""
        for call in list(self._calls.values()):
            if question in call.questions.values():
                call.asks_no_more(question)
                self._moves(call)

    def _ended(self, call: OpenCall) -> None:
        self._deal()
        self._moves(call)

    def _moves(self, call: OpenCall) -> None:
        if not call.is_awaited:
            self.on_moved()

    def _deal(self) -> None:
        """Find out which calls ask where all share one line: those that are left once the others
        have ended. Where several are left, they ask in the order in which they were made; those
        of several people ask nobody, since it is not known whom."""
        for line in list(self._unclaimed.values()):
            questions = [one for one, whose in self._unclaimed.items() if whose is line]
            quiet = [call for call in self._on(line) if not call.questions]
            if len(quiet) > len(questions):
                self.is_heard(quiet[0])
                continue
            asking = quiet or self._on(line)
            is_known = len({call.person for call in asking}) == 1
            for number, question in enumerate(questions):
                del self._unclaimed[question]
                if is_known:
                    asking[min(number, len(asking) - 1)].is_asked(question)
                else:
                    log.warning("it is not known whom MCP server %r asks: cancelled", line.name)
                    question.settle(_CANCEL)
