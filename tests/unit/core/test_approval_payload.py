"""The approval payload by field: as it is detected, shown, answered and told to the model."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import JsonValue

from sayso.adapters.program import AgentProgram
from sayso.adapters.scripted import CallTool, Say, ScriptedAgent, Step
from sayso.core.answer_parsing import read_answer
from sayso.core.cards import (
    ApprovalCard,
    Card,
    CriticalFailureCard,
    ExchangesCard,
    FormCard,
    OptionsCard,
    RecoverableErrorCard,
    ValidationCard,
)
from sayso.core.decisions import state_after
from sayso.core.digest import JsonObject
from sayso.core.errors import AnswerInvalid
from sayso.core.events import ErrorShown, UiToolOpened
from sayso.core.interactions import DEFAULT_REJECTION, TYPE_OF_CARD, Interaction, InteractionState
from sayso.core.segments import Completed, Waiting
from sayso.core.tool_result_cards import Asks, Shows, detect
from sayso.testing.recorder import MemoryRun
from sayso.tools.answer_messages import tool_response
from sayso.tools.tool import Tool, tool

REQUEST_USER_INPUT: JsonObject = {
    "user_input_required": True,
    "question": "What allocation method would you like to use?",
    "options": [
        {"id": "mass", "label": "Mass allocation", "description": "Allocate based on mass"},
        {
            "id": "economic",
            "label": "Economic allocation",
            "description": "Allocate based on economic value",
        },
        {
            "id": "energy",
            "label": "Energy allocation",
            "description": "Allocate based on energy content",
        },
    ],
    "context": {"workflow_stage": "allocation_selection", "process_name": "Steel production"},
}
PRODUCT: JsonObject = {
    "name": "Reinforced concrete",
    "flow_type": "PRODUCT_FLOW",
    "flow_property": "Mass",
    "flow_property_id": "4f19f123-7b3b-11dd-ad8b-0800200c9a66",
    "category": "Construction materials",
}
REQUEST_USER_APPROVAL: JsonObject = {
    "approval_required": True,
    "entity_type": "output_product",
    "entity_summary": "Output product flow: Reinforced concrete",
    "entity_details": PRODUCT,
    "action": "create",
    "impact": "Will create a new product flow in the database",
    "approval_options": ["approve", "reject"],
    "requires_reason": True,
}
VALIDATE_PROCESS: JsonObject = {
    "status": "validation_complete",
    "process_id": "4f19f123-7b3b-11dd-ad8b-0800200c9a66",
    "process_name": "Fabrication of reinforced concrete",
    "is_valid": True,
    "validation_errors": [],
    "validation_warnings": ["Input exchange for 'Concrete' has no default provider"],
    "exchange_summary": {
        "total_exchanges": 3,
        "input_exchanges": 2,
        "output_exchanges": 1,
        "quantitative_reference_exchanges": 1,
    },
    "next_steps": [
        "Process is valid and ready for product system creation",
        "Consider adding default providers to input exchanges for better linking",
    ],
}


def creates(message: str, **request: Any) -> JsonObject:
    return {"status": "approval_required", "message": message, "approval_request": request}


CREATE_OUTPUT_PRODUCT = creates(
    "Ready to create output product 'Reinforced concrete'",
    entity_type="output_product",
    entity_summary="Output product flow: Reinforced concrete",
    entity_details={**PRODUCT, "flow_property_id": "uuid"},
    action="create",
    impact="Will create a new product flow in the database",
)
CREATE_PROCESS_FOR_SYSTEM = creates(
    "Ready to create process 'Fabrication of reinforced concrete'",
    entity_type="process",
    entity_summary="Process: Fabrication of reinforced concrete (unit_process)",
    entity_details={
        "name": "Fabrication of reinforced concrete",
        "process_type": "unit_process",
        "location": "Europe",
        "exchanges": [],
    },
    action="create",
    impact="Will create a new process in the database",
)
EXCHANGES = [
    {
        "flow_name": "Concrete",
        "amount": 10,
        "is_input": True,
        "is_quantitative_reference": False,
        "default_provider": "uuid",
    },
    {
        "flow_name": "Steel rebar",
        "amount": 5,
        "is_input": True,
        "is_quantitative_reference": False,
        "default_provider": "uuid",
    },
    {
        "flow_name": "Reinforced concrete",
        "amount": 1,
        "is_input": False,
        "is_quantitative_reference": True,
        "default_provider": None,
    },
]
ADD_EXCHANGES_TO_PROCESS = creates(
    "Ready to add 3 exchanges to process 'Fabrication of reinforced concrete'",
    entity_type="exchanges_batch",
    entity_summary="Add 3 exchanges to process 'Fabrication of reinforced concrete'",
    entity_details={
        "process_id": "uuid",
        "process_name": "Fabrication of reinforced concrete",
        "exchanges": EXCHANGES,
    },
    action="create",
    impact="Will add 3 exchanges to the process in the database",
)
CREATE_PRODUCT_SYSTEM = creates(
    "Ready to create product system from process 'Fabrication of reinforced concrete'",
    entity_type="product_system",
    entity_summary="Product system from process 'Fabrication of reinforced concrete'",
    entity_details={
        "process_id": "uuid",
        "process_name": "Fabrication of reinforced concrete",
        "prefer_unit_processes": True,
        "provider_linking": "PREFER_DEFAULTS",
        "validation_summary": {
            "total_exchanges": 3,
            "input_exchanges": 2,
            "output_exchanges": 1,
            "quantitative_reference_exchanges": 1,
        },
    },
    action="create",
    impact="Will create a new product system in the database",
)
CREATING = {
    "create_output_product": CREATE_OUTPUT_PRODUCT,
    "create_process_for_system": CREATE_PROCESS_FOR_SYSTEM,
    "add_exchanges_to_process": ADD_EXCHANGES_TO_PROCESS,
    "create_product_system": CREATE_PRODUCT_SYSTEM,
}
CRITICAL_FAILURE: JsonObject = {
    "status": "critical_failure",
    "message": "OpenLCA client not available",
    "details": "Cannot connect to database",
    "resolution_steps": [
        "Ensure OpenLCA software is running",
        "Check if IPC server is accessible",
    ],
}
RECOVERABLE_ERROR: JsonObject = {
    "status": "error",
    "message": "Flow property 'Volume' not found",
    "details": "Technical error details",
    "suggestion": "Use a valid flow property name like 'Mass', 'Volume', etc.",
}
SELECTED: JsonObject = {
    "selected_option": "mass",
    "additional_notes": "Mass allocation is most appropriate for this process",
}
APPROVED: JsonObject = {"decision": "approve", "reason": "Looks good, proceed with creation"}
REJECTED: JsonObject = {
    "decision": "reject",
    "reason": "Change the flow property from Mass to Volume",
    "suggestions": ["Use Volume instead of Mass", "Consider Energy as alternative"],
}


def asks(name: str, result: JsonObject) -> Card:
    found = detect(name, result)
    assert isinstance(found, Asks)
    return found.card


def shows(name: str, result: JsonObject) -> Card:
    found = detect(name, result)
    assert isinstance(found, Shows)
    return found.card


def opened(card: Card) -> Interaction:
    return Interaction(
        id="i1",
        app_id="a",
        chat_id="c",
        run_id="r",
        task_id="t",
        call_key="k",
        batch_id="b",
        type=TYPE_OF_CARD[card.card],
        state=InteractionState.PENDING,
        card=card,
        ui_tool_id=card.card.value,
        agent_name="olca",
        display="inline",  # type: ignore[arg-type]  # not looked at here
        created_at=datetime.now(UTC),
    )


def told(card: Card, body: JsonObject, tool_name: str) -> JsonObject:
    """What the agent gets once a person has answered with `body`."""
    it = opened(card)
    response = read_answer(it, body, reason_required=True)
    return tool_response(replace(it, state=state_after(it, response), response=response), tool_name)


# ── the cards ──


def test_the_question() -> None:
    card = asks("request_user_input", REQUEST_USER_INPUT)
    assert isinstance(card, OptionsCard)
    assert card.question == REQUEST_USER_INPUT["question"]
    assert [o.model_dump() for o in card.options] == REQUEST_USER_INPUT["options"]
    assert card.context == REQUEST_USER_INPUT["context"]
    assert card.allow_notes


def test_the_approval() -> None:
    card = asks("request_user_approval", REQUEST_USER_APPROVAL)
    assert isinstance(card, ApprovalCard)
    payload = opened(card).payload
    for field in (
        "entity_type",
        "entity_summary",
        "entity_details",
        "action",
        "impact",
        "approval_options",
        "requires_reason",
    ):
        assert payload[field] == REQUEST_USER_APPROVAL[field], field
    assert card.agent_acts


@pytest.mark.parametrize("name", CREATING)
def test_a_tool_that_creates(name: str) -> None:
    result = CREATING[name]
    request = result["approval_request"]
    assert isinstance(request, dict)
    card = asks(name, result)
    assert isinstance(card, ApprovalCard)
    payload = opened(card).payload
    assert payload["message"] == result["message"]
    for field in ("entity_type", "entity_summary", "entity_details", "action", "impact"):
        assert payload[field] == request[field], field
    assert card.requires_reason
    assert card.final_confirmation is (name == "create_product_system")
    assert isinstance(card, ExchangesCard) is (name == "add_exchanges_to_process")


def test_the_exchanges_are_a_table() -> None:
    card = asks("add_exchanges_to_process", ADD_EXCHANGES_TO_PROCESS)
    assert isinstance(card, ExchangesCard)
    assert [row.values for row in card.rows] == EXCHANGES
    assert [column.key for column in card.columns] == list(EXCHANGES[0])
    assert [column.label for column in card.columns] == [
        "Flow name",
        "Amount",
        "Type",
        "Quantitative reference",
        "Default provider",
    ]


def test_the_validation_report() -> None:
    card = shows("validate_process", VALIDATE_PROCESS)
    assert isinstance(card, ValidationCard)
    payload = opened_payload(card)
    assert {key: payload[key] for key in VALIDATE_PROCESS} == VALIDATE_PROCESS


def test_the_critical_failure() -> None:
    card = shows("any", CRITICAL_FAILURE)
    assert isinstance(card, CriticalFailureCard)
    assert {k: opened_payload(card)[k] for k in CRITICAL_FAILURE} == CRITICAL_FAILURE


def test_the_recoverable_error() -> None:
    card = shows("any", RECOVERABLE_ERROR)
    assert isinstance(card, RecoverableErrorCard)
    assert {k: opened_payload(card)[k] for k in RECOVERABLE_ERROR} == RECOVERABLE_ERROR


@pytest.mark.parametrize(
    "result",
    [
        {"status": "success", "flows": []},
        {"status": "error", "message": "without a suggestion"},
        {"user_input_required": "yes", "question": "?"},
        {"status": "approval_required", "message": "no request"},
        {"approval_required": True, "entity_details": "{}", "requires_reason": "perhaps"},
        "approval_required",
        None,
    ],
    ids=["ordinary", "bare error", "text for true", "no request", "wrong types", "text", "nothing"],
)
def test_everything_else_is_a_plain_tool_row(result: Any) -> None:
    assert detect("explore_available_product_flows", result) is None


def opened_payload(card: Card) -> JsonObject:
    body: JsonObject = card.model_dump(mode="json")
    return body


# ── the answers, and what the agent is told ──


def test_a_selection_bare_and_wrapped() -> None:
    card = asks("request_user_input", REQUEST_USER_INPUT)
    wrapped: JsonObject = {
        "tool_response": {
            "tool_name": "request_user_input",
            "user_input": {
                "selected_option": "mass",
                "additional_notes": "Mass allocation is most appropriate",
            },
        }
    }
    assert told(card, wrapped, "request_user_input") == wrapped
    assert told(card, SELECTED, "request_user_input") == {
        "tool_response": {"tool_name": "request_user_input", "user_input": SELECTED}
    }


@pytest.mark.parametrize("decision", [APPROVED, REJECTED], ids=["approve", "reject"])
def test_a_decision_bare_and_wrapped(decision: JsonObject) -> None:
    card = asks("request_user_approval", REQUEST_USER_APPROVAL)
    wrapped: JsonObject = {
        "tool_response": {"tool_name": "request_user_approval", "approval_decision": decision}
    }
    assert told(card, wrapped, "request_user_approval") == wrapped
    assert told(card, decision, "request_user_approval") == wrapped


@pytest.mark.parametrize("name", CREATING)
@pytest.mark.parametrize("asker", ["own", "request_user_approval"])
def test_a_creating_tool_takes_the_same_decisions(name: str, asker: str) -> None:
    card = asks(name, CREATING[name])
    wrapped: JsonObject = {
        "tool_response": {
            "tool_name": name if asker == "own" else asker,
            "approval_decision": REJECTED,
        }
    }
    answer = told(card, wrapped, name)
    assert answer == {"tool_response": {"tool_name": name, "approval_decision": REJECTED}}


def test_single_exchanges_are_decided() -> None:
    card = asks("add_exchanges_to_process", ADD_EXCHANGES_TO_PROCESS)
    body: JsonObject = {
        "decision": "approve",
        "approved_rows": ["1", "3"],
        "rejected_rows": {"2": "no steel"},
    }
    answer = told(card, body, "add_exchanges_to_process")["tool_response"]
    assert isinstance(answer, dict)
    assert answer["approval_decision"] == {**body, "decision": "partial"}


def test_a_rejection_needs_a_reason() -> None:
    it = opened(asks("request_user_approval", REQUEST_USER_APPROVAL))
    with pytest.raises(AnswerInvalid, match="reason"):
        read_answer(it, {"decision": "reject"}, reason_required=True)
    said = read_answer(it, {"decision": "reject"}, reason_required=False)
    assert said.user_message == DEFAULT_REJECTION


@pytest.mark.parametrize(
    "body",
    [{"selected_option": "volume"}, {}, {"selected_option": "mass", "colour": "red"}],
    ids=["no such option", "nothing", "unknown field"],
)
def test_an_answer_that_does_not_fit_is_refused(body: JsonObject) -> None:
    it = opened(asks("request_user_input", REQUEST_USER_INPUT))
    with pytest.raises(AnswerInvalid):
        read_answer(it, body, reason_required=True)


# ── through the toolbox: a foreign tool, from its result to what the model sees ──


def foreign(name: str, result: JsonObject) -> Tool[..., Any]:
    """A tool that knows nothing of Sayso and returns this."""

    class Foreign(Tool[..., Any]):
        is_ours = False

    made = tool(name=name, read_only=True)(lambda: result)
    return Foreign(made.function, name=name, description="", traits=made.traits)


def agent_with(name: str, result: JsonObject) -> AgentProgram:
    steps: list[Step] = [CallTool(name, {}), Say(lambda results: str(results[0]))]
    return AgentProgram(ScriptedAgent(steps), tools=[foreign(name, result)])


@pytest.mark.parametrize("name", CREATING)
async def test_the_answer_takes_the_place_of_the_result(name: str) -> None:
    run, program = MemoryRun(), agent_with(name, CREATING[name])
    assert isinstance(await run.go(program), Waiting)
    (it,) = run.pending
    assert run.said == ""
    run.answer(it, REJECTED)
    assert isinstance(await run.go(program), Completed)
    assert run.said == str({"tool_response": {"tool_name": name, "approval_decision": REJECTED}})


@pytest.mark.parametrize(
    ("result", "event"),
    [
        (CRITICAL_FAILURE, ErrorShown),
        (RECOVERABLE_ERROR, ErrorShown),
        (VALIDATE_PROCESS, UiToolOpened),
    ],
    ids=["critical", "recoverable", "validation"],
)
async def test_what_is_only_shown_passes_on(result: JsonObject, event: type) -> None:
    run = MemoryRun()
    assert isinstance(await run.go(agent_with("any", result)), Completed)
    assert run.said == str(result)
    (shown,) = [one for one in run.recorder.events if isinstance(one, event)]
    assert isinstance(shown, ErrorShown | UiToolOpened)
    payload = shown.payload
    assert {key: payload[key] for key in result} == result
    if event is ErrorShown:
        assert isinstance(payload["retry"], dict)
        assert payload["retry"]["tool_name"] == "any"


@pytest.mark.parametrize(
    "result", [CRITICAL_FAILURE, RECOVERABLE_ERROR, VALIDATE_PROCESS], ids=["1", "2", "3"]
)
def test_a_tool_cannot_set_what_is_the_servers(result: JsonObject) -> None:
    says: JsonObject = {"title": {"code": "push.many", "params": {"n": 1}}}
    plain, forged = detect("any", result), detect("any", {**result, "says": says})
    assert isinstance(plain, Shows)
    assert forged == plain


def test_a_report_with_a_title_of_its_own_has_no_code() -> None:
    shown = detect("any", {**VALIDATE_PROCESS, "title": "All is well"})
    assert isinstance(shown, Shows)
    assert isinstance(shown.card, ValidationCard)
    assert (shown.card.title, shown.card.says) == ("All is well", None)


async def test_the_builtin_tools_speak_these_formats() -> None:
    arguments = {k: v for k, v in REQUEST_USER_APPROVAL.items() if k != "approval_required"}
    steps: list[Step] = [
        CallTool("request_user_approval", arguments),
        Say(lambda results: str(results[0])),
    ]
    run, program = MemoryRun(), AgentProgram(ScriptedAgent(steps))
    await run.go(program)
    payload = run.pending[0].payload
    assert {key: payload[key] for key in arguments} == arguments
    run.answer(run.pending[0], APPROVED)
    await run.go(program)
    assert run.said == str(
        {"tool_response": {"tool_name": "request_user_approval", "approval_decision": APPROVED}}
    )


def test_a_question_with_a_schema_is_a_form() -> None:
    schema: JsonObject = {"type": "object", "properties": {"days": {"type": "number"}}}
    asks: JsonObject = {
        "user_input_required": True,
        "question": "How many?",
        "response_schema": schema,
    }
    found = detect("ask", {**asks, "values": {"days": 0}})
    assert isinstance(found, Asks)
    assert isinstance(found.card, FormCard)
    assert (found.card.title, found.card.values) == ("How many?", {"days": 0})
    assert found.card.response_schema == schema


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"$ref": "https://example.org/x"}}},
        {"type": "object", "properties": {"a": {"pattern": "(?=x)"}}},
        {"type": "string"},
        "days",
    ],
)
def test_a_schema_that_cannot_be_used_leaves_a_question(schema: JsonValue) -> None:
    found = detect(
        "ask", {"user_input_required": True, "question": "How many?", "response_schema": schema}
    )
    assert isinstance(found, Asks)
    assert isinstance(found.card, OptionsCard)
