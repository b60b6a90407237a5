"""What the contract does not say of Strands: what is found before a run, and what a run leaves of
the application's agent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import pytest

pytest.importorskip("strands", reason="strands-agents is not installed")

import strands
from strands import Agent, ToolContext, tool
from strands.types.tools import AgentTool, ToolSpec
from strands.vended_plugins.steering import Interrupt as StopAndAsk
from strands.vended_plugins.steering import SteeringHandler
from strands.vended_tools.subagent import make_subagent
from strands.vended_tools.swarm import make_swarm

from sayso import ExecutionEngine, Rule, TaskRequest, UniversalMessage, Verdict
from sayso.adapters.findings import Finding, FindingKind
from sayso.adapters.program import AgentProgram
from sayso.core.cards import ConfirmationCard, OptionsCard
from sayso.core.effects import EffectState
from sayso.core.errors import ModelUnavailable
from sayso.core.segments import Completed, Failed, Waiting
from sayso.testing.contract.script import Turn
from sayso.testing.recorder import MemoryRun
from tests.contract.strands_builder import ScriptedModel, scripted


@tool
def ping() -> str:
    """Ping."""
    return "pong"


def found(agent: Agent, **options: Any) -> list[Finding]:
    findings = AgentProgram(agent, **options).findings()
    return [one for one in findings if one.kind is not FindingKind.WORKS]


class Team:
    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    def ask(self, question: str) -> str:
        """Ask the agent."""
        return str(self.agent(question))


def test_an_agent_that_only_an_object_knows_is_refused() -> None:
    team = Team(scripted("inner", [], ping))
    [one] = found(scripted("agent", [], tool(team.ask)))
    assert one.kind is FindingKind.REFUSED
    assert "'inner'" in one.text


@tool
def delegate() -> str:
    """Let another agent do it, which is made here, by the module's name."""
    model = ScriptedModel([Turn("", [("ping", {})])])
    return str(strands.Agent(model=model, tools=[ping], callback_handler=None)("go"))


async def test_an_agent_that_a_body_makes_through_the_module_passes_the_policy() -> None:
    outer = scripted("outer", [Turn("", [("delegate", {})])], delegate)
    program = AgentProgram(outer, policy=[Rule(tool="ping", then=Verdict.ASK)])
    assert isinstance(await MemoryRun().go(program), Waiting)


class Delegates(AgentTool):
    """A tool of a class of the application's."""

    tool_name, tool_type = "delegates", "python"

    @property
    def tool_spec(self) -> ToolSpec:
        return {"name": self.tool_name, "description": "", "inputSchema": {"json": {}}}

    async def stream(self, *given: Any, **more: Any) -> AsyncGenerator[Any, None]:
        yield await Agent(tools=[ping]).invoke_async("go")


@pytest.mark.parametrize("maker", [make_subagent(), make_swarm(), Delegates()])
def test_a_tool_whose_agents_no_policy_would_hold_is_refused(maker: Any) -> None:
    [one] = found(scripted("agent", [], maker))
    assert one.kind is FindingKind.REFUSED
    assert "no policy holds" in one.text


@tool(context=True)
def send_if(tool_context: ToolContext) -> str:
    """Send it."""
    said = tool_context.interrupt("send-approval", reason="Send it?")
    return "sent" if said.lower() in ("y", "yes") else "kept"


@tool(context=True)
def trust_if(tool_context: ToolContext) -> str:
    """Send it, and perhaps all the others."""
    said = tool_context.interrupt("trust-approval", reason="Send it?")
    return "kept" if said.lower() not in ["y", "t"] else "sent"


@pytest.mark.parametrize(
    ("asks", "card", "answer", "given"),
    [
        (send_if, ConfirmationCard, {"decision": "approve"}, "sent"),
        (send_if, ConfirmationCard, {"decision": "reject"}, "kept"),
        (trust_if, OptionsCard, {"selected_option": "t"}, "sent"),
        (trust_if, OptionsCard, {"selected_option": "n"}, "kept"),
    ],
)
async def test_a_person_may_say_no_where_the_code_names_what_is_a_yes(
    asks: Any, card: type, answer: dict[str, str], given: str
) -> None:
    desk = scripted("desk", [Turn("", [(asks.tool_name, {})])], asks)
    run, program = MemoryRun(), AgentProgram(desk)
    assert isinstance(await run.go(program), Waiting), run.end
    [asked] = run.pending
    assert isinstance(asked.card, card)
    run.answer(asked, answer)
    assert isinstance(await run.go(program), Completed), run.end
    assert given in run.said


def test_deps_are_given_by_name() -> None:
    [one] = found(scripted("agent", []), deps=7)
    assert "one int" in one.text


async def test_deps_are_the_invocation_state() -> None:
    @tool(context=True)
    def who(tool_context: Any) -> str:
        """Say who asks."""
        return str(tool_context.invocation_state["person"])

    run = MemoryRun()
    agent = scripted("agent", [Turn("", [("who", {})])], who)
    await run.go(AgentProgram(agent, deps={"person": "Ada"}))
    assert "Ada" in run.said


async def test_the_agent_of_the_application_is_never_touched() -> None:
    agent = scripted("agent", [Turn("so ", [("ping", {})])], ping)
    run = MemoryRun()
    assert isinstance(await run.go(AgentProgram(agent)), Completed)
    assert agent.messages == []
    assert list(agent.tool_registry.registry) == ["ping"]
    assert agent.event_loop_metrics.cycle_count == 0


async def test_a_bare_function_of_a_task_asks() -> None:
    sent: list[str] = []

    def send_email(to: str) -> str:
        """Send an email."""
        sent.append(to)
        return "sent"

    agent = scripted("agent", [Turn("", [("send_email", {"to": "Mara"})])])
    words = UniversalMessage(role="user", content="Write to Mara")
    task = TaskRequest(task_id="mail", messages=[words], available_tools=[send_email])
    result = await ExecutionEngine(agent).execute_task(task)
    [asked] = result.interactions
    assert asked.interaction_type.value == "tool_approval"
    assert sent == []


class Steers(SteeringHandler):
    async def steer_before_tool(self, *, agent: Agent, tool_use: Any, **more: Any) -> Any:
        return StopAndAsk(reason="A letter is for people to send")


@pytest.mark.parametrize("is_sent", [True, False])
async def test_a_steering_handler_that_interrupts_asks_for_a_yes_or_a_no(is_sent: bool) -> None:
    sent: list[str] = []

    @tool
    def send(to: str) -> str:
        """Send a letter."""
        sent.append(to)
        return "sent"

    script = [Turn("", [("send", {"to": "Mara"})])]
    desk = scripted("desk", script, send, plugins=[Steers()])
    run, program = MemoryRun(), AgentProgram(desk)
    assert isinstance(await run.go(program), Waiting), run.end
    [asked] = run.pending
    assert asked.title == "A letter is for people to send"
    assert isinstance(asked.card, ConfirmationCard)
    run.answer(asked, {"decision": "approve" if is_sent else "reject"})
    assert isinstance(await run.go(program), Completed), run.end
    assert sent == (["Mara"] if is_sent else [])


async def test_what_a_call_beside_it_did_is_kept_while_the_model_of_an_agent_is_away() -> None:
    """The run is over when that call comes to its end, but it has acted, and never acts again."""
    has_begun, is_away, wired = asyncio.Event(), asyncio.Event(), list[int]()

    class Away(ScriptedModel):
        async def stream(self, *given: Any, **more: Any) -> AsyncIterator[Any]:
            if not is_away.is_set():
                await has_begun.wait()
                is_away.set()
                raise ModelUnavailable("away")
            async for event in super().stream(*given, **more):
                yield event

    @tool
    async def wire(amount: int) -> str:
        """Wire money."""
        has_begun.set()
        await is_away.wait()
        for _ in range(200):  # the framework tells of it in its own time
            await asyncio.sleep(0)
        wired.append(amount)
        return "wired"

    payer = scripted("payer", [])
    payer.model = Away([])
    script = [Turn("", [("payer", {"input": "7"}), ("wire", {"amount": 5})])]
    run, program = MemoryRun(), AgentProgram(scripted("desk", script, payer, wire))
    end = await run.go(program)
    assert isinstance(end, Failed), end
    assert isinstance(end.error, ModelUnavailable)
    [effect] = run.recorder.effects.values()
    assert (effect.state, effect.result) == (EffectState.DONE, "wired")
    run.recorder.saved = end.saved
    assert isinstance(await run.go(program), Completed), run.end
    assert wired == [5]
    assert "wired" in run.said
