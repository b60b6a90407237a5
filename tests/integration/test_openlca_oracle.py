"""Inventories, compared with bw2calc's from the exported zip. `pip install --group lca-oracle`."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.packs.openlca import writes
from sayso.packs.openlca.database import Database
from sayso.packs.openlca.demo_background import demo_database
from sayso.packs.openlca.linking import Rules, link_network
from sayso.packs.openlca.matrices import Allocation, build
from sayso.packs.openlca.model import Process, ProductSystem
from sayso.packs.openlca.solver import solve
from sayso.packs.openlca.zips import export_zip

pytest.importorskip("bw2calc", reason="bw2calc is in a group of its own")


def linked(database: Database, process: Process) -> str:
    body = writes.system(f"system of {process.id}", "S", link_network(database, process, Rules()))
    with database.writing() as writer:
        writer.put("ProductSystem", body)
    return str(body["@id"])


def test_every_process_of_the_demo_has_bw2calcs_inventory(tmp_path: Path) -> None:
    from tests.integration.openlca_oracle import inventory

    database = demo_database(tmp_path)
    systems = [linked(database, process) for process in list(database.all(Process))]
    export_zip(database, tmp_path / "out.zip")
    for id_ in systems:
        system = database.read(ProductSystem, id_)
        assert isinstance(system, ProductSystem)
        matrices = build(database, system, Allocation.PROCESS_DEFAULT)
        amounts = zip(matrices.flows, solve(matrices).inventory, strict=True)
        ours = {flow.id: amount for flow, amount in amounts}
        assert ours == pytest.approx(inventory(tmp_path / "out.zip", id_), rel=1e-9, abs=1e-15)
