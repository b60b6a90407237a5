"""LangGraph's interrupts: which card each becomes, and what its answer gives back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from pydantic import BaseModel
from typing_extensions import TypedDict

pytest.importorskip("langgraph")
pytest.importorskip("langchain")

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, HumanInTheLoopMiddleware
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool as lc_tool
from langgraph.graph import END, START, StateGraph
from langgraph.types import Interrupt, interrupt

from sayso.adapters.langgraph.interrupts import interrupt_cards
from sayso.adapters.program import AgentProgram
from sayso.core.cards import ApprovalCard, ConfirmationCard, FormCard, OptionsCard, UiToolCard
from sayso.core.digest import JsonObject
from sayso.core.errors import AgentFailed, AnswerInvalid
from sayso.core.interactions import CardRequest
from sayso.core.policy_rules import Rule, Verdict
from sayso.core.segments import Cancelled, Completed, Failed, Waiting
from sayso.testing.adapter_contract import Turn
from sayso.testing.recorder import Crash, MemoryRun
from tests.contract.langgraph_builder import ScriptedModel

ran: list[object] = []


@pytest.fixture(autouse=True)
def _clean() -> None:
    ran.clear()


class State(TypedDict, total=False):
    topic: str
    answer: Any


def asking(value: Any, schema: Any = None) -> AgentProgram:
    """A graph that asks once and keeps the answer."""

    def ask(state: State) -> State:
        ran.append("asked")
        answer = interrupt(value, response_schema=schema)
        return {"answer": answer.model_dump() if isinstance(answer, BaseModel) else answer}

    builder = StateGraph(State)
    builder.add_node("ask", ask)
    builder.add_edge(START, "ask")
    return AgentProgram(builder.compile())


class Place(BaseModel):
    street: str
    number: int


SEED_1_APPROVAL: JsonObject = {
    "approval_required": True,
    "entity_type": "flow",
    "entity_summary": "Steel",
    "entity_details": {"amount": 2},
}
CASES: dict[str, tuple[Any, Any, type, dict[str, Any], str]] = {
    "a string": ("Where?", None, OptionsCard, {"additional_notes": "Oslo"}, '"answer":"Oslo"'),
    "a question": (
        {"type": "question", "question": "Which?", "options": ["mass", "energy"]},
        None,
        OptionsCard,
        {"selected_option": "mass"},
        '"answer":"mass"',
    ),
    "a question as an approval payload": (
        {"user_input_required": True, "question": "Which?", "options": ["mass", "energy"]},
        None,
        OptionsCard,
        {"selected_option": "mass"},
        '"user_input":{"selected_option":"mass"}',
    ),
    "an approval as an approval payload": (
        SEED_1_APPROVAL,
        None,
        ApprovalCard,
        {"decision": "reject", "reason": "too much"},
        '"approval_decision":{"decision":"reject","reason":"too much"}',
    ),
    "an approval without its marker": (
        {
            "entity_type": "flow",
            "entity_summary": "Steel",
            "entity_details": {"amount": 2},
            "action": "create",
            "impact": "A new flow",
        },
        None,
        ApprovalCard,
        {"decision": "reject", "reason": "too much", "suggestions": ["Iron"]},
        '"answer":{"decision":"reject","reason":"too much","suggestions":["Iron"]}',
    ),
    "a form": (
        {"message": "Where to?"},
        Place,
        FormCard,
        {"street": "Main", "number": 7},
        '"answer":{"street":"Main","number":7}',
    ),
    "a form by JSON Schema": (
        "Where to?",
        {"type": "object", "properties": {"street": {"type": "string"}}, "required": ["street"]},
        FormCard,
        {"street": "Main"},
        '"answer":{"street":"Main"}',
    ),
    "yes or no": (
        "Go?",
        {"type": "boolean"},
        ConfirmationCard,
        {"decision": "reject"},
        '"answer":false',
    ),
    "a choice by schema": (
        "Which?",
        {"enum": ["mass", "energy"]},
        OptionsCard,
        {"selected_option": "energy"},
        '"answer":"energy"',
    ),
    "a number": ("How many?", {"type": "integer"}, FormCard, {"value": 3}, '"answer":3'),
    "anything else": (
        {"plan": ["a", "b"]},
        None,
        UiToolCard,
        {"values": {"go": True}},
        '"answer":{"go":true}',
    ),
}


@pytest.mark.parametrize("case", CASES, ids=str)
async def test_a_value_becomes_its_card_and_the_answer_comes_back(case: str) -> None:
    value, schema, card_type, answer, found = CASES[case]
    run, program = MemoryRun(), asking(value, schema)
    assert isinstance(await run.go(program), Waiting)
    (card,) = run.pending
    assert type(card.card) is card_type
    run.answer(card, answer)
    assert isinstance(await run.go(program), Completed), run.end
    assert found in run.said
    assert ran == ["asked", "asked"]


async def test_a_question_that_is_dismissed_says_so() -> None:
    run, program = MemoryRun(), asking("Where?")
    await run.go(program)
    run.dismiss("Where?")
    await run.go(program)
    assert '"answer":{"status":"dismissed"}' in run.said


async def test_a_typed_answer_cannot_be_left_out() -> None:
    run, program = MemoryRun(), asking("Where to?", Place)
    await run.go(program)
    run.dismiss("Where to?")
    end = await run.go(program)
    assert isinstance(end, Failed)
    assert isinstance(end.error, AgentFailed)
    assert "dismissed" in end.error.detail


async def test_the_same_question_twice_is_two_cards() -> None:
    def ask(state: State) -> State:
        return {"answer": [interrupt("Sure?"), interrupt("Sure?")]}

    builder = StateGraph(State)
    builder.add_node("ask", ask)
    builder.add_edge(START, "ask")
    run, program = MemoryRun(), AgentProgram(builder.compile())
    for word in ("yes", "no"):
        await run.go(program)
        run.answer("Sure?", {"additional_notes": word})
    await run.go(program)
    assert len(run.interactions) == 2
    assert '"answer":["yes","no"]' in run.said


def test_an_answer_never_fits_an_interrupt_of_the_same_id_that_asks_something_else() -> None:
    call = {"type": "tool_approval", "tool_call_id": "c1", "name": "pay", "description": ""}
    keys = {
        interrupt_cards(
            Interrupt({**call, "args": {"amount": amount}}, id="0" * 32), schema_of=lambda _: None
        )
        .requests[0]
        .call_key
        for amount in (1, 1000)
    }
    assert len(keys) == 2


async def test_parallel_nodes_ask_at_once_and_each_is_entered_twice() -> None:
    class Two(TypedDict, total=False):
        topic: str
        left: str
        right: str
        free: str

    def asks(name: str) -> Callable[[Two], Any]:
        def ask(state: Two) -> Any:
            ran.append(name)
            return {name: interrupt(f"{name}?")}

        return ask

    def free(state: Two) -> Two:
        ran.append("free")
        return {"free": "done"}

    builder = StateGraph(Two)
    for name in ("left", "right"):
        builder.add_node(name, RunnableLambda(asks(name)))
        builder.add_edge(START, name)
    builder.add_node("free", free)
    builder.add_edge(START, "free")
    run, program = MemoryRun(), AgentProgram(builder.compile())
    await run.go(program)
    assert program.capabilities.resume == "all"
    for name in ("right", "left"):
        run.answer(f"{name}?", {"additional_notes": f"the {name}"})
    end = await run.go(program)
    assert isinstance(end, Completed)
    assert '"left":"the left"' in run.said
    assert '"right":"the right"' in run.said
    assert sorted(map(str, ran)) == ["free", "left", "left", "right", "right"]


@pytest.mark.parametrize("answer", ["approve", "reject"])
async def test_a_graphs_own_breakpoint_is_a_question(answer: str) -> None:
    def write(state: State) -> State:
        return {"answer": "written"}

    builder = StateGraph(State)
    builder.add_node("write", write)
    builder.add_edge(START, "write")
    builder.add_edge("write", END)
    run, program = MemoryRun(), AgentProgram(builder.compile(interrupt_before=["write"]))
    assert isinstance(await run.go(program), Waiting)
    (card,) = run.pending
    assert isinstance(card.card, ConfirmationCard)
    assert "write" in card.title
    assert isinstance(await run.go(program), Waiting)  # a segment that comes before the answer
    run.answer(card, {"decision": answer, "reason": "not now"})
    end = await run.go(program)
    if answer == "approve":
        assert isinstance(end, Completed)
        assert "written" in run.said
    else:
        assert isinstance(end, Cancelled)
        assert end.reason == "not now"


# ── in tools ──


@lc_tool
async def ask_user(question: str) -> str:
    """Ask the person."""
    ran.append(f"ask {question}")
    return f"they said {interrupt({'type': 'question', 'question': question})}"


@lc_tool
def add(flow: str, amount: float) -> str:
    """Add an exchange."""
    ran.append(f"add {flow} {amount}")
    return f"added {flow} {amount}"


@lc_tool
async def delete(flow: str) -> str:
    """Delete an exchange."""
    ran.append(f"delete {flow}")
    return f"deleted {flow}"


THREE: Sequence[tuple[str, JsonObject]] = [
    ("add", {"flow": "steel", "amount": 2.0}),
    ("add", {"flow": "water", "amount": 9.0}),
    ("ask_user", {"question": "Which region?"}),
]


def an_agent(*turns: Sequence[tuple[str, JsonObject]], **options: Any) -> Any:
    model = ScriptedModel(script=[Turn("", calls) for calls in turns])
    return create_agent(model, tools=[add, delete, ask_user], name="agent", **options)


async def test_a_question_in_a_tool_belongs_to_its_call() -> None:
    run, program = MemoryRun(), AgentProgram(an_agent(THREE))
    await run.go(program)
    (card,) = run.pending
    assert card.tool_call_id in {call.tool_call_id for call in run.calls}
    run.answer("Which region?", {"additional_notes": "Europe"})
    end = await run.go(program)
    assert isinstance(end, Completed), end
    assert "they said Europe" in run.said
    assert sorted(map(str, ran)) == [
        "add steel 2.0",
        "add water 9.0",
        "ask Which region?",
        "ask Which region?",
    ]
    assert len(run.calls) == len(run.returns) == 3


async def test_a_takeover_keeps_the_answer_of_a_question_in_a_tool() -> None:
    @lc_tool
    async def ask_and_act() -> str:
        """Ask, then act."""
        ran.append(interrupt("Go?"))
        return "acted"

    model = ScriptedModel(script=[Turn("", [("ask_and_act", {})])])
    program = AgentProgram(create_agent(model, tools=[ask_and_act]))
    run = MemoryRun()
    await run.go(program)
    run.answer("Go?", {"additional_notes": "yes"})
    await crashed(run, program, "before ended:ask_and_act")
    await run.go(program)
    run.answer(run.pending[0], {"selected_option": "run_again"})
    end = await run.go(program)
    assert isinstance(end, Completed), end
    assert ran == ["yes", "yes"]


async def test_a_takeover_gives_no_answer_to_the_next_question_of_the_same_tool() -> None:
    second = asyncio.Event()

    @lc_tool
    async def two_questions() -> str:
        """Ask twice."""
        first = interrupt("First?")
        second.set()
        return f"{first} {interrupt('Second?')}"

    class PayLast(AgentMiddleware[Any, Any, Any]):
        async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
            if request.tool_call["name"] == "add" and answered:
                await second.wait()
                for _ in range(50):  # until the loop has saved that the other call waits again
                    await asyncio.sleep(0)
            return await handler(request)

    answered: list[bool] = []
    calls: list[tuple[str, JsonObject]] = [("two_questions", {}), THREE[0]]
    model = ScriptedModel(script=[Turn("", calls)])
    graph = create_agent(model, tools=[two_questions, add], middleware=[PayLast()])
    run, program = MemoryRun(), AgentProgram(graph, policy=[Rule(tool="add", then=Verdict.ASK)])
    await run.go(program)
    run.answer("First?", {"additional_notes": "one"})
    run.approve("add")
    answered.append(True)
    await crashed(run, program, "before ended:add")
    await run.go(program)
    run.answer("Second?", {"additional_notes": "two"})
    run.answer(next(p for p in run.pending), {"selected_option": "skip"})
    end = await run.go(program)
    assert isinstance(end, Completed), end
    assert "one two" in run.said


# ── LangChain's human-in-the-loop middleware ──

ALL_THREE: Any = {"allowed_decisions": ["approve", "edit", "reject"]}


def hitl(mode: str, **tools: Any) -> AgentProgram:
    middleware = HumanInTheLoopMiddleware(
        interrupt_on=tools or {"add": ALL_THREE},
        interrupt_mode=mode,  # type: ignore[arg-type]
    )
    return AgentProgram(an_agent(THREE, middleware=[middleware]))


@pytest.mark.parametrize("mode", ["batched", "per_call"])
async def test_each_call_is_a_card_and_each_answer_reaches_its_call(mode: str) -> None:
    run, program = MemoryRun(), hitl(mode)
    await run.go(program)
    approvals = [it for it in run.pending if isinstance(it.card, ApprovalCard)]
    assert [it.card.tool_params["flow"] for it in approvals] == ["steel", "water"]  # type: ignore[union-attr]
    assert all(it.proposal is not None for it in approvals)
    # The batched mode holds all calls until it has its decisions: its question comes later.
    assert len(run.pending) == (2 if mode == "batched" else 3)
    run.approve(approvals[0], edits={"amount": 1.5})
    run.reject(approvals[1], "wrong unit", "use kg")
    if mode == "batched":
        await run.go(program)
    run.answer("Which region?", {"additional_notes": "Europe"})
    end = await run.go(program)
    assert isinstance(end, Completed), end
    assert [r for r in ran if str(r).startswith("add")] == ["add steel 1.5"]
    assert "wrong unit Suggestions: use kg" in run.said
    assert "a human reviewer replaced this tool call" in run.said
    assert "they said Europe" in run.said
    (effect,) = [e for e in run.recorder.effects.values() if e.tool_name == "add"]
    assert effect.arguments == {"flow": "steel", "amount": 1.5}


@pytest.mark.parametrize("mode", ["batched", "per_call"])
async def test_an_edit_cannot_switch_to_another_tool_or_argument(mode: str) -> None:
    run, program = MemoryRun(), hitl(mode)
    await run.go(program)
    first = run.pending[0]
    assert isinstance(first.card, ApprovalCard)
    for edits in ({"name": "delete"}, {"amount": "much"}):
        with pytest.raises(AnswerInvalid):
            run.approve(first, edits=edits)
    asked = interrupt_cards(
        Interrupt(
            {
                "action_requests": [{"name": "add", "args": {"amount": 1}}],
                "review_configs": [{"action_name": "add", **ALL_THREE}],
            },
            id="0" * 32,
        ),
        schema_of=lambda _: None,
    )
    (request,) = asked.requests
    run._take(Waiting(saved=run.recorder.saved, requests=[request]))  # type: ignore[arg-type]
    run.approve(request.call_key, edits={"amount": 2})
    decided = {"type": "edit", "edited_action": {"name": "add", "args": {"amount": 2}}}
    assert asked.resume(run.interactions) == ({"decisions": [decided]},)


@pytest.mark.parametrize("mode", ["batched", "per_call"])
async def test_a_tool_that_people_answer_for_is_a_question(mode: str) -> None:
    run, program = MemoryRun(), hitl(mode, ask_user={"allowed_decisions": ["respond"]})
    await run.go(program)
    (card,) = run.pending
    assert isinstance(card.card, OptionsCard)
    run.answer(card, {"additional_notes": "Europe"})
    await run.go(program)
    assert "Europe" in run.said
    assert "ask Which region?" not in ran


async def test_a_refusal_that_the_middleware_does_not_take_runs_nothing() -> None:
    run, program = MemoryRun(), hitl("batched", add={"allowed_decisions": ["approve"]})
    await run.go(program)
    for card in list(run.pending):
        run.reject(card, "no")
    end = await run.go(program)
    assert isinstance(end, Failed)
    assert "allows no refusal" in str(end.error)
    assert ran == []


async def test_a_partial_answer_holds_until_all_are_there() -> None:
    run, program = MemoryRun(), hitl("batched")
    await run.go(program)
    run.approve(run.pending[0])
    await run.go(program)  # a segment that comes too early: nothing runs, the other card stays
    assert ran == []
    (card,) = run.pending
    run.approve(card)
    await run.go(program)
    assert sorted(map(str, ran))[:2] == ["add steel 2.0", "add water 9.0"]


@pytest.mark.parametrize("kind", ["float", "literal"])
def test_other_schemas_are_forms(kind: str) -> None:
    schema = {"type": "number"} if kind == "float" else {"anyOf": [{"type": "string"}]}
    asked = interrupt_cards(
        Interrupt("How?", id="0" * 32, response_schema=schema), schema_of=lambda _: None
    )
    (request,) = asked.requests
    assert isinstance(request, CardRequest)
    assert isinstance(request.card, FormCard)


async def crashed(run: MemoryRun, program: AgentProgram, boundary: str) -> None:
    def crash(at: str) -> None:
        if at == boundary:
            raise Crash(at)

    run.recorder.crash_at = crash
    with pytest.raises(Crash):
        await run.go(program)
    run.recorder.crash_at = None


# ── its middleware and the policy, over one call ──


@lc_tool
def send(to: str) -> str:
    """Send it."""
    ran.append(f"send {to}")
    return f"sent to {to}"


@lc_tool
def shred(what: str) -> str:
    """Shred it."""
    ran.append(f"shred {what}")
    return f"shredded {what}"


async def test_what_middleware_and_policy_both_hold_is_asked_once() -> None:
    calls = [("send", {"to": "Mara"}), ("shred", {"what": "it"})]
    held = HumanInTheLoopMiddleware(interrupt_on={"send": True, "shred": True})
    graph = create_agent(
        ScriptedModel(script=[Turn("", calls)]), tools=[send, shred], middleware=[held]
    )
    program = AgentProgram(graph, policy=[Rule(tool="send", then=Verdict.ASK)])
    run = MemoryRun()
    asked: list[str] = []
    while isinstance(await run.go(program), Waiting):
        (it,) = run.pending
        assert isinstance(it.card, ApprovalCard)
        asked.append(it.card.tool_name)
        assert f"{it.card.tool_name} " not in " ".join(map(str, ran)), "nothing ran unasked"
        run.approve(it.card.tool_name)
    assert isinstance(run.end, Completed), run.end
    assert asked == ["shred", "send"]
    assert sorted(map(str, ran)) == ["send Mara", "shred it"]


@pytest.mark.parametrize("says_no", [True, False])
async def test_of_a_call_that_both_hold_the_policys_card_decides(says_no: bool) -> None:
    held = HumanInTheLoopMiddleware(interrupt_on={"send": True})
    graph = create_agent(
        ScriptedModel(script=[Turn("", [("send", {"to": "Mara"})])]),
        tools=[send],
        middleware=[held],
    )
    program = AgentProgram(graph, policy=[Rule(tool="send", then=Verdict.ASK)])
    run = MemoryRun()
    assert isinstance(await run.go(program), Waiting)
    if says_no:
        run.reject("send", "not her")
    else:
        run.approve("send", edits={"to": "Ana"})
    assert isinstance(await run.go(program), Completed), run.end
    assert ran == ([] if says_no else ["send Ana"])
