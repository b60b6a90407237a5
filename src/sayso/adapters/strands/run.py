"""One segment of an agent of Strands: its turn, from its message to its end or to the calls that
wait."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from functools import partial
from typing import Any

import orjson
from pydantic_core import to_jsonable_python
from strands import Agent
from strands.agent.agent_result import AgentResult

from sayso.adapters.contract import Segment
from sayso.adapters.strands.agent_copy import copy_of, load, snapshot_of
from sayso.adapters.strands.native_tool import OfferedTool
from sayso.adapters.strands.running_agent import RunningAgent
from sayso.adapters.strands.state import (
    CODEC,
    ENCLOSING,
    NAME,
    AgentRow,
    StrandsEnclosing,
    StrandsState,
    StrandsTurn,
    unwrapped,
)
from sayso.adapters.text_queue import SayText, was_said
from sayso.core.errors import NotSupportedError
from sayso.core.segments import Completed, SegmentEnd
from sayso.core.sessions import SavedState
from sayso.core.tasks import UniversalMessage
from sayso.tools.suspension import Suspend


class StrandsRun:
    """One segment of an agent of Strands."""

    def __init__(self, segment: Segment, say_text: SayText) -> None:
        assert isinstance(segment.agent, Agent)
        self._segment, self._agent, self._say_text = segment, segment.agent, say_text

    async def run(self) -> SegmentEnd:
        segment = self._segment
        mine = copy_of(self._agent)
        turn = self._turn = StrandsTurn(
            segment, self._begin(mine), self._agent.name, RunningAgent, self._say_text
        )
        for tool in turn.ours.values():
            mine.tool_registry.register_tool(OfferedTool(tool))
        enclosing = StrandsEnclosing(turn)
        ENCLOSING.set(enclosing)
        agent = self._running = RunningAgent(mine, enclosing)
        with CODEC.reading(segment.saved.version if segment.saved else "this agent's memory"):
            agent.stand_at("")
        segment.env.checkpoint = self._saved
        context = invocation_state(await segment.make_deps())
        result: AgentResult | None = None
        try:
            stream = partial(mine.stream_async, invocation_state=context)
            async for event in agent.stream(segment.task.words, stream, {}):
                result = event.get("result", result)
        except Suspend:
            return turn.end(self._saved)
        except Exception as exc:
            if turn.is_over:
                return turn.end(self._saved)
            raised = unwrapped(exc)
            raise raised from raised.__cause__
        assert result is not None
        if result.stop_reason == "interrupt":
            agent.open_cards(result)
        if turn.is_over:
            return turn.end(self._saved)
        return await self._completed(result)

    async def _completed(self, result: AgentResult) -> Completed:
        turn, text = self._turn, answer_of(result)
        if not was_said(self._running.said, text):  # else it was streamed
            await turn.say(text, turn.root)
        await self._segment.env.flush_text()
        snapshot = snapshot_of(self._running.agent)
        del snapshot["interrupt_state"]
        rows = {"": AgentRow(snapshot)}
        memory = StrandsState(rows, people=turn.state.people, kept=turn.state.kept)
        return Completed(output=text, memory=memory.dump())

    # ── from the saved state, and back ──

    def _begin(self, agent: Agent) -> StrandsState:
        segment = self._segment
        if segment.saved is not None:
            return StrandsState.load(segment.saved.blob, segment.saved.version)
        state, seen, known = StrandsState({}), None, segment.agent_state
        if known is not None:
            written_by = "this agent's memory"
            state = StrandsState.load(known.blob, written_by)
            seen = state.people
            with CODEC.reading(written_by):
                load(agent, state.agents[""].snapshot or {})
        missed, state.people = segment.unseen(seen)
        for message in missed:
            _add(agent.messages, message)
        state.agents = {"": AgentRow(snapshot_of(agent))}
        return state

    def _saved(self) -> SavedState:
        return self._segment.saved_state(NAME, CODEC.written_by(), self._turn.saved())


def answer_of(result: AgentResult) -> str:
    """Return what an agent has answered: its words, or its structured answer as JSON."""
    answer = result.structured_output
    if answer is not None:
        return orjson.dumps(to_jsonable_python(answer)).decode()
    return "".join(block.get("text", "") for block in result.message.get("content", ()))


def invocation_state(deps: object) -> dict[str, Any]:
    """Return the application's deps as what the framework gives to tools and hooks."""
    if deps is None or isinstance(deps, Mapping):
        return dict(deps or {})
    raise NotSupportedError(
        f"Strands gives tools what they need by name, and this is one {type(deps).__name__}.",
        fix="Give them as a dict: App(agent, deps={'name': value}); tools read them from "
        "`tool_context.invocation_state`.",
    )


def _add(messages: list[Any], message: UniversalMessage) -> None:
    """Add a message of the chat; providers want those of people and of the agent in turn."""
    if not message.content.strip():
        return
    role = "user" if message.role == "user" else "assistant"
    block = {"text": message.content}
    if messages and messages[-1]["role"] == role:
        last = messages[-1] = copy(messages[-1])
        last["content"] = [*last["content"], block]
    else:
        messages.append({"role": role, "content": [block]})
