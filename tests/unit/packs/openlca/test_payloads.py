"""The approval payloads, field by field: what any page that knows them finds in these tools."""

from __future__ import annotations

from typing import Any

import pytest

from sayso import ToolMistake
from sayso.packs.openlca import named, proposals, writes
from sayso.packs.openlca.database import Database
from sayso.packs.openlca.demo_background import demo_id
from sayso.packs.openlca.model import Flow, Process
from sayso.packs.openlca.rules import validate

CONCRETE = demo_id("Process", "Concrete production")
STEEL = demo_id("Process", "Steel rebar production")
MASS = "93a60a56-a3c8-11da-a746-0800200b9a66"
NAME = "Fabrication of reinforced concrete"


@pytest.fixture
def process_id(database: Database) -> str:
    """The process of the example, empty, and its product."""
    with database.writing() as writer:
        writer.put("Flow", writes.product(writer, "product", MASS, {"name": "Reinforced concrete"}))
        writer.put("Process", writes.process("process", "unit_process", "RER", {"name": NAME}))
    return "process"


def exchanges(made: float = 1, *, concrete_from: str | None = CONCRETE) -> list[Any]:
    return [
        {
            "flow_name": "Concrete",
            "amount": 10,
            "is_input": True,
            "is_quantitative_reference": False,
            "default_provider": concrete_from,
        },
        {
            "flow_name": "Steel rebar",
            "amount": 5,
            "is_input": True,
            "is_quantitative_reference": False,
            "default_provider": STEEL,
        },
        {
            "flow_name": "Reinforced concrete",
            "amount": made,
            "is_input": False,
            "is_quantitative_reference": True,
            "default_provider": None,
        },
    ]


def add(database: Database, process_id: str, given: list[Any]) -> Process:
    found = proposals.propose_exchanges(database, process_id=process_id, exchanges=given)
    flows = found.data["flows"]
    assert isinstance(flows, dict)
    with database.writing() as writer:
        version = writer.version_of("Process", process_id)
        writes.add_exchanges(writer, process_id, version, list(flows), given, flows)
    process = database.read(Process, process_id)
    assert process is not None
    return process


def test_an_output_product(database: Database) -> None:
    found = proposals.propose_product(
        database, name="Reinforced concrete", category="Construction materials"
    )
    assert proposals.as_result(found) == {
        "status": "approval_required",
        "message": "Ready to create output product 'Reinforced concrete'",
        "approval_request": {
            "entity_type": "output_product",
            "entity_summary": "Output product flow: Reinforced concrete",
            "entity_details": {
                "name": "Reinforced concrete",
                "flow_type": "PRODUCT_FLOW",
                "flow_property": "Mass",
                "flow_property_id": MASS,
                "category": "Construction materials",
            },
            "action": "create",
            "impact": "Will create a new product flow in the database",
        },
    }


def test_a_process(database: Database) -> None:
    found = proposals.propose_process(database, name=NAME, location="Europe")
    assert proposals.as_result(found) == {
        "status": "approval_required",
        "message": "Ready to create process 'Fabrication of reinforced concrete'",
        "approval_request": {
            "entity_type": "process",
            "entity_summary": "Process: Fabrication of reinforced concrete (unit_process)",
            "entity_details": {
                "name": "Fabrication of reinforced concrete",
                "process_type": "unit_process",
                "location": "Europe",
                "exchanges": [],
            },
            "action": "create",
            "impact": "Will create a new process in the database",
        },
    }


def test_exchanges(database: Database, process_id: str) -> None:
    found = proposals.propose_exchanges(database, process_id=process_id, exchanges=exchanges())
    assert proposals.as_result(found) == {
        "status": "approval_required",
        "message": "Ready to add 3 exchanges to process 'Fabrication of reinforced concrete'",
        "approval_request": {
            "entity_type": "exchanges_batch",
            "entity_summary": "Add 3 exchanges to process 'Fabrication of reinforced concrete'",
            "entity_details": {
                "process_id": process_id,
                "process_name": "Fabrication of reinforced concrete",
                "exchanges": exchanges(),
            },
            "action": "create",
            "impact": "Will add 3 exchanges to the process in the database",
        },
    }


def test_a_product_system(database: Database, process_id: str) -> None:
    add(database, process_id, exchanges())
    found = proposals.propose_system(database, process_id=process_id)
    assert proposals.as_result(found) == {
        "status": "approval_required",
        "message": "Ready to create product system from process "
        "'Fabrication of reinforced concrete'",
        "approval_request": {
            "entity_type": "product_system",
            "entity_summary": "Product system from process 'Fabrication of reinforced concrete'",
            "entity_details": {
                "process_id": process_id,
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
            "action": "create",
            "impact": "Will create a new product system in the database",
        },
    }


def test_a_validation_report(database: Database, process_id: str) -> None:
    with database.writing() as writer:  # so that one process alone makes concrete
        writer.delete("Process", demo_id("Process", "Concrete production, low cement"))
    process = add(database, process_id, exchanges(15, concrete_from=None))
    report = validate(database, process).as_json()
    details = {"process_version", "mass_balance", "issues"}
    assert {key: value for key, value in report.items() if key not in details} == {
        "status": "validation_complete",
        "process_id": process_id,
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


def test_fifteen_kilograms_do_not_become_one(database: Database, process_id: str) -> None:
    report = validate(database, add(database, process_id, exchanges()))
    [said] = report.warnings
    assert said.code == "MASS_BALANCE"
    assert said.message == "15 kg go in and 1 kg come out, 93% apart"
    assert report.mass_balance == {"input_kg": 15, "output_kg": 1, "not_counted": []}


def test_a_flow_property_that_is_not_there(database: Database) -> None:
    with pytest.raises(ToolMistake) as refused:
        proposals.propose_product(database, name="Slab", flow_property="Volum")
    assert refused.value.message == "Flow property 'Volum' not found"
    assert refused.value.suggestion is not None
    assert "'Volume'" in refused.value.suggestion


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"flow_name": "Concret"}, "There is no flow 'Concret'"),
        ({"unit": "kWh"}, "'Concrete' is not measured in 'kWh'. Use one of its units: kg, g"),
        ({"default_provider": STEEL}, "does not provide 'Concrete'. These do: Concrete production"),
        ({"amount": float("nan")}, "The amount of 'Concrete' is not a number"),
    ],
)
def test_an_exchange_that_cannot_be_added(
    database: Database, process_id: str, change: dict[str, Any], told: str
) -> None:
    given = exchanges()
    given[0] = dict(given[0], **change)
    with pytest.raises(ToolMistake) as refused:
        proposals.propose_exchanges(database, process_id=process_id, exchanges=given)
    assert refused.value.message == "1 of 3 exchanges cannot be added"
    assert told in (refused.value.details or "")


def test_of_several_flows_of_one_name_none_is_taken(database: Database) -> None:
    [flow] = database.named(Flow, "Concrete")
    with database.writing() as writer:
        writer.put("Flow", {**flow.json_object(), "@id": "another"})
    with pytest.raises(ToolMistake, match="2 of the flows are named 'Concrete'"):
        named.flow_named(database, None, "Concrete")
    assert named.flow_named(database, "another", None).id == "another"


def test_no_system_of_a_process_with_errors(database: Database, process_id: str) -> None:
    with pytest.raises(ToolMistake) as refused:
        proposals.propose_system(database, process_id=process_id)
    assert "has no quantitative reference" in (refused.value.details or "")


def test_nothing_is_added_to_a_process_of_a_library(database: Database, process_id: str) -> None:
    with database.writing() as writer:
        body = writer.get("Process", process_id) or {}
        writer.put("Process", {**body, "library": "ecoinvent"})
    with pytest.raises(ToolMistake, match="is of the library 'ecoinvent', which cannot be changed"):
        proposals.propose_exchanges(database, process_id=process_id, exchanges=exchanges())
