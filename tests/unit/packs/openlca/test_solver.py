"""Results that can be computed by hand: loops, wastes, avoided and several products, and none."""

from __future__ import annotations

from typing import Any

import pytest

from sayso import ToolMistake
from sayso.packs.openlca import writes
from sayso.packs.openlca.answering import Answering
from sayso.packs.openlca.calculation import calculate
from sayso.packs.openlca.database import Database
from sayso.packs.openlca.demo_background import demo_id
from sayso.packs.openlca.linking import Rules, link_network
from sayso.packs.openlca.matrices import Allocation
from sayso.packs.openlca.model import MASS, Process, ProductSystem
from sayso.packs.openlca.rpc import RpcError

CO2 = demo_id("Flow", "Carbon dioxide, fossil")
WASTES = ("scrap",)


class Plant:
    """Builds processes from (flow, kilograms) lists, and calculates."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def flow(self, name: str, kind: str = "PRODUCT_FLOW") -> None:
        factor = {"flowProperty": {"@id": MASS}, "conversionFactor": 1, "isRefFlowProperty": True}
        body = {"@type": "Flow", "@id": name, "name": name, "flowType": kind}
        self._put("Flow", {**body, "flowProperties": [factor]})

    def process(
        self, name: str, makes: dict[str, float], takes: dict[str, float], **more: Any
    ) -> None:
        co2 = more.pop("co2", 0.0)
        treats = more.pop("treats", False)
        avoids = more.pop("avoids", {})
        lines = [(flow, amount, treats) for flow, amount in makes.items()]
        lines += [(flow, abs(amount), amount > 0) for flow, amount in takes.items()]
        lines += [(flow, amount, flow not in WASTES) for flow, amount in avoids.items()]
        exchanges: list[dict[str, Any]] = [
            {
                "internalId": n,
                "flow": {"@id": flow},
                "amount": amount,
                "isInput": is_input,
                "isQuantitativeReference": n == 1,
                "isAvoidedProduct": flow in avoids,
            }
            for n, (flow, amount, is_input) in enumerate(lines, 1)
        ]
        if co2:
            exchanges.append({"internalId": 99, "flow": {"@id": CO2}, "amount": co2})
        body = {"@type": "Process", "@id": name, "name": name, "exchanges": exchanges}
        self._put("Process", {**body, **more})

    def gwp(self, name: str, allocation: Allocation = Allocation.PROCESS_DEFAULT) -> float:
        return float(self.result(name, allocation)["impacts"][0]["amount"])

    def result(
        self, name: str, allocation: Allocation = Allocation.PROCESS_DEFAULT, **more: Any
    ) -> Any:
        process = self.database.read(Process, name)
        assert process is not None
        network = link_network(self.database, process, Rules())
        body = {**writes.system("system", name, network), **more}
        system = ProductSystem.model_validate(body)
        return calculate(self.database, system, allocation)

    def _put(self, kind: str, body: dict[str, Any]) -> None:
        with self.database.writing() as writer:
            writer.put(kind, body)


@pytest.fixture
def plant(database: Database) -> Plant:
    made = Plant(database)
    for name in ("a", "b", "c"):
        made.flow(name)
    made.flow("scrap", "WASTE_FLOW")
    return made


def test_a_chain(plant: Plant) -> None:
    plant.process("A", {"a": 2}, {"b": 6}, co2=1)
    plant.process("B", {"b": 3}, {}, co2=10)
    assert plant.gwp("A") == pytest.approx(1 + 2 * 10)
    shares = {one["process"]: one["amount"] for one in plant.result("A")["contributions"]}
    assert shares == pytest.approx({"B": 20, "A": 1})


def test_a_loop(plant: Plant) -> None:
    plant.process("A", {"a": 1}, {"b": 0.5}, co2=1)
    plant.process("B", {"b": 1}, {"a": 0.5}, co2=1)
    assert plant.gwp("A") == pytest.approx(1 / 0.75 + 0.5 / 0.75)


def test_a_process_that_takes_of_its_own(plant: Plant) -> None:
    plant.process("A", {"a": 1}, {"a": 0.2}, co2=4)
    assert plant.gwp("A") == pytest.approx(4 / 0.8)


def test_a_waste_is_treated(plant: Plant) -> None:
    plant.process("A", {"a": 1}, {"scrap": -3}, co2=1)
    plant.process("T", {"scrap": 1.5}, {}, co2=5, treats=True)
    assert plant.gwp("A") == pytest.approx(1 + 2 * 5)


def test_an_avoided_product_is_credited(plant: Plant) -> None:
    plant.process("A", {"a": 1}, {}, co2=10, avoids={"b": 2})
    plant.process("B", {"b": 1}, {}, co2=3)
    assert plant.gwp("A") == pytest.approx(10 - 6)


def test_an_avoided_waste_is_credited(plant: Plant) -> None:
    plant.process("A", {"a": 1}, {}, co2=10, avoids={"scrap": 2})
    plant.process("T", {"scrap": 1}, {}, co2=3, treats=True)
    assert plant.gwp("A") == pytest.approx(10 - 6)


def test_what_is_avoided_on_the_wrong_side_is_not_credited(plant: Plant) -> None:
    plant.process("A", {"a": 1}, {"b": -2}, co2=10)
    plant.process("B", {"b": 1}, {}, co2=3)
    body: Any = plant.database.get("Process", "A")
    body["exchanges"][1]["isAvoidedProduct"] = True
    plant._put("Process", body)
    link = {"process": {"@id": "A"}, "provider": {"@id": "B"}, "flow": {"@id": "b"}}
    result = plant.result("A", processLinks=[{**link, "exchange": {"internalId": 2}}])
    assert result["impacts"][0]["amount"] == pytest.approx(10)
    assert result["notes"] == ["Cut off, since nobody provides it: 'b'."]


def test_a_system_may_be_about_another_product_of_its_process(plant: Plant) -> None:
    plant.process("A", {"a": 1, "b": 4}, {}, co2=8)
    result = plant.result("A", Allocation.MASS, refExchange={"internalId": 2}, targetAmount=2)
    assert result["impacts"][0]["amount"] == pytest.approx(8 * 4 / 5 * 2 / 4)
    with pytest.raises(ToolMistake, match="system is broken"):
        plant.result("A", Allocation.MASS, refExchange={"internalId": 3})


def test_parameters_of_the_system_are_not_applied_and_it_is_said(plant: Plant) -> None:
    plant.process("A", {"a": 1}, {}, co2=2)
    sets = [{"name": "Baseline", "parameters": [{"name": "x", "value": 2}]}]
    assert plant.result("A", parameterSets=sets)["notes"] == [
        "Amounts are as stored: the system's own parameters were not applied."
    ]


def test_several_products_are_never_shared_out_silently(plant: Plant) -> None:
    plant.process("A", {"a": 1, "b": 3}, {}, co2=8)
    with pytest.raises(ToolMistake, match="1 processes make several products"):
        plant.gwp("A")
    assert plant.gwp("A", Allocation.MASS) == pytest.approx(2)
    assert plant.gwp("A", Allocation.NONE) == pytest.approx(8)
    assert plant.result("A", Allocation.MASS)["notes"] == [
        "Several products: A.",
        "Of these, shared out by mass: A.",
    ]
    assert plant.result("A", Allocation.NONE)["notes"][1] == "Of these, not shared out: A."


def test_one_product_on_two_lines_is_one_product(plant: Plant) -> None:
    plant.process("A", {"a": 1, "b": 1}, {}, co2=8)
    body: Any = plant.database.get("Process", "A")
    body["exchanges"].append({"internalId": 3, "flow": {"@id": "a"}, "amount": 2})
    plant._put("Process", body)
    assert plant.gwp("A", Allocation.MASS) == pytest.approx(8 * 3 / 4 / 3)
    body["exchanges"].pop(1)
    plant._put("Process", body)
    assert plant.gwp("A") == pytest.approx(8 / 3)


def test_mass_shares_nothing_out_to_what_has_none_and_it_is_said(plant: Plant) -> None:
    energy = {"flowProperty": {"@id": "energy"}, "isRefFlowProperty": True}
    units = {"@type": "UnitGroup", "@id": "units", "units": [{"@id": "MJ", "isRefUnit": True}]}
    plant._put("UnitGroup", units)
    held = {"@type": "FlowProperty", "@id": "energy", "unitGroup": {"@id": "units"}}
    plant._put("FlowProperty", held)
    for name in ("heat", "power"):
        body = {"@type": "Flow", "@id": name, "name": name, "flowType": "PRODUCT_FLOW"}
        plant._put("Flow", {**body, "flowProperties": [energy]})
    plant.process("A", {"a": 1, "heat": 3}, {}, co2=8)
    assert plant.gwp("A", Allocation.MASS) == pytest.approx(8)
    notes = plant.result("A", Allocation.MASS)["notes"]
    assert "Mass shares nothing out to what has none: 'heat'." in notes
    plant.process("B", {"heat": 1, "power": 3}, {}, co2=8)
    assert plant.gwp("B", Allocation.MASS) == pytest.approx(8)
    notes = plant.result("B", Allocation.MASS)["notes"]
    assert "Mass shares nothing out to what has none: 'B'." in notes


def test_the_process_has_its_own_method(plant: Plant) -> None:
    factors = [
        {"allocationType": "ECONOMIC_ALLOCATION", "product": {"@id": flow}, "value": share}
        for flow, share in (("a", 0.75), ("b", 0.25))
    ]
    method = {"defaultAllocationMethod": "ECONOMIC_ALLOCATION", "allocationFactors": factors}
    plant.process("A", {"a": 1, "b": 3}, {}, co2=8, **method)
    assert plant.gwp("A") == pytest.approx(6)


def test_what_is_chosen_is_for_processes_without_a_method(plant: Plant) -> None:
    factors = [
        {"allocationType": "ECONOMIC_ALLOCATION", "product": {"@id": flow}, "value": share}
        for flow, share in (("a", 0.75), ("b", 0.25))
    ]
    method = {"defaultAllocationMethod": "ECONOMIC_ALLOCATION", "allocationFactors": factors}
    plant.process("A", {"a": 1, "b": 3}, {"c": 1}, co2=8, **method)
    plant.flow("d")
    plant.process("C", {"c": 1, "d": 3}, {}, co2=4)
    assert plant.gwp("A", Allocation.MASS) == pytest.approx(0.75 * (8 + 4 / 4))
    assert plant.gwp("A", Allocation.NONE) == pytest.approx(0.75 * (8 + 4))
    assert plant.result("A", Allocation.MASS)["notes"] == [
        "Several products: A, C.",
        "Of these, shared out by mass: C.",
    ]
    assert plant.gwp("A", Allocation.NOWHERE) == pytest.approx(8 + 4)


def test_a_client_of_the_database_has_the_factors_of_the_method_it_names(plant: Plant) -> None:
    factors = [
        {"allocationType": f"{kind}_ALLOCATION", "product": {"@id": flow}, "value": share}
        for kind, part in (("PHYSICAL", 0.9), ("ECONOMIC", 0.75))
        for flow, share in (("a", part), ("b", 1 - part))
    ]
    method = {"defaultAllocationMethod": "ECONOMIC_ALLOCATION", "allocationFactors": factors}
    plant.process("A", {"a": 1, "b": 3}, {}, co2=8, **method)
    network = link_network(
        plant.database, Process.model_validate(plant.database.get("Process", "A")), Rules()
    )
    plant._put("ProductSystem", writes.system("system", "A", network))
    answering: Any = Answering(plant.database)
    for wanted, share in (("PHYSICAL", 0.9), ("ECONOMIC", 0.75), ("CAUSAL", 1), ("NO", 1)):
        setup = {"target": {"@id": "system"}, "allocation": f"{wanted}_ALLOCATION"}
        asked = {"@id": answering("result/calculate", setup)["@id"]}
        [line] = answering("result/total-flows", asked)
        assert line["amount"] == pytest.approx(8 * share)
    with pytest.raises(RpcError, match="the allocation FAIR_ALLOCATION is not computed here"):
        answering(
            "result/calculate", {"target": {"@id": "system"}, "allocation": "FAIR_ALLOCATION"}
        )


def test_what_nobody_provides_is_cut_off_and_said(plant: Plant) -> None:
    plant.process("A", {"a": 1}, {"c": 1}, co2=2)
    result = plant.result("A")
    assert result["impacts"][0]["amount"] == pytest.approx(2)
    assert result["notes"] == [
        "The product system has no links.",
        "Cut off, since nobody provides it: 'c'.",
    ]


def test_what_cannot_be_solved_is_told_by_its_loop(plant: Plant) -> None:
    plant.process("A", {"a": 1}, {"b": 1}, co2=1)
    plant.process("B", {"b": 1}, {"c": 1})
    plant.process("C", {"c": 1}, {"b": 1})
    with pytest.raises(ToolMistake, match="only feed each other") as refused:
        plant.gwp("A")
    assert set((refused.value.details or "").split(" → ")) == {"B", "C"}


@pytest.mark.parametrize(("makes", "other"), [(3, 0.1), (1, 0.3)])
def test_a_loop_that_balances_but_for_rounding_is_told(
    plant: Plant, makes: float, other: float
) -> None:
    plant.process("A", {"a": 1}, {"b": 1}, co2=1)
    plant.process("B", {"b": makes}, {"c": 0.1 + 0.2})
    plant.process("C", {"c": other}, {"b": 1})
    with pytest.raises(ToolMistake, match="only feed each other") as refused:
        plant.gwp("A")
    assert set((refused.value.details or "").split(" → ")) == {"B", "C"}


def test_what_cancels_but_for_rounding_is_nothing_and_no_loop(plant: Plant) -> None:
    plant.flow("d")
    plant.process("A", {"a": 1}, {"d": 1, "b": 0.3, "c": 3}, co2=1)
    plant.process("B", {"b": 1}, {"scrap": -2}, co2=5)
    plant.process("C", {"c": 1}, {}, avoids={"b": 0.1})
    plant.process("D", {"d": 1}, {})
    plant.process("T", {"scrap": 1}, {}, co2=7, treats=True)
    assert 0.1 * 3 != 0.3
    assert plant.gwp("A") == 1


def test_a_loop_that_nothing_is_taken_of_is_none(plant: Plant) -> None:
    plant.process("A", {"a": 1}, {"b": 1}, co2=1)
    plant.process("B", {"b": 1}, {"c": 1}, co2=2)
    plant.process("C", {"c": 1}, {"b": 1})
    body: Any = plant.database.get("Process", "A")
    body["exchanges"][1]["amount"] = 0
    plant._put("Process", body)
    assert plant.gwp("A") == 1


def test_numbers_of_very_different_size_are_no_loop(plant: Plant) -> None:
    plant.process("A", {"a": 1}, {"b": 2e9}, co2=1)
    plant.process("B", {"b": 1e-6}, {"c": 3e5, "a": 1e-20})
    plant.process("C", {"c": 1}, {"b": 1e-14}, co2=2)
    per_b = 1e6
    b = 2e9 * per_b / (1 - 3e5 * per_b * 1e-14)
    a = 1 / (1 - b * 1e-20)
    assert plant.gwp("A") == pytest.approx(a * (1 + 2 * 3e5 * b), rel=1e-6)
