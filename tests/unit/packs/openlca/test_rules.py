"""Each rule: a sound process breaks none, and one change to it breaks the one that is meant."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from sayso.packs.openlca.database import Database
from sayso.packs.openlca.demo_background import demo_id
from sayso.packs.openlca.locations import location_ref
from sayso.packs.openlca.model import MASS, Process
from sayso.packs.openlca.rules import validate
from sayso.packs.openlca.rules.codes import RULES

CONCRETE, STEEL, MADE = "Concrete", "Steel rebar", "Slab"
ROOT = Path(__file__).parents[4]
Body = dict[str, Any]
Change = Callable[[Body, "World"], None]


class World:
    """Puts whatever a change needs beside the process."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def put(self, kind: str, entity: Body) -> None:
        with self.database.writing() as writer:
            writer.put(kind, entity)

    def flow(self, name: str, change: Callable[[Body], None]) -> None:
        body: Any = self.database.get("Flow", demo_id("Flow", name))
        change(body)
        self.put("Flow", body)

    def group(self, change: Callable[[Body], None]) -> None:
        found = self.database.unit_group_of(MASS)
        assert found is not None
        body: Any = found.json_object()
        change(body)
        self.put("UnitGroup", body)


def exchange(number: int, name: str, amount: float, **more: Any) -> Body:
    return {
        "@type": "Exchange",
        "internalId": number,
        "flow": {"@type": "Flow", "@id": demo_id("Flow", name), "name": name},
        "flowProperty": {"@type": "FlowProperty", "@id": MASS},
        "unit": {"@type": "Unit", "@id": "20aadc24-a391-41cf-b340-3e4529f44bde", "name": "kg"},
        "amount": amount,
        "isInput": False,
        **more,
    }


def provider(name: str) -> Body:
    return {"@type": "Process", "@id": demo_id("Process", name), "name": name}


def sound() -> Body:
    return {
        "@type": "Process",
        "@id": "p",
        "name": "Casting",
        "category": "Construction/Slabs",
        "description": "Casts a slab.",
        "processType": "UNIT_PROCESS",
        "location": location_ref("RER"),
        "lastInternalId": 3,
        "exchanges": [
            exchange(1, MADE, 15, isQuantitativeReference=True),
            exchange(
                2, CONCRETE, 10, isInput=True, defaultProvider=provider("Concrete production")
            ),
            exchange(3, STEEL, 5, isInput=True, defaultProvider=provider("Steel rebar production")),
        ],
        "processDocumentation": {
            "validFrom": "2026-01-01",
            "geographyDescription": "Europe",
            "technologyDescription": "By hand",
            "sources": [{"@type": "Source", "@id": "s"}],
        },
    }


@pytest.fixture
def world(database: Database) -> World:
    made = World(database)
    body: Any = database.get("Flow", demo_id("Flow", CONCRETE))
    made.put("Flow", {**body, "@id": demo_id("Flow", MADE), "name": MADE})
    return made


def codes(world: World, body: Body) -> set[str]:
    world.put("Process", body)
    report = validate(world.database, Process.model_validate(body))
    return {issue.code for issue in report.issues}


def on(number: int, **fields: Any) -> Change:
    def change(body: Body, _: World) -> None:
        body["exchanges"][number - 1].update(fields)

    return change


def of(**fields: Any) -> Change:
    def change(body: Body, _: World) -> None:
        body.update(fields)

    return change


def without(number: int, *fields: str) -> Change:
    def change(body: Body, _: World) -> None:
        for name in fields:
            del body["exchanges"][number - 1][name]

    return change


def adding(*more: Body) -> Change:
    def change(body: Body, _: World) -> None:
        body["exchanges"] += [dict(one) for one in more]
        body["lastInternalId"] = 9

    return change


def undocumented(*keys: str) -> Change:
    def change(body: Body, _: World) -> None:
        for key in keys:
            del body["processDocumentation"][key]

    return change


def made_of(name: str, **fields: Any) -> Change:
    def change(_: Body, world: World) -> None:
        world.flow(name, lambda body: body.update(fields))

    return change


def factor_of(name: str, **fields: Any) -> Change:
    def change(_: Body, world: World) -> None:
        world.flow(name, lambda body: body["flowProperties"][0].update(fields))

    return change


def unit_of_mass(**fields: Any) -> Change:
    def change(_: Body, world: World) -> None:
        world.group(lambda body: body["units"][1].update(fields))

    return change


def allocated(*factors: tuple[str, float, int | None]) -> Change:
    def change(body: Body, _: World) -> None:
        body["allocationFactors"] = [
            {
                "allocationType": "PHYSICAL_ALLOCATION",
                "product": {"@id": demo_id("Flow", name)},
                "value": value,
                **({"exchange": {"internalId": number}} if number else {}),
            }
            for name, value, number in factors
        ]

    return change


def both(*changes: Change) -> Change:
    def change(body: Body, world: World) -> None:
        for one in changes:
            one(body, world)

    return change


def scored(entry: str) -> Change:
    """Put a system of three indicators, and score an exchange by it."""

    def change(body: Body, world: World) -> None:
        three = [{"@type": "DQIndicator", "position": number} for number in (1, 2, 3)]
        world.put("DQSystem", {"@type": "DQSystem", "@id": "dq", "indicators": three})
        body["exchangeDqSystem"] = {"@type": "DQSystem", "@id": "dq"}
        body["exchanges"][1]["dqEntry"] = entry

    return change


def paid(body: Body, world: World) -> None:
    world.put("Currency", {"@type": "Currency", "@id": "eur", "code": "EUR"})
    body["exchanges"][1].update(costValue=3, currency={"@type": "Currency", "@id": "eur"})


def no_candidate(body: Body, world: World) -> None:
    world.put("Flow", {**(world.database.get("Flow", demo_id("Flow", MADE)) or {}), "@id": "x"})
    body["exchanges"].append({**exchange(4, "Rare", 1, isInput=True), "flow": {"@id": "x"}})
    body["lastInternalId"] = 4


CO2, COAL, TIMBER = "Carbon dioxide, fossil", "Hard coal", "Timber, planed"
BREAKS: dict[str, Change] = {
    "NAME_EMPTY": of(name=" "),
    "CATEGORY_NONE": of(category=""),
    "CATEGORY_BAD": of(category="Construction//Slabs"),
    "DESC_MISSING": of(description=""),
    "LOCATION_NONE": of(location=None),
    "LOCATION_TEXT": of(location={"@type": "Location", "@id": "mine", "name": "Europe"}),
    "LIBRARY_RO": of(library="ecoinvent"),
    "DQ_SYSTEM": of(dqSystem={"@type": "DQSystem", "@id": "gone", "name": "Gone"}),
    "DQ_ENTRY": scored("(1;2)"),
    "CURRENCY": on(2, costValue=3, currency={"@type": "Currency", "@id": "gone"}),
    "LOCATION_INVALID": of(location={"@type": "Location", "@id": "mine", "name": "Atlantis"}),
    "DOC_TIME": undocumented("validFrom"),
    "DOC_GEO": undocumented("geographyDescription"),
    "DOC_TECH": undocumented("technologyDescription"),
    "DOC_SOURCE": undocumented("sources"),
    "QREF_NONE": on(1, isQuantitativeReference=False),
    "QREF_MULTI": adding(exchange(4, TIMBER, 1, isQuantitativeReference=True)),
    "QREF_DIRECTION": on(1, isInput=True),
    "QREF_ZERO": on(1, amount=0),
    "QREF_NEGATIVE": on(1, amount=-1),
    "NO_EXCHANGES": of(exchanges=[]),
    "NO_INPUTS": of(exchanges=sound()["exchanges"][:1]),
    "FLOW_MISSING": on(2, flow={"@type": "Flow", "@id": "gone", "name": "Gone"}),
    "FLOW_TYPE_NONE": made_of(CONCRETE, flowType=""),
    "FPF_REF_NOT_1": factor_of(CONCRETE, conversionFactor=2),
    "FPF_ZERO": factor_of(CONCRETE, conversionFactor=0),
    "FP_NOT_OF_FLOW": on(2, flowProperty={"@id": "93a60a56-a3c8-22da-a746-0800200c9a66"}),
    "UNIT_NOT_IN_GROUP": on(2, unit={"@type": "Unit", "@id": "", "name": "kWh"}),
    "UNIT_MISSING": without(2, "unit"),
    "UNIT_FACTOR": unit_of_mass(conversionFactor=0),
    "UNIT_AMBIGUOUS": unit_of_mass(synonyms=["kg"]),
    "AMOUNT_NAN": without(2, "amount"),
    "AMOUNT_ZERO": on(2, amount=0),
    "AMOUNT_NEG": on(2, amount=-10),
    "AMOUNT_OUTLIER": on(2, amount=1e9),
    "INTERNAL_ID_NONE": without(2, "internalId"),
    "INTERNAL_ID_DUP": on(2, internalId=3),
    "INTERNAL_ID_GT_LAST": of(lastInternalId=2),
    "DUP_EXCHANGE": adding(
        exchange(4, STEEL, 1, isInput=True, defaultProvider=provider("Steel rebar production"))
    ),
    "SELF_INPUT": adding(exchange(4, MADE, 1, isInput=True)),
    "SAME_FLOW_IN_OUT": adding(exchange(4, STEEL, 1)),
    "PROVIDER_NONE": without(3, "defaultProvider"),
    "PROVIDER_AMBIGUOUS": without(2, "defaultProvider"),
    "PROVIDER_NO_CANDIDATE": no_candidate,
    "PROVIDER_INVALID": on(2, defaultProvider=provider("Steel rebar production")),
    "PROVIDER_ON_ELEMENTARY": adding(exchange(4, CO2, 1, defaultProvider=provider("Waterworks"))),
    "PROVIDER_ON_OUTPUT": on(1, defaultProvider=provider("Waterworks")),
    "PROVIDER_LOCATION": on(2, defaultProvider=provider("Concrete production, low cement")),
    "PROVIDER_TYPE_MIX": lambda _, world: world.put(
        "Process",
        {
            **(world.database.get("Process", demo_id("Process", "Concrete production")) or {}),
            "processType": "LCI_RESULT",
        },
    ),
    "WASTE_OUT_NO_TREATMENT": adding(exchange(4, "Construction waste, inert", 1)),
    "ELEM_DIRECTION": adding(exchange(4, COAL, 1)),
    "AVOIDED_SIGN": adding(exchange(4, TIMBER, 1, isAvoidedProduct=True)),
    "UNCERT_BAD": on(2, uncertainty={"distributionType": "LOG_NORMAL_DISTRIBUTION", "geomSd": 0.5}),
    "FORMULA_BAD": on(2, amountFormula="10 * nothing"),
    "FORMULA_VALUE": on(2, amountFormula="2 * 6"),
    "PARAM_BAD": of(parameters=[{"name": "2a", "value": 1, "isInputParameter": True}]),
    "MULTI_OUTPUT_NO_ALLOC": adding(exchange(4, TIMBER, 1)),
    "ALLOC_PROPERTY": both(
        adding(exchange(4, "Electricity, medium voltage", 1)),
        of(defaultAllocationMethod="PHYSICAL_ALLOCATION"),
    ),
    "ALLOC_SUM": allocated((MADE, 0.7, None)),
    "ALLOC_REF": allocated((CONCRETE, 1.0, None)),
    "MASS_BALANCE": on(1, amount=1),
}
HARMLESS: dict[str, Change] = {
    "LIBRARY_RO": of(library=None),
    "DQ_SYSTEM": scored("(1;2;3)"),
    "DQ_ENTRY": scored("(1;2;3)"),
    "CURRENCY": paid,
    "INTERNAL_ID_GT_LAST": of(lastInternalId=None),
    "UNIT_MISSING": on(2, unit={"@type": "Unit", "@id": "", "name": "kg"}),
    "UNCERT_BAD": on(2, uncertainty={"distributionType": "LOG_NORMAL_DISTRIBUTION", "geomSd": 1.2}),
    "FORMULA_BAD": both(
        on(2, amountFormula="a * 2"),
        of(parameters=[{"name": "A", "value": 5, "isInputParameter": True}]),
    ),
    "FORMULA_VALUE": on(2, amountFormula="2 * (2 + 3)"),
    "PARAM_BAD": of(parameters=[{"name": "a2", "value": 1, "isInputParameter": True}]),
    "ALLOC_SUM": allocated((MADE, 1.0, None)),
    "ALLOC_REF": allocated((MADE, 1.0, 2)),
    "ELEM_DIRECTION": both(adding(exchange(4, CO2, 1), exchange(5, COAL, 1, isInput=True))),
    "AVOIDED_SIGN": adding(exchange(4, "Construction waste, inert", 1, isAvoidedProduct=True)),
    "MULTI_OUTPUT_NO_ALLOC": both(
        adding(exchange(4, TIMBER, 1)), of(defaultAllocationMethod="PHYSICAL_ALLOCATION")
    ),
    "MASS_BALANCE": on(1, amount=14.5),
}


def test_a_sound_process_breaks_no_rule(world: World) -> None:
    assert codes(world, sound()) == set()


@pytest.mark.parametrize("code", BREAKS)
def test_one_change_breaks_the_rule(world: World, code: str) -> None:
    body = deepcopy(sound())
    BREAKS[code](body, world)
    assert code in codes(world, body)


@pytest.mark.parametrize("code", HARMLESS)
def test_what_looks_like_it_does_not_break_it(world: World, code: str) -> None:
    body = deepcopy(sound())
    HARMLESS[code](body, world)
    assert code not in codes(world, body)


def test_the_rules_of_the_page_are_the_rules_of_the_code() -> None:
    page = (ROOT / "docs/how-to/openlca.md").read_text()
    rows = re.findall(r"^\| `([A-Z_0-9]+)` \| (error|warning|info) ", page, re.MULTILINE)
    assert dict(rows) == {code: rule.severity.value for code, rule in RULES.items()}
    assert RULES.keys() == BREAKS.keys()
