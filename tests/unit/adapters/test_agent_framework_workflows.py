"""Workflows of Microsoft Agent Framework: what waits in them, and what is done once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

pytest.importorskip("agent_framework", reason="agent-framework-core is not installed")

from agent_framework import (
    Agent,
    AgentExecutorResponse,
    Executor,
    Message,
    Workflow,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
    response_handler,
    tool,
)
from pydantic import BaseModel

from sayso import App
from sayso.adapters.agent_framework import AgentFrameworkAdapter
from sayso.adapters.findings import AppSide, FindingKind
from sayso.adapters.program import AgentProgram
from sayso.core.cards import FormCard, OptionsCard
from sayso.core.errors import NotSupportedError
from sayso.core.interactions import Interaction
from sayso.core.segments import Completed, Failed, Waiting
from sayso.testing.adapter_contract import Turn
from sayso.testing.contract.case import crashed
from sayso.testing.recorder import MemoryRun
from tests.contract.agent_framework_builder import ScriptedClient, scripted

DONE: list[str] = []
APP, REFUSED = AppSide(agent_name="desk"), FindingKind.REFUSED
PAYS = [Turn("I pay. ", [("pay", {"amount": 7})])]


@pytest.fixture(autouse=True)
def nothing_is_done() -> None:
    DONE.clear()


@tool(approval_mode="always_require")
def pay(amount: int) -> str:
    """Pay."""
    DONE.append(f"pay {amount}")
    return f"paid {amount}"


@executor(id="note")
async def note(words: str, ctx: WorkflowContext[str]) -> None:
    DONE.append(f"note {words}")
    await ctx.send_message(words.upper())


@executor(id="tell")
async def tell(said: AgentExecutorResponse, ctx: WorkflowContext[None, str]) -> None:
    DONE.append("tell")
    await ctx.yield_output(f"Told: {said.agent_response.text}")


def noted() -> Workflow:
    payer = scripted("payer", PAYS, pay)
    flow = WorkflowBuilder(start_executor=note, name="desk")
    return flow.add_edge(note, payer).add_edge(payer, tell).build()


async def test_what_is_done_before_a_call_that_waits_is_done_once() -> None:
    run = MemoryRun("go")
    assert isinstance(await run.go(AgentProgram(noted())), Waiting), run.end
    assert DONE == ["note go"]
    run.approve("pay", edits={"amount": 5})
    assert isinstance(await run.go(AgentProgram(noted())), Completed), run.end
    assert DONE == ["note go", "pay 5", "tell"]
    assert "Told: I pay. " in run.said
    assert run.said.count("I pay.") == 2, "said as it is written, and told"
    assert isinstance(run.end, Completed)
    assert run.end.output.startswith("Told: ")


async def test_agents_one_after_the_other_have_their_names() -> None:
    def program() -> AgentProgram:
        writer = scripted("writer", [Turn("A draft. ")])
        payer = scripted("payer", [Turn("the draft"), *PAYS], pay)
        flow = WorkflowBuilder(start_executor=writer, name="desk").add_edge(writer, payer)
        return AgentProgram(flow.build())

    run = MemoryRun("go")
    assert isinstance(await run.go(program()), Waiting), run.end
    [asked] = run.pending
    assert asked.agent_name == "payer"
    run.reject("pay", "too dear")
    assert isinstance(await run.go(program()), Completed), run.end
    names = {chunk.metadata.get("agent_name") for chunk in run.chunks if chunk.content}
    assert {"writer", "payer"} <= names
    assert run.said.count("A draft. ") == 1
    assert "too dear" in run.said
    assert DONE == []


async def test_agents_side_by_side_ask_together() -> None:
    def program() -> AgentProgram:
        payers = [scripted(name, PAYS, pay) for name in ("one", "two")]
        flow = WorkflowBuilder(start_executor=note, name="desk").add_fan_out_edges(note, payers)
        return AgentProgram(flow.build())

    run = MemoryRun("go")
    assert isinstance(await run.go(program()), Waiting), run.end
    assert {it.agent_name for it in run.pending} == {"one", "two"}
    for it in run.pending:
        run.approve(it)
    assert isinstance(await run.go(program()), Completed), run.end
    assert DONE == ["note go", "pay 7", "pay 7"]


class Size(BaseModel):
    number: int
    wide: bool = False


@dataclass
class SizeWanted:
    prompt: str
    shoe: str
    said: list[Message]


class Asks(Executor):
    @handler
    async def start(self, words: str, ctx: WorkflowContext[None, str]) -> None:
        DONE.append("start")
        said = [Message("user", ["It is for Ana."])]
        await ctx.request_info(SizeWanted("Which size?", words, said), Size)

    @response_handler
    async def answered(
        self, asked: SizeWanted, size: Size, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.request_info(f"Is {asked.shoe} {size.number} right?", bool)

    @response_handler
    async def agreed(self, asked: str, yes: bool, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"{asked} {yes}")


async def test_an_executor_asks_for_values_and_then_for_a_yes() -> None:
    def program() -> AgentProgram:  # without a name, as the tutorials build them
        return AgentProgram(WorkflowBuilder(start_executor=Asks("asks")).build())

    run = MemoryRun("boots")
    assert isinstance(await run.go(program()), Waiting), run.end
    [asked] = run.pending
    assert isinstance(asked.card, FormCard)
    assert asked.title == "Which size?\nshoe: boots\nsaid: \nuser: It is for Ana."
    run.answer(asked, {"values": {"number": 42}})
    assert isinstance(await run.go(program()), Waiting), run.end
    [asked] = run.pending
    assert isinstance(asked.card, OptionsCard)
    run.answer(asked, {"selected_option": "yes"})
    assert isinstance(await run.go(program()), Completed), run.end
    assert run.said == "Is boots 42 right? True"
    assert DONE == ["start"]


class TalksOn(Executor):
    """As an agent of a handoff does when its turn is over: it waits for the next message."""

    @handler
    async def start(self, words: str, ctx: WorkflowContext[None, str]) -> None:
        await ctx.request_info(f"You said {words}.", list[Message])

    @response_handler
    async def more(self, asked: str, said: list[Message], ctx: WorkflowContext[None, str]) -> None:
        await ctx.request_info(f"Then {said[-1].role}: {said[-1].text}.", Message)

    @response_handler
    async def last(self, asked: str, said: Message, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"{asked} At last {said.role}: {said.text}.")


async def test_an_executor_that_asks_for_messages_is_given_the_persons_words() -> None:
    def program() -> AgentProgram:
        return AgentProgram(WorkflowBuilder(start_executor=TalksOn("talks")).build())

    run = MemoryRun("go")
    for words in ("red", "blue"):
        assert isinstance(await run.go(program()), Waiting), run.end
        [asked] = run.pending
        assert isinstance(asked.card, OptionsCard)
        run.answer(asked, {"additional_notes": words})
    assert isinstance(await run.go(program()), Completed), run.end
    assert run.said == "Then user: red. At last user: blue."


@dataclass
class Review:
    """As of a plan, by messages of what to change; none agrees."""

    review: list[Message]


class Plans(Executor):
    @handler
    async def start(self, words: str, ctx: WorkflowContext[None, str]) -> None:
        await ctx.request_info(f"The plan: {words}.", Review)

    @response_handler
    async def reviewed(self, plan: str, told: Review, ctx: WorkflowContext[None, str]) -> None:
        if told.review:
            await ctx.request_info(f"{plan} But {told.review[0].text}.", Review)
        else:
            await ctx.yield_output(f"{plan} Agreed.")


async def test_a_review_without_words_agrees() -> None:
    def program() -> AgentProgram:
        return AgentProgram(WorkflowBuilder(start_executor=Plans("plans")).build())

    run = MemoryRun("go")
    for values in ({"review": "in blue"}, {}):
        assert isinstance(await run.go(program()), Waiting), run.end
        [asked] = run.pending
        assert isinstance(asked.card, FormCard)
        run.answer(asked, {"values": values})
    assert isinstance(await run.go(program()), Completed), run.end
    assert run.said == "The plan: go. But in blue. Agreed."


@pytest.mark.parametrize("ends", [MemoryRun.dismiss, MemoryRun.expire])
async def test_a_review_that_nobody_gave_does_not_agree(
    ends: Callable[[MemoryRun, Interaction], object],
) -> None:
    def program() -> AgentProgram:
        return AgentProgram(WorkflowBuilder(start_executor=Plans("plans")).build())

    run = MemoryRun("go")
    assert isinstance(await run.go(program()), Waiting), run.end
    [asked] = run.pending
    ends(run, asked)
    assert isinstance(await run.go(program()), Waiting), run.said
    [again] = run.pending
    assert again.title == "The plan: go. But Nobody has agreed.."


def test_each_process_calls_a_workflow_without_a_name_the_same() -> None:
    [first], [second] = (
        App(WorkflowBuilder(start_executor=Asks("asks")).build()).agent_names for _ in range(2)
    )
    assert first == second == "WorkflowBuilder"


def test_a_workflow_of_agents_without_names_is_refused() -> None:
    nameless = Agent(ScriptedClient([]))
    flow = WorkflowBuilder(start_executor=note, name="desk").add_edge(note, nameless).build()
    [refused] = [one for one in AgentFrameworkAdapter().check(flow, APP) if one.kind is REFUSED]
    assert "has no name" in refused.text


async def test_a_workflow_as_an_agent_is_served_too() -> None:
    run = MemoryRun("go")
    flow = WorkflowBuilder(start_executor=scripted("writer", [Turn("A draft. ")]), name="desk")
    assert isinstance(await run.go(AgentProgram(flow.build().as_agent())), Completed), run.end
    assert "A draft. " in run.said


async def test_what_cannot_be_saved_ends_the_run_in_words() -> None:
    @executor(id="keeps")
    async def keeps(words: str, ctx: WorkflowContext[Any]) -> None:
        ctx.set_state("held", lambda: words)
        await ctx.send_message(words)

    flow = WorkflowBuilder(start_executor=keeps, name="desk").add_edge(keeps, note).build()
    end = await MemoryRun("go").go(AgentProgram(flow))
    assert isinstance(end, Failed), end
    assert isinstance(end.error, NotSupportedError)
    assert "cannot be saved" in end.error.detail


def test_a_workflow_that_begins_with_neither_words_nor_messages_is_refused() -> None:
    @executor(id="first")
    async def first(size: Size, ctx: WorkflowContext[None, str]) -> None: ...

    flow = WorkflowBuilder(start_executor=first, name="desk").build()
    found = AgentFrameworkAdapter().check(flow, APP)
    assert REFUSED in [one.kind for one in found]


async def test_a_crash_in_a_call_of_a_workflow_loses_nothing_and_does_nothing_twice() -> None:
    run = MemoryRun("go")
    assert isinstance(await run.go(AgentProgram(noted())), Waiting), run.end
    run.approve("pay")
    await crashed(run, AgentProgram(noted()), "after ended:pay")
    assert isinstance(await run.go(AgentProgram(noted())), Completed), run.end
    assert DONE == ["note go", "pay 7", "tell"]


async def test_the_next_message_begins_a_workflow_anew() -> None:
    first = MemoryRun("go")
    assert isinstance(await first.go(AgentProgram(noted())), Waiting), first.end
    first.reject("pay", "no")
    assert isinstance(await first.go(AgentProgram(noted())), Completed), first.end
    after = MemoryRun("on", run_id="run-2", agent_state=first.agent_state)
    assert isinstance(await after.go(AgentProgram(noted())), Waiting), after.end
    assert DONE == ["note go", "tell", "note on"]
