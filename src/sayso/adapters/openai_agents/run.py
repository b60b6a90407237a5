"""One segment of an agent of OpenAI Agents: its turn, from its message to its end or to the calls
that wait."""

from __future__ import annotations

from typing import Any

import orjson
from agents import Agent, OutputGuardrailTripwireTriggered, RunConfig
from agents.run import AgentRunner
from agents.tracing import get_trace_provider
from agents.tracing.processors import default_processor
from pydantic_core import to_jsonable_python

from sayso.adapters.contract import Segment
from sayso.adapters.openai_agents.agent_copy import AgentCopies, run_within_calls
from sayso.adapters.openai_agents.checks import agents_within
from sayso.adapters.openai_agents.mcp_servers import connected_servers
from sayso.adapters.openai_agents.state import (
    CODEC,
    ENCLOSING,
    NAME,
    OpenAIAgentsState,
    OpenAIEnclosing,
    OpenAITurn,
)
from sayso.adapters.text_queue import SayText, was_said
from sayso.core.errors import AgentFailed
from sayso.core.segments import Completed, SegmentEnd
from sayso.core.sessions import SavedState
from sayso.core.tasks import UniversalMessage

#: Turns of a model within one message; beyond these an agent goes round in circles.
MAX_TURNS = 100
_STOPPED = "The guardrail '{}' stopped the turn."


class OpenAIAgentsRun:
    """One segment of an agent of OpenAI Agents."""

    def __init__(self, segment: Segment, say_text: SayText) -> None:
        assert isinstance(segment.agent, Agent)
        self._segment, self._agent, self._say_text = segment, segment.agent, say_text
        self._state = _begin(segment)

    async def run(self) -> SegmentEnd:
        async with connected_servers(self._agent):
            return await self._play()

    async def _play(self) -> SegmentEnd:
        segment = self._segment
        context = await segment.make_deps()
        turn = self._turn = OpenAITurn(
            segment, self._state, self._agent.name, context, self._say_text
        )
        segment.env.checkpoint = self._saved
        enclosing = OpenAIEnclosing(turn)
        run_within_calls()
        ENCLOSING.set(enclosing)
        copies = AgentCopies(enclosing, "")
        result = AgentRunner().run_streamed(
            copies.of(self._starting()),
            list(self._state.items),
            context=context,
            max_turns=MAX_TURNS,
            run_config=RunConfig(
                tracing_disabled=not is_traced_elsewhere(),
                tool_not_found_behavior="return_error_to_model",
            ),
        )
        try:
            async for _ in result.stream_events():
                pass
        except OutputGuardrailTripwireTriggered as exc:
            if not turn.is_over:
                name = exc.guardrail_result.guardrail.get_name()
                raise AgentFailed(_STOPPED.format(name)) from exc
        except Exception:
            # One that refuses the message is told of late, where a call has stopped the turn.
            for one in result.input_guardrail_results:
                if one.output.tripwire_triggered and turn.fatal is None:
                    raise AgentFailed(_STOPPED.format(one.guardrail.get_name())) from None
            if not turn.is_over:
                raise
        return turn.end(self._saved) if turn.is_over else await self._completed(result)

    async def _completed(self, result: Any) -> Completed:
        output, speaker = result.final_output, result.last_agent.name
        text = output if isinstance(output, str) else _json(output)
        if not was_said(self._turn.said, text):  # else it was streamed
            await self._turn.say(text, speaker)
        await self._segment.env.flush_text()
        memory = OpenAIAgentsState(
            items=result.to_input_list(),
            agent=speaker,
            people=self._state.people,
            context=self._turn.changed,
        )
        return Completed(output=text, memory=memory.dump())

    def _starting(self) -> Agent[Any]:
        """Return the agent that has the chat: where it was handed over, that one."""
        within = [agent for _, agent in agents_within(self._agent, "", handoffs_only=True)]
        return next((one for one in within if one.name == self._state.agent), self._agent)

    def _saved(self) -> SavedState:
        self._state.context = self._turn.changed
        return self._segment.saved_state(NAME, CODEC.written_by(), self._state.dump())


def _begin(segment: Segment) -> OpenAIAgentsState:
    if segment.saved is not None:
        return OpenAIAgentsState.load(segment.saved.blob, segment.saved.version)
    state, seen, known = OpenAIAgentsState([]), None, segment.agent_state
    if known is not None:
        state = OpenAIAgentsState.load(known.blob, "this agent's memory")
        seen = state.people
    missed, state.people = segment.unseen(seen)
    state.items += [_item(message) for message in missed if message.content]
    state.items.append({"role": "user", "content": segment.task.words})
    return state


def _item(message: UniversalMessage) -> dict[str, str]:
    role = message.role if message.role in ("user", "system", "assistant") else "assistant"
    return {"role": role, "content": message.content}


def _json(output: object) -> str:
    return orjson.dumps(to_jsonable_python(output)).decode()


def is_traced_elsewhere() -> bool:
    """Tell whether the application has set where traces go (`agents.set_trace_processors`): then
    they go there. The framework alone would send them to OpenAI."""
    processors = getattr(get_trace_provider(), "_multi_processor", None)
    found = getattr(processors, "_processors", ())
    return bool(found) and default_processor() not in found
