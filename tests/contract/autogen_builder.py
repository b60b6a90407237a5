"""An AssistantAgent of AutoGen, alone or in a team, that plays a script: its reply is a function of
the history alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from autogen_agentchat.agents import AssistantAgent, UserProxyAgent
from autogen_agentchat.conditions import (
    HandoffTermination,
    SourceMatchTermination,
    TextMentionTermination,
    TextMessageTermination,
)
from autogen_agentchat.teams import RoundRobinGroupChat, Swarm
from autogen_agentchat.tools import AgentTool
from autogen_core import FunctionCall
from autogen_core.model_context import BufferedChatCompletionContext
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionClient,
    CreateResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    ModelInfo,
    RequestUsage,
    UserMessage,
)
from autogen_core.tools import FunctionTool

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

USAGE = RequestUsage(prompt_tokens=1, completion_tokens=1)


class FreeClient(ChatCompletionClient):
    """What AutoGen wants to know of any model, of one that costs nothing."""

    component_type = "model"

    async def close(self) -> None: ...

    def actual_usage(self) -> RequestUsage:
        return USAGE

    def total_usage(self) -> RequestUsage:
        return USAGE

    def count_tokens(self, messages: Sequence[LLMMessage], **options: Any) -> int:
        return 1

    def remaining_tokens(self, messages: Sequence[LLMMessage], **options: Any) -> int:
        return 1000

    @property
    def capabilities(self) -> Any:
        return self.model_info

    @property
    def model_info(self) -> ModelInfo:
        return ModelInfo(
            vision=False,
            function_calling=True,
            json_output=False,
            family="unknown",
            structured_output=False,
            multiple_system_messages=True,
        )


class ScriptedClient(FreeClient):
    """Plays its script's turns; a reply without calls is the last."""

    def __init__(self, script: Script, last: str | None = None) -> None:
        #: What it says at the end in place of the results.
        self.script, self.last = script, last

    def reply(self, messages: Sequence[LLMMessage]) -> tuple[str, list[FunctionCall]]:
        _no_call_dangles(messages)
        last = max(n for n, m in enumerate(messages) if isinstance(m, UserMessage))
        mine = messages[last:]
        turn = sum(isinstance(m, AssistantMessage) for m in mine)
        if turn < len(self.script) and self.script[turn].calls:
            # The same ids in every response, as some providers give.
            calls = [
                FunctionCall(
                    id=f"call_{n}",
                    name=name,
                    arguments=args if isinstance(args, str) else json.dumps(args),
                )
                for n, (name, args) in enumerate(self.script[turn].calls)
            ]
            return self.script[turn].say, calls
        said = self.script[turn].say if turn < len(self.script) else ""
        found = [
            _value(result.content)
            for m in mine
            if isinstance(m, FunctionExecutionResultMessage)
            for result in m.content
        ]
        told = "Results: " + "|".join(json.dumps(one) for one in found)
        return said + (self.last or told), []

    async def create(self, messages: Sequence[LLMMessage], **options: Any) -> CreateResult:
        said, calls = self.reply(messages)
        return _result(said, calls)

    async def create_stream(
        self, messages: Sequence[LLMMessage], **options: Any
    ) -> AsyncGenerator[str | CreateResult, None]:
        said, calls = self.reply(messages)
        for word in said.split(" ")[:-1]:
            yield word + " "
            await asyncio.sleep(0)
        if said.split(" ")[-1]:
            yield said.split(" ")[-1]
        yield _result(said, calls)


def _result(said: str, calls: list[FunctionCall]) -> CreateResult:
    return CreateResult(
        finish_reason="function_calls" if calls else "stop",
        content=calls or said,
        thought=said if calls and said else None,
        usage=USAGE,
        cached=False,
    )


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _no_call_dangles(messages: Sequence[LLMMessage]) -> None:
    for place, message in enumerate(messages):
        if isinstance(message, AssistantMessage) and isinstance(message.content, list):
            after = messages[place + 1]
            assert isinstance(after, FunctionExecutionResultMessage)
            assert [c.id for c in message.content] == [r.call_id for r in after.content]


def assistant(script: Script, **options: Any) -> AssistantAgent:
    return AssistantAgent(
        "agent",
        ScriptedClient(script),
        model_client_stream=True,
        max_tool_iterations=9,
        **options,
    )


def autogen(script: Script) -> AgentProgram:
    return AgentProgram(assistant(script), tools=TOOLS)


def autogen_own_tools(script: Script) -> AgentProgram:
    return AgentProgram(assistant(script, tools=[own_refund]), tools=TOOLS, policy=OWN_POLICY)


def autogen_nested(script: Script) -> AgentProgram:
    """An agent that passes its task on to another, whose own tool asks by its name."""
    own = FunctionTool(refund.function, description="Refund an order.", name="refund")
    inner = AgentTool(assistant(script, tools=[own]), return_value_as_last_message=True)
    passes_on = (Turn("", [("agent", {"task": "go"})]),)
    outer = AssistantAgent("outer", ScriptedClient(passes_on), tools=[inner], max_tool_iterations=9)
    return AgentProgram(outer, policy=[Rule(tool="refund", then=Verdict.ASK)])


def autogen_team(script: Script) -> AgentProgram:
    return AgentProgram(_team(assistant(script)), name="agent", tools=TOOLS)


def autogen_team_own_tools(script: Script) -> AgentProgram:
    member = assistant(script, tools=[own_refund])
    return AgentProgram(_team(member), name="agent", tools=TOOLS, policy=OWN_POLICY)


def autogen_team_nested(script: Script) -> AgentProgram:
    """The member that plays the script is in a team within the team."""
    inner = RoundRobinGroupChat([assistant(script)], name="inner", max_turns=1)
    team = RoundRobinGroupChat([inner], max_turns=1)
    return AgentProgram(team, name="agent", tools=TOOLS)


def _team(member: AssistantAgent) -> RoundRobinGroupChat:
    return RoundRobinGroupChat([member], termination_condition=SourceMatchTermination(["agent"]))


def autogen_own_blocking(script: Script) -> AgentProgram:
    return AgentProgram(assistant(script, tools=[own_slow]))


def autogen_output_native(script: Script) -> AgentProgram:
    agent = AssistantAgent(
        "agent",
        ScriptedClient(script, json.dumps(ANSWER)),
        model_client_stream=True,
        max_tool_iterations=9,
        output_content_type=OrderState,
    )
    return AgentProgram(agent, tools=TOOLS)


def autogen_own_memory(script: Script) -> AgentProgram:
    kept = BufferedChatCompletionContext(buffer_size=20)
    return AgentProgram(assistant(script, model_context=kept), tools=TOOLS)


def autogen_ends_on_result(script: Script) -> AgentProgram:
    return AgentProgram(AssistantAgent("agent", ScriptedClient(script), tools=[own_final]))


def autogen_asks_as_object(script: Script) -> AgentProgram:
    def own_question() -> dict[str, Any]:
        """Ask which allocation."""
        did("own_question")
        return dict(QUESTION_RESULT)

    return AgentProgram(assistant(script, tools=[own_question]))


def autogen_asks_as_text(script: Script) -> AgentProgram:
    def own_question() -> str:
        """Ask which allocation."""
        did("own_question")
        return json.dumps(QUESTION_RESULT)

    return AgentProgram(assistant(script, tools=[own_question]))


def autogen_speakers(script: Script) -> AgentProgram:
    over = (Turn("", [("transfer_to_clerk", {})]),)
    desk = AssistantAgent("desk", ScriptedClient(over), handoffs=["clerk"])
    clerk = AssistantAgent(
        "clerk", ScriptedClient(script), tools=[own_refund], max_tool_iterations=9
    )
    team = Swarm([desk, clerk], termination_condition=TextMessageTermination("clerk"))
    return AgentProgram(team, name="agent", policy=OWN_POLICY)


def autogen_refused(script: Script) -> AgentProgram:
    return AgentProgram(assistant(script), deps={"a": 1})


# ── its own ways to ask a person ──


class AsksOnce(ScriptedClient):
    """Hands over to the person once, and tells then what it was told."""

    def reply(self, messages: Sequence[LLMMessage]) -> tuple[str, list[FunctionCall]]:
        if any(isinstance(message, AssistantMessage) for message in messages):
            return f"I was told: {messages[-1].content}", []
        return "", [FunctionCall(id="c", name="transfer_to_user", arguments="{}")]


def autogen_handoff_to_a_person(script: Script) -> AgentProgram:
    desk = AssistantAgent("desk", AsksOnce(script), handoffs=["user"])
    ends = HandoffTermination("user") | TextMessageTermination("desk")
    return AgentProgram(RoundRobinGroupChat([desk], termination_condition=ends), name="agent")


def autogen_user_proxy(script: Script) -> AgentProgram:
    team = RoundRobinGroupChat(
        [assistant(script), UserProxyAgent("person")],
        termination_condition=TextMentionTermination("APPROVE", sources=["person"]),
    )
    return AgentProgram(team, name="team")
