"""What only Google ADK has: agents of agents, its own tools and confirmations, callbacks, its
session. And the traps that were found by running it."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import threading
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("google.adk")

from fastapi.openapi.models import APIKey
from google.adk.agents import (
    BaseAgent,
    InvocationContext,
    LlmAgent,
    LoopAgent,
    ParallelAgent,
    SequentialAgent,
)
from google.adk.apps import App
from google.adk.artifacts import InMemoryArtifactService
from google.adk.auth.auth_tool import AuthConfig
from google.adk.code_executors import UnsafeLocalCodeExecutor
from google.adk.events import Event
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.runners import InMemoryRunner, Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools._request_input_tool import request_input
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.exit_loop_tool import exit_loop
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.get_user_choice_tool import get_user_choice_tool
from google.adk.tools.long_running_tool import LongRunningFunctionTool
from google.adk.tools.tool_context import ToolContext
from google.adk.workflow import Workflow
from google.genai import types
from pydantic import BaseModel, JsonValue

from sayso.adapters.adk import ADKAdapter
from sayso.adapters.program import AgentProgram
from sayso.adapters.registry import find_adapter
from sayso.core.cards import ApprovalCard, FormCard, OptionsCard
from sayso.core.effects import EffectState
from sayso.core.errors import (
    AgentFailed,
    AnswerInvalid,
    LeaseLost,
    NotSupportedError,
    SaysoError,
    StateUnreadable,
)
from sayso.core.interactions import Interaction
from sayso.core.policy_rules import Rule, Verdict
from sayso.core.segments import Completed, Failed, Waiting
from sayso.core.tasks import TaskRequest, UniversalMessage
from sayso.testing.contract.script import Turn
from sayso.testing.recorder import Crash, MemoryRun
from sayso.tools.tool import tool
from tests.contract.adk_builder import ScriptedLlm, scripted_agent

Call = tuple[str, Mapping[str, JsonValue]]
PAY: Call = ("pay", {"amount": 5})
ASK_PAY = [Rule(tool="pay", then=Verdict.ASK)]


@pytest.fixture
def paid() -> list[float]:
    return []


@pytest.fixture
def pay(paid: list[float]) -> Any:
    def pay(amount: float) -> str:
        """Pay."""
        paid.append(amount)
        return f"paid {amount}"

    return pay


@pytest.fixture(autouse=True)
def nothing_is_left_behind(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """No task of ADK's ends unseen, however a run is stopped."""
    yield
    gc.collect()
    assert not [record for record in caplog.records if record.name == "asyncio"]


def player(name: str, *turns: Turn, **options: Any) -> LlmAgent:
    return scripted_agent(turns, name=name, **options)


async def waits(run: MemoryRun, program: AgentProgram) -> Interaction:
    end = await run.go(program)
    assert isinstance(end, Waiting), end
    (card,) = run.pending
    return card


async def ends(run: MemoryRun, program: AgentProgram) -> Completed:
    end = await run.go(program)
    assert isinstance(end, Completed), end
    return end


async def fails(run: MemoryRun, program: AgentProgram) -> SaysoError:
    end = await run.go(program)
    assert isinstance(end, Failed), end
    return end.error


def speakers(run: MemoryRun) -> list[tuple[object, str]]:
    """Who said what, one after the other."""
    said: list[tuple[object, str]] = []
    for chunk in run.chunks:
        who = chunk.metadata.get("agent_name")
        if said and said[-1][0] == who:
            said[-1] = (who, said[-1][1] + str(chunk.content))
        else:
            said.append((who, str(chunk.content)))
    return said


# ── found from the agent itself ──


def test_it_is_found_from_an_agent_and_from_an_app() -> None:
    agent = player("root")
    assert isinstance(find_adapter(agent), ADKAdapter)
    app = App(name="desk", root_agent=agent)
    assert isinstance(find_adapter(app), ADKAdapter)
    assert AgentProgram(app).name == "desk"


def test_a_graph_is_refused_with_the_reason() -> None:
    with pytest.raises(NotSupportedError, match="run again at each answer"):
        find_adapter(Workflow(name="graph", edges=[]))


# ── pausing: ADK itself keeps calling the model, and answers one of two and goes on ──


async def test_the_model_is_not_asked_while_calls_wait_and_each_answer_is_awaited(
    pay: Any, paid: list[float]
) -> None:
    seen: list[object] = []
    calls = [("pay", {"amount": 1}), ("pay", {"amount": 2})]
    program = AgentProgram(player("root", Turn("", calls), tools=[pay], seen=seen), policy=ASK_PAY)
    run = MemoryRun()
    assert isinstance(await run.go(program), Waiting)
    first, second = run.pending
    assert len(seen) == 1
    run.approve(first)
    await run.go(program)  # nobody would: the policy of the batch is ALL
    assert [card.call_key for card in run.pending] == [second.call_key]
    assert paid == [1]
    assert len(seen) == 1
    run.approve(second)
    await ends(run, program)
    assert paid == [1, 2]
    assert len(seen) == 2
    assert run.said == 'Results: "paid 1"|"paid 2"'


async def test_a_takeover_does_not_ask_the_model_again(pay: Any, paid: list[float]) -> None:
    seen: list[object] = []
    program = AgentProgram(player("root", Turn("so ", [PAY]), tools=[pay], seen=seen))

    def crash(at: str) -> None:
        if at == "after started:pay":
            raise Crash(at)

    run = MemoryRun()
    run.recorder.crash_at = crash
    with pytest.raises(Crash):
        await run.go(program)
    run.recorder.crash_at = None
    run.answer(await waits(run, program), {"selected_option": "run_again"})
    assert len(seen) == 1
    await ends(run, program)
    assert len(seen) == 2
    assert paid == [5]
    assert run.said == 'so Results: "paid 5"'


async def test_two_calls_of_a_reply_with_one_id_are_two_calls(pay: Any, paid: list[float]) -> None:
    class SameIds(ScriptedLlm):
        async def generate_content_async(
            self, llm_request: Any, stream: bool = False
        ) -> AsyncGenerator[LlmResponse, None]:
            async for response in super().generate_content_async(llm_request, stream):
                for part in (response.content and response.content.parts) or ():
                    if part.function_call:
                        part.function_call.id = "same"
                yield response

    script = (Turn("", [("pay", {"amount": 1}), ("pay", {"amount": 2})]),)
    agent = LlmAgent(name="root", model=SameIds(model="m", script=script), tools=[pay])
    run = MemoryRun()
    await ends(run, AgentProgram(agent))
    assert sorted(paid) == [1, 2]
    assert run.said == 'Results: "paid 1"|"paid 2"'


async def test_bytes_of_a_reply_survive_the_pause(pay: Any) -> None:
    seen: list[list[types.Content]] = []

    class Signed(ScriptedLlm):
        async def generate_content_async(
            self, llm_request: Any, stream: bool = False
        ) -> AsyncGenerator[LlmResponse, None]:
            async for response in super().generate_content_async(llm_request, stream):
                for part in (response.content and response.content.parts) or ():
                    part.thought_signature = b"\xff\x00signed"
                yield response

    model = Signed(model="m", script=(Turn("", [PAY]),), seen=seen)
    program = AgentProgram(LlmAgent(name="root", model=model, tools=[pay]), policy=ASK_PAY)
    run = MemoryRun()
    run.approve(await waits(run, program))
    await ends(run, program)
    (part,) = seen[-1][-2].parts or []
    assert part.thought_signature == b"\xff\x00signed"


# ── agents of agents ──


@pytest.mark.filterwarnings("ignore:SequentialAgent is deprecated:DeprecationWarning")
async def test_a_sequence_waits_at_its_first_agent_and_goes_on_with_the_second(
    pay: Any, paid: list[float]
) -> None:
    asked_second: list[list[types.Content]] = []
    first = player("first", Turn("one ", [PAY]), tools=[pay], output_key="bill")
    second = player("second", Turn("two "), seen=asked_second, instruction="Bill: {bill}")
    program = AgentProgram(SequentialAgent(name="pipe", sub_agents=[first, second]), policy=ASK_PAY)
    run = MemoryRun()
    card = await waits(run, program)
    assert card.agent_name == "first"
    assert not asked_second
    run.approve(card)
    end = await ends(run, program)
    assert paid == [5]
    assert speakers(run) == [("first", 'one Results: "paid 5"'), ("second", "two Results: ")]
    assert end.output == "two Results: "
    assert len(asked_second) == 1


@pytest.mark.filterwarnings("ignore:LoopAgent is deprecated:DeprecationWarning")
async def test_a_loop_waits_in_each_round_and_ends_where_an_agent_says_so(
    pay: Any, paid: list[float]
) -> None:
    class Twice(ScriptedLlm):
        """Pays in two rounds, and leaves the loop in the third."""

        async def generate_content_async(
            self, llm_request: Any, stream: bool = False
        ) -> AsyncGenerator[LlmResponse, None]:
            responses = [
                part.function_response
                for content in llm_request.contents
                for part in content.parts
                if part.function_response
            ]
            last = llm_request.contents[-1].parts[-1]
            if last.function_response:
                part = types.Part(text="paid. ")
            elif len(responses) < 2:
                call = types.FunctionCall(name="pay", args={"amount": len(responses)})
                part = types.Part(function_call=call)
            else:
                part = types.Part(function_call=types.FunctionCall(name="exit_loop", args={}))
            yield LlmResponse(content=types.Content(role="model", parts=[part]))

    worker = LlmAgent(name="worker", model=Twice(model="m"), tools=[pay, exit_loop])
    loop = LoopAgent(name="loop", sub_agents=[worker], max_iterations=9)
    program, run = AgentProgram(loop, policy=ASK_PAY), MemoryRun()
    run.approve(await waits(run, program))
    run.approve(await waits(run, program))
    await ends(run, program)
    assert paid == [0, 1]
    assert run.said == "paid. paid. "
    assert [call.name for call in run.calls] == ["pay", "pay", "exit_loop"]


@pytest.mark.filterwarnings("ignore:ParallelAgent is deprecated:DeprecationWarning")
async def test_parallel_agents_wait_together_and_the_free_one_is_done_once(
    pay: Any, paid: list[float]
) -> None:
    asked: list[object] = []
    looked: list[int] = []

    async def look() -> str:
        await asyncio.sleep(0)
        looked.append(1)
        return "seen"

    agents = ParallelAgent(
        name="both",
        sub_agents=[
            player("a", Turn("", [("pay", {"amount": 1})]), tools=[pay]),
            player("b", Turn("", [("look", {})]), Turn("", [PAY]), tools=[pay, look]),
            player("c", *[Turn("", [("look", {})])] * 3, tools=[look], seen=asked),
        ],
    )
    watch = Watch()
    app = App(name="desk", root_agent=agents, plugins=[watch])
    program, run = AgentProgram(app, policy=ASK_PAY), MemoryRun()
    assert isinstance(await run.go(program), Waiting)
    one, two = run.pending
    assert {one.agent_name, two.agent_name} == {"a", "b"}
    assert len(looked) == len(asked) == 4  # c is through, and was not cut off
    assert watch.ends == 1, "nobody but c has ended"
    run.approve(one)
    run.approve(two)
    await ends(run, program)
    assert sorted(paid) == [1, 5]
    assert (len(looked), len(asked)) == (4, 4)
    assert sorted(run.said.split("Results: ")) == [
        "",
        '"paid 1"',
        '"seen"|"paid 5"',
        '"seen"|"seen"|"seen"',
    ]


@pytest.mark.filterwarnings("ignore:ParallelAgent is deprecated:DeprecationWarning")
async def test_of_agents_that_speak_at_once_each_is_read_whole() -> None:
    both = ParallelAgent(
        name="both",
        sub_agents=[player("a", Turn("a " * 50)), player("b", Turn("b " * 50))],
    )
    run = MemoryRun()
    await ends(run, AgentProgram(both))
    (_, first), (_, second) = speakers(run)
    assert {first, second} == {"a " * 50 + "Results: ", "b " * 50 + "Results: "}


async def test_a_transfer_hands_over_to_a_sub_agent_that_waits_and_keeps_the_chat(
    pay: Any, paid: list[float]
) -> None:
    seen: list[object] = []
    clerk = player("clerk", Turn("Clerk: ", [PAY]), tools=[pay], description="Pays.", seen=seen)
    handover = Turn("Wait. ", [("transfer_to_agent", {"agent_name": "clerk"})])
    program = AgentProgram(player("root", handover, sub_agents=[clerk]), policy=ASK_PAY)
    run = MemoryRun()
    card = await waits(run, program)
    assert card.agent_name == "clerk"
    run.approve(card)
    await ends(run, program)
    assert paid == [5]
    assert speakers(run) == [(None, "Wait. "), ("clerk", 'Clerk: Results: "paid 5"')]
    assert [(call.name, call.agent_name) for call in run.calls] == [
        ("transfer_to_agent", "root"),
        ("pay", "clerk"),
    ]
    again = MemoryRun("and now?", run_id="r2", agent_state=run.agent_state)
    asked = len(seen)
    await waits(again, program)
    assert len(seen) == asked + 1, "the clerk has the chat now"


async def test_a_transfer_can_be_denied_by_name() -> None:
    clerk = player("clerk", Turn("never "), description="Pays.")
    handover = Turn("", [("transfer_to_agent", {"agent_name": "clerk"})])
    no = Rule(tool="transfer_to_agent", then=Verdict.DENY, reason="Stay here.")
    run = MemoryRun()
    await ends(run, AgentProgram(player("root", handover, sub_agents=[clerk]), policy=[no]))
    assert "never" not in run.said
    assert "Stay here." in run.said


@pytest.mark.parametrize("plugins", [True, False], ids=["plugins", "no_plugins"])
async def test_an_agent_within_a_tool_waits_and_is_not_asked_again(
    pay: Any, paid: list[float], plugins: bool
) -> None:
    seen: list[object] = []
    inner = player("inner", Turn("", [PAY]), tools=[pay], description="Pays.", seen=seen)
    outer = player(
        "outer",
        Turn("", [("inner", {"request": "pay it"})]),
        tools=[AgentTool(agent=inner, include_plugins=plugins)],
    )
    program, run = AgentProgram(outer, policy=ASK_PAY), MemoryRun()
    card = await waits(run, program)
    assert card.agent_name == "inner"
    assert len(seen) == 1
    run.approve(card, edits={"amount": 4})
    await ends(run, program)
    assert paid == [4]
    assert len(seen) == 2
    assert "paid 4" in run.said
    assert [(call.name, call.agent_name) for call in run.calls] == [
        ("inner", "outer"),
        ("pay", "inner"),
    ]
    assert not [effect for effect in run.recorder.effects.values() if effect.tool_name == "inner"]


async def test_a_single_turn_sub_agent_waits_as_well(pay: Any, paid: list[float]) -> None:
    inner = player("inner", Turn("", [PAY]), tools=[pay], description="Pays.", mode="single_turn")
    outer = player("outer", Turn("", [("inner", {"request": "pay"})]), sub_agents=[inner])
    program, run = AgentProgram(outer, policy=ASK_PAY), MemoryRun()
    run.approve(await waits(run, program))
    await ends(run, program)
    assert paid == [5]
    assert "paid 5" in run.said


async def test_an_acting_tool_that_runs_an_agent_goes_on_after_the_answer(
    pay: Any, paid: list[float]
) -> None:
    """The tool's own body runs again from its start, as one of Sayso's would."""
    bodies: list[int] = []
    inner = player("inner", Turn("", [PAY]), tools=[pay])

    async def delegate(tool_context: ToolContext) -> str:
        bodies.append(1)
        return str(
            await AgentTool(agent=inner).run_async(
                args={"request": "pay"}, tool_context=tool_context
            )
        )

    outer = player("outer", Turn("", [("delegate", {})]), tools=[delegate])
    program, run = AgentProgram(outer, policy=ASK_PAY), MemoryRun()
    run.approve(await waits(run, program))
    await ends(run, program)
    assert (len(bodies), paid) == (2, [5])
    assert "paid 5" in run.said
    assert {e.state.value for e in run.recorder.effects.values()} == {"done"}


async def test_an_agent_in_python_is_played_again_and_says_nothing_twice(
    pay: Any, paid: list[float]
) -> None:
    class Own(BaseAgent):
        async def _run_async_impl(self, ctx: InvocationContext) -> AsyncGenerator[Event, None]:
            words = types.Content(role="model", parts=[types.Part(text="I begin. ")])
            yield Event(author=self.name, invocation_id=ctx.invocation_id, content=words)
            async for event in self.sub_agents[0].run_async(ctx):
                yield event

    own = Own(name="own", sub_agents=[player("inner", Turn("so ", [PAY]), tools=[pay])])
    program, run = AgentProgram(own, policy=ASK_PAY), MemoryRun()
    run.approve(await waits(run, program))
    await ends(run, program)
    assert paid == [5]
    assert speakers(run) == [(None, "I begin. "), ("inner", 'so Results: "paid 5"')]


async def test_an_agent_that_is_left_in_the_middle_of_its_words_holds_nothing_up(
    pay: Any, paid: list[float]
) -> None:
    class Impatient(BaseAgent):
        async def _run_async_impl(self, ctx: InvocationContext) -> AsyncGenerator[Event, None]:
            talker, payer = self.sub_agents
            async with aclosing(talker.run_async(ctx)) as events:
                async for event in events:
                    yield event
                    break
            async for event in payer.run_async(ctx):
                yield event

    talker, payer = player("talker", Turn("on and on ")), player("payer", Turn("", [PAY]))
    payer.tools = [pay]
    program = AgentProgram(Impatient(name="own", sub_agents=[talker, payer]), policy=ASK_PAY)
    run = MemoryRun()
    run.approve(await waits(run, program))
    await ends(run, program)
    assert paid == [5]


async def test_agents_that_have_changed_while_a_run_waited_are_not_asked_anything(
    pay: Any, paid: list[float]
) -> None:
    seen: list[object] = []
    run = MemoryRun()
    old = AgentProgram(player("clerk", Turn("", [PAY]), tools=[pay]), policy=ASK_PAY)
    run.approve(await waits(run, old))
    new = AgentProgram(player("teller", Turn("", [PAY]), tools=[pay], seen=seen), policy=ASK_PAY)
    error = await fails(run, new)
    assert isinstance(error, StateUnreadable)
    assert "have changed" in error.detail
    assert not seen
    assert not paid


async def test_a_sibling_at_work_is_not_cut_off(pay: Any, paid: list[float]) -> None:
    turns: list[int] = []

    async def work() -> str:
        for turn in range(5000):
            await asyncio.sleep(0)
            turns.append(turn)
        return "worked"

    agent = player("root", Turn("", [PAY, ("work", {})]), tools=[pay, work])
    program, run = AgentProgram(agent, policy=ASK_PAY), MemoryRun()
    run.approve(await waits(run, program))
    await ends(run, program)
    assert len(turns) == 5000
    assert paid == [5]
    assert {effect.state.value for effect in run.recorder.effects.values()} == {"done"}


# ── its own tools, and how they ask ──


@pytest.mark.parametrize("asks", [True, lambda amount: amount > 3], ids=["always", "predicate"])
async def test_a_tool_that_requires_confirmation_asks_by_a_card(
    pay: Any, paid: list[float], asks: Any
) -> None:
    agent = player(
        "root",
        Turn("", [PAY, ("pay", {"amount": 2})]),
        tools=[FunctionTool(pay, require_confirmation=asks)],
    )
    program, run = AgentProgram(agent), MemoryRun()
    await run.go(program)
    assert len(run.pending) == (2 if asks is True else 1)
    for card in list(run.pending):
        run.approve(card, edits={"amount": 1})
    await ends(run, program)
    assert sorted(paid) == ([1, 1] if asks is True else [1, 2])


@pytest.mark.parametrize("answer", ["approve", "reject"])
async def test_a_tool_that_asks_in_its_own_body_gets_its_payload_back(answer: str) -> None:
    booked: list[object] = []

    def book(days: int, tool_context: ToolContext) -> dict[str, Any]:
        if not tool_context.tool_confirmation:
            tool_context.request_confirmation(hint="Really?", payload={"days": days})
            return {"status": "pending"}
        booked.append(tool_context.tool_confirmation.payload)
        return {"booked": days}

    program = AgentProgram(player("root", Turn("", [("book", {"days": 3})]), tools=[book]))
    run = MemoryRun()
    card = await waits(run, program)
    assert isinstance(card.card, ApprovalCard)
    assert card.card.agent_message == "Really?"
    if answer == "approve":
        run.approve(card)
    else:
        run.reject(card, "too long")
    await ends(run, program)
    assert booked == ([{"days": 3}] if answer == "approve" else [])
    assert ('"booked": 3' if answer == "approve" else "too long") in run.said


@pytest.mark.parametrize("which", ["input", "choice", "own"])
async def test_a_long_running_tool_that_returns_nothing_is_a_question(which: str) -> None:
    def ticket(title: str) -> None:
        return None

    calls: dict[str, tuple[Call, BaseTool]] = {
        "input": (("adk_request_input", {"message": "Which region?"}), request_input),
        "choice": (("get_user_choice", {"options": ["EU", "US"]}), get_user_choice_tool),
        "own": (("ticket", {"title": "x"}), LongRunningFunctionTool(ticket)),
    }
    call, own = calls[which]
    program, run = AgentProgram(player("root", Turn("", [call]), tools=[own])), MemoryRun()
    card = await waits(run, program)
    assert isinstance(card.card, OptionsCard)
    assert (
        card.title
        == {
            "input": "Which region?",
            "choice": "Which one?",
            "own": "ticket is done outside of the agent. What came of it?",
        }[which]
    )
    if which == "choice":
        assert [option.id for option in card.card.options] == ["EU", "US"]
        run.answer(card, {"selected_option": "EU"})
    else:
        run.answer(card, {"additional_notes": "EU"})
    await ends(run, program)
    assert "EU" in run.said


@pytest.mark.parametrize("answer", ["values", "dismissed"])
async def test_the_result_of_a_long_running_tool_comes_from_outside(answer: str) -> None:
    """As in ADK's own sample: the tool returns a ticket, and its result comes later."""
    asked: list[str] = []

    def ask_for_approval(purpose: str, amount: float) -> dict[str, Any]:
        asked.append(purpose)
        return {"status": "pending", "amount": amount, "ticketId": "ticket-1"}

    own = LongRunningFunctionTool(ask_for_approval)
    call: Call = ("ask_for_approval", {"purpose": "trip", "amount": 200})
    program, run = AgentProgram(player("root", Turn("", [call]), tools=[own])), MemoryRun()
    card = await waits(run, program)
    assert isinstance(card.card, FormCard)
    assert card.card.values == {"status": "pending", "amount": 200, "ticketId": "ticket-1"}
    if answer == "dismissed":
        run.dismiss(card)
    else:
        run.answer(card, {"values": {"status": "approved"}})
    await ends(run, program)
    assert asked == ["trip"], "it ran once"
    status = "pending" if answer == "dismissed" else "approved"
    told = json.loads(run.said.removeprefix("Results: "))
    assert told == {"status": status, "amount": 200, "ticketId": "ticket-1"}


async def test_a_long_running_tool_that_is_done_is_not_asked_about() -> None:
    def order(part: str) -> dict[str, str]:
        return {"status": "completed", "part": part}

    own = LongRunningFunctionTool(order)
    program = AgentProgram(player("root", Turn("", [("order", {"part": "x"})]), tools=[own]))
    run = MemoryRun()
    await ends(run, program)
    assert '"completed"' in run.said


@pytest.mark.parametrize(
    ("schema", "values", "told"),
    [
        ({"type": "boolean"}, {"answer": True}, {"result": True}),
        (
            {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
            {"city": "Bergen"},
            {"city": "Bergen"},
        ),
    ],
)
async def test_a_question_with_a_schema_is_a_form(
    schema: dict[str, JsonValue], values: dict[str, JsonValue], told: dict[str, JsonValue]
) -> None:
    call: Call = ("adk_request_input", {"message": "Where?", "response_schema": schema})
    seen: list[list[types.Content]] = []
    agent = player("root", Turn("", [call]), tools=[request_input], seen=seen)
    program, run = AgentProgram(agent), MemoryRun()
    card = await waits(run, program)
    assert isinstance(card.card, FormCard)
    assert card.title == "Where?"
    run.answer(card, {"values": values})
    await ends(run, program)
    [given] = [p.function_response for c in seen[-1] for p in c.parts or () if p.function_response]
    assert given.response == told, "as ADK's own clients answer it, without our wrapper"


async def test_the_payload_of_a_confirmation_can_be_filled_in() -> None:
    """As in ADK's own sample: the person says how many days are approved."""
    approved: list[object] = []

    def request_time_off(days: int, tool_context: ToolContext) -> dict[str, Any]:
        said = tool_context.tool_confirmation
        if not said:
            tool_context.request_confirmation(
                hint="How many days?", payload={"approved_days": 0, "days": "any"}
            )
            return {"status": "waiting"}
        payload: Any = said.payload
        approved.append(payload)
        return {"status": "ok", "approved_days": payload["approved_days"]}

    call: Call = ("request_time_off", {"days": 7})
    program = AgentProgram(player("root", Turn("", [call]), tools=[request_time_off]))
    run = MemoryRun()
    card = await waits(run, program)
    assert isinstance(card.card, ApprovalCard)
    assert card.card.tool_params == {"days": 7, "approved_days": 0, "confirmed_days": "any"}
    assert card.card.edit_schema is not None
    with pytest.raises(AnswerInvalid):
        run.approve(card, edits={"approved_days": "many"})
    run.approve(card, edits={"approved_days": 5})
    await ends(run, program)
    assert approved == [{"approved_days": 5, "days": "any"}]
    assert '"approved_days": 5' in run.said


async def test_edited_arguments_of_its_own_tool_are_checked(pay: Any, paid: list[float]) -> None:
    program = AgentProgram(player("root", Turn("", [PAY]), tools=[pay]), policy=ASK_PAY)
    run = MemoryRun()
    card = await waits(run, program)
    with pytest.raises(AnswerInvalid, match='"much" is not of type "number"'):
        run.approve(card, edits={"amount": "much"})
    assert not paid


async def test_the_card_shows_what_its_own_tool_fills_in(paid: list[float]) -> None:
    def pay(amount: float, currency: str = "EUR", note: str | None = None) -> str:
        """Pay."""
        return f"paid {amount} {currency}"

    program = AgentProgram(player("root", Turn("", [PAY]), tools=[pay]), policy=ASK_PAY)
    run = MemoryRun()
    card = await waits(run, program)
    assert isinstance(card.card, ApprovalCard)
    assert card.card.tool_params == {"amount": 5, "currency": "EUR"}
    run.approve(card, edits={"currency": "SEK"})
    await ends(run, program)
    assert "paid 5 SEK" in run.said
    assert "A person changed currency from EUR to SEK" in run.said


async def test_a_tool_of_sayso_may_stand_among_the_agents_own(paid: list[float]) -> None:
    @tool(approval=True)
    def pay(amount: float) -> str:
        """Pay."""
        paid.append(amount)
        return f"paid {amount}"

    program, run = AgentProgram(player("root", Turn("", [PAY]), tools=[pay])), MemoryRun()
    run.approve(await waits(run, program))
    await ends(run, program)
    assert paid == [5]


async def test_what_a_tool_writes_to_the_session_is_there_after_a_pause(
    pay: Any, paid: list[float]
) -> None:
    seen: list[str] = []

    def note(tool_context: ToolContext) -> str:
        tool_context.state["noted"] = tool_context.state.get("noted", 0) + 1
        return "noted"

    def read(tool_context: ToolContext) -> str:
        seen.append(str(tool_context.state["noted"]))
        return "read"

    turns = [Turn("", [("note", {})]), Turn("", [PAY]), Turn("", [("read", {})])]
    program = AgentProgram(player("root", *turns, tools=[note, pay, read]), policy=ASK_PAY)
    run = MemoryRun()
    run.approve(await waits(run, program))
    await ends(run, program)
    again = MemoryRun(run_id="r2", agent_state=run.agent_state)
    run.approve(await waits(again, program))
    assert seen == ["1"]


@pytest.mark.filterwarnings("ignore:This method is deprecated:DeprecationWarning")
async def test_a_login_by_adk_is_refused_in_words() -> None:
    def secret(tool_context: ToolContext) -> str:
        scheme = APIKey.model_validate({"in": "header", "name": "key"})
        tool_context.request_credential(AuthConfig(auth_scheme=scheme))
        return "pending"

    program = AgentProgram(player("root", Turn("", [("secret", {})]), tools=[secret]))
    error = await fails(MemoryRun(), program)
    assert isinstance(error, NotSupportedError)
    assert "login" in error.detail


async def test_code_that_would_pass_the_toolbox_by_is_refused() -> None:
    program = AgentProgram(player("root", code_executor=UnsafeLocalCodeExecutor()))
    assert isinstance(await fails(MemoryRun(), program), NotSupportedError)


# ── callbacks, plugins, errors ──


class Watch(BasePlugin):
    """Counts what it sees; answers errors where it is told to."""

    def __init__(self, answer: dict[str, Any] | None = None) -> None:
        super().__init__(name="watch")
        self.answer = answer
        self.models = self.ends = 0
        self.errors: list[BaseException] = []

    async def before_model_callback(self, **_: Any) -> None:
        self.models += 1

    async def after_agent_callback(self, **_: Any) -> None:
        self.ends += 1

    async def on_tool_error_callback(self, *, error: Exception, **_: Any) -> dict[str, Any] | None:
        self.errors.append(error)
        return self.answer


async def test_the_apps_plugins_and_the_agents_callbacks_are_heard(
    pay: Any, paid: list[float]
) -> None:
    before: list[object] = []

    def guard(tool: BaseTool, args: dict[str, Any], tool_context: ToolContext) -> Any:
        assert isinstance(tool, FunctionTool)
        assert tool.func is pay
        before.append(dict(args))
        if args["amount"] > 100:
            return {"refused": "too much"}
        args["amount"] += 1
        return None

    def praise(tool: BaseTool, args: Any, tool_context: Any, tool_response: Any) -> Any:
        return {"result": f"{tool_response}!"}

    watch = Watch()
    agent = player(
        "root",
        Turn("", [PAY, ("pay", {"amount": 101})]),
        tools=[pay],
        before_tool_callback=guard,
        after_tool_callback=praise,
    )
    program = AgentProgram(App(name="desk", root_agent=agent, plugins=[watch]), policy=ASK_PAY)
    run = MemoryRun()
    card = await waits(run, program)
    assert isinstance(card.card, ApprovalCard)
    assert card.card.tool_params == {"amount": 6}, "what runs is what is shown"
    assert (watch.models, watch.ends, watch.errors) == (1, 0, []), "waiting is no end and no error"
    run.approve(card)
    await ends(run, program)
    assert paid == [6]
    assert run.said == "Results: \"paid 6!\"|\"{'refused': 'too much'}!\""
    assert (watch.models, watch.ends) == (2, 1)


@pytest.mark.parametrize("who", ["nobody", "plugin", "agent"])
async def test_an_error_of_a_tool_goes_to_whoever_answers_errors(who: str) -> None:
    def broken() -> None:
        raise KeyError("lost")

    def heal(**_: Any) -> dict[str, Any]:
        return {"healed": "by the agent"}

    watch = Watch({"healed": "by the plugin"} if who == "plugin" else None)
    options = {"on_tool_error_callback": heal} if who == "agent" else {}
    agent = player("root", Turn("", [("broken", {})]), tools=[broken], **options)
    run = MemoryRun()
    await ends(run, AgentProgram(App(name="desk", root_agent=agent, plugins=[watch])))
    assert [str(error) for error in watch.errors] == ["'lost'"]
    words = {"nobody": "KeyError: 'lost'", "plugin": "by the plugin", "agent": "by the agent"}
    assert words[who] in run.said
    assert run.returns[0].status.value == "uncertain"


async def test_a_lost_lease_is_no_error_for_callbacks_to_answer(pay: Any) -> None:
    watch = Watch({"healed": True})
    agent = player("root", Turn("", [PAY]), tools=[pay])
    run = MemoryRun()
    run.recorder.lost = True
    with pytest.raises(LeaseLost):
        await run.go(AgentProgram(App(name="desk", root_agent=agent, plugins=[watch])))
    assert not watch.errors


async def test_words_that_a_callback_changes_are_told_after_those_that_were_read() -> None:
    def soften(callback_context: Any, llm_response: LlmResponse) -> LlmResponse | None:
        if llm_response.partial:
            return None
        parts = [types.Part(text="softer")]
        return LlmResponse(content=types.Content(role="model", parts=parts))

    run = MemoryRun()
    end = await ends(run, AgentProgram(player("root", Turn("hard "), after_model_callback=soften)))
    assert run.said == "hard Results: \n\nsofter"
    assert end.output == "softer"


async def test_a_model_that_gives_no_answer_fails_with_its_reason() -> None:
    class Blocked(ScriptedLlm):
        async def generate_content_async(
            self, llm_request: Any, stream: bool = False
        ) -> AsyncGenerator[LlmResponse, None]:
            yield LlmResponse(error_code="SAFETY", error_message="No.")

    program = AgentProgram(LlmAgent(name="root", model=Blocked(model="m")))
    error = await fails(MemoryRun(), program)
    assert isinstance(error, AgentFailed)
    assert "SAFETY: No." in error.detail


@pytest.mark.filterwarnings("ignore:ParallelAgent is deprecated:DeprecationWarning")
async def test_an_agent_that_is_stopped_in_its_callback_has_not_ended(
    pay: Any, paid: list[float]
) -> None:
    free = asyncio.Event()

    async def wait(tool: Any, args: Any, tool_context: Any) -> None:
        await free.wait()

    def look() -> str:
        return "seen"

    slow = player("slow", Turn("", [("look", {})]), tools=[look], before_tool_callback=wait)
    agents = ParallelAgent(
        name="both", sub_agents=[player("payer", Turn("", [PAY]), tools=[pay]), slow]
    )
    watch = Watch()
    app = App(name="desk", root_agent=agents, plugins=[watch])
    program, run = AgentProgram(app, policy=ASK_PAY), MemoryRun()
    card = await waits(run, program)
    assert watch.ends == 0
    free.set()
    run.approve(card)
    await ends(run, program)
    assert watch.ends == 3
    assert paid == [5]
    assert 'Results: "seen"' in run.said


@pytest.mark.parametrize("where", ["root", "sub", "tool"])
async def test_a_retry_reaches_its_own_tools_and_still_asks(
    pay: Any, paid: list[float], where: str
) -> None:
    gated = FunctionTool(pay, require_confirmation=True)
    clerk = player("clerk", tools=[gated], description="Pays.")
    agent = {
        "root": clerk,
        "sub": player("root", sub_agents=[clerk]),
        "tool": player("root", tools=[AgentTool(agent=clerk)]),
    }[where]
    task = TaskRequest(
        task_id="again",
        task_type="tool_retry",
        messages=[UniversalMessage(role="user", content="Retry")],
        context={"tool_name": "pay", "arguments": {"amount": 5}},
    )
    program, run = AgentProgram(agent), MemoryRun(task=task)
    card = await waits(run, program)
    run.approve(card, edits={"amount": 4})
    await ends(run, program)
    assert run.said == "pay ran again and succeeded."
    assert paid == [4]


# ── memory ──


async def test_memory_carries_on_and_learns_of_what_a_cancelled_run_left_in_the_chat() -> None:
    seen: list[list[types.Content]] = []
    program = AgentProgram(player("root", seen=seen))
    first = MemoryRun("one")
    await ends(first, program)
    chat = [
        UniversalMessage(role="user", content="one"),
        UniversalMessage(role="assistant", content="Results: "),
        UniversalMessage(role="user", content="cancelled"),
        UniversalMessage(role="assistant", content="half a"),
    ]
    again = MemoryRun("two", run_id="r2", history=chat, agent_state=first.agent_state)
    await ends(again, program)
    told = [part.text for content in seen[-1] for part in content.parts or ()]
    assert told == ["one", "Results: ", "cancelled", "half a", "two"]


async def test_a_chat_that_another_agent_began_is_told_to_this_one() -> None:
    seen: list[list[types.Content]] = []
    chat = [
        UniversalMessage(role="user", content="one"),
        UniversalMessage(role="assistant", content="yes"),
    ]
    run = MemoryRun("two", history=chat)
    await ends(run, AgentProgram(player("root", seen=seen)))
    told = [part.text for content in seen[-1] for part in content.parts or ()]
    assert told == ["one", "yes", "two"]


# ── MCP, threads, services ──

TILL = """
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("till")

@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def look() -> str:
    "Look."
    return "seen"

@server.tool(annotations=ToolAnnotations(destructive_hint=True))
def pay(amount: float) -> str:
    "Pay."
    return f"paid {amount}"

server.run()
"""


async def test_tools_of_an_mcp_server_are_gated_by_their_annotations(tmp_path: Path) -> None:
    mcp = pytest.importorskip("mcp")
    from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams

    server = tmp_path / "till.py"
    server.write_text(TILL)
    parameters = mcp.StdioServerParameters(command=sys.executable, args=[str(server)])
    toolset = McpToolset(
        connection_params=StdioConnectionParams(server_params=parameters, timeout=60)
    )
    agent = player("root", Turn("", [("look", {}), PAY]), tools=[toolset])
    program = AgentProgram(agent, policy=[Rule(destructive=True, then=Verdict.ASK)])
    run = MemoryRun()
    try:
        card = await waits(run, program)
        assert isinstance(card.card, ApprovalCard)
        assert card.card.tool_params == {"amount": 5}
        run.approve(card, edits={"amount": 4})
        await ends(run, program)
    finally:
        await toolset.close()
    assert "paid 4" in run.said
    assert "seen" in run.said
    assert [effect.tool_name for effect in run.recorder.effects.values()] == ["pay"]


async def test_a_blocking_function_holds_up_nobody_and_records_its_true_end() -> None:
    entered, leave = threading.Event(), threading.Event()

    def block() -> str:
        entered.set()
        leave.wait(30)
        return "late"

    run = MemoryRun()
    program = AgentProgram(player("root", Turn("", [("block", {})]), tools=[block]))
    task = asyncio.create_task(run.go(program))
    assert await asyncio.to_thread(entered.wait, 30)  # the loop is free while it blocks
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [effect.state.value for effect in run.recorder.effects.values()] == ["started"]
    leave.set()
    await program.detached_threads.wait()
    assert [effect.state.value for effect in run.recorder.effects.values()] == ["done"]


async def test_a_runner_brings_its_own_services(pay: Any, paid: list[float]) -> None:
    async def keep(tool_context: ToolContext) -> str:
        await tool_context.save_artifact("bill", types.Part(text="5 euros"))
        return "kept"

    async def show(tool_context: ToolContext) -> str:
        found = await tool_context.load_artifact("bill")
        return str(found and found.text)

    turns = [Turn("", [("keep", {})]), Turn("", [PAY]), Turn("", [("show", {})])]
    runner = Runner(
        app=App(name="desk", root_agent=player("root", *turns, tools=[keep, pay, show])),
        session_service=InMemorySessionService(),
        artifact_service=InMemoryArtifactService(),
    )
    program, run = AgentProgram(runner, policy=ASK_PAY), MemoryRun()
    assert program.name == "desk"
    run.approve(await waits(run, program))
    await ends(run, program)
    assert run.said.endswith('"5 euros"')


@pytest.mark.parametrize("served", ["agent", "runner"])
async def test_artifacts_are_kept_with_the_chat(pay: Any, served: str) -> None:
    async def keep(tool_context: ToolContext) -> str:
        await tool_context.save_artifact("bill", types.Part(text="5 euros"))
        await tool_context.save_artifact(
            "picture", types.Part.from_bytes(data=b"\xff\x00", mime_type="image/png")
        )
        return "kept"

    async def show(tool_context: ToolContext) -> str:
        bill = await tool_context.load_artifact("bill")
        picture = await tool_context.load_artifact("picture")
        assert bill is not None
        assert picture is not None
        assert picture.inline_data is not None
        return f"{bill.text} {picture.inline_data.data!r}"

    def program(*turns: Turn) -> AgentProgram:
        agent = player("root", *turns, tools=[keep, pay, show])
        whole = InMemoryRunner(agent=agent, app_name="desk") if served == "runner" else agent
        return AgentProgram(whole, policy=ASK_PAY)

    # Each segment is played by other objects, as in another process.
    turns = [Turn("", [("keep", {})]), Turn("", [PAY]), Turn("", [("show", {})])]
    run = MemoryRun("first")
    run.approve(await waits(run, program(*turns)))
    await ends(run, program(*turns))
    assert r"5 euros b'\\xff\\x00'" in run.said
    later = MemoryRun("second", run_id="run-2", agent_state=run.agent_state)
    await ends(later, program(Turn("", [("show", {})])))
    assert "5 euros" in later.said


async def test_artifacts_beyond_what_a_chat_keeps_are_refused_in_words() -> None:
    async def keep(tool_context: ToolContext) -> str:
        await tool_context.save_artifact("bill", types.Part(text="5" * 2_000_000))
        return "kept"

    run = MemoryRun()
    await ends(run, AgentProgram(player("root", Turn("", [("keep", {})]), tools=[keep])))
    assert "would be larger" in run.said


async def test_state_that_is_to_outlast_the_chat_is_warned_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def note(tool_context: ToolContext) -> str:
        tool_context.state["user:name"] = "Ada"
        return "noted"

    await ends(MemoryRun(), AgentProgram(player("root", Turn("", [("note", {})]), tools=[note])))
    assert "user:name" in caplog.text


async def test_an_answer_in_a_fixed_shape_waits_for_its_tools_too(
    pay: Any, paid: list[float]
) -> None:
    class Bill(BaseModel):
        amount: float

    offered: list[set[str]] = []

    def look(callback_context: Any, llm_request: Any) -> None:
        offered.append(set(llm_request.tools_dict))

    turns = [Turn("", [PAY]), Turn("", [("set_model_response", {"amount": 5.0})])]
    agent = player("root", *turns, tools=[pay], output_schema=Bill, before_model_callback=look)
    program, run = AgentProgram(agent, policy=ASK_PAY), MemoryRun()
    run.approve(await waits(run, program))
    end = await ends(run, program)
    assert paid == [5]
    assert json.loads(end.output) == {"amount": 5.0}
    assert run.said == end.output
    assert [call.name for call in run.calls] == ["pay"]
    asks = {"request_user_input", "request_user_approval"}
    assert offered[0] == {"pay", "set_model_response", *asks}


@pytest.mark.parametrize("own", [False, True])
async def test_an_agent_with_a_fixed_shape_has_the_applications_tools(own: bool) -> None:
    class Bill(BaseModel):
        amount: float

    posted: list[str] = []

    @tool(approval=True)
    def post(to: str) -> str:
        """Post it."""
        posted.append(to)
        return "posted"

    def look(at: str) -> str:
        """Look."""
        return "seen"

    turns = [Turn("", [("post", {"to": "Ada"})]), Turn("", [("set_model_response", {"amount": 5})])]
    agent = player("root", *turns, tools=[look] if own else [], output_schema=Bill)
    program, run = AgentProgram(agent, tools=[post]), MemoryRun()
    run.approve(await waits(run, program))
    end = await ends(run, program)
    assert posted == ["Ada"]
    assert json.loads(end.output) == {"amount": 5.0}


async def test_an_agent_with_a_fixed_shape_and_nothing_to_call_is_left_as_it_is() -> None:
    class Bill(BaseModel):
        amount: float

    asked: list[Any] = []

    def look(callback_context: Any, llm_request: Any) -> None:
        asked.append((set(llm_request.tools_dict), llm_request.config.response_schema))

    agent = player("root", Turn("{}"), output_schema=Bill, before_model_callback=look)
    await ends(MemoryRun(), AgentProgram(agent))
    assert asked == [(set(), Bill)]


async def test_a_task_given_to_a_sub_agent_waits_as_well(pay: Any, paid: list[float]) -> None:
    clerk = player(
        "clerk",
        Turn("", [PAY]),
        Turn("", [("finish_task", {"result": "it is paid"})]),
        tools=[pay],
        description="Pays.",
        mode="task",
    )
    desk = player("desk", Turn("", [("clerk", {"request": "pay"})]), sub_agents=[clerk])
    program, run = AgentProgram(desk, policy=ASK_PAY), MemoryRun()
    run.approve(await waits(run, program))
    await ends(run, program)
    assert paid == [5]
    assert "it is paid" in run.said


async def test_a_memory_that_nobody_keeps_is_searched_in_vain() -> None:
    async def recall(tool_context: ToolContext) -> str:
        """Recall."""
        return f"found {(await tool_context.search_memory('tea')).memories}"

    run = MemoryRun()
    await ends(run, AgentProgram(player("a", Turn("", [("recall", {})]), tools=[recall])))
    assert "found []" in run.said


async def test_a_call_that_is_cut_off_by_the_failure_of_another_is_unclear_and_does_not_wait() -> (
    None
):
    has_begun = asyncio.Event()

    async def wire(amount: int) -> str:
        """Wire money."""
        has_begun.set()
        await asyncio.Event().wait()
        return "wired"

    async def breaks() -> str:
        """Break."""
        await has_begun.wait()
        raise AgentFailed("broken")

    agent = scripted_agent([Turn("", [("breaks", {}), ("wire", {"amount": 5})])])
    agent.tools = [breaks, wire]
    run = MemoryRun()
    assert isinstance(await run.go(AgentProgram(agent)), Failed), run.end
    [wired] = [one for one in run.recorder.effects.values() if one.tool_name == "wire"]
    assert wired.state is EffectState.UNCERTAIN
