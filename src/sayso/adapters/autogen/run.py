"""One segment of an agent or a team of AutoGen: its turn, played from the start to where it ends or
waits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from autogen_agentchat.agents import UserProxyAgent
from autogen_agentchat.base import ChatAgent, Handoff, TaskResult
from autogen_agentchat.messages import (
    BaseChatMessage,
    HandoffMessage,
    TextMessage,
)
from autogen_agentchat.teams import BaseGroupChat
from autogen_agentchat.tools import AgentTool, TeamTool
from pydantic_core import to_jsonable_python

from sayso.adapters.autogen.agent_copy import AgentCopier
from sayso.adapters.autogen.scope import AgentPlace, RunScope
from sayso.adapters.autogen.segment_turns import (
    CODEC,
    AutoGenState,
    AutoGenTurns,
    hands_over,
    load_into,
    restore,
)
from sayso.adapters.contract import Segment
from sayso.adapters.text_queue import SayText
from sayso.core.errors import NotSupportedError
from sayso.core.segments import Cancelled, Completed, SegmentEnd, Waiting
from sayso.core.sessions import SavedState
from sayso.tools.suspension import Stopped, Suspend

#: Under this name the state is kept, and the adapter is known.
NAME = "autogen"


class AutoGenRun:
    """One segment of an agent or a team of AutoGen."""

    def __init__(self, segment: Segment, say: SayText) -> None:
        assert isinstance(segment.agent, ChatAgent | BaseGroupChat)
        self._segment = segment
        self._agent: ChatAgent | BaseGroupChat = segment.agent
        self._turns = AutoGenTurns(segment, say)

    async def run(self) -> SegmentEnd:
        if self._segment.deps is not None:
            raise NotSupportedError(
                "AutoGen hands no deps to its tools.",
                fix="Close over them where you make the tool.",
            )
        turns, agent = self._turns, self._agent
        scope = RunScope(has_secrets=any(tool.traits.secrets for tool in turns.toolbox.tools))
        copies = AgentCopier(turns, scope, self._delegate, ours=True)
        runner = copies.of(agent, AgentPlace(agent.name, known_as=turns.name))
        await self._begin(runner)
        self._segment.env.checkpoint = self._state
        earlier = [TextMessage(source=who, content=words) for who, words in turns.state.untold]
        first = TextMessage(content=self._segment.task.words, source="user")
        try:
            result = await self._turn(scope, runner, [*earlier, first], agent.name, self._hear)
        except Stopped as stopped:
            return Cancelled(reason=stopped.reason)
        if result is None:
            return Waiting(saved=self._state(), requests=list(turns.requests.values()))
        await self._segment.env.flush_text()
        memory = AutoGenState(
            to_jsonable_python(await runner.save_state()),
            delegates=self._newest_delegates(),
            people=turns.state.people,
        )
        return Completed(output=_output(result), memory=memory.dump())

    # ── from the saved state, and back ──

    async def _begin(self, runner: Any) -> None:
        """Bring the copy to where this turn began."""
        segment, turns = self._segment, self._turns
        if segment.saved is not None:
            turns.state = AutoGenState.load(segment.saved.blob, segment.saved.version)
            turns.replies.by_place.update(turns.state.replies)
            turns.recorded_turns.update(turns.state.turns)
            await load_into(runner, turns.state.state, segment.saved.version)
            return
        memory = AutoGenState(None)
        if segment.agent_state is not None:
            memory = AutoGenState.load(segment.agent_state.blob, "this agent's memory")
        state = turns.state
        missed, state.people = segment.unseen(memory.people)
        state.delegates = memory.delegates
        state.untold = await restore(
            runner, memory.state, missed, turns.name, "this agent's memory"
        )
        state.state = to_jsonable_python(await runner.save_state())

    def _state(self) -> SavedState:
        turns = self._turns
        turns.state.replies, turns.state.turns = turns.replies.by_place, turns.recorded_turns
        return self._segment.saved_state(NAME, CODEC.written_by(), turns.state.dump())

    def _newest_delegates(self) -> list[tuple[str, str, Any]]:
        newest = {path: state for path, _, state in self._turns.state.delegates}
        return [(path, "", state) for path, state in newest.items()]

    # ── a turn ──

    async def _turn(
        self,
        scope: RunScope,
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
            who = "" if last.source == runner.name else last.source
            said = self._turns.answer(path, _question(last), who)
            if said is None:
                return None
            task = [HandoffMessage(source=last.target, target=last.source, content=said)]

    async def _hear(self, message: object) -> None:
        """Say what no model has said; of handovers only those that are no question to a person."""
        if not isinstance(message, HandoffMessage) or message.target in _agents(self._agent):
            await self._turns.hear(message)

    async def _delegate(
        self,
        tool: AgentTool | TeamTool,
        place: AgentPlace,
        outer: RunScope,
        call_key: str,
        task: str,
    ) -> str:
        """Run the task of an AgentTool or a TeamTool, by a copy that goes on from its last task."""
        scope, kept = RunScope(has_secrets=outer.has_secrets), f"{place.path}/{tool.name}"
        state = self._turns.state
        here = AgentPlace(f"{call_key}>{tool.name}", known_as=tool.name, speaks=False)
        copies = AgentCopier(self._turns, scope, self._delegate, ours=False)
        runner = copies.of(tool._task_runner, here)
        earlier = [s for path, key, s in state.delegates if path == kept and key != call_key]
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
            raise Suspend(())
        done = [one for one in state.delegates if one[1] != call_key]
        after = to_jsonable_python(await runner.save_state())
        state.delegates = [*done, (kept, call_key, after)]
        return tool.return_value_as_string(result)


def _members(runner: object) -> set[str]:
    """Return to whom an agent of this runner may hand over; anyone else is a person."""
    if not isinstance(runner, BaseGroupChat):
        return set()
    return {member.name for member in runner._participants}


def _agents(runner: object) -> set[str]:
    """Return the names of all agents in there that are not people."""
    if not isinstance(runner, BaseGroupChat):
        return set() if isinstance(runner, UserProxyAgent) else {getattr(runner, "name", "")}
    return {name for member in runner._participants for name in _agents(member)}


def _question(handoff: HandoffMessage) -> str:
    """Return the handoff's own words, where its author gave it some."""
    if handoff.content == Handoff(target=handoff.target).message:
        return hands_over(handoff.source)
    return handoff.content


def _output(result: TaskResult) -> str:
    last = result.messages[-1] if result.messages else None
    return last.to_text() if isinstance(last, BaseChatMessage) else ""


async def _unseen(message: object) -> None:
    """Say nothing: a delegate's words are for the agent that asked it."""
