"""`python -m benchmarks.openlca ZIP`: a real openLCA database (USLCI's), imported, searched,
validated, and solved as one system of all its processes, beside what reading the zip and scipy
alone take. It fails where a figure is not what the docs promise."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from sayso import ToolMistake
from sayso.packs.openlca import writes
from sayso.packs.openlca.calculation import calculate
from sayso.packs.openlca.database import Database
from sayso.packs.openlca.linking import Rules, link_network
from sayso.packs.openlca.matrices import Allocation, build
from sayso.packs.openlca.model import Process, ProductSystem
from sayso.packs.openlca.rules import validate
from sayso.packs.openlca.solver import _sparse, solve

WORDS = ("electricity", "steel", "transport", "natural gas", "wood", "at plant", "corn", "alumin")
#: Runs in a process of its own, so that its memory is that of an import alone.
_IMPORT = """
import json, resource, sys, time
from pathlib import Path
from sayso.packs.openlca.zips import import_zip
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
began = time.process_time()
found = import_zip(Path(sys.argv[1]), Path(sys.argv[2]))
took = time.process_time() - began
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([took, before, after, found.counts, found.losses]))
"""


def seconds(work: Callable[[], object], times: int = 1) -> list[float]:
    found: list[float] = []
    for _ in range(times):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return sorted(found)


def hold(what: str, found: float, below: float) -> None:
    """Raises SystemExit."""
    if found >= below:
        raise SystemExit(f"{what}: {found:.3g}, and has to be below {below:g}")


def main(source: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "real.db")
        _import(source, database)
        searches = [
            one
            for words in WORDS
            for one in seconds(lambda w=words: database.search_flows(w, limit=20, offset=0), 10)  # type: ignore[misc]
        ]
        p95 = sorted(searches)[int(len(searches) * 0.95)]
        print(f"search: {p95 * 1000:.1f} ms at p95 of {len(searches)}")
        hold("milliseconds of a search", p95 * 1000, 50)
        _validate(database)
        _solve(database)
        _singular(database)


def _import(source: Path, database: Database) -> None:
    floor = min(seconds(lambda: _read(source), 3))
    command = [sys.executable, "-c", _IMPORT, str(source), str(database.path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    took, before, after, counts, losses = json.loads(done.stdout)
    print(
        f"import: {took:.2f} s, {took / floor:.1f} times reading and parsing the zip "
        f"({floor:.2f} s); {after / 1024:.0f} MB at most, {before / 1024:.0f} MB before"
    )
    print(f"  counts: {counts}\n  losses: {losses}")
    hold("times reading and parsing the zip", took / floor, 10)
    hold("MB of an import", after / 1024, 300)


def _validate(database: Database) -> None:
    found, slowest = Counter[str](), 0.0
    for process in list(database.all(Process))[::25]:
        began = time.process_time()
        found.update({issue.code for issue in validate(database, process).issues})
        slowest = max(slowest, time.process_time() - began)
    print(
        f"validate: {slowest * 1000:.0f} ms for the slowest of every 25th; by rule: {dict(found)}"
    )


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
    hold("times scipy's own solve", ours / floor, 20)


def _singular(database: Database) -> None:
    """Two real processes that take in all that the other makes."""
    made = [one for one in database.all(Process) if one.reference and one.reference.flow][:2]
    with database.writing() as writer:
        for one, other in (made, reversed(made)):
            line: Any = {**_reference(other), "isInput": True, "internalId": 9000}
            line |= {"defaultProvider": {"@id": other.id}, "isQuantitativeReference": False}
            writer.put("Process", _ending_with(one, line))
    with database.reading() as view:
        first = view.read(Process, made[0].id)
        assert first is not None
        network = link_network(view, first, Rules())
    system = ProductSystem.model_validate(writes.system("loop", "Loop", network))
    try:
        calculate(database, system, Allocation.NONE)
    except ToolMistake as exc:
        print(f"singular: {exc.message}: {exc.details}")


def _ending_with(process: Process, line: dict[str, Any]) -> dict[str, Any]:
    body: Any = process.json_object()
    kept = [one for one in body["exchanges"] if one.get("isQuantitativeReference")]
    return {**body, "exchanges": [*kept, line]}


def _reference(process: Process) -> dict[str, Any]:
    assert process.reference is not None
    return dict(process.reference.json_object())


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
