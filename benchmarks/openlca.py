"""`python -m benchmarks.openlca ZIP`: a real openLCA database (USLCI's), imported, searched and
solved as one system of all its processes, beside what reading the zip and scipy alone take."""

from __future__ import annotations

import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from sayso.packs.openlca import writes
from sayso.packs.openlca.database import Database
from sayso.packs.openlca.linking import Rules, link_network
from sayso.packs.openlca.matrices import Allocation, build
from sayso.packs.openlca.model import Process, ProductSystem
from sayso.packs.openlca.solver import _sparse, solve
from sayso.packs.openlca.zips import import_zip

WORDS = ("electricity", "steel", "transport", "natural gas", "wood", "at plant", "corn", "alumin")


def seconds(work: Callable[[], object], times: int = 1) -> list[float]:
    found: list[float] = []
    for _ in range(times):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return sorted(found)


def main(source: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "real.db")
        floor = seconds(lambda: _read(source))[0]
        taken = seconds(lambda: import_zip(source, database.path))[0]
        print(f"import: {taken:.2f} s, {taken / floor:.1f} times reading the zip ({floor:.2f} s)")
        searches = [
            one
            for words in WORDS
            for one in seconds(lambda w=words: database.search_flows(w, limit=20, offset=0), 10)  # type: ignore[misc]
        ]
        p95 = sorted(searches)[int(len(searches) * 0.95)]
        print(f"search: {p95 * 1000:.1f} ms at p95 of {len(searches)}")
        _solve(database)


def _solve(database: Database) -> None:
    import numpy
    from scipy.sparse.linalg import splu

    with database.reading() as view:
        everything = _of_all(list(view.all(Process)))
        network = link_network(view, everything, Rules())
    with database.writing() as writer:
        writer.put("Process", everything.json_object())
    system = ProductSystem.model_validate(writes.system("system", "S", network))
    matrices = build(database, system, Allocation.NONE)
    size = len(matrices.nodes)
    sparse, demand = _sparse(matrices.technosphere, size, size), numpy.zeros(size)
    demand[0] = matrices.demand
    solve(matrices)  # imports
    ours = seconds(lambda: solve(matrices), 9)[0]
    floor = seconds(lambda: splu(sparse).solve(demand), 9)[0]
    print(
        f"solve: {len(network.processes)} processes, {size} columns: {ours * 1000:.1f} ms, "
        f"{ours / floor:.1f} times scipy's {floor * 1000:.1f} ms"
    )


def _of_all(processes: list[Process]) -> Process:
    """Return a process that takes one of everything; its own product is the first one's."""
    lines: list[Any] = []
    for one in processes:
        made = one.reference
        if made is None or made.flow is None:
            continue
        said = made.json_object()
        kept = {key: said[key] for key in ("flow", "unit", "flowProperty") if key in said}
        provider = {"@type": "Process", "@id": one.id}
        side = {"isInput": not made.is_input, "defaultProvider": provider}
        lines.append({**kept, **side, "internalId": len(lines) + 2, "amount": 1e-3})
    first = {key: value for key, value in lines[0].items() if key != "defaultProvider"}
    first |= {"internalId": 1, "isInput": False, "amount": 1, "isQuantitativeReference": True}
    body = {"@type": "Process", "@id": "all", "name": "All", "exchanges": [first, *lines]}
    return Process.model_validate(body)


def _read(source: Path) -> None:
    with zipfile.ZipFile(source) as archive:
        for name in archive.namelist():
            if name.endswith(".json"):
                orjson.loads(archive.read(name))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
