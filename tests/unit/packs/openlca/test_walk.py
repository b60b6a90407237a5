"""From a goal to a product system, with somebody who approves, refuses and revises."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from sayso import TaskStatus
from sayso.packs.openlca.database import Database
from sayso.packs.openlca.model import Flow, Process, ProductSystem
from sayso.packs.openlca.zips import import_zip
from tests.unit.packs.openlca.practitioner import Practitioner, no

EXAMPLE = "model the fabrication of reinforced concrete"
PRODUCT = "Output product flow: Reinforced concrete"
PROCESS = "Process: Fabrication of reinforced concrete (unit_process)"
EXCHANGES = "Add 3 exchanges to process 'Fabrication of reinforced concrete'"
SYSTEM = "Product system from process 'Fabrication of reinforced concrete'"
WHICH = "Which process provides Concrete?"


@pytest.fixture
def practitioner(database: Database, monkeypatch: pytest.MonkeyPatch) -> Practitioner:
    return Practitioner(database, monkeypatch)


def only(database: Database, model: type[Any], name: str) -> Any:
    [found] = database.named(model, name)
    return found


async def test_the_example_goes_from_a_goal_to_a_product_system(
    practitioner: Practitioner, database: Database
) -> None:
    result = await practitioner.say(EXAMPLE)
    assert practitioner.titles == [PRODUCT, PROCESS, WHICH, EXCHANGES, SYSTEM]
    assert "9 processes and 16 links" in result.output
    process = only(database, Process, "Fabrication of reinforced concrete")
    made = [(one.flow.name, one.amount, one.is_input) for one in process.exchanges]
    assert made == [
        ("Concrete", 10, True),
        ("Steel rebar", 5, True),
        ("Reinforced concrete", 1, False),
    ]
    assert process.last_internal_id == 3
    assert process.location.name == "RER"
    system = only(database, ProductSystem, "Fabrication of reinforced concrete")
    assert len(system.process_links) == 16


async def test_every_card_names_the_database(practitioner: Practitioner) -> None:
    await practitioner.say(EXAMPLE)
    named = [card.get("context", {}).get("database") for card in practitioner.payloads]
    assert named == ["demo (synthetic demo data)"] * 2 + [None] + ["demo (synthetic demo data)"] * 2


async def test_a_no_with_a_suggestion_is_proposed_again_as_it_asks(
    practitioner: Practitioner, database: Database
) -> None:
    refused = no(
        "Change the flow property from Mass to Volume",
        "Use Volume instead of Mass",
        "Consider Energy as alternative",
    )
    await practitioner.say(
        EXAMPLE,
        create_output_product=[refused],
        create_process_for_system=[no("Move it to Germany")],
        add_exchanges_to_process=[no("That is too much", "Use 8 kg Concrete")],
        create_product_system=[no("Whatever the defaults say", "Ignore the default providers")],
    )
    asked = [PRODUCT, PRODUCT, PROCESS, PROCESS, WHICH, EXCHANGES, WHICH, EXCHANGES, SYSTEM, SYSTEM]
    assert practitioner.titles == asked
    again = practitioner.payloads[1]["entity_details"]
    assert again["flow_property"] == "Volume"
    assert again["flow_property_id"] == "93a60a56-a3c8-22da-a746-0800200c9a66"
    product = only(database, Flow, "Reinforced concrete")
    assert product.reference.flow_property.name == "Volume"
    process = only(database, Process, "Fabrication of reinforced concrete")
    assert process.location.name == "DE"
    assert [one.amount for one in process.exchanges] == [8, 5, 1]
    again = practitioner.payloads[-1]["entity_details"]
    assert again["provider_linking"] == "IGNORE_DEFAULTS"
    assert only(database, ProductSystem, "Fabrication of reinforced concrete").process_links


async def test_a_product_system_that_is_not_wanted_is_not_made(
    practitioner: Practitioner, database: Database
) -> None:
    result = await practitioner.say(
        EXAMPLE,
        create_product_system=[no("Not yet")],
        form=[{"data": {"values": {"provider_linking": "PREFER_DEFAULTS"}}}],
    )
    assert practitioner.titles[-2:] == [SYSTEM, "What should it be instead?"]
    assert "Then I leave it there: nothing was written." in result.output
    assert database.named(ProductSystem, "Fabrication of reinforced concrete") == []


async def test_a_process_that_changed_under_its_card_is_shown_again(
    practitioner: Practitioner, database: Database
) -> None:
    """A yes is to what was on the card: the card comes back with what is there now."""

    def changed_meanwhile(_: Mapping[str, Any]) -> dict[str, Any]:
        process = only(database, Process, "Fabrication of reinforced concrete")
        seen = f"With {len(process.exchanges)} exchanges, by another hand"
        with database.writing() as writer:
            writer.put("Process", {**process.json_object(), "description": seen})
        return {}

    await practitioner.say(
        EXAMPLE,
        add_exchanges_to_process=[changed_meanwhile],
        create_product_system=[changed_meanwhile],
    )
    assert practitioner.titles == [PRODUCT, PROCESS, WHICH, *[EXCHANGES] * 2, *[SYSTEM] * 2]
    process = only(database, Process, "Fabrication of reinforced concrete")
    assert process.description == "With 3 exchanges, by another hand"
    assert len(process.exchanges) == 3


async def test_a_no_that_no_rule_understands_is_asked_about_in_a_form(
    practitioner: Practitioner, database: Database
) -> None:
    values = {"name": "Ferroconcrete", "flow_property": "Mass", "category": "Materials"}
    await practitioner.say(
        EXAMPLE,
        create_output_product=[no("That is not how we say it")],
        form=[{"data": {"values": values}}],
    )
    assert practitioner.titles[:3] == [
        PRODUCT,
        "What should it be instead?",
        "Output product flow: Ferroconcrete",
    ]
    assert only(database, Flow, "Ferroconcrete").category == "Materials"


async def test_one_exchange_is_left_out_alone(
    practitioner: Practitioner, database: Database
) -> None:
    partly = {"data": {"approved_rows": ["1", "3"], "rejected_rows": {"2": "No steel"}}}
    result = await practitioner.say(EXAMPLE, add_exchanges_to_process=[partly])
    process = only(database, Process, "Fabrication of reinforced concrete")
    assert [one.flow.name for one in process.exchanges] == ["Concrete", "Reinforced concrete"]
    assert [one.internal_id for one in process.exchanges] == [1, 2]
    assert "Left out, as you said: Steel rebar." in result.output


async def test_an_amount_changed_on_the_card_is_what_is_written(
    practitioner: Practitioner, database: Database
) -> None:
    def with_more(payload: Mapping[str, Any]) -> dict[str, Any]:
        first, *rest = payload["tool_params"]["exchanges"]
        return {"data": {"edits": {"exchanges": [{**first, "amount": 12.5}, *rest]}}}

    await practitioner.say(EXAMPLE, add_exchanges_to_process=[with_more])
    process = only(database, Process, "Fabrication of reinforced concrete")
    assert [one.amount for one in process.exchanges] == [12.5, 5, 1]


async def test_the_refused_exchanges_are_asked_for_again(
    practitioner: Practitioner, database: Database
) -> None:
    await practitioner.say(
        EXAMPLE,
        add_exchanges_to_process=[no("Too much steel")],
        form=[{"data": {"values": {"inputs": "10 kg Concrete, 0.5 kg Steel rebar"}}}],
    )
    process = only(database, Process, "Fabrication of reinforced concrete")
    assert [one.amount for one in process.exchanges] == [10, 0.5, 1]


async def test_somebody_elses_goal_in_one_sentence(
    practitioner: Practitioner, database: Database
) -> None:
    await practitioner.say(
        "model 1 kg of Mortar in Germany from 0.2 kg Cement and 0.8 kg Sand and gravel"
    )
    process = only(database, Process, "Production of Mortar")
    assert process.location.name == "DE"
    assert [(one.flow.name, one.amount) for one in process.exchanges] == [
        ("Cement", 0.2),
        ("Sand and gravel", 0.8),
        ("Mortar", 1),
    ]


async def test_a_goal_that_was_not_said_is_asked_for(
    practitioner: Practitioner, database: Database
) -> None:
    values = {"product": "Beam", "inputs": "2 kg Steel rebar", "location": "Sweden", "amount": 2}
    await practitioner.say("model something", form=[{"data": {"values": values}}])
    assert only(database, Process, "Production of Beam").location.name == "SE"


async def test_a_product_that_is_there_is_offered(
    practitioner: Practitioner, database: Database
) -> None:
    edited = {"data": {"edits": {"when_exists": "use_existing"}}}
    await practitioner.say(
        "model 1 kg of Timber, planed from 1.6 kg Concrete", create_output_product=[edited]
    )
    card = practitioner.payloads[0]
    assert "is there already" in card["warnings"][0]
    assert card["edit_schema"]["properties"]["when_exists"]["enum"] == [
        "use_existing",
        "create_anyway",
    ]
    assert len(database.named(Flow, "Timber, planed")) == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("help", "I lead you from a goal"),
        ("good morning", "I lead you from a goal"),
        ("search concrete", "- Concrete (kg), made by 2 processes"),
        ("search unobtainium", "No product flow has 'unobtainium'"),
        ("validate Nothing", "There is no process 'Nothing'"),
        ("link Nothing", "There is no process 'Nothing'"),
    ],
)
async def test_what_asks_for_nothing(practitioner: Practitioner, words: str, told: str) -> None:
    result = await practitioner.say(words)
    assert result.status is TaskStatus.COMPLETED
    assert told in result.output
    assert practitioner.titles == []


async def test_an_export_is_allowed_first_and_comes_in_again(
    practitioner: Practitioner, database: Database
) -> None:
    result = await practitioner.say("export study")
    assert practitioner.titles == ["File: study.zip"]
    [found] = database.path.parent.glob("exports/*.zip")
    assert str(found) in result.output
    assert import_zip(found, found.with_suffix(".db")).counts["Process"] > 5


async def test_an_export_that_is_refused_writes_nothing(
    practitioner: Practitioner, database: Database
) -> None:
    result = await practitioner.say("export study", export_database=[no("Not yet.")])
    assert "Nothing was exported. Not yet." in result.output
    assert not (database.path.parent / "exports").exists()


@pytest.mark.parametrize("name", ["../study", "a/b", "a\\b"])
async def test_an_export_stays_in_its_folder(
    practitioner: Practitioner, database: Database, name: str
) -> None:
    result = await practitioner.say(f"export {name}")
    assert "is no name of a file" in result.output
    assert practitioner.titles == []
