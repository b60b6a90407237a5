"""One segment of a run of ADK: from the record, or from the chat, to its one end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Any

from google.adk.agents.base_agent import BaseAgent
from google.adk.agents.run_config import (  # type: ignore[attr-defined]  # where ADK documents it
    RunConfig,
    StreamingMode,
    ToolThreadPoolConfig,
)
from google.adk.apps.app import App
from google.adk.events.event import Event
from google.adk.runners import Runner
from google.adk.sessions.base_session_service import BaseSessionService, ListSessionsResponse
from google.adk.sessions.session import Session
from google.genai import types

from sayso.adapters.adk.saved import Memory, Record, versions
from sayso.adapters.adk.seam import Seam
from sayso.adapters.base import Segment
from sayso.adapters.chats import after_turn
from sayso.adapters.chats import before as chat_before
from sayso.core.errors import AgentFailed, NotSupportedError
from sayso.core.segments import Cancelled, Completed, SegmentEnd, Waiting
from sayso.core.sessions import SavedState
from sayso.core.tasks import UniversalMessage
from sayso.tools.pause import Stopped

NAME = "adk"

Say = Callable[..., Awaitable[None]]


class Run:
    """One segment of an agent of ADK."""

    def __init__(self, segment: Segment, say: Say) -> None:
        self._segment, self._say = segment, say
        self._app = app_of(segment.agent)
        assert isinstance(self._app.root_agent, BaseAgent)
        self._root = self._app.root_agent
        self._record, self._session = self._begin()
        self._seam = Seam(segment, self._record)
        self._seam.root_name = self._root.name
        self._teller = _Teller(self._record.told)
        segment.world.checkpoint = self._checkpoint

    async def to_its_end(self) -> SegmentEnd:
        seam = self._seam
        driver = asyncio.get_running_loop().create_task(self._drive())
        driver.add_done_callback(lambda _: seam.halt.set())
        try:
            await seam.halt.wait()
        finally:
            await _left(driver)
        if isinstance(seam.failure, Stopped):
            return Cancelled(reason=seam.failure.reason)
        if seam.failure is not None:
            raise seam.failure
        await self._say_all(self._teller.rest())
        requests = [request for some in seam.requests.values() for request in some]
        if seam.stopping and requests:
            return Waiting(saved=self._checkpoint(), requests=requests)
        driver.result()
        return await self._completed()

    async def _drive(self) -> None:
        first, last = self._seam.plugins
        app = self._app.model_copy(
            update={
                "plugins": [first, *self._app.plugins, last],
                # Its own way of going on with a run knows nothing of the toolbox.
                "resumability_config": None,
            }
        )
        runner = Runner(
            app=app, session_service=OneSession(self._session), **services_of(self._segment.agent)
        )
        # A blocking function must not hold the loop that serves everyone.
        config = RunConfig(
            streaming_mode=StreamingMode.SSE, tool_thread_pool_config=ToolThreadPoolConfig()
        )
        message = types.Content(role="user", parts=[types.Part(text=self._record.message)])
        async with aclosing(
            runner.run_async(
                user_id=self._session.user_id,
                session_id=self._session.id,
                new_message=message,
                run_config=config,
            )
        ) as events:
            async for event in events:
                await self._tell(event)

    async def _tell(self, event: Event) -> None:
        if any(call.name == "adk_request_credential" for call in event.get_function_calls()):
            raise NotSupportedError(
                f"'{event.author}' asks for a login by ADK's request_credential.",
                fix="Give its tools their credentials another way.",
            )
        await self._say_all(self._teller.hear(event))

    async def _say_all(self, pieces: Sequence[tuple[str, str]]) -> None:
        for author, text in pieces:
            speaker = self._seam.speaker(author)
            await self._say(text, None if speaker == self._segment.agent_name else speaker)

    async def _completed(self) -> Completed:
        teller = self._teller
        if teller.error and not teller.last:
            raise AgentFailed(f"The model of '{self._root.name}' gave no answer: {teller.error}")
        await self._segment.world.drain()
        memory = Memory(self._session.events, self._session.state, self._record.began.turns)
        return Completed(output=teller.last, memory=memory.dump())

    def _checkpoint(self) -> SavedState:
        self._record.told = self._teller.told
        return self._segment.saved_state(NAME, versions(), self._record.dump())

    # ── how it begins ──

    def _begin(self) -> tuple[Record, Session]:
        segment = self._segment
        if segment.saved is not None:
            record = Record.load(segment.saved.blob, segment.saved.version)
        else:
            record = Record(self._remembered(), segment.task.words)
            record.began_dumped = record.began.dump()
        began, run = record.began, segment.world.run
        session = Session(
            id=run.chat_id,
            app_name=self._app.name,
            user_id=run.person or "person",
            state=dict(began.state),
            events=list(began.events),
        )
        return record, session

    def _remembered(self) -> Memory:
        """What the agents know of the chat, with what they have not seen of it."""
        before = chat_before(self._segment)
        turns = 1 + sum(message.role == "user" for message in before)
        if self._segment.agent_state is None:
            return Memory(self._as_events(before), {}, turns)
        memory = Memory.load(self._segment.agent_state.blob, "this agent's memory")
        missed = after_turn(before, memory.turns)
        return Memory([*memory.events, *self._as_events(missed)], memory.state, turns)

    def _as_events(self, messages: Sequence[UniversalMessage]) -> list[Event]:
        made: list[Event] = []
        for message in messages:
            if message.role not in ("user", "assistant") or not message.content:
                continue
            theirs = message.role == "user"
            content = types.Content(
                role="user" if theirs else "model", parts=[types.Part(text=message.content)]
            )
            author = "user" if theirs else self._root.name
            made.append(Event(invocation_id=Event.new_id(), author=author, content=content))
        return made


async def _left(driver: asyncio.Task[None]) -> None:
    """Stop what is still running, and wait until nothing of it is."""
    if not driver.done():
        driver.cancel()
        await asyncio.wait({driver})
    if not driver.cancelled():
        driver.exception()  # seen: it is raised below, or it was left where it waited


class _Teller:
    """Which of an event's text people have not read yet, and who says it.

    A streamed message comes in parts and then once more whole. Of agents that speak at the same
    time one has the floor until its message is whole. A run that is played again says nothing that
    it has said before.
    """

    def __init__(self, told: dict[str, int]) -> None:
        self._before = dict(told)
        #: Characters of whole messages so far in this segment.
        self._at: dict[str, int] = {}
        #: Messages that are still being written, and how much of each was handed on.
        self._open: dict[str, str] = {}
        self._sent: dict[str, int] = {}
        self._floor: str | None = None
        self._held: list[Event] = []
        self.last = ""
        self.error = ""

    @property
    def told(self) -> dict[str, int]:
        return self._before | {
            who: max(at, self._before.get(who, 0)) for who, at in self._at.items()
        }

    def hear(self, event: Event) -> list[tuple[str, str]]:
        """Author and text of what is to be said now."""
        if event.error_code is not None:
            self.error = f"{event.error_code}: {event.error_message or 'no reason was given'}"
        text, who = _text(event), _who(event)
        if not text or event.author == "user":
            return []
        if event.partial:
            self._open[who] = self._open.get(who, "") + text
        if self._floor not in (None, who):
            if not event.partial:
                self._held.append(event)
            return []
        if event.partial:
            self._floor = who
            return [(event.author, self._more(who, self._open[who]))]
        return [(event.author, self._whole(event)), *self.rest()]

    def rest(self) -> list[tuple[str, str]]:
        """What had to wait for the floor."""
        held, self._held, self._floor = self._held, [], None
        return [(event.author, self._whole(event)) for event in held]

    def _more(self, who: str, text: str) -> str:
        at, sent = self._at.get(who, 0), self._sent.get(who, 0)
        self._sent[who] = len(text)
        return text[max(sent, self._before.get(who, 0) - at) :]

    def _whole(self, event: Event) -> str:
        text, who = _text(event), _who(event)
        said = self._open.pop(who, "")[: self._sent.get(who, 0)]
        # A callback may have put other words in the place of those that people have read already.
        new = self._more(who, text) if text.startswith(said) else "\n\n" + text
        self._at[who] = self._at.get(who, 0) + len(text)
        self._sent.pop(who, None)
        self.last = text
        return new


def _text(event: Event) -> str:
    parts = (event.content.parts if event.content is not None else None) or ()
    return "".join(part.text for part in parts if part.text and not part.thought)


def _who(event: Event) -> str:
    return f"{event.branch or ''}|{event.author}"


class OneSession(BaseSessionService):
    """The one session of this segment; between segments it lies in the blob."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def create_session(self, **_: Any) -> Session:
        raise NotImplementedError("a segment has the one session it was given")

    async def get_session(self, **_: Any) -> Session | None:
        return self._session

    async def list_sessions(self, **_: Any) -> ListSessionsResponse:
        return ListSessionsResponse(sessions=[self._session])

    async def delete_session(self, **_: Any) -> None:
        raise NotImplementedError("a session ends with its chat")


def app_of(agent: object) -> App:
    if isinstance(agent, Runner):
        agent = agent.app
    if isinstance(agent, App):
        return agent
    assert isinstance(agent, BaseAgent)
    return App(name="sayso", root_agent=agent)


def services_of(agent: object) -> dict[str, Any]:
    if not isinstance(agent, Runner):
        return {}
    names = ("artifact_service", "memory_service", "credential_service")
    return {name: getattr(agent, name) for name in names}
