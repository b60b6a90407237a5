"""An agent of AG2 that plays a script: its reply is a function of the history alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from ag2 import Agent, Context, ToolResult, tool
from ag2.config import LLMClient, ModelConfig, ModelProvider
from ag2.events import (
    BaseEvent,
    DataInput,
    ModelMessage,
    ModelMessageChunk,
    ModelRequest,
    ModelResponse,
    TextInput,
    ToolCallEvent,
    ToolCallsEvent,
    ToolResultsEvent,
)
from ag2.middleware import approval_required
from ag2.response import PromptedSchema
from ag2.tools.subagents import background_agent_tool

from sayso.adapters.program import AgentProgram
from sayso.core.policy_rules import Rule, Verdict
from sayso.testing.adapter_contract import OWN_POLICY, TOOLS, Script, Turn, own_refund
from sayso.testing.contract.tools import (
    ANSWER,
    QUESTION_RESULT,
    OrderState,
    did,
    own_final,
    own_slow,
    refund,
)


class ScriptedClient(LLMClient):
    """Plays its script's turns; a reply without calls is the last."""

    def __init__(self, script: Script, last: str | None = None) -> None:
        #: What it says at the end in place of the results.
        self.script, self.last = script, last

    async def __call__(
        self, messages: Sequence[BaseEvent], context: Context, **options: Any
    ) -> ModelResponse:
        _no_call_dangles(messages)
        last = max(n for n, m in enumerate(messages) if isinstance(m, ModelRequest))
        mine = messages[last:]
        turn = sum(isinstance(m, ModelResponse) for m in mine)
        said = self.script[turn].say if turn < len(self.script) else ""
        calls = list(self.script[turn].calls) if turn < len(self.script) else []
        if not calls:
            found = [
                _value(result)
                for m in mine
                if isinstance(m, ToolResultsEvent)
                for result in m.results
            ]
            said += self.last or "Results: " + "|".join(json.dumps(one) for one in found)
        words = said.split(" ")
        for word in [*(w + " " for w in words[:-1]), words[-1]]:
            if word:
                await context.send(ModelMessageChunk(word))
                await asyncio.sleep(0)
        return ModelResponse(
            ModelMessage(said) if said else None,
            tool_calls=ToolCallsEvent(
                # The same ids in every response, as some providers give.
                [
                    ToolCallEvent(
                        name,
                        id=f"call_{n}",
                        arguments=args if isinstance(args, str) else json.dumps(args),
                    )
                    for n, (name, args) in enumerate(calls)
                ]
            ),
        )


class ScriptedConfig(ModelConfig):
    provider = ModelProvider.OPENAI  # read by nothing here
    model = "scripted"

    def __init__(self, client: LLMClient) -> None:
        self.client = client

    def copy(self) -> ScriptedConfig:
        return self

    def create(self) -> LLMClient:
        return self.client

    def create_files_client(self) -> Any:
        raise NotImplementedError


def _value(result: Any) -> object:
    (part,) = result.result.parts
    if isinstance(part, TextInput):
        return part.content
    assert isinstance(part, DataInput)
    return part.data


def _no_call_dangles(messages: Sequence[BaseEvent]) -> None:
    responses = [n for n, m in enumerate(messages) if isinstance(m, ModelResponse) and m.tool_calls]
    for place, upto in zip(responses, [*responses[1:], len(messages)], strict=False):
        response = messages[place]
        assert isinstance(response, ModelResponse)
        answered = [
            result.parent_id
            for m in messages[place:upto]
            if isinstance(m, ToolResultsEvent)
            for result in m.results
        ]
        assert [call.id for call in response.tool_calls.calls] == answered


def scripted(name: str, script: Script, *tools: Any) -> Agent[Any]:
    return Agent(name, config=ScriptedConfig(ScriptedClient(script)), tools=tools)


def ag2(script: Script) -> AgentProgram:
    return AgentProgram(scripted("agent", script), tools=TOOLS)


def ag2_own_tools(script: Script) -> AgentProgram:
    agent = scripted("agent", script, own_refund)
    return AgentProgram(agent, tools=TOOLS, policy=OWN_POLICY)


def ag2_nested(script: Script) -> AgentProgram:
    """An agent that passes its task on to another, whose own tool asks by its name."""
    inner = scripted("inner", script, tool(refund.function, name="refund"))
    passes_on = (Turn("", [("task_inner", {"objective": "go"})]),)
    outer = scripted("outer", passes_on, inner.as_tool(description="Lets another one do it."))
    return AgentProgram(outer, policy=[Rule(tool="refund", then=Verdict.ASK)])


def ag2_own_state(script: Script) -> AgentProgram:
    """Its tools share the variables of the context."""

    @tool
    async def note(ctx: Context) -> str:
        """Note it."""
        did("note")
        ctx.variables["noted"] = "once"
        return "noted"

    @tool
    async def recall(ctx: Context) -> str:
        """Recall it."""
        did(f"recall {ctx.variables.get('noted')}")
        return "recalled"

    return AgentProgram(scripted("agent", script, note, recall))


def ag2_own_blocking(script: Script) -> AgentProgram:
    return AgentProgram(scripted("agent", script, own_slow))


def ag2_output_native(script: Script) -> AgentProgram:
    return _with_output(script, OrderState)


def ag2_output_prompted(script: Script) -> AgentProgram:
    return _with_output(script, PromptedSchema(OrderState))


def _with_output(script: Script, schema: Any) -> AgentProgram:
    config = ScriptedConfig(ScriptedClient(script, json.dumps(ANSWER)))
    return AgentProgram(Agent("agent", config=config, response_schema=schema), tools=TOOLS)


def ag2_ends_on_result(script: Script) -> AgentProgram:
    @tool(name="own_final")
    def final() -> ToolResult:
        """Give the last word."""
        return ToolResult(own_final(), final=True)

    return AgentProgram(scripted("agent", script, final))


def ag2_asks_as_object(script: Script) -> AgentProgram:
    def own_question() -> dict[str, Any]:
        """Ask which allocation."""
        did("own_question")
        return dict(QUESTION_RESULT)

    return AgentProgram(scripted("agent", script, own_question))


def ag2_asks_as_text(script: Script) -> AgentProgram:
    def own_question() -> str:
        """Ask which allocation."""
        did("own_question")
        return json.dumps(QUESTION_RESULT)

    return AgentProgram(scripted("agent", script, own_question))


def ag2_refused(script: Script) -> AgentProgram:
    inner = scripted("inner", script)
    return AgentProgram(
        scripted("agent", (), background_agent_tool(inner, description="Does it later."))
    )


# ── its own ways to ask a person ──


def ag2_approval_required(script: Script) -> AgentProgram:
    gated = tool(own_refund, middleware=[approval_required()])
    return AgentProgram(scripted("agent", script, gated))


def ag2_input(script: Script) -> AgentProgram:
    @tool
    async def ask_size(ctx: Context) -> str:
        """Ask for the size."""
        return await ctx.input("Which size?")

    return AgentProgram(scripted("agent", script, ask_size))
