"""One segment of an agent of Microsoft Agent Framework: its turn, from its message to its end or to
the calls that wait."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent_framework import AgentResponse, AgentSession, Message, RawAgent

from sayso.adapters.agent_framework.agent_copy import AgentCopy, route_within_calls
from sayso.adapters.agent_framework.state import (
    CODEC,
    ENCLOSING,
    NAME,
    AgentFrameworkEnclosing,
    AgentFrameworkState,
    AgentFrameworkTurn,
    session_body,
)
from sayso.adapters.contract import Segment
from sayso.adapters.text_queue import SayText
from sayso.core.digest import JsonObject
from sayso.core.errors import ModelUnavailable, NotSupportedError
from sayso.core.segments import Completed, SegmentEnd
from sayso.core.sessions import SavedState
from sayso.core.tasks import UniversalMessage


class AgentFrameworkRun:
    """One segment of an agent of Microsoft Agent Framework."""

    def __init__(self, segment: Segment, say_text: SayText) -> None:
        assert isinstance(segment.agent, RawAgent)
        self._segment, self._agent, self._say_text = segment, segment.agent, say_text
        self._state = _begin(segment)
        self._turn = AgentFrameworkTurn(segment, self._state, self._agent)

    async def run(self) -> SegmentEnd:
        turn = self._turn
        self._segment.env.checkpoint = self._saved
        assert self._state.session is not None
        session = AgentSession.from_dict(self._state.session)
        enclosing = AgentFrameworkEnclosing(turn)
        route_within_calls(self._agent)
        ENCLOSING.set(enclosing)
        try:
            response = await self._play(AgentCopy(self._agent, enclosing, "", ""), session)
        except Exception as exc:
            if not turn.is_over:
                if not isinstance(exc, ModelUnavailable):
                    raise
                turn.end_with(exc)
            return turn.end(self._saved)
        if turn.is_over:
            return turn.end(self._saved)
        return await self._completed(response, session)

    async def _play(self, mine: AgentCopy, session: AgentSession) -> AgentResponse[Any]:
        deps = await self._segment.make_deps()
        stream = mine.agent.run(
            [Message.from_dict(message) for message in self._state.messages],
            stream=True,
            session=session,
            tools=mine.offered,
            function_invocation_kwargs=deps if isinstance(deps, Mapping) else None,
        )
        async for update in stream:
            for one in update.contents:
                if one.type == "text":
                    await self._say(one.text or "")
        found: AgentResponse[Any] = await stream.get_final_response()
        return found

    async def _say(self, text: str) -> None:
        """Say what has not been said before: recorded replies come again whole."""
        fresh = self._segment.env.journal.say("", text)
        if fresh:
            await self._say_text(fresh, None)

    async def _completed(self, response: AgentResponse[Any], session: AgentSession) -> Completed:
        if asks := response.user_input_requests:
            raise NotSupportedError(
                f"The agent ended with a {asks[0].type} of its own, which nothing here can answer.",
                fix="Let a policy of Sayso, or the tool's approval_mode, ask the person.",
            )
        text = _last_text(response)
        if text is None:  # a middleware ended it on the results of its calls
            text = _results(response)
            await self._say(text)
        await self._segment.env.flush_text()
        memory = AgentFrameworkState(session=session_body(session), people=self._state.people)
        return Completed(output=text, memory=memory.dump())

    def _saved(self) -> SavedState:
        return self._segment.saved_state(NAME, CODEC.written_by(), self._state.dump())


def _begin(segment: Segment) -> AgentFrameworkState:
    if segment.saved is not None:
        return AgentFrameworkState.load(segment.saved.blob, segment.saved.version)
    known, run = segment.agent_state, segment.env.run
    if known is not None:
        state = AgentFrameworkState.load(known.blob, "this agent's memory")
        missed, state.people = segment.unseen(state.people)
    else:
        session = AgentSession(session_id=run.chat_id or run.id)
        missed, people = segment.unseen(None)
        state = AgentFrameworkState(session=session_body(session), people=people)
    words = UniversalMessage(role="user", content=segment.task.words)
    told = [*(message for message in missed if message.content), words]
    state.messages = [_message(one, f"{run.id}-{number}") for number, one in enumerate(told)]
    return state


def _message(message: UniversalMessage, message_id: str) -> JsonObject:
    """Return a message with an id: without one, the framework takes the same words for the same
    message."""
    role = message.role if message.role in ("user", "system", "assistant") else "assistant"
    made: JsonObject = Message(role, [message.content], message_id=message_id).to_dict()
    return made


def _last_text(response: AgentResponse[Any]) -> str | None:
    """Return what the agent said last; None where nothing came after its calls."""
    last = response.messages[-1] if response.messages else None
    if last is not None and last.role == "tool":
        return None
    texts = (message.text for message in reversed(response.messages) if message.role == "assistant")
    return next((text for text in texts if text), "")


def _results(response: AgentResponse[Any]) -> str:
    contents = response.messages[-1].contents
    return "\n".join(str(one.result) for one in contents if one.type == "function_result")
