"""Agents of Microsoft Agent Framework that play a script: their model's reply is a function of the
messages alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationContext,
    FunctionInvocationLayer,
    FunctionMiddleware,
    FunctionTool,
    InMemoryHistoryProvider,
    Message,
    MiddlewareTermination,
    ResponseStream,
    WorkflowBuilder,
    tool,
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


class ScriptedClient(FunctionInvocationLayer[Any], ChatMiddlewareLayer[Any], BaseChatClient[Any]):
    def __init__(self, script: Script, last: str | None = None) -> None:
        super().__init__()
        self.script, self.last = script, last

    def _inner_get_response(
        self,
        *,
        messages: Sequence[Message],
        stream: bool,
        options: Mapping[str, Any],
        **kwargs: Any,
    ) -> Any:
        said, calls = self._reply(messages)

        async def pieces() -> AsyncIterator[ChatResponseUpdate]:
            words = said.split(" ")
            for word in [*(w + " " for w in words[:-1]), words[-1]]:
                if word:
                    yield ChatResponseUpdate(role="assistant", contents=[Content.from_text(word)])
                    await asyncio.sleep(0)
            if calls:
                yield ChatResponseUpdate(role="assistant", contents=calls)

        if stream:
            return ResponseStream(pieces(), finalizer=ChatResponse.from_updates)

        async def whole() -> ChatResponse[Any]:
            text = [Content.from_text(said)] if said else []
            return ChatResponse(messages=[Message("assistant", [*text, *calls])])

        return whole()

    def _reply(self, messages: Sequence[Message]) -> tuple[str, list[Content]]:
        _no_call_dangles(messages)
        start = max(n for n, message in enumerate(messages) if message.role == "user")
        mine = messages[start + 1 :]
        turn = sum(message.role == "assistant" for message in mine)
        script = list(self.script)
        said = script[turn].say if turn < len(script) else ""
        calls = list(script[turn].calls) if turn < len(script) else []
        if not calls:
            told = [
                _read(c.result) for m in mine for c in m.contents if c.type == "function_result"
            ]
            said += self.last or results(told)
        return said, [
            # The same ids in every response, as some providers give.
            Content.from_function_call(call_id=f"call_{n}", name=name, arguments=as_written(args))
            for n, (name, args) in enumerate(calls)
        ]


def scripted(name: str, script: Script, *tools: Any, **options: Any) -> Agent[Any]:
    last = options.pop("last", None)
    return Agent(ScriptedClient(script, last), name=name, tools=list(tools), **options)


def agent_framework(script: Script) -> AgentProgram:
    return AgentProgram(scripted("agent", script), tools=TOOLS)


def own_tools(script: Script) -> AgentProgram:
    agent = scripted("agent", script, own_refund)
    return AgentProgram(agent, tools=TOOLS, policy=OWN_POLICY)


def nested(script: Script) -> AgentProgram:
    """An agent that has another as a tool, whose own tool asks by its name."""
    inner = scripted("inner", script, tool(refund.function, name="refund"))
    outer = scripted("outer", [Turn("", [("inner", {"task": "go"})])], inner.as_tool())
    return AgentProgram(outer, policy=[Rule(tool="refund", then=Verdict.ASK)])


def run_in_a_tool(script: Script) -> AgentProgram:
    """An agent whose tool runs another one by itself."""
    inner = scripted("inner", script, tool(refund.function, name="refund"))

    async def delegate() -> str:
        """Let another agent do it."""
        return (await inner.run("go")).text

    outer = scripted("outer", [Turn("", [("delegate", {})])], delegate)
    return AgentProgram(outer, policy=[Rule(tool="refund", then=Verdict.ASK)])


def made_in_a_tool(script: Script) -> AgentProgram:
    """An agent whose tool makes another one, of a client that it names."""
    client = ScriptedClient(script)

    async def delegate() -> str:
        """Let another agent do it."""
        inner = Agent(client, name="inner", tools=[tool(refund.function, name="refund")])
        return (await inner.run("go")).text

    outer = scripted("outer", [Turn("", [("delegate", {})])], delegate)
    return AgentProgram(outer, policy=[Rule(tool="refund", then=Verdict.ASK)])


def own_state(script: Script) -> AgentProgram:
    """Its tools share the session's state."""

    def note(ctx: FunctionInvocationContext) -> str:
        """Note something."""
        did("note")
        assert ctx.session is not None
        ctx.session.state["noted"] = "once"
        return "noted"

    def recall(ctx: FunctionInvocationContext) -> str:
        """Say what was noted."""
        assert ctx.session is not None
        did(f"recall {ctx.session.state.get('noted')}")
        return "recalled"

    return AgentProgram(scripted("agent", script, note, recall))


def own_blocking(script: Script) -> AgentProgram:
    return AgentProgram(scripted("agent", script, own_slow), tools=TOOLS)


def own_memory(script: Script) -> AgentProgram:
    agent = scripted("agent", script, context_providers=[InMemoryHistoryProvider()])
    return AgentProgram(agent, tools=TOOLS)


def output_native(script: Script) -> AgentProgram:
    shape: Any = {"response_format": OrderState}
    agent = scripted("agent", script, default_options=shape, last=json.dumps(ANSWER))
    return AgentProgram(agent, tools=TOOLS)


class EndsOnResult(FunctionMiddleware):
    async def process(self, context: FunctionInvocationContext, call_next: Any) -> None:
        await call_next()
        raise MiddlewareTermination(result=context.result)


def ends_on_result(script: Script) -> AgentProgram:
    agent = scripted("agent", script, own_final, middleware=[EndsOnResult()])
    return AgentProgram(agent, tools=TOOLS)


def asks_as_object(script: Script) -> AgentProgram:
    def own_question() -> dict[str, Any]:
        """Ask which allocation."""
        did("own_question")
        return dict(QUESTION_RESULT)

    return AgentProgram(scripted("agent", script, own_question))


def asks_as_text(script: Script) -> AgentProgram:
    def own_question() -> str:
        """Ask which allocation."""
        did("own_question")
        return json.dumps(QUESTION_RESULT)

    return AgentProgram(scripted("agent", script, own_question))


def speakers(script: Script) -> AgentProgram:
    """A workflow of a desk, and of a clerk after it."""
    desk = scripted("desk", [Turn("Over to the clerk. ")], last="Bye.")
    # What the desk said is to the clerk the first reply.
    clerk = scripted("clerk", [Turn("as the desk said"), *script], own_refund)
    flow = WorkflowBuilder(start_executor=desk, name="office").add_edge(desk, clerk).build()
    return AgentProgram(flow, policy=OWN_POLICY)


def refused(script: Script) -> AgentProgram:
    hosted = {"type": "mcp", "server_label": "shop", "server_url": "https://shop.invalid"}
    return AgentProgram(scripted("agent", script, hosted))


# ── its own ways to ask ──


def approval_mode(script: Script) -> AgentProgram:
    own = tool(own_refund, approval_mode="always_require")
    return AgentProgram(scripted("agent", script, own))


def declaration_only(script: Script) -> AgentProgram:
    """A tool without a body: its caller says what came of it."""
    schema = {
        "type": "object",
        "properties": {"question": {"type": "string"}},
        "required": ["question"],
    }
    ask = FunctionTool(name="ask_user", description="Ask the user.", input_model=schema)
    return AgentProgram(scripted("agent", script, ask))


# ── scripted ──


def _read(output: Any) -> object:
    try:
        return json.loads(output)
    except (TypeError, ValueError):
        return output


def _no_call_dangles(messages: Sequence[Message]) -> None:
    contents = [content for message in messages for content in message.contents]
    called = [content.call_id for content in contents if content.type == "function_call"]
    told = [content.call_id for content in contents if content.type == "function_result"]
    assert sorted(map(str, called)) == sorted(map(str, told))
    assert len(set(called)) == len(called)
