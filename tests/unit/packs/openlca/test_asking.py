"""The tools as an agent of LangChain has them: what they return is the card, and nothing is
written."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("langgraph")
pytest.importorskip("langchain")

from langchain.agents import create_agent
from langchain_core.tools import StructuredTool

from sayso.adapters.program import AgentProgram
from sayso.core.digest import JsonObject
from sayso.core.segments import Completed, Waiting
from sayso.packs.openlca.asking import asking_functions
from sayso.packs.openlca.database import Database
from sayso.packs.openlca.model import Flow
from sayso.testing.adapter_contract import Turn
from sayso.testing.recorder import MemoryRun
from tests.contract.langgraph_builder import ScriptedModel

ALLOCATION: JsonObject = {
    "question": "What allocation method would you like to use?",
    "options": [
        {"id": "mass", "label": "Mass allocation", "description": "Allocate based on mass"},
        {"id": "economic", "label": "Economic allocation", "description": "Based on value"},
    ],
    "context": {"workflow_stage": "allocation_selection", "process_name": "Steel production"},
}
PRODUCT: JsonObject = {"name": "Reinforced concrete", "category": "Construction materials"}


def agent(database: Database, *script: Turn) -> AgentProgram:
    tools = [
        StructuredTool.from_function(one, return_direct=True) for one in asking_functions(database)
    ]
    return AgentProgram(create_agent(ScriptedModel(script=list(script)), tools))


async def test_a_question_is_a_card_whose_answer_is_the_result(database: Database) -> None:
    program = agent(database, Turn("", [("request_user_input", ALLOCATION)]), Turn("So "))
    run = MemoryRun()
    assert isinstance(await run.go(program), Waiting)
    run.answer(run.pending[0], {"selected_option": "mass", "additional_notes": "as agreed"})
    assert isinstance(await run.go(program), Completed)
    said = '"user_input": {"selected_option": "mass", "additional_notes": "as agreed"}'
    assert said in run.said


@pytest.mark.parametrize("decision", ["approve", "reject"])
async def test_a_proposal_is_a_card_and_writes_nothing(database: Database, decision: str) -> None:
    program = agent(database, Turn("", [("create_output_product", PRODUCT)]), Turn("All right."))
    run = MemoryRun()
    assert isinstance(await run.go(program), Waiting)
    card: Any = run.pending[0].card
    assert card.entity_summary == "Output product flow: Reinforced concrete"
    assert card.entity_details["flow_property"] == "Mass"
    run.answer(run.pending[0], {"decision": decision, "reason": "since I say so"})
    assert isinstance(await run.go(program), Completed)
    assert database.named(Flow, "Reinforced concrete") == []


def test_what_cannot_be_proposed_is_an_error_with_a_suggestion(database: Database) -> None:
    by_name = {one.__name__: one for one in asking_functions(database)}
    told = by_name["create_output_product"](name="Slab", flow_property="Volum")
    assert (told["status"], told["message"]) == ("error", "Flow property 'Volum' not found")
    assert "'Volume'" in str(told["suggestion"])
    approval = by_name["request_user_approval"]("output_product", "Output product flow: Slab", {})
    assert approval["approval_required"] is True
    assert approval["impact"] == "Will create a new output product in the database"
