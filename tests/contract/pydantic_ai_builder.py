"""Agents of Pydantic AI that play a script: their model's reply is a function of the history
alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterable, AsyncIterator, Callable, Sequence
from typing import Any

from pydantic_ai import (
    Agent,
    ApprovalRequired,
    CallDeferred,
    DeferredToolRequests,
    ModelRetry,
    NativeOutput,
    PromptedOutput,
    RunContext,
)
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from pydantic_ai.profiles import ModelProfile

from sayso.adapters.program import AgentProgram
from sayso.core.policy_rules import Rule, Verdict
from sayso.testing.adapter_contract import OWN_POLICY, TOOLS, Script, Turn, own_refund
from sayso.testing.contract.script import as_written
from sayso.testing.contract.tools import (
    ANSWER,
    POOR_ANSWER,
    QUESTION_RESULT,
    OrderState,
    did,
    own_slow,
    refund,
)
from tests.contract.builders import results, words

#: What the model says once its script is played: words, or a call of an output tool.
Last = Callable[[list[ModelMessage], AgentInfo], str | DeltaToolCalls]


def pydantic_ai(script: Script) -> AgentProgram:
    return AgentProgram(scripted_agent(script), tools=TOOLS)


def own_tools(script: Script) -> AgentProgram:
    agent = scripted_agent(script)
    agent.tool_plain(own_refund)
    return AgentProgram(agent, tools=TOOLS, policy=OWN_POLICY)


def nested(script: Script) -> AgentProgram:
    """An agent whose own tool runs another agent, whose own tool asks by its name."""
    outer = scripted_agent([Turn("", [("delegate", {})])])
    inner = scripted_agent(script)
    inner.tool_plain(name="refund")(refund.function)

    @outer.tool_plain
    async def delegate() -> str:
        """Let another agent do it."""
        return str((await inner.run("go", event_stream_handler=_unheard)).output)

    return AgentProgram(outer, policy=[Rule(tool="refund", then=Verdict.ASK)])


def own_blocking(script: Script) -> AgentProgram:
    agent = scripted_agent(script)
    agent.tool_plain(own_slow)
    return AgentProgram(agent, tools=TOOLS)


def output_tool(script: Script) -> AgentProgram:
    return _with_output(script, OrderState, _by_tool)


def output_native(script: Script) -> AgentProgram:
    return _with_output(script, NativeOutput(OrderState), lambda mine, info: json.dumps(ANSWER))


def output_prompted(script: Script) -> AgentProgram:
    return _with_output(script, PromptedOutput(OrderState), lambda mine, info: json.dumps(ANSWER))


def output_validated(script: Script) -> AgentProgram:
    def last(mine: list[ModelMessage], info: AgentInfo) -> DeltaToolCalls:
        out = info.output_tools[0].name
        again = any(
            isinstance(part, ToolCallPart) and part.tool_name == out
            for message in mine
            for part in message.parts
        )
        given = ANSWER if again else POOR_ANSWER
        return {0: DeltaToolCall(out, json.dumps(given), tool_call_id="out")}

    agent = scripted_agent(script, last, output_type=OrderState)

    @agent.output_validator
    def look_at(outcome: OrderState) -> OrderState:
        if not outcome.ok:
            raise ModelRetry("It must be ok.")
        return outcome

    return AgentProgram(agent, tools=TOOLS)


def asks_as_object(script: Script) -> AgentProgram:
    agent = scripted_agent(script)

    @agent.tool_plain
    def own_question() -> dict[str, Any]:
        """Ask which allocation."""
        did("own_question")
        return dict(QUESTION_RESULT)

    return AgentProgram(agent)


def asks_as_text(script: Script) -> AgentProgram:
    agent = scripted_agent(script)

    @agent.tool_plain
    def own_question() -> str:
        """Ask which allocation."""
        did("own_question")
        return json.dumps(QUESTION_RESULT)

    return AgentProgram(agent)


def refused(script: Script) -> AgentProgram:
    return AgentProgram(scripted_agent(script, deps_type=dict))


# ── its own ways to ask ──


def requires_approval(script: Script) -> AgentProgram:
    agent = scripted_agent(script, output_type=[str, DeferredToolRequests])
    agent.tool_plain(requires_approval=True)(own_refund)
    return AgentProgram(agent)


def approval_required(script: Script) -> AgentProgram:
    agent = scripted_agent(script, output_type=[str, DeferredToolRequests])

    @agent.tool(name="own_refund")
    async def guarded(ctx: RunContext[None], order: int, amount: float = 42.0) -> str:
        """Refund an order."""
        if amount > 10 and not ctx.tool_call_approved:
            raise ApprovalRequired(metadata={"reason": "much money"})
        return await own_refund(order, amount)

    return AgentProgram(agent)


def call_deferred(script: Script) -> AgentProgram:
    agent = scripted_agent(script, output_type=[str, DeferredToolRequests])

    @agent.tool_plain
    def ask_owner(question: str) -> str:
        """Ask the owner."""
        raise CallDeferred

    return AgentProgram(agent)


# ── scripted ──


def scripted_agent(script: Script, last: Last | None = None, **options: Any) -> Agent[Any, Any]:
    """Return an agent whose model plays the script, and then says what `last` makes of it."""

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
            yield (last or _told)(mine, info)
            return
        calls: DeltaToolCalls = {}
        for n, (name, args) in enumerate(script[turn].calls):
            # The same ids in every response, as some providers give.
            calls[n] = DeltaToolCall(name, as_written(args), tool_call_id=f"call_{n}")
        yield calls

    profile = ModelProfile(supports_json_schema_output=True, supports_json_object_output=True)
    played = FunctionModel(stream_function=model, profile=profile)
    return Agent(played, name="agent", **options)


def _with_output(script: Script, output_type: Any, last: Last) -> AgentProgram:
    return AgentProgram(scripted_agent(script, last, output_type=output_type), tools=TOOLS)


def _by_tool(mine: list[ModelMessage], info: AgentInfo) -> DeltaToolCalls:
    return {0: DeltaToolCall(info.output_tools[0].name, json.dumps(ANSWER), tool_call_id="out")}


def _told(mine: list[ModelMessage], info: AgentInfo) -> str:
    told = (ToolReturnPart, RetryPromptPart)
    return results([p.content for m in mine for p in m.parts if isinstance(p, told)])


def _no_call_dangles(messages: Sequence[ModelMessage]) -> None:
    for place, message in enumerate(messages):
        if isinstance(message, ModelResponse) and message.tool_calls:
            after = messages[place + 1].parts
            answered = {getattr(part, "tool_call_id", None) for part in after}
            assert {call.tool_call_id for call in message.tool_calls} <= answered


async def _unheard(ctx: object, events: AsyncIterable[object]) -> None:
    """That there is one lets the model of an agent stream, which is all that this model can."""
    async for _ in events:
        pass
