"""Inventories and impacts equal bw2calc's from the exported zip. See the group `lca-oracle`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import olca_schema as schema
import pytest

from sayso.packs.openlca import writes
from sayso.packs.openlca.calculation import calculate
from sayso.packs.openlca.database import Database
from sayso.packs.openlca.demo_background import demo_database, demo_id
from sayso.packs.openlca.linking import Rules, link_network
from sayso.packs.openlca.matrices import Allocation
from sayso.packs.openlca.model import Process, ProductSystem
from sayso.packs.openlca.zips import export_zip, import_zip
from tests.integration.openlca_networks import (
    CAUSAL,
    ECONOMIC,
    NATURE,
    PHYSICAL,
    WASTE,
    Line,
    Works,
    drawn,
    reference_data,
    write,
)

if TYPE_CHECKING:
    from tests.integration.openlca_oracle import Answer

GWP100 = {"Carbon dioxide, fossil": 1.0, "Methane, fossil": 29.8, "Dinitrogen monoxide": 273.0}
"""IPCC, AR6, Working Group I, table 7.15."""
EMISSIONS = [demo_id("Flow", name) for name in GWP100]


@pytest.fixture(autouse=True, scope="module")
def oracle_is_here() -> None:
    """It brings pandas and SciPy, which take seconds: every worker collects this file, one runs
    it."""
    pytest.importorskip("bw2calc", reason="bw2calc is in a group of its own")


def gwp100(units: Iterable[tuple[str | None, float]]) -> Any:
    """Return the table as a category, each factor per the unit that is named, of so many kg."""
    return schema.ImpactCategory(
        id="gwp100",
        name="GWP100",
        direction=schema.Direction.OUTPUT,
        impact_factors=[
            schema.ImpactFactor(
                flow=schema.Ref(id=id_),
                value=factor * size,
                unit=schema.Ref(id=unit) if unit else None,
            )
            for id_, factor, (unit, size) in zip(EMISSIONS, GWP100.values(), units, strict=True)
        ],
    )


def agree(database: Database, system_id: str, allocation: Allocation, theirs: Answer) -> Any:
    """Compare each elementary flow and the impact; return our result."""
    system = database.read(ProductSystem, system_id)
    assert system is not None
    ours = calculate(database, system, allocation)
    inventory: Any = ours["inventory"]
    amounts = {one["flow_id"]: one["amount"] * (1 - 2 * one["is_input"]) for one in inventory}
    assert amounts == pytest.approx(theirs.inventory, rel=1e-9, abs=0)
    impacts: Any = ours["impacts"]
    assert impacts[0]["amount"] == pytest.approx(theirs.impacts["gwp100"], rel=1e-9, abs=0)
    return ours


def linked(database: Database, process: Process) -> str:
    """Put a product system that the pack links."""
    body = writes.system(f"linked {process.id}", "S", link_network(database, process, Rules()))
    with database.writing() as writer:
        writer.put("ProductSystem", body)
    return str(body["@id"])


def test_every_process_of_the_demo(tmp_path: Path) -> None:
    from tests.integration import openlca_oracle as oracle

    database = demo_database(tmp_path)
    category = gwp100([(None, 1.0)] * 3)
    import_zip(write(tmp_path / "gwp.zip", [category]), database.path, merge=True)
    processes = list(database.all(Process))
    systems = [linked(database, process) for process in processes]
    export_zip(database, tmp_path / "out.zip")
    assert len(systems) == 10
    for system in systems:
        theirs = oracle.answer(tmp_path / "out.zip", system)
        assert theirs.inventory
        agree(database, system, Allocation.PROCESS_DEFAULT, theirs)


@dataclass(frozen=True)
class Shelf:
    """A database of everything that is calculated below, and its export."""

    database: Database
    zip: Path


MIXED = (PHYSICAL, ECONOMIC, CAUSAL, None)
"""Some processes have no method of their own."""
WAYS = [
    ((PHYSICAL,), Allocation.PROCESS_DEFAULT, "USE_DEFAULT_ALLOCATION"),
    ((ECONOMIC,), Allocation.PROCESS_DEFAULT, "USE_DEFAULT_ALLOCATION"),
    ((CAUSAL,), Allocation.PROCESS_DEFAULT, "USE_DEFAULT_ALLOCATION"),
    ((None,), Allocation.MASS, "mass"),
    (MIXED, Allocation.MASS, "mass"),
    (MIXED, Allocation.NONE, "USE_DEFAULT_ALLOCATION"),
    (MIXED, Allocation.ALL_PHYSICAL, "PHYSICAL_ALLOCATION"),
    (MIXED, Allocation.ALL_ECONOMIC, "ECONOMIC_ALLOCATION"),
    (MIXED, Allocation.ALL_CAUSAL, "CAUSAL_ALLOCATION"),
    (MIXED, Allocation.NOWHERE, "NO_ALLOCATION"),
]
"""The methods of processes, what is chosen of the pack, and what that is in openLCA's words."""
DRAWN = {
    works.name: (works, allocation, method)
    for seed in range(2 * len(WAYS))
    for own, allocation, method in [WAYS[seed % len(WAYS)]]
    for works in [drawn(seed, own, EMISSIONS)]
}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """Import all networks, let the pack link each once more, and export them."""
    folder = tmp_path_factory.mktemp("networks")
    entities = [*reference_data(), gwp100([("t", 1000.0), ("g", 0.001), (None, 1.0)])]
    for works in [*(one for one, *_ in DRAWN.values()), *BY_HAND.values()]:
        entities += works.entities()
    assert not import_zip(write(folder / "in.zip", entities), folder / "mine.db").losses
    database = Database(folder / "mine.db")
    for works, *_ in DRAWN.values():
        process = database.read(Process, works.id("P0"))
        assert process is not None
        linked(database, process)
    export_zip(database, folder / "out.zip")
    return Shelf(database, folder / "out.zip")


@pytest.mark.parametrize("name", DRAWN)
def test_a_drawn_network(shelf: Shelf, name: str) -> None:
    from tests.integration import openlca_oracle as oracle

    works, allocation, method = DRAWN[name]
    theirs = oracle.answer(shelf.zip, works.systems["P0"].id, method)
    ours = agree(shelf.database, works.systems["P0"].id, allocation, theirs)
    is_cut_off = works.flows["nobody's"].id in theirs.loose_ends
    assert is_cut_off == any("nobody's" in note for note in ours["notes"])
    linked_here = f"linked {works.id('P0')}"
    for theirs in (
        oracle.answer(shelf.zip, linked_here, method),
        oracle.answer_by_default_providers(shelf.zip, works.id("P0"), method),
    ):
        agree(shelf.database, linked_here, allocation, theirs)


def by_hand(name: str) -> Works:
    works = Works(name)
    for flow in ("p", "q"):
        works.flow(flow)
    for flow in ("w", "v"):
        works.flow(flow, WASTE)
    works.flow("co2", NATURE, id_=EMISSIONS[0])
    works.flow("ore", NATURE)
    return works


def shared(first: str, second: str) -> Works:
    """Return openLCA's AllocationTest: two things that are provided, allocated 1 : 3."""
    works = by_hand(f"shared {first}{second}")
    lines = [Line(first, 1, first in "wv"), Line(second, 3, second in "wv"), Line("co2", 2)]
    works.process("P", *lines, method=PHYSICAL)
    for flow, value in ((first, 0.25), (second, 0.75)):
        works.share("P", PHYSICAL, flow, value)
    works.system("P")
    return works


def avoided(flow: str) -> Works:
    """Return openLCA's AvoidedFlowsTest: half of what makes as much is avoided."""
    is_waste = flow == "w"
    works = by_hand(f"avoided {flow}")
    works.process("P", Line("p", 1), Line(flow, 0.5, not is_waste, "Q", True), Line("co2", 2))
    works.process("Q", Line(flow, 1, is_waste), Line("co2", 2))
    works.system("P")
    return works


def avoided_with_a_resource() -> Works:
    """Return openLCA's AvoidedWasteTest."""
    works = by_hand("avoided with a resource")
    works.process("P", Line("p", 1), Line("w", 0.5, False, "W", True), Line("ore", 1, True))
    works.process("W", Line("w", 1, True), Line("ore", 0.5, True), Line("co2", 2))
    works.system("P")
    return works


def treated() -> Works:
    """Return openLCA's WasteCalculationTest, downstream."""
    works = by_hand("treated")
    works.process("P", Line("p", 1), Line("w", 2, False, "W"))
    works.process("W", Line("w", 1, True), Line("co2", 2))
    works.system("P")
    return works


def treatment() -> Works:
    """Return openLCA's WasteCalculationTest, with a waste as its reference."""
    works = by_hand("treatment")
    works.process("W", Line("w", 1, True), Line("p", 2, True, "P"))
    works.process("P", Line("p", 1), Line("co2", 2))
    works.system("W")
    return works


BY_HAND = {
    works.name: works
    for works in (
        *(shared(*pair) for pair in ("pq", "wv", "pw", "wp")),
        avoided("q"),
        avoided("w"),
        avoided_with_a_resource(),
        treated(),
        treatment(),
    )
}
PUBLISHED = {
    **{f"shared {pair}": {"co2": 0.5} for pair in ("pq", "wv", "pw", "wp")},
    "avoided q": {"co2": 1.0},
    "avoided w": {"co2": 1.0},
    "avoided with a resource": {"co2": -1.0, "ore": -0.75},
    "treated": {"co2": 4.0},
    "treatment": {"co2": 4.0},
}
"""What openLCA's own tests expect (olca-modules, olca-core/src/test, at a20094aff)."""


@pytest.mark.parametrize("name", BY_HAND)
def test_what_openlca_publishes(shelf: Shelf, name: str) -> None:
    from tests.integration import openlca_oracle as oracle

    works = BY_HAND[name]
    (system,) = works.systems.values()
    theirs = oracle.answer(shelf.zip, system.id)
    expected = {works.flows[flow].id: amount for flow, amount in PUBLISHED[name].items()}
    assert theirs.inventory == pytest.approx(expected, rel=1e-12)
    agree(shelf.database, system.id, Allocation.PROCESS_DEFAULT, theirs)
