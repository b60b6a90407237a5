"""Agents of each framework that play a script: their reply is a function of the history alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterable, AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pydantic import JsonValue

from sayso.adapters.base import AgentProgram
from sayso.adapters.scripted import Call, Say, ScriptedAgent, Together
from sayso.core.policy import Rule, Verdict
from sayso.testing.adapter_contract import OWN_POLICY, TOOLS, Script, Turn, own_refund
from sayso.testing.contract.tools import refund
from sayso.tools.context import AgentContext
from sayso.tools.pause import StepFailed

if TYPE_CHECKING:
    from pydantic_ai import Agent


def words(text: str) -> list[str]:
    return [word + " " for word in text.split(" ")[:-1]]


def results(found: Sequence[object]) -> str:
    return "Results: " + "|".join(json.dumps(one) for one in found)


def function(script: Script) -> AgentProgram:
    async def agent(ctx: AgentContext) -> None:
        found: list[object] = []
        for turn in script:
            for word in words(turn.say):
                await ctx.say(word)
                await asyncio.sleep(0)
            found += await ctx.gather(*(call(ctx, name, args) for name, args in turn.calls))
        await ctx.say(results(found))

    async def call(ctx: AgentContext, name: str, args: Mapping[str, JsonValue]) -> JsonValue:
        try:
            return await ctx.call(name, **args)
        except StepFailed as exc:
            return str(exc)

    return AgentProgram(agent, tools=TOOLS)


def scripted(script: Script) -> AgentProgram:
    steps: list[Say | Call | Together] = []
    for turn in script:
        steps += [Say(word) for word in words(turn.say)]
        if turn.calls:
            steps.append(Together([Call(name, dict(args)) for name, args in turn.calls]))
    return AgentProgram(ScriptedAgent([*steps, Say(results)]), tools=TOOLS)


def pydantic_ai(script: Script) -> AgentProgram:
    return AgentProgram(_pydantic_agent(script), tools=TOOLS)


def pydantic_ai_own_tools(script: Script) -> AgentProgram:
    agent = _pydantic_agent(script)
    agent.tool_plain(own_refund)
    return AgentProgram(agent, tools=TOOLS, policy=OWN_POLICY)


def pydantic_ai_nested(script: Script) -> AgentProgram:
    """An agent whose own tool runs another agent, whose own tool is gated by its name."""
    outer = _pydantic_agent([Turn("", [("delegate", {})])])
    inner = _pydantic_agent(script)
    inner.tool_plain(name="refund")(refund.function)

    @outer.tool_plain
    async def delegate() -> str:
        """Let another agent do it."""
        return (await inner.run("go", event_stream_handler=_unheard)).output

    return AgentProgram(outer, policy=[Rule(tool="refund", then=Verdict.ASK)])


async def _unheard(ctx: object, events: AsyncIterable[object]) -> None:
    """That there is one lets the model of an agent stream, which is all that this model can."""
    async for _ in events:
        pass


def _pydantic_agent(script: Script) -> Agent[None, str]:
    from pydantic_ai import Agent
    from pydantic_ai.messages import (
        ModelMessage,
        ModelRequest,
        ModelResponse,
        ToolReturnPart,
        UserPromptPart,
    )
    from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

    async def model(
        messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | DeltaToolCalls]:
        start = max(
            i
            for i, message in enumerate(messages)
            if isinstance(message, ModelRequest)
            and any(isinstance(part, UserPromptPart) for part in message.parts)
        )
        mine = messages[start:]
        _no_call_dangles(messages)
        turn = sum(isinstance(message, ModelResponse) for message in mine)
        if turn < len(script):
            for word in words(script[turn].say):
                yield word
                await asyncio.sleep(0)
        if turn >= len(script) or not script[turn].calls:  # a reply without calls is the last
            found = [p.content for m in mine for p in m.parts if isinstance(p, ToolReturnPart)]
            yield results(found)
            return
        calls: DeltaToolCalls = {}
        for n, (name, args) in enumerate(script[turn].calls):
            # The same ids in every response, as some providers give.
            calls[n] = DeltaToolCall(name, json.dumps(args), tool_call_id=f"call_{n}")
        if calls:
            yield calls

    def _no_call_dangles(messages: list[ModelMessage]) -> None:
        for place, message in enumerate(messages):
            if isinstance(message, ModelResponse) and message.tool_calls:
                after = messages[place + 1].parts
                answered = {getattr(part, "tool_call_id", None) for part in after}
                assert {call.tool_call_id for call in message.tool_calls} <= answered

    return Agent(FunctionModel(stream_function=model), name="agent")
