"""One segment of an agent or a team of AutoGen: its turn, played from the start to where it ends or
waits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from autogen_agentchat.base import ChatAgent, Handoff, TaskResult
from autogen_agentchat.messages import (
    BaseChatMessage,
    HandoffMessage,
    TextMessage,
    ToolCallSummaryMessage,
)
from autogen_agentchat.teams import BaseGroupChat
from autogen_agentchat.tools import AgentTool, TeamTool
from autogen_core import CancellationToken
from pydantic_core import to_jsonable_python

from sayso.adapters.autogen.copies import Copies
from sayso.adapters.autogen.memory import Saved, load_into, restore, written_by_now
from sayso.adapters.autogen.replies import Record
from sayso.adapters.autogen.seams import Place, Scope, Stop
from sayso.adapters.base import Segment
from sayso.adapters.chats import after_turn, before, messages_of_people
from sayso.core.children import Request
from sayso.core.errors import NotSupportedError
from sayso.core.segments import Cancelled, Completed, SegmentEnd, Waiting
from sayso.core.sessions import SavedState
from sayso.tools import questions
from sayso.tools.outcomes import outcome_of
from sayso.tools.pause import Pause, Stopped

#: Under this name the state is kept, and the adapter is known.
NAME = "autogen"
#: What an agent hears instead of an answer.
_UNANSWERED = "The person did not answer ({status})."


class Run:
    """One segment of an agent or a team of AutoGen."""

    def __init__(self, segment: Segment) -> None:
        assert isinstance(segment.agent, ChatAgent | BaseGroupChat)
        self.segment = segment
        self.agent: ChatAgent | BaseGroupChat = segment.agent
        self.name = segment.agent_name
        self.toolbox = segment.toolbox
        self.record = Record()
        self.turns: dict[str, Any] = {}
        #: The cards that this segment asked for, by their keys.
        self.requests: dict[str, Request] = {}
        self._saved = Saved(None)
        #: Where each agent stands whose model has spoken, by its name.
        self._spoke: dict[str, str] = {}
        self._people = {"user"}
        self._asked: dict[str, int] = {}

    async def to_its_end(self) -> SegmentEnd:
        if self.segment.deps is not None:
            raise NotSupportedError(
                "AutoGen hands no deps to its tools.",
                fix="Close over them where you make the tool.",
            )
        scope = Scope(has_secrets=any(tool.traits.secrets for tool in self.toolbox.tools))
        runner = Copies(self, scope, ours=True).of(self.agent, Place(self.agent.name))
        await self._begin(runner)
        self.segment.world.checkpoint = self._state
        earlier = [TextMessage(source=who, content=words) for who, words in self._saved.untold]
        first = TextMessage(content=self.segment.task.words, source="user")
        try:
            result = await self._turn(scope, runner, [*earlier, first], self.agent.name, self._saw)
        except Stopped as stopped:
            return Cancelled(reason=stopped.reason)
        if result is None:
            return Waiting(saved=self._state(), requests=list(self.requests.values()))
        await self.segment.world.drain()
        memory = Saved(
            to_jsonable_python(await runner.save_state()),
            delegates=self._newest_delegates(),
            people=self._saved.people,
        )
        return Completed(output=_output(result), memory=memory.dump())

    # ── from the saved state, and back ──

    async def _begin(self, runner: Any) -> None:
        """Bring the copy to where this turn began."""
        segment = self.segment
        if segment.saved is not None:
            self._saved = Saved.load(segment.saved.blob, segment.saved.version)
            self.record.replies.update(self._saved.replies)
            self.turns.update(self._saved.turns)
            await load_into(runner, self._saved.state, segment.saved.version)
            return
        chat, memory = before(segment), Saved(None)
        if segment.agent_state is not None:
            memory = Saved.load(segment.agent_state.blob, "this agent's memory")
        missed = after_turn(chat, memory.people)
        self._saved.delegates = memory.delegates
        self._saved.untold = await restore(
            runner, memory.state, missed, self.name, "this agent's memory"
        )
        self._saved.people = 1 + messages_of_people(chat)
        self._saved.state = to_jsonable_python(await runner.save_state())

    def _state(self) -> SavedState:
        self._saved.replies, self._saved.turns = self.record.replies, self.turns
        return self.segment.saved_state(NAME, written_by_now(), self._saved.dump())

    def _newest_delegates(self) -> list[tuple[str, str, Any]]:
        newest = {path: state for path, _, state in self._saved.delegates}
        return [(path, "", state) for path, state in newest.items()]

    # ── a turn ──

    async def _turn(
        self,
        scope: Scope,
        runner: Any,
        task: Sequence[BaseChatMessage],
        path: str,
        saw: Callable[[object], Awaitable[None]],
    ) -> TaskResult | None:
        """Run a task to its end; where the agent hands over to the person, ask, and go on with the
        answer."""
        while True:
            stream = runner.run_stream(task=list(task), output_task_messages=False)
            result: TaskResult | None = await scope.run(stream, saw)
            if result is None:
                return None
            last = result.messages[-1] if result.messages else None
            if not isinstance(last, HandoffMessage) or last.target in _members(runner):
                return result
            said = self._answer(path, _question(last))
            if said is None:
                return None
            task = [HandoffMessage(source=last.target, target=last.source, content=said)]

    async def delegate(
        self, tool: AgentTool | TeamTool, place: Place, outer: Scope, call_key: str, task: str
    ) -> str:
        """The task of an AgentTool or a TeamTool, by a copy that goes on from its last task."""
        scope, kept = Scope(has_secrets=outer.has_secrets), f"{place.path}/{tool.name}"
        here = Place(f"{call_key}>{tool.name}", speaks=False)
        runner = Copies(self, scope, ours=False).of(tool._task_runner, here)
        earlier = [s for path, key, s in self._saved.delegates if path == kept and key != call_key]
        if earlier:
            await load_into(runner, earlier[-1], "this agent's memory")
        first = TextMessage(content=task, source="user")
        try:
            result = await self._turn(scope, runner, [first], here.path, _unseen)
        except BaseException as exc:
            if exc is scope.fatal:  # the end of the segment, not the failure of a tool
                outer.fail(exc)
            raise
        if result is None:
            raise Pause(())
        done = [one for one in self._saved.delegates if one[1] != call_key]
        after = to_jsonable_python(await runner.save_state())
        self._saved.delegates = [*done, (kept, call_key, after)]
        return tool.return_value_as_string(result)

    # ── words ──

    async def say(self, speaker: str, text: str) -> None:
        """Say what has not been said before; a speaker's words begin a paragraph of their own."""
        self._spoke.setdefault(speaker.rpartition("/")[2], speaker)
        fresh = self.segment.world.journal.say(f"text:{speaker}", text)
        if not fresh:
            return
        if self._saved.speaker not in ("", speaker):
            fresh = "\n\n" + fresh
        self._saved.speaker = speaker
        await self.segment.world.say(fresh)

    async def _saw(self, message: object) -> None:
        """Say the messages that no model of ours has said: summaries of calls, and what agents say
        by themselves."""
        if not isinstance(message, BaseChatMessage) or self.requests:
            return
        if message.source in self._people or isinstance(message, HandoffMessage):
            return
        if message.source in self._spoke and not isinstance(message, ToolCallSummaryMessage):
            return
        await self.say(self._spoke.get(message.source, message.source), message.to_text())

    async def ask_for(
        self, scope: Scope, place: Place, name: str, prompt: str, token: CancellationToken | None
    ) -> str:
        """What a UserProxyAgent calls instead of its `input_func`: a card asks the person."""
        scope.check()
        self._people.add(name)
        _, handed_over, rest = prompt.partition("Handoff received from ")
        who = rest.partition(".")[0] if handed_over else ""
        said = self._answer(place.path, _hands_over(who) if who else "What do you say?")
        if said is None:
            scope.pending = True
            raise Stop
        return said

    def _answer(self, path: str, words: str) -> str | None:
        """The person's answer to the next question of this place, or None where it is open."""
        number = self._asked[path] = self._asked.get(path, 0) + 1
        key = f"{path}?{number}"
        it = self.segment.world.answer(key)
        if it is None:
            card = questions.question(words, [], True, {})
            self.requests[key] = questions.request(
                key, card, {}, agent_name=self.name, tool_call_id=None
            )
            return None
        outcome = outcome_of(it)
        if it.response is None or not outcome.approved:
            return _UNANSWERED.format(status=outcome.status)
        data = it.response.response_data
        return data.additional_notes or data.selected_option or ""


def _members(runner: object) -> set[str]:
    """To whom an agent of this runner may hand over; anyone else is a person."""
    if not isinstance(runner, BaseGroupChat):
        return set()
    return {member.name for member in runner._participants}


def _question(handoff: HandoffMessage) -> str:
    """The handoff's own words, where its author gave it some."""
    if handoff.content == Handoff(target=handoff.target).message:
        return _hands_over(handoff.source)
    return handoff.content


def _hands_over(who: str) -> str:
    return f"{who} hands over to you. What do you say?"


def _output(result: TaskResult) -> str:
    last = result.messages[-1] if result.messages else None
    return last.to_text() if isinstance(last, BaseChatMessage) else ""


async def _unseen(message: object) -> None:
    """A delegate's words are for the agent that asked it."""
