"""Each rule: a sound process breaks none, and one change to it breaks the one that is meant."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sayso import ToolMistake
from sayso.packs.openlca import writes
from sayso.packs.openlca.calculation import calculate
from sayso.packs.openlca.database import Database
from sayso.packs.openlca.demo_background import demo_id
from sayso.packs.openlca.linking import Rules, link_network
from sayso.packs.openlca.locations import location_ref
from sayso.packs.openlca.matrices import Allocation
from sayso.packs.openlca.model import ENERGY, MASS, NET_CALORIFIC_VALUE, Process, ProductSystem
from sayso.packs.openlca.rules import validate
from sayso.packs.openlca.rules.codes import RULES, Severity
from sayso.packs.openlca.rules.compositions import composition
from sayso.packs.openlca.rules.systems import check_system

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
        "uncertainty": {"distributionType": "NORMAL_DISTRIBUTION", "mean": amount, "sd": 0.1},
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


def needing_what_is_made(body: Body, world: World) -> None:
    """The cement of the concrete is made with the slab."""
    cement: Any = world.database.get("Process", demo_id("Process", "Cement production"))
    slab = exchange(90, MADE, 1, isInput=True, defaultProvider={"@id": "p"})
    world.put("Process", {**cement, "exchanges": [*cement["exchanges"], slab]})


def needing_each_other(body: Body, world: World) -> None:
    cement: Any = world.database.get("Process", demo_id("Process", "Cement production"))
    made = exchange(90, CONCRETE, 1, isInput=True, defaultProvider=provider("Concrete production"))
    world.put("Process", {**cement, "exchanges": [*cement["exchanges"], made]})


def documented(**words: str) -> Change:
    def change(body: Body, _: World) -> None:
        body["processDocumentation"].update(words)

    return change


def holding(property_id: str, **factors: float) -> Change:
    """Give flows, by the first word of their name, a factor of a flow property."""

    def change(_: Body, world: World) -> None:
        for word, factor in factors.items():
            held = {"flowProperty": {"@id": property_id}, "conversionFactor": factor}
            world.flow(named(word), partial(_append, "flowProperties", held))

    return change


def of_substances(**formulas: str) -> Change:
    def change(_: Body, world: World) -> None:
        for word, formula in formulas.items():
            world.flow(named(word), partial(_append, "formula", formula))

    return change


def named(word: str) -> str:
    return next(one for one in (MADE, CONCRETE, STEEL) if one.startswith(word))


def _append(key: str, value: Any, body: Body) -> None:
    body[key] = [*body[key], value] if key in body else value


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
    "UNCERT_NONE": without(2, "uncertainty"),
    "CYCLE": needing_what_is_made,
    "CUTOFF_DOC": no_candidate,
    "ELEM_NOT_IN_METHOD": adding(exchange(4, "Particulates", 1)),
    "ENERGY_BALANCE": holding(ENERGY, Slab=2, Concrete=1, Steel=1),
    "ELEMENT_BALANCE": of_substances(Slab="CaMg(CO3)2", Concrete="CaCO3", Steel="Fe2O3"),
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
    "UNCERT_NONE": without(1, "uncertainty"),
    "CYCLE": needing_each_other,
    "CUTOFF_DOC": both(no_candidate, documented(completenessDescription="Below 1 % of the mass")),
    "ELEM_NOT_IN_METHOD": adding(exchange(4, CO2, 1)),
    "ENERGY_BALANCE": holding(NET_CALORIFIC_VALUE, Slab=0.5, Concrete=1, Steel=1),
    "ELEMENT_BALANCE": of_substances(Slab="CaFeO10", Concrete="CaCO3", Steel="Fe2O3"),
}
#: Where it is not known what all that goes in holds, nothing is said of what comes out.
UNKNOWN: dict[str, Change] = {
    "ENERGY_BALANCE": holding(ENERGY, Slab=2, Concrete=1),
    "ELEMENT_BALANCE": of_substances(Slab="CaMg(CO3)2", Concrete="CaCO3", Steel="Steel"),
}


def test_a_sound_process_breaks_no_rule(world: World) -> None:
    assert codes(world, sound()) == set()


@pytest.mark.parametrize("code", BREAKS)
def test_one_change_breaks_the_rule(world: World, code: str) -> None:
    body = deepcopy(sound())
    BREAKS[code](body, world)
    assert code in codes(world, body)


@pytest.mark.parametrize(("code", "change"), [*HARMLESS.items(), *UNKNOWN.items()])
def test_what_looks_like_it_does_not_break_it(world: World, code: str, change: Change) -> None:
    body = deepcopy(sound())
    change(body, world)
    assert code not in codes(world, body)


def test_a_loop_is_told_by_its_way(world: World) -> None:
    needing_what_is_made({}, world)
    world.put("Process", sound())
    report = validate(world.database, Process.model_validate(sound()))
    [said] = [issue.message for issue in report.issues if issue.code == "CYCLE"]
    way = "Casting → Concrete production → Cement production → Casting"
    assert said == f"The process needs its own product through others: {way}"


def test_an_avoided_waste_goes_in_and_an_avoided_product_comes_out(world: World) -> None:
    def masses(**more: Any) -> tuple[float, float]:
        body = sound()
        if more:
            adding(exchange(4, **more, amount=1, isAvoidedProduct=True))(body, world)
        found: Any = validate(world.database, Process.model_validate(body)).mass_balance
        return found["input_kg"], found["output_kg"]

    into, out = masses()
    assert masses(name="Construction waste, inert") == (into + 1, out)
    assert masses(name=TIMBER, isInput=True) == (into, out + 1)


# ── of a product system ──


def system(world: World) -> Body:
    """The product system of the sound process, as it is made here."""
    world.put("Process", sound())
    network = link_network(world.database, Process.model_validate(sound()), Rules())
    return writes.system("system", "Casting", network)


def linked(**fields: Any) -> Callable[[Body], None]:
    return lambda body: body["processLinks"][0].update(fields)


GONE = {"@id": "gone"}
BREAKS_SYSTEM: dict[str, Callable[[Body], None]] = {
    "SYS_QREF": lambda body: body.update(refExchange={"internalId": 2}),
    "SYS_TARGET_ZERO": lambda body: body.update(targetAmount=0),
    "SYS_UNIT": lambda body: body.update(targetUnit={"@id": "", "name": "kWh"}),
    "SYS_LINK_PROVIDER": linked(provider=GONE),
    "SYS_LINK_PROCESS": linked(process=GONE),
    "SYS_LINK_EXCHANGE": linked(exchange={"internalId": 99}),
    "SYS_LINK_FLOW": linked(provider=provider("Waterworks")),
    "SYS_NO_LINKS": lambda body: body.update(processLinks=[]),
}


def test_a_product_system_of_ours_breaks_no_rule(world: World) -> None:
    found = ProductSystem.model_validate(system(world))
    assert list(check_system(world.database, found)) == []


@pytest.mark.parametrize("code", BREAKS_SYSTEM)
def test_a_broken_product_system_is_told_and_not_calculated(world: World, code: str) -> None:
    body = system(world)
    BREAKS_SYSTEM[code](body)
    found = ProductSystem.model_validate(body)
    assert {issue.code for issue in check_system(world.database, found)} == {code}
    if RULES[code].severity is Severity.ERROR:
        with pytest.raises(ToolMistake, match="The product system is broken") as refused:
            calculate(world.database, found, Allocation.PROCESS_DEFAULT)
        assert f"({code})" in (refused.value.details or "")


# ── what substances are made of ──


@pytest.mark.parametrize(
    ("formula", "shares"),
    [
        ("CO2", {"C": 12.011 / 44.009, "O": 31.998 / 44.009}),
        ("CaMg(CO3)2", {"C": 24.022 / 184.399}),
        ("CaSO4·2H2O", {"H": 4.032 / 172.164}),
        ("CH3-CH2-CH3", {"H": 8.064 / 44.097}),
        ("NO3 -", {"N": 14.007 / 62.004}),
        ("PO4 3-", {"P": 30.974 / 94.970}),
        ("NH4+", {"H": 4.032 / 18.039}),
        ("Cr6+", {"Cr": 1}),
        ("Ni++", {"Ni": 1}),
    ],
)
def test_a_formula_is_read(formula: str, shares: dict[str, float]) -> None:
    found = composition(formula)
    assert found is not None
    assert {one: found[one] for one in shares} == pytest.approx(shares, rel=1e-4)
    assert sum(found.values()) == pytest.approx(1)


@pytest.mark.parametrize("words", ["", "PM2.5", "NOx as NO2", "water", "C(", "Xx", "C0", "(" * 999])
def test_what_is_no_formula_has_no_composition(words: str) -> None:
    assert composition(words) is None


def test_the_rules_of_the_page_are_the_rules_of_the_code() -> None:
    page = (ROOT / "docs/how-to/openlca.md").read_text()
    rows = re.findall(r"^\| `([A-Z_0-9]+)` \| (error|warning|info) ", page, re.MULTILINE)
    assert dict(rows) == {code: rule.severity.value for code, rule in RULES.items()}
    assert RULES.keys() == BREAKS.keys() | BREAKS_SYSTEM.keys()
