"""One segment of a run of ADK: from the record, or from the chat, to its one end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

import orjson
from google.adk.agents.base_agent import BaseAgent
from google.adk.agents.run_config import (  # type: ignore[attr-defined]  # where ADK documents it
    RunConfig,
    StreamingMode,
    ToolThreadPoolConfig,
)
from google.adk.artifacts import InMemoryArtifactService
from google.adk.events.event import Event
from google.adk.memory import InMemoryMemoryService
from google.adk.runners import Runner
from google.adk.sessions.base_session_service import BaseSessionService, ListSessionsResponse
from google.adk.sessions.session import Session
from google.genai import types

from sayso.adapters.adk.checks import WIDE, app_of
from sayso.adapters.adk.model_replies import AdkReplies
from sayso.adapters.adk.native_tool import BodyScope
from sayso.adapters.adk.plugins import InnerPlugin, OuterPlugin
from sayso.adapters.adk.standstill import Standstill
from sayso.adapters.adk.state import CODEC, AdkRecord, ChatArtifacts, SavedSession
from sayso.adapters.adk.tool_calls import AdkCalls
from sayso.adapters.contract import Segment
from sayso.adapters.text_queue import SayText
from sayso.core.errors import AgentFailed, ModelUnavailable, NotSupportedError
from sayso.core.segments import Cancelled, Completed, SegmentEnd, Waiting
from sayso.core.sessions import SavedState
from sayso.core.tasks import UniversalMessage
from sayso.tools.suspension import Stopped

NAME = "adk"
log = logging.getLogger("sayso.adapters")


class AdkRun:
    """One segment of an agent of ADK."""

    def __init__(self, segment: Segment, say: SayText) -> None:
        self._segment, self._say = segment, say
        self._app = app_of(segment.agent)
        assert isinstance(self._app.root_agent, BaseAgent)
        self._root = self._app.root_agent
        self._record, self._session = self._begin()
        self._artifacts = ChatArtifacts.load(self._record.artifacts)
        self._standstill = Standstill()
        self._replies = AdkReplies(self._record, self._standstill)
        scope = BodyScope(segment, self._record, self._standstill)
        self._calls = AdkCalls(scope, self._replies, self._root.name)
        self._outer = OuterPlugin(self._calls, self._replies, self._standstill)
        self._inner = InnerPlugin(self._calls)
        scope.plugins = (self._outer, self._inner)
        self._text = UnreadText(self._record.told)
        #: The result that the agents end on, where no model is asked about it.
        self._last_result: str | None = None
        segment.env.checkpoint = self._checkpoint

    async def run(self) -> SegmentEnd:
        standstill = self._standstill
        driver = asyncio.get_running_loop().create_task(self._drive())
        driver.add_done_callback(lambda _: standstill.halt.set())
        try:
            await standstill.halt.wait()
        finally:
            await _stop(driver)
        if isinstance(standstill.failure, Stopped):
            return Cancelled(reason=standstill.failure.reason)
        if standstill.failure is not None:
            raise standstill.failure
        await self._say_all(self._text.rest())
        requests = [request for some in standstill.requests.values() for request in some]
        if standstill.stopping and requests:
            return Waiting(saved=self._checkpoint(), requests=requests)
        driver.result()
        return await self._completed()

    async def _drive(self) -> None:
        app = self._app.model_copy(
            update={
                "plugins": [self._outer, *self._app.plugins, self._inner],
                # Its own way of going on with a run knows nothing of the toolbox.
                "resumability_config": None,
            }
        )
        runner = Runner(
            app=app,
            session_service=OneSession(self._session),
            **services_of(self._segment.agent, self._artifacts),
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
        if event.author != "user":
            self._last_result = _result_that_ends(event)
        await self._say_all(self._text.hear(event))

    async def _say_all(self, pieces: Sequence[tuple[str, str]]) -> None:
        for author, text in pieces:
            speaker = self._calls.speaker(author)
            await self._say(text, None if speaker == self._segment.agent_name else speaker)

    async def _completed(self) -> Completed:
        text = self._text
        if text.error and not text.last and self._last_result is None:
            raise AgentFailed(f"The model of '{self._root.name}' gave no answer: {text.error}")
        if self._replies.broke_off:
            raise ModelUnavailable("The reply of the model broke off before its end.")
        if self._last_result is not None:
            await self._say(self._last_result, None)
        await self._segment.env.flush_text()
        session, turns = self._session, self._record.began.turns
        self._warn_of_state(session.state)
        memory = SavedSession(session.events, session.state, turns, self._artifacts.dump())
        output = text.last if self._last_result is None else self._last_result
        return Completed(output=output, memory=memory.dump())

    def _checkpoint(self) -> SavedState:
        self._record.told, self._record.artifacts = self._text.told, self._artifacts.dump()
        return self._segment.saved_state(NAME, CODEC.written_by(), self._record.dump())

    def _warn_of_state(self, state: dict[str, Any]) -> None:
        wide = sorted(name for name in state if name.startswith(WIDE))
        if wide:
            log.warning(
                "the state %s of %r is kept with this chat alone", ", ".join(wide), self._root.name
            )

    # ── how it begins ──

    def _begin(self) -> tuple[AdkRecord, Session]:
        segment = self._segment
        if segment.saved is not None:
            record = AdkRecord.load(segment.saved.blob, segment.saved.version)
        else:
            remembered = self._remembered()
            kept, remembered.artifacts = remembered.artifacts, None
            record = AdkRecord(remembered, segment.task.words, artifacts=kept)
            record.began_dumped = record.began.dump()
        return record, session_of(segment, self._app.name, record.began)

    def _remembered(self) -> SavedSession:
        """Return what the agents know of the chat, with what they have not seen of it."""
        known = self._segment.agent_state
        if known is None:
            earlier, turns = self._segment.unseen(None)
            return SavedSession(self._as_events(earlier), {}, turns)
        memory = SavedSession.load(known.blob, "this agent's memory")
        missed, turns = self._segment.unseen(memory.turns)
        events = [*memory.events, *self._as_events(missed)]
        return SavedSession(events, memory.state, turns, memory.artifacts)

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


async def _stop(driver: asyncio.Task[None]) -> None:
    """Stop what is still running, and wait until nothing of it is."""
    if not driver.done():
        driver.cancel()
        await asyncio.wait({driver})
    if not driver.cancelled():
        driver.exception()  # seen: it is raised later, or it was stopped where it waited


class UnreadText:
    """The text of ADK's events that people have not read yet, and who says it.

    A streamed message comes in parts and then once more whole. Of agents that speak at the same
    time one speaks until its message is whole, and the others are held. A run that is played again
    says nothing that it has said before.
    """

    def __init__(self, told: dict[str, int]) -> None:
        self._before = dict(told)
        #: Characters of whole messages so far in this segment.
        self._at: dict[str, int] = {}
        #: Messages that are still being written, and how much of each was handed on.
        self._open: dict[str, str] = {}
        self._sent: dict[str, int] = {}
        self._speaker: str | None = None
        self._held: list[Event] = []
        self.last = ""
        self.error = ""

    @property
    def told(self) -> dict[str, int]:
        return self._before | {
            who: max(at, self._before.get(who, 0)) for who, at in self._at.items()
        }

    def hear(self, event: Event) -> list[tuple[str, str]]:
        """Return author and text of what is to be said now."""
        if event.error_code is not None:
            self.error = f"{event.error_code}: {event.error_message or 'no reason was given'}"
        text, who = _text(event), _who(event)
        if not text or event.author == "user":
            return []
        if event.partial:
            self._open[who] = self._open.get(who, "") + text
        if self._speaker not in (None, who):
            if not event.partial:
                self._held.append(event)
            return []
        if event.partial:
            self._speaker = who
            return [(event.author, self._more(who, self._open[who]))]
        return [(event.author, self._whole(event)), *self.rest()]

    def rest(self) -> list[tuple[str, str]]:
        """Return what was held."""
        held, self._held, self._speaker = self._held, [], None
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


def _result_that_ends(event: Event) -> str | None:
    """Return the result of a tool that says that no model is to be asked about it
    (`skip_summarization`)."""
    given = event.get_function_responses()
    if not event.actions.skip_summarization or event.actions.escalate or not given:
        return None
    found = given[-1].response or {}
    only = found.get("result") if set(found) == {"result"} else found
    if only in (None, "", {}):
        return None
    return only if isinstance(only, str) else orjson.dumps(only, default=str).decode()


def _who(event: Event) -> str:
    return f"{event.branch or ''}|{event.author}"


def session_of(segment: Segment, app_name: str, kept: SavedSession) -> Session:
    run = segment.env.run
    return Session(
        id=run.chat_id,
        app_name=app_name,
        user_id=run.person or "person",
        state=dict(kept.state),
        events=list(kept.events),
    )


class OneSession(BaseSessionService):
    """The one session of this segment; between segments it is part of the saved state."""

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


def services_of(agent: object, artifacts: ChatArtifacts) -> dict[str, Any]:
    """Return the services of a Runner; a chat keeps its artifacts itself where these would be gone
    with the process."""
    found: dict[str, Any] = {
        "artifact_service": artifacts,
        # Else the tools that search a memory raise, and a person is asked whether they ran.
        "memory_service": InMemoryMemoryService(),
    }
    if isinstance(agent, Runner):
        found["memory_service"] = agent.memory_service or found["memory_service"]
        found["credential_service"] = agent.credential_service
        if not isinstance(agent.artifact_service, InMemoryArtifactService | None):
            found["artifact_service"] = agent.artifact_service
    return found
