"""Approval payloads as results of any tool that nobody made with `@tool`."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from sayso.adapters.program import AgentProgram
from sayso.core.digest import JsonObject
from sayso.core.events import ToolCallStatus, ToolReturned
from sayso.core.interactions import InteractionState
from sayso.core.segments import Completed, Waiting
from sayso.testing.recorder import MemoryRun
from sayso.tools.context import AgentContext
from sayso.tools.tool import tool

QUESTION: JsonObject = {
    "user_input_required": True,
    "question": "Which impact method?",
    "options": [{"id": "traci", "label": "TRACI"}],
}
APPROVAL: JsonObject = {
    "status": "approval_required",
    "message": "Create the product?",
    "approval_request": {
        "entity_type": "product",
        "entity_summary": "Steel",
        "entity_details": {"name": "Steel"},
        "action": "create",
    },
}


async def calls_it(ctx: AgentContext) -> None:
    await ctx.say(json.dumps(await ctx.call("make_it")))


def bare(result: object) -> Callable[[], object]:
    def make_it() -> object:
        """A bare function, made without `@tool`."""
        return result

    return make_it


@pytest.mark.parametrize("as_text", [False, True], ids=["object", "text"])
@pytest.mark.parametrize("shape", [QUESTION, APPROVAL], ids=["question", "approval"])
async def test_a_bare_functions_request_is_a_card_whose_answer_is_its_result(
    shape: JsonObject, as_text: bool
) -> None:
    found = json.dumps(shape, indent=1) if as_text else shape
    run, program = MemoryRun(), AgentProgram(calls_it, tools=[bare(found)])
    assert isinstance(await run.go(program), Waiting)
    [it] = run.pending
    if shape is QUESTION:
        run.answer(it, {"selected_option": "traci"})
    else:
        run.reject(it, "wrong name", "Stainless steel")
    assert isinstance(await run.go(program), Completed)
    told = json.loads(run.said)["tool_response"]
    assert told["tool_name"] == "make_it"
    if shape is QUESTION:
        assert told["user_input"]["selected_option"] == "traci"
    else:
        assert told["approval_decision"]["reason"] == "wrong name"


async def test_a_declared_tool_asks_only_where_it_says_so() -> None:
    run = MemoryRun()
    silent = tool(name="make_it")(bare(QUESTION))
    assert isinstance(await run.go(AgentProgram(calls_it, tools=[silent])), Completed)
    run = MemoryRun()
    speaks = tool(name="make_it", detect=True)(bare(QUESTION))
    assert isinstance(await run.go(AgentProgram(calls_it, tools=[speaks])), Waiting)


@pytest.mark.parametrize("text", ['{"status": "approval_required"', "[1, 2]", '{"a": "status"}'])
async def test_text_that_only_looks_like_a_request_is_a_result(text: str) -> None:
    run = MemoryRun()
    assert isinstance(await run.go(AgentProgram(calls_it, tools=[bare(text)])), Completed)
    assert json.loads(run.said) == text


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("yes", ToolCallStatus.DONE),
        ("no", ToolCallStatus.REJECTED),
        ("too late", ToolCallStatus.REJECTED),
        ("nobody", ToolCallStatus.REJECTED),
    ],
)
async def test_a_call_whose_result_asked_is_done_by_an_answer_alone(
    answer: str, status: ToolCallStatus
) -> None:
    run, program = MemoryRun(), AgentProgram(calls_it, tools=[bare(APPROVAL)])
    await run.go(program)
    [it] = run.pending
    match answer:
        case "yes":
            run.answer(it, {"approved": True})
        case "no":
            run.reject(it, "wrong name")
        case "too late":
            run.expire(it)
        case _:
            run.interactions[it.call_key] = replace(it, state=InteractionState.EXPIRED)
    await run.go(program)
    *_, ended = [one for one in run.recorder.events if isinstance(one, ToolReturned)]
    assert ended.status is status
