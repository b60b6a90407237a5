"""Tools that end the run on their result (`return_direct`), as the two built-in ones do."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("langgraph")
pytest.importorskip("langchain")

from langchain.agents import create_agent
from langchain_core.tools import BaseTool
from langchain_core.tools import tool as lc_tool

from sayso.adapters.program import AgentProgram
from sayso.core.digest import JsonObject
from sayso.core.policy_rules import Rule, Verdict
from sayso.core.segments import Completed, Waiting
from sayso.testing.adapter_contract import Turn
from sayso.testing.recorder import MemoryRun
from tests.contract.langgraph_builder import ScriptedModel

ran: list[str] = []


@pytest.fixture(autouse=True)
def _clean() -> None:
    ran.clear()


@lc_tool("request_user_input", return_direct=True)
def ask(question: str) -> JsonObject:
    """Ask the person."""
    return {"user_input_required": True, "question": question, "options": ["mass", "energy"]}


@lc_tool("request_user_approval", return_direct=True)
def approve(summary: str) -> str:
    """Ask the person for an approval."""
    return json.dumps(
        {
            "approval_required": True,
            "entity_type": "product",
            "entity_summary": summary,
            "entity_details": {"name": summary},
            "action": "create",
        }
    )


@lc_tool("look_up", return_direct=True)
def look_up(name: str) -> str:
    """Give a result that is the answer."""
    ran.append(f"look_up {name}")
    return f"{name} is 7"


@lc_tool("create_output_product")
def create(name: str) -> str:
    """What comes next."""
    ran.append(f"create {name}")
    return f"created {name}"


TOOLS: list[BaseTool] = [ask, approve, look_up, create]
NEXT = Turn("so ", [("create_output_product", {"name": "Steel"})])


def by_create_agent(*script: Turn) -> Any:
    return create_agent(ScriptedModel(script=list(script)), TOOLS)


def by_create_react_agent(*script: Turn) -> Any:
    from langgraph.prebuilt import create_react_agent

    return create_react_agent(ScriptedModel(script=list(script)), TOOLS)


@pytest.fixture(params=[by_create_agent, by_create_react_agent], ids=lambda make: make.__name__)
def make(request: pytest.FixtureRequest) -> Callable[..., Any]:
    made: Callable[..., Any] = request.param
    return made


ANSWERS: list[tuple[tuple[str, JsonObject], JsonObject, str]] = [
    (("request_user_input", {"question": "Which?"}), {"selected_option": "mass"}, "mass"),
    (
        ("request_user_approval", {"summary": "Steel"}),
        {"decision": "approve", "reason": "looks good"},
        "looks good",
    ),
    (
        ("request_user_approval", {"summary": "Steel"}),
        {"decision": "reject", "reason": "wrong name"},
        "wrong name",
    ),
]


@pytest.mark.filterwarnings("ignore:create_react_agent has been moved")
@pytest.mark.parametrize(("call", "answer", "told"), ANSWERS)
async def test_a_persons_answer_goes_to_the_model_which_goes_on(
    make: Callable[..., Any], call: tuple[str, JsonObject], answer: JsonObject, told: str
) -> None:
    program = AgentProgram(make(Turn("hm ", [call]), NEXT))
    run = MemoryRun()
    assert isinstance(await run.go(program), Waiting)
    run.answer(run.pending[0], answer)
    run = pickle.loads(pickle.dumps(run))
    assert isinstance(await run.go(program), Completed)
    assert ran == ["create Steel"]
    assert told in run.said
    assert run.said.endswith('created Steel"'), run.said


@pytest.mark.filterwarnings("ignore:create_react_agent has been moved")
async def test_a_result_ends_the_run_as_ever(make: Callable[..., Any]) -> None:
    run = MemoryRun()
    program = AgentProgram(make(Turn("hm ", [("look_up", {"name": "it"})]), NEXT))
    assert isinstance(await run.go(program), Completed)
    assert ran == ["look_up it"]
    assert "Results" not in run.said


@pytest.mark.filterwarnings("ignore:create_react_agent has been moved")
@pytest.mark.parametrize("answer", ["approve", "reject"])
async def test_a_gated_call_ends_the_run_only_if_it_ran(
    make: Callable[..., Any], answer: str
) -> None:
    rules = [Rule(tool="look_up", then=Verdict.ASK)]
    program = AgentProgram(make(Turn("hm ", [("look_up", {"name": "it"})]), NEXT), policy=rules)
    run = MemoryRun()
    assert isinstance(await run.go(program), Waiting)
    if answer == "approve":
        run.approve("look_up")
    else:
        run.reject("look_up", "not that one")
    assert isinstance(await run.go(program), Completed)
    assert ran == (["look_up it"] if answer == "approve" else ["create Steel"])
    assert ("not that one" in run.said) == (answer == "reject")


@pytest.mark.filterwarnings("ignore:create_react_agent has been moved")
async def test_beside_a_result_the_model_still_hears_the_answer(make: Callable[..., Any]) -> None:
    both = [("request_user_input", {"question": "Which?"}), ("look_up", {"name": "it"})]
    program, run = AgentProgram(make(Turn("hm ", both), NEXT)), MemoryRun()
    assert isinstance(await run.go(program), Waiting)
    run.answer(run.pending[0], {"selected_option": "mass"})
    assert isinstance(await run.go(program), Completed)
    assert ran == ["look_up it", "create Steel"]
