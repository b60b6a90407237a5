"""Agents of Strands that play a script: their model's reply is a function of the messages alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from itertools import pairwise
from typing import Any

from pydantic import model_validator
from strands import Agent, ToolContext, tool
from strands.hooks import BeforeToolCallEvent, HookProvider
from strands.models import Model
from strands.multiagent import GraphBuilder, Swarm
from strands.session import FileSessionManager
from strands.vended_interventions.hitl import HumanInTheLoop
from strands.vended_tools.handoff_to_user import handoff_to_user
from strands.vended_tools.stop import stop

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
from tests.contract.builders import results


class ScriptedModel(Model):
    """Answers, where it has an answer to give, by a call of the tool of that name."""

    def __init__(self, script: Script, *answers: tuple[str, Any]) -> None:
        self.script, self.answers = script, answers
        self.config = {"model_id": "scripted"}

    def update_config(self, **config: Any) -> None:
        self.config.update(config)

    def get_config(self) -> Any:
        return self.config

    def structured_output(self, *args: Any, **options: Any) -> Any:
        raise NotImplementedError

    def _reply(self, messages: list[Any]) -> tuple[str, list[tuple[str, Any]]]:
        _no_call_dangles(messages)
        asked = [n for n, message in enumerate(messages) if _is_asked(message)]
        mine = messages[asked[-1] + 1 :]
        turn = sum(1 for message in mine if message["role"] == "assistant")
        script = list(self.script)
        said = script[turn].say if turn < len(script) else ""
        calls = list(script[turn].calls) if turn < len(script) else []
        if not calls:
            given = len(mine) and turn - len(script)
            if self.answers:
                return said, [self.answers[min(max(given, 0), len(self.answers) - 1)]]
            blocks = [block for message in mine for block in message["content"]]
            said += results([_read(b["toolResult"]) for b in blocks if "toolResult" in b])
        return said, calls

    async def stream(self, messages: Any, *given: Any, **more: Any) -> AsyncIterator[Any]:
        said, calls = self._reply(messages)
        yield {"messageStart": {"role": "assistant"}}
        words = said.split(" ")
        if said:
            yield {"contentBlockStart": {"start": {}}}
            for word in [*(w + " " for w in words[:-1]), words[-1]]:
                if word:
                    yield {"contentBlockDelta": {"delta": {"text": word}}}
                    await asyncio.sleep(0)
            yield {"contentBlockStop": {}}
        for n, (name, args) in enumerate(calls):
            # The same ids in every reply, as some providers give.
            start = {"toolUse": {"name": name, "toolUseId": f"call_{n}"}}
            yield {"contentBlockStart": {"start": start}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": as_written(args)}}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if calls else "end_turn"}}


def scripted(name: str, script: Script, *tools: Any, **options: Any) -> Agent:
    model = ScriptedModel(script, *options.pop("answers", ()))
    return Agent(model=model, name=name, tools=list(tools), callback_handler=None, **options)


def strands(script: Script) -> AgentProgram:
    return AgentProgram(scripted("agent", script), tools=TOOLS)


def own_tools(script: Script) -> AgentProgram:
    agent = scripted("agent", script, tool(own_refund))
    return AgentProgram(agent, tools=TOOLS, policy=OWN_POLICY)


def nested(script: Script) -> AgentProgram:
    """An agent that has another as a tool, whose own tool asks by its name."""
    inner = scripted("inner", script, tool(name="refund")(refund.function))
    outer = scripted("outer", [Turn("", [("inner", {"input": "go"})])], inner)
    return AgentProgram(outer, policy=[Rule(tool="refund", then=Verdict.ASK)])


def run_in_a_tool(script: Script) -> AgentProgram:
    """An agent whose tool makes another one and runs it, as the documentation has it."""

    @tool
    def delegate() -> str:
        """Let another agent do it."""
        try:
            inner = Agent(
                model=ScriptedModel(script),
                tools=[tool(name="refund")(refund.function)],
                callback_handler=None,
            )
            return str(inner("go"))
        except Exception as exc:
            return f"Error: {exc}"

    outer = scripted("outer", [Turn("", [("delegate", {})])], delegate)
    return AgentProgram(outer, policy=[Rule(tool="refund", then=Verdict.ASK)])


def named_in_a_tool(script: Script) -> AgentProgram:
    """An agent whose tool runs one that was made before."""
    inner = scripted("inner", script, tool(name="refund")(refund.function))

    @tool
    async def delegate() -> str:
        """Let another agent do it."""
        return str(await inner.invoke_async("go"))

    outer = scripted("outer", [Turn("", [("delegate", {})])], delegate)
    return AgentProgram(outer, policy=[Rule(tool="refund", then=Verdict.ASK)])


def own_state(script: Script) -> AgentProgram:
    """Its tools share the agent's state."""

    @tool(context=True)
    def note(tool_context: ToolContext) -> str:
        """Note something."""
        did("note")
        tool_context.agent.state.set("noted", "once")
        return "noted"

    @tool(context=True)
    def recall(tool_context: ToolContext) -> str:
        """Say what was noted."""
        did(f"recall {tool_context.agent.state.get('noted')}")
        return "recalled"

    return AgentProgram(scripted("agent", script, note, recall))


def own_blocking(script: Script) -> AgentProgram:
    return AgentProgram(scripted("agent", script, tool(own_slow)), tools=TOOLS)


def output_tool(script: Script) -> AgentProgram:
    answers = [("OrderState", ANSWER)]
    agent = scripted("agent", script, structured_output_model=OrderState, answers=answers)
    return AgentProgram(agent, tools=TOOLS)


class Checked(OrderState):
    """A model whose validator looks at the answer."""

    @model_validator(mode="after")
    def is_ok(self) -> Checked:
        if not self.ok:
            raise ValueError("look again")
        return self


def output_validated(script: Script) -> AgentProgram:
    answers = [("Checked", POOR_ANSWER), ("Checked", ANSWER)]
    agent = scripted("agent", script, structured_output_model=Checked, answers=answers)
    return AgentProgram(agent, tools=TOOLS)


def own_memory(script: Script) -> AgentProgram:
    session = FileSessionManager(session_id="one")
    return AgentProgram(scripted("agent", script, session_manager=session), tools=TOOLS)


def ends_on_result(script: Script) -> AgentProgram:
    """Its tool ends the turn, as the framework's own `stop` does."""

    @tool(context=True)
    def own_final(tool_context: ToolContext) -> str:
        """Give the last word."""
        did("own_final")
        tool_context.agent.cancel(message="That is final.", after_current_tools=True)
        return "That is final."

    return AgentProgram(scripted("agent", script, own_final, stop), tools=TOOLS)


def asks_as_object(script: Script) -> AgentProgram:
    @tool
    def own_question() -> dict[str, Any]:
        """Ask which allocation."""
        did("own_question")
        return dict(QUESTION_RESULT)

    return AgentProgram(scripted("agent", script, own_question))


def asks_as_text(script: Script) -> AgentProgram:
    @tool
    def own_question() -> str:
        """Ask which allocation."""
        did("own_question")
        return json.dumps(QUESTION_RESULT)

    return AgentProgram(scripted("agent", script, own_question))


def speakers(script: Script) -> AgentProgram:
    """A desk that hands over to a clerk, whose words are the answer."""
    clerk = scripted("clerk", script, tool(own_refund))
    hands = [Turn("", [("clerk", {"input": "go"})])]
    return AgentProgram(scripted("desk", hands, clerk.as_tool(delegate=True)), policy=OWN_POLICY)


def refused(script: Script) -> AgentProgram:
    return AgentProgram(scripted("agent", script, background_tasks=True))


# ── its own ways to ask ──


def hook(script: Script) -> AgentProgram:
    """A hook that interrupts, as the documentation has it."""

    def approve(event: BeforeToolCallEvent) -> None:
        if event.tool_use["name"] != "own_refund":
            return
        order = event.tool_use["input"]["order"]
        approval = event.interrupt("shop-approval", reason={"message": "Refund?", "order": order})
        if approval.lower() != "y":
            event.cancel_tool = "The person said no"

    return AgentProgram(scripted("agent", script, tool(own_refund), hooks=[approve]))


def interrupt_in_a_tool(script: Script) -> AgentProgram:
    @tool(context=True)
    def close(tool_context: ToolContext, order: int) -> str:
        """Close an order."""
        why = tool_context.interrupt("why", reason={"question": "Why?", "order": order})
        did(f"close {order}")
        return f"closed: {why}"

    return AgentProgram(scripted("agent", script, close))


def handoff(script: Script) -> AgentProgram:
    return AgentProgram(scripted("agent", script, handoff_to_user))


def human_in_the_loop(script: Script) -> AgentProgram:
    asks = HumanInTheLoop(allowed_tools=["peek"])
    return AgentProgram(scripted("agent", script, tool(own_refund), interventions=[asks]))


# ── scripted ──


def _is_asked(message: Any) -> bool:
    return message["role"] == "user" and any("text" in block for block in message["content"])


def _read(result: Any) -> object:
    text = "".join(block.get("text", "") for block in result["content"])
    try:
        return json.loads(text)
    except ValueError:
        return text


def _no_call_dangles(messages: list[Any]) -> None:
    blocks = [block for message in messages for block in message["content"]]
    called = [block["toolUse"]["toolUseId"] for block in blocks if "toolUse" in block]
    told = [block["toolResult"]["toolUseId"] for block in blocks if "toolResult" in block]
    assert sorted(called) == sorted(told)
    assert len(set(called)) == len(called)
    roles = [message["role"] for message in messages]
    assert all(a != b for a, b in pairwise(roles)), roles


# ── teams ──


def graph(script: Script, hooks: Sequence[HookProvider] = ()) -> AgentProgram:
    """A writer after a clerk, who plays the script."""
    clerk = scripted("clerk", script, tool(own_refund))
    builder = GraphBuilder()
    builder.add_node(clerk, "clerk")
    builder.add_node(scripted("writer", [Turn("It is written. ")]), "writer")
    builder.add_edge("clerk", "writer")
    builder.set_entry_point("clerk")
    builder.set_max_node_executions(10)
    builder.set_hook_providers([*hooks])
    return AgentProgram(builder.build(), tools=TOOLS, policy=OWN_POLICY)


def swarm(script: Script, hooks: Sequence[HookProvider] = ()) -> AgentProgram:
    """A desk that hands over to a clerk, who plays the script."""
    hands = [Turn("", [("handoff_to_agent", {"agent_name": "clerk", "message": "go"})])]
    desk = scripted("desk", hands)
    team = Swarm([desk, scripted("clerk", script, tool(own_refund))], hooks=[*hooks])
    return AgentProgram(team, tools=TOOLS, policy=OWN_POLICY)


def graph_of_one(script: Script) -> AgentProgram:
    builder = GraphBuilder()
    builder.add_node(scripted("agent", script), "agent")
    builder.set_max_node_executions(10)
    return AgentProgram(builder.build(), tools=TOOLS)
