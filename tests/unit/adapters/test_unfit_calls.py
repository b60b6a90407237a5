"""Calls that cannot be made as a model made them: never before a person, never run, always told."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("ag2")
pytest.importorskip("autogen_agentchat")
pytest.importorskip("google.adk")

from ag2.events import ModelMessage, ModelResponse, ToolCallEvent, ToolCallsEvent
from autogen_agentchat.agents import AssistantAgent
from autogen_core import FunctionCall
from autogen_core.models import AssistantMessage, CreateResult

from sayso.adapters.program import AgentProgram
from sayso.core.errors import ModelUnavailable
from sayso.core.policy_rules import Rule, Verdict
from sayso.core.segments import Completed, Failed, Waiting
from sayso.testing.contract.script import Turn
from sayso.testing.recorder import MemoryRun
from tests.contract import adk_builder, ag2_builder, autogen_builder
from tests.contract.autogen_builder import USAGE

ASKED = [Rule(tool="refund", then=Verdict.ASK)]
ran: list[str] = []
#: Makes an agent whose model makes these calls once, as (name, id, arguments as text), and tells
#: then what it was told.
Make = Callable[[list[tuple[str, str, str]]], Any]


def refund(order: str = "the last", amount: float = 1.0) -> str:
    """Refund an order."""
    ran.append(f"{order} {amount}")
    return f"refunded {order}"


@pytest.fixture(autouse=True)
def _fresh() -> None:
    ran.clear()


def ag2(calls: list[tuple[str, str, str]]) -> Any:
    class Client(ag2_builder.ScriptedClient):
        async def __call__(self, messages: Any, context: Any, **options: Any) -> ModelResponse:
            for message in messages:  # as the clients of AG2 do, to write the history
                for call in message.tool_calls.calls if isinstance(message, ModelResponse) else ():
                    json.dumps(call.serialized_arguments)
            reply = await super().__call__(messages, context, **options)
            if not reply.tool_calls.calls:
                return reply
            made = [ToolCallEvent(name, id=key, arguments=text) for name, key, text in calls]
            words = ModelMessage("so ") if made else None
            return ModelResponse(words, tool_calls=ToolCallsEvent(made))

    agent = ag2_builder.scripted("agent", (), refund)
    agent.config = ag2_builder.ScriptedConfig(Client((Turn("so ", [("refund", {})]),)))
    return agent


def autogen(calls: list[tuple[str, str, str]]) -> Any:
    class Client(autogen_builder.ScriptedClient):
        async def create(self, messages: Any, **options: Any) -> CreateResult:
            if any(isinstance(message, AssistantMessage) for message in messages):
                return await super().create(messages, **options)
            made = [FunctionCall(id=key, arguments=text, name=name) for name, key, text in calls]
            return CreateResult(
                finish_reason="function_calls", content=made, usage=USAGE, cached=False
            )

    script = (Turn("so ", [("refund", {})]),)
    return AssistantAgent("agent", Client(script), tools=[refund], max_tool_iterations=9)


def adk(calls: list[tuple[str, str, str]]) -> Any:
    script = (Turn("so ", [(name, json.loads(text)) for name, _, text in calls]),)
    return adk_builder.scripted_agent(script, tools=[refund])


EVERY = pytest.mark.parametrize("make", [ag2, autogen, adk])
#: Those whose models write arguments as text; Gemini's are objects.
AS_TEXT = pytest.mark.parametrize("make", [ag2, autogen])


@AS_TEXT
@pytest.mark.parametrize("text", ['{"order": "A1", "amou', "[1]", '"A1"', "\x00"])
async def test_arguments_that_are_no_object_are_refused_and_told(make: Make, text: str) -> None:
    run = MemoryRun()
    program = AgentProgram(make([("refund", "c1", text)]), policy=ASKED)
    assert isinstance(await run.go(program), Completed), run.end
    assert (run.interactions, ran) == ({}, [])
    assert [
        (r.status.value, call.arguments) for r, call in zip(run.returns, run.calls, strict=True)
    ] == [("failed", {})]
    assert "refund" in (run.returns[0].error or "")
    assert "Results: " in run.said


@AS_TEXT
async def test_a_sibling_of_one_that_cannot_be_read_waits_and_runs(make: Make) -> None:
    calls = [("refund", "c1", '{"order'), ("refund", "c2", '{"order": "B2"}')]
    run, program = MemoryRun(), AgentProgram(make(calls), policy=ASKED)
    assert isinstance(await run.go(program), Waiting), run.end
    run.approve("refund")
    assert isinstance(await run.go(program), Completed), run.end
    assert ran == ["B2 1.0"]
    assert len(run.calls) == len(run.returns) == 2


@EVERY
@pytest.mark.parametrize("text", ['{"amount": "lots"}', '{"amount": {"a": 1}}', '{"order": 1}'])
async def test_nobody_is_asked_about_arguments_that_do_not_fit(make: Make, text: str) -> None:
    run = MemoryRun()
    program = AgentProgram(make([("refund", "c1", text)]), policy=ASKED)
    assert isinstance(await run.go(program), Completed), run.end
    assert (run.interactions, ran) == ({}, [])
    assert "do not fit" in run.said


@AS_TEXT
async def test_two_calls_of_a_reply_with_one_id_are_two_calls(make: Make) -> None:
    calls = [("refund", "call_0", f'{{"order": "{order}"}}') for order in ("A1", "B2")]
    run, program = MemoryRun(), AgentProgram(make(calls), policy=ASKED)
    await run.go(program)
    assert len(run.pending) == 2
    for card in run.pending:
        run.approve(card)
    assert isinstance(await run.go(program), Completed), run.end
    assert sorted(ran) == ["A1 1.0", "B2 1.0"]


@EVERY
async def test_cards_stand_in_the_order_of_the_calls(make: Make) -> None:
    orders = ["A1", "B2", "C3", "D4", "E5"]
    calls = [("refund", f"c{n}", f'{{"order": "{it}"}}') for n, it in enumerate(orders)]
    run = MemoryRun()
    await run.go(AgentProgram(make(calls), policy=ASKED))
    assert [call.arguments["order"] for call in run.calls] == orders
    assert [it.card.tool_params["order"] for it in run.pending] == orders  # type: ignore[union-attr]


@AS_TEXT
async def test_a_model_that_says_nothing_is_not_taken_for_an_answer(make: Make) -> None:
    """It is asked again when it is due, as one that is away."""
    run = MemoryRun()
    end = await run.go(AgentProgram(make([])))
    assert isinstance(end, Failed), end
    assert isinstance(end.error, ModelUnavailable)
    assert "empty" in end.error.detail
