"""Results that can be computed by hand: loops, wastes, avoided and several products, and none."""

from __future__ import annotations

from typing import Any

import pytest

from sayso import ToolMistake
from sayso.packs.openlca import writes
from sayso.packs.openlca.calculation import calculate
from sayso.packs.openlca.database import Database
from sayso.packs.openlca.demo_background import demo_id
from sayso.packs.openlca.linking import Rules, link_network
from sayso.packs.openlca.matrices import Allocation
from sayso.packs.openlca.model import MASS, Process, ProductSystem

CO2 = demo_id("Flow", "Carbon dioxide, fossil")


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
        lines += [(flow, amount, True) for flow, amount in avoids.items()]
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

    def result(self, name: str, allocation: Allocation = Allocation.PROCESS_DEFAULT) -> Any:
        process = self.database.read(Process, name)
        assert process is not None
        network = link_network(self.database, process, Rules())
        body = writes.system("system", name, network)
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


def test_several_products_are_never_shared_out_silently(plant: Plant) -> None:
    plant.process("A", {"a": 1, "b": 3}, {}, co2=8)
    with pytest.raises(ToolMistake, match="1 processes make several products"):
        plant.gwp("A")
    assert plant.gwp("A", Allocation.MASS) == pytest.approx(2)
    assert plant.gwp("A", Allocation.NONE) == pytest.approx(8)
    assert "Several products: A." in plant.result("A", Allocation.MASS)["notes"]


def test_the_process_has_its_own_method(plant: Plant) -> None:
    factors = [
        {"allocationType": "ECONOMIC_ALLOCATION", "product": {"@id": flow}, "value": share}
        for flow, share in (("a", 0.75), ("b", 0.25))
    ]
    method = {"defaultAllocationMethod": "ECONOMIC_ALLOCATION", "allocationFactors": factors}
    plant.process("A", {"a": 1, "b": 3}, {}, co2=8, **method)
    assert plant.gwp("A") == pytest.approx(6)


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


def test_a_loop_that_balances_but_for_rounding_is_told(plant: Plant) -> None:
    plant.process("A", {"a": 1}, {"b": 1}, co2=1)
    plant.process("B", {"b": 3}, {"c": 0.1 + 0.2})
    plant.process("C", {"c": 0.1}, {"b": 1})
    with pytest.raises(ToolMistake, match="only feed each other") as refused:
        plant.gwp("A")
    assert set((refused.value.details or "").split(" → ")) == {"B", "C"}


def test_numbers_of_very_different_size_are_no_loop(plant: Plant) -> None:
    plant.process("A", {"a": 1}, {"b": 2e9}, co2=1)
    plant.process("B", {"b": 1e-6}, {"c": 3e5, "a": 1e-20})
    plant.process("C", {"c": 1}, {"b": 1e-14}, co2=2)
    per_b = 1e6
    b = 2e9 * per_b / (1 - 3e5 * per_b * 1e-14)
    a = 1 / (1 - b * 1e-20)
    assert plant.gwp("A") == pytest.approx(a * (1 + 2 * 3e5 * b), rel=1e-6)
