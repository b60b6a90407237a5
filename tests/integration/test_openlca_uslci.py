"""A real database: USLCI, in the old schema, of 766 processes. It lies beside the project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sayso.packs.openlca import writes
from sayso.packs.openlca.database import Database
from sayso.packs.openlca.linking import Rules, link_network
from sayso.packs.openlca.matrices import Allocation, Matrices, build
from sayso.packs.openlca.model import MASS, Process, ProductSystem, Ref
from sayso.packs.openlca.solver import Singular, gwp100, solve
from sayso.packs.openlca.zips import Imported, export_zip, import_zip

ZIP = Path(__file__).parents[3] / "shared/data/uslci_fy17_olca_json_ld.zip"
pytestmark = pytest.mark.skipif(not ZIP.exists(), reason=f"USLCI is not at {ZIP}")


@pytest.fixture(scope="module")
def uslci(tmp_path_factory: pytest.TempPathFactory) -> tuple[Database, Imported]:
    target = tmp_path_factory.mktemp("uslci") / "uslci.db"
    return Database(target), import_zip(ZIP, target)


def test_it_comes_in_whole(uslci: tuple[Database, Imported]) -> None:
    database, found = uslci
    assert dict(found.counts) == {
        "UnitGroup": 27,
        "FlowProperty": 33,
        "Location": 11,
        "Actor": 77,
        "Source": 686,
        "Flow": 4601,
        "Process": 766,
        "Exchange": 32526,
    }
    assert dict(found.losses) == {
        "ids of exchanges (schema 2 numbers them)": 32526,
        "allocation factors that name no product (kept, not used)": 11642,
        "allocation factors whose exchange is not clear (kept, not used)": 11411,
    }
    total, flows = database.search_flows("electricity", limit=5, offset=0)
    assert total > 20
    assert all("electricity" in (flow.name or "").casefold() for flow in flows)


def test_a_process_on_real_providers_costs_what_its_inputs_cost(
    uslci: tuple[Database, Imported],
) -> None:
    database, _ = uslci
    inputs: list[tuple[Process, float]] = []
    for name, amount in (("Portland cement, at plant", 0.2), ("Sawn lumber, hardwood", 3.0)):
        found = next(p for p in database.all(Process) if (p.name or "").startswith(name))
        inputs.append((found, amount))
    making = put_process(database, "Made of real things", inputs)
    alone = [(impact_of(database, process), amount) for process, amount in inputs]
    expected = sum(
        impact * amount / (process.reference.amount or 1)
        for (impact, amount), (process, _) in zip(alone, inputs, strict=True)
        if process.reference
    )
    assert expected > 0
    assert impact_of(database, making) == pytest.approx(expected, rel=1e-9)


def test_a_system_of_all_processes_is_solved(uslci: tuple[Database, Imported]) -> None:
    database, _ = uslci
    everything = put_process(database, "All of it", [(p, 1.0) for p in database.all(Process)])
    matrices = matrices_of(database, everything)
    assert len(matrices.process_names) >= 767
    scaling = solve(matrices).scaling
    made = [0.0] * len(scaling)
    size = [0.0] * len(scaling)
    for row, column, value in matrices.technosphere:
        made[row] += value * scaling[column]
        size[row] += abs(value * scaling[column])
    wanted = [matrices.demand, *([0.0] * (len(scaling) - 1))]
    assert all(
        abs(one - want) <= 1e-9 * (much + abs(want))
        for one, want, much in zip(made, wanted, size, strict=True)
    )


COMPARED = (
    "Portland cement, at plant",
    "Electricity, at Grid, US, 2008",
    "Sawn Lumber, softwood, planed, kiln dried, at planer mill, INW",
    # What these take of some products is but the rounding of other numbers.
    "Lost foam casting, aluminum",
    "Transport, combination truck, average fuel mix",
)


def test_some_processes_have_the_inventory_of_bw2calc(
    uslci: tuple[Database, Imported], tmp_path: Path
) -> None:
    pytest.importorskip("bw2calc", reason="bw2calc is in a group of its own")
    from tests.integration import openlca_oracle as oracle

    database, _ = uslci
    systems = {}
    for process in database.all(Process):
        if process.name in COMPARED:
            with database.reading() as view:
                network = link_network(view, process, Rules())
            systems[process.name] = writes.system(f"system of {process.id}", "S", network)
    assert sorted(systems) == sorted(COMPARED)
    with database.writing() as writer:
        writer.put_all("ProductSystem", systems.values())
    export_zip(database, tmp_path / "out.zip")
    for body in systems.values():
        theirs = oracle.answer(tmp_path / "out.zip", str(body["@id"]), oracle.BY_MASS)
        matrices = built(database, ProductSystem.model_validate(body), Allocation.MASS)
        amounts = zip(matrices.flows, solve(matrices).inventory, strict=True)
        ours = {flow.id: amount for flow, amount in amounts}
        assert ours == pytest.approx(theirs.inventory, rel=1e-9, abs=0)


def test_two_real_processes_that_only_feed_each_other_are_told(
    uslci: tuple[Database, Imported],
) -> None:
    database, _ = uslci
    one, other = [p for p in database.all(Process) if p.reference and p.reference.flow][:2]
    loop = [with_input(one, other), with_input(other, one)]
    with database.reading() as view:
        before = [view.read(Process, process.id) for process in (one, other)]
    try:
        with database.writing() as writer:
            writer.put_all("Process", [process.json_object() for process in loop])
        with pytest.raises(Singular) as told:
            solve(matrices_of(database, loop[0]))
    finally:
        with database.writing() as writer:
            writer.put_all("Process", [process.json_object() for process in before if process])
    assert set(told.value.names) == {one.name, other.name}


def with_input(process: Process, provider: Process) -> Process:
    """Return the process as if it took in all that the other one makes, and nothing else."""
    made, taken = process.reference, provider.reference
    assert made is not None
    assert taken is not None
    line = taken.model_copy(
        update={
            "internal_id": 9000,
            "is_input": True,
            "is_quantitative_reference": False,
            "default_provider": Ref.model_validate({"@type": "Process", "@id": provider.id}),
        }
    )
    return process.model_copy(update={"exchanges": [made, line]})


def put_process(database: Database, name: str, inputs: list[tuple[Process, float]]) -> Process:
    """Put a process that takes the reference product of each of these, in that product's units."""
    lines: list[Any] = [
        {
            "internalId": 1,
            "flow": {"@type": "Flow", "@id": name, "flowType": "PRODUCT_FLOW"},
            "amount": 1,
            "isQuantitativeReference": True,
        }
    ]
    for provider, amount in inputs:
        made = provider.reference
        if made is None or made.flow is None:
            continue
        said = made.json_object()
        kept = {key: said[key] for key in ("flow", "unit", "flowProperty") if key in said}
        lines.append(
            {
                **kept,
                "internalId": len(lines) + 1,
                "amount": amount,
                "isInput": not made.is_input,
                "defaultProvider": {"@type": "Process", "@id": provider.id},
            }
        )
    held: Any = {"flowProperty": {"@id": MASS}, "conversionFactor": 1, "isRefFlowProperty": True}
    flow: Any = {"@type": "Flow", "@id": name, "name": name, "flowType": "PRODUCT_FLOW"}
    body: Any = {"@type": "Process", "@id": name, "name": name, "exchanges": lines}
    with database.writing() as writer:
        writer.put("Flow", {**flow, "flowProperties": [held]})
        writer.put("Process", body)
    return Process.model_validate(body)


def matrices_of(database: Database, process: Process) -> Matrices:
    with database.reading() as view:
        network = link_network(view, process, Rules())
    system = ProductSystem.model_validate(writes.system("system", "S", network))
    return built(database, system, Allocation.MASS)


def built(database: Database, system: ProductSystem, allocation: Allocation) -> Matrices:
    with database.reading() as view:
        return build(view, system, allocation)


def impact_of(database: Database, process: Process) -> float:
    matrices = matrices_of(database, process)
    return solve(matrices).impact(gwp100().by_flow)
