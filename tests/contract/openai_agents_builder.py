"""Agents of OpenAI Agents that play a script: their model's reply is a function of the items
alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from agents import (
    Agent,
    HostedMCPTool,
    Model,
    ModelResponse,
    RunContextWrapper,
    Runner,
    Usage,
    function_tool,
)
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseTextDeltaEvent,
)

from sayso.adapters.program import AgentProgram
from sayso.core.policy_rules import Rule, Verdict
from sayso.testing.adapter_contract import OWN_POLICY, TOOLS, Script, Turn, own_refund
from sayso.testing.contract.script import as_written
from sayso.testing.contract.tools import (
    ANSWER,
    QUESTION_RESULT,
    OrderState,
    did,
    own_final,
    own_slow,
    refund,
)
from tests.contract.builders import results


class ScriptedModel(Model):
    def __init__(self, script: Script, last: str | None = None) -> None:
        self.script, self.last = script, last

    def _reply(self, given: Any) -> tuple[str, list[Any]]:
        items = given if isinstance(given, list) else [{"role": "user", "content": given}]
        _no_call_dangles(items)
        start = max(n for n, item in enumerate(items) if item.get("role") == "user")
        mine = items[start + 1 :]
        turn = _replies(mine)
        script = list(self.script)
        said = script[turn].say if turn < len(script) else ""
        calls = list(script[turn].calls) if turn < len(script) else []
        if not calls:
            told = [_read(i["output"]) for i in mine if i.get("type") == "function_call_output"]
            said += self.last or results(told)
        output: list[Any] = []
        if said:
            text = ResponseOutputText(type="output_text", text=said, annotations=[])
            output.append(
                ResponseOutputMessage(
                    id="m", role="assistant", status="completed", type="message", content=[text]
                )
            )
        output += [
            # The same ids in every response, as some providers give.
            ResponseFunctionToolCall(
                type="function_call", call_id=f"call_{n}", name=name, arguments=as_written(args)
            )
            for n, (name, args) in enumerate(calls)
        ]
        return said, output

    async def get_response(  # type: ignore[override]
        self, system_instructions: Any, input: Any, *rest: Any, **named: Any
    ) -> ModelResponse:
        return ModelResponse(output=self._reply(input)[1], usage=Usage(), response_id=None)

    async def stream_response(  # type: ignore[override]
        self, system_instructions: Any, input: Any, *rest: Any, **named: Any
    ) -> AsyncIterator[Any]:
        said, output = self._reply(input)
        words = said.split(" ")
        for word in [*(w + " " for w in words[:-1]), words[-1]]:
            if word:
                yield ResponseTextDeltaEvent(
                    type="response.output_text.delta",
                    content_index=0,
                    output_index=0,
                    item_id="m",
                    delta=word,
                    logprobs=[],
                    sequence_number=0,
                )
                await asyncio.sleep(0)
        response = Response(
            id="r",
            created_at=0,
            model="scripted",
            object="response",
            output=output,
            tool_choice="auto",
            tools=[],
            parallel_tool_calls=True,
        )
        yield ResponseCompletedEvent(
            type="response.completed", sequence_number=1, response=response
        )


def scripted(name: str, script: Script, *tools: Any, **options: Any) -> Agent[Any]:
    last = options.pop("last", None)
    return Agent(name=name, model=ScriptedModel(script, last), tools=list(tools), **options)


def openai_agents(script: Script) -> AgentProgram:
    return AgentProgram(scripted("agent", script), tools=TOOLS)


def own_tools(script: Script) -> AgentProgram:
    agent = scripted("agent", script, function_tool(own_refund))
    return AgentProgram(agent, tools=TOOLS, policy=OWN_POLICY)


def nested(script: Script) -> AgentProgram:
    """An agent that has another as a tool, whose own tool asks by its name."""
    inner = scripted("inner", script, function_tool(refund.function, name_override="refund"))
    tool = inner.as_tool("delegate", "Let another agent do it.")
    outer = scripted("outer", [Turn("", [("delegate", {"input": "go"})])], tool)
    return AgentProgram(outer, policy=[Rule(tool="refund", then=Verdict.ASK)])


def run_in_a_tool(script: Script) -> AgentProgram:
    """An agent whose tool runs another one by itself, as the documentation has it."""
    inner = scripted("inner", script, function_tool(refund.function, name_override="refund"))

    @function_tool
    async def delegate() -> str:
        """Let another agent do it."""
        return str((await Runner.run(inner, "go")).final_output)

    outer = scripted("outer", [Turn("", [("delegate", {})])], delegate)
    return AgentProgram(outer, policy=[Rule(tool="refund", then=Verdict.ASK)])


def own_state(script: Script) -> AgentProgram:
    """Its tools share the run context."""

    @function_tool
    def note(ctx: RunContextWrapper[dict[str, str]]) -> str:
        """Note something."""
        did("note")
        ctx.context["noted"] = "once"
        return "noted"

    @function_tool
    def recall(ctx: RunContextWrapper[dict[str, str]]) -> str:
        """Say what was noted."""
        did(f"recall {ctx.context.get('noted')}")
        return "recalled"

    return AgentProgram(scripted("agent", script, note, recall), deps=lambda ctx: {})


def own_blocking(script: Script) -> AgentProgram:
    return AgentProgram(scripted("agent", script, function_tool(own_slow)), tools=TOOLS)


def output_native(script: Script) -> AgentProgram:
    agent = scripted("agent", script, output_type=OrderState, last=json.dumps(ANSWER))
    return AgentProgram(agent, tools=TOOLS)


def ends_on_result(script: Script) -> AgentProgram:
    final = function_tool(own_final)
    return AgentProgram(
        scripted("agent", script, final, tool_use_behavior="stop_on_first_tool"), tools=TOOLS
    )


def asks_as_object(script: Script) -> AgentProgram:
    @function_tool
    def own_question() -> dict[str, Any]:
        """Ask which allocation."""
        did("own_question")
        return dict(QUESTION_RESULT)

    return AgentProgram(scripted("agent", script, own_question))


def asks_as_text(script: Script) -> AgentProgram:
    @function_tool
    def own_question() -> str:
        """Ask which allocation."""
        did("own_question")
        return json.dumps(QUESTION_RESULT)

    return AgentProgram(scripted("agent", script, own_question))


def speakers(script: Script) -> AgentProgram:
    """A desk that hands over to a clerk."""
    hands = [Turn("", [("transfer_to_clerk", {})]), *script]
    clerk = scripted("clerk", hands, function_tool(own_refund))
    desk = scripted("desk", hands, handoffs=[clerk])
    return AgentProgram(desk, policy=OWN_POLICY)


def refused(script: Script) -> AgentProgram:
    hosted = HostedMCPTool(
        tool_config={
            "type": "mcp",
            "server_label": "shop",
            "server_url": "https://shop.invalid",
            "require_approval": "never",
        }
    )
    return AgentProgram(scripted("agent", script, hosted))


# ── its own ways to ask ──


def needs_approval(script: Script) -> AgentProgram:
    tool = function_tool(own_refund, needs_approval=True)
    return AgentProgram(scripted("agent", script, tool))


def needs_approval_by_function(script: Script) -> AgentProgram:
    async def is_much(ctx: RunContextWrapper[Any], arguments: dict[str, Any], call_id: str) -> bool:
        return bool(arguments["amount"] > 10)

    tool = function_tool(own_refund, needs_approval=is_much)
    return AgentProgram(scripted("agent", script, tool))


# ── scripted ──


def _replies(items: list[Any]) -> int:
    """Count the replies of models: each is a run of items that a model wrote."""
    wrote = [item.get("type") != "function_call_output" for item in items]
    return sum(1 for n, mine in enumerate(wrote) if mine and (n == 0 or not wrote[n - 1]))


def _read(output: Any) -> object:
    try:
        return json.loads(output)
    except (TypeError, ValueError):
        return output


def _no_call_dangles(items: list[Any]) -> None:
    called = [i["call_id"] for i in items if i.get("type") == "function_call"]
    told = [i["call_id"] for i in items if i.get("type") == "function_call_output"]
    assert sorted(called) == sorted(told)
    assert len(set(called)) == len(called)
