"""An exported openLCA zip as matrices for bw2calc.

By the schema and the rules of openLCA's InventoryBuilder; it imports nothing of the pack.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bw2calc
import bw_processing
import numpy as np

Json = dict[str, Any]
TechFlow = tuple[str, str]
"""What a process provides: its id, and that of a product that leaves or a waste that it takes."""
MASS = "93a60a56-a3c8-11da-a746-0800200b9a66"
BY_DEFAULT, NONE, BY_MASS = "USE_DEFAULT_ALLOCATION", "NO_ALLOCATION", "mass"


@dataclass(frozen=True)
class Answer:
    """What leaves, by flow id; what is taken is negative."""

    inventory: dict[str, float]
    """Elementary flows."""
    loose_ends: dict[str, float]
    """Products and wastes that no process of the system provides or takes."""
    impacts: dict[str, float]
    """By the id of each category in the zip."""


def answer(path: Path, system_id: str, method: str = BY_DEFAULT) -> Answer:
    """Calculate a product system by the links that are written in it."""
    with zipfile.ZipFile(path) as archive:
        package = Package(archive)
        system = package.read("product_systems", system_id)
        return _answer(package, _matrices(package, system, method))


def answer_by_default_providers(path: Path, process_id: str, method: str = BY_DEFAULT) -> Answer:
    """Calculate a process with its reference amount, linked by nothing but default providers."""
    with zipfile.ZipFile(path) as archive:
        package = Package(archive)
        return _answer(package, _matrices(package, _by_default(package, process_id), method))


class Package:
    """A zip by the schema: an entity lies in the folder of its type under its id."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._read: dict[str, Json] = {}

    def read(self, folder: str, id_: str) -> Json:
        name = f"{folder}/{id_}.json"
        if name not in self._read:
            self._read[name] = json.loads(self._archive.read(name))
        return self._read[name]

    def all(self, folder: str) -> Iterator[Json]:
        for name in self._archive.namelist():
            if name.startswith(f"{folder}/"):
                yield self.read(folder, Path(name).stem)

    def flow_of(self, line: Json) -> Json:
        return self.read("flows", line["flow"]["@id"])

    def in_reference_unit(self, flow: Json, prop: Json | None, unit: Json | None) -> float:
        """Return what one of this unit, of this property, is in the flow's reference unit."""
        held = self._property(flow, prop["@id"] if prop else None)
        chosen = self.read("flow_properties", held["flowProperty"]["@id"])
        group = self.read("unit_groups", chosen["unitGroup"]["@id"])
        size = 1.0
        if unit:
            size = next(u["conversionFactor"] for u in group["units"] if u["@id"] == unit["@id"])
        return float(size) / float(held["conversionFactor"])

    def _property(self, flow: Json, id_: str | None) -> Json:
        for held in flow["flowProperties"]:
            if held["flowProperty"]["@id"] == id_ or (id_ is None and held["isRefFlowProperty"]):
                return dict(held)
        raise KeyError(f"{flow['@id']} is not measured in {id_}")

    def amount(self, line: Json) -> float:
        flow = self.flow_of(line)
        size = self.in_reference_unit(flow, line.get("flowProperty"), line.get("unit"))
        return float(line["amount"]) * size

    def mass(self, line: Json) -> float:
        """Return the mass of an exchange: 0 of what is not measured by mass."""
        for held in self.flow_of(line)["flowProperties"]:
            if held["flowProperty"]["@id"] == MASS:
                return self.amount(line) * float(held["conversionFactor"])
        return 0.0

    def is_provided(self, line: Json) -> bool:
        """Say whether this is a product that leaves, or a waste that is taken."""
        kind = self.flow_of(line)["flowType"]
        return bool(kind == ("WASTE_FLOW" if line.get("isInput") else "PRODUCT_FLOW"))

    def is_needed(self, line: Json) -> bool:
        """Say whether this is a product that is taken (or avoided), or a waste that leaves."""
        kind = self.flow_of(line)["flowType"]
        return bool(kind == ("PRODUCT_FLOW" if line.get("isInput") else "WASTE_FLOW"))


def _reference(process: Json) -> Json:
    return next(one for one in process["exchanges"] if one.get("isQuantitativeReference"))


def _by_default(package: Package, process_id: str) -> Json:
    """Compose a product system of the default providers, from the process on."""
    links: list[Json] = []
    waiting, seen = [process_id], {process_id}
    while waiting:
        process = package.read("processes", waiting.pop())
        for line in process["exchanges"]:
            provider = line.get("defaultProvider")
            if not provider or not package.is_needed(line):
                continue
            links.append(
                {
                    "process": process,
                    "exchange": {"internalId": line["internalId"]},
                    "flow": line["flow"],
                    "provider": provider,
                }
            )
            if provider["@id"] not in seen:
                seen.add(provider["@id"])
                waiting.append(provider["@id"])
    wanted = _reference(package.read("processes", process_id))
    return {
        "refProcess": {"@id": process_id},
        "refExchange": {"internalId": wanted["internalId"]},
        "targetAmount": wanted["amount"],
        "targetUnit": wanted.get("unit"),
        "targetFlowProperty": wanted.get("flowProperty"),
        "processLinks": links,
    }


@dataclass
class Cells:
    """A sparse matrix: each value by its row and column."""

    rows: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    def add(self, row: int, column: int, value: float) -> None:
        self.rows.append(row)
        self.columns.append(column)
        self.values.append(value)

    def into(self, package: Any, matrix: str) -> None:
        indices = list(zip(self.rows, self.columns, strict=True))
        package.add_persistent_vector(
            matrix=matrix,
            indices_array=np.array(indices, dtype=bw_processing.INDICES_DTYPE),
            data_array=np.array(self.values),
        )


@dataclass
class Matrices:
    technosphere: Cells
    biosphere: Cells
    tech_flows: dict[TechFlow, int]
    flows: dict[str, int]
    taken_first: dict[str, bool]
    demand: float


def _matrices(package: Package, system: Json, method: str) -> Matrices:
    start = package.read("processes", system["refProcess"]["@id"])
    internal_id = system["refExchange"]["internalId"]
    wanted = next(one for one in start["exchanges"] if one["internalId"] == internal_id)
    tech_flows: dict[TechFlow, int] = {(start["@id"], wanted["flow"]["@id"]): 0}
    linked: dict[tuple[str, int], TechFlow] = {}
    for link in system["processLinks"]:
        provided = (link["provider"]["@id"], link["flow"]["@id"])
        tech_flows.setdefault(provided, len(tech_flows))
        linked[link["process"]["@id"], link["exchange"]["internalId"]] = provided

    flow = package.flow_of(wanted)
    size = package.in_reference_unit(
        flow, system.get("targetFlowProperty"), system.get("targetUnit")
    )
    demand = float(system["targetAmount"]) * size
    is_waste = flow["flowType"] == "WASTE_FLOW"
    made = Matrices(Cells(), Cells(), tech_flows, {}, {}, -demand if is_waste else demand)
    for (process_id, flow_id), column in tech_flows.items():
        process = package.read("processes", process_id)
        for line in process["exchanges"]:
            value = _signed(package, line)
            is_share = not package.is_provided(line)
            if is_share:
                value *= _share(package, process, flow_id, line, method)
            provider = linked.get((process_id, line["internalId"]))
            if package.is_needed(line) and provider:
                made.technosphere.add(tech_flows[provider], column, value)
            elif not is_share and line["flow"]["@id"] == flow_id:
                made.technosphere.add(column, column, value)
            elif is_share or method == NONE:
                row = made.flows.setdefault(line["flow"]["@id"], len(made.flows))
                made.taken_first.setdefault(line["flow"]["@id"], bool(line.get("isInput")))
                made.biosphere.add(row, column, value)
    return made


def _signed(package: Package, line: Json) -> float:
    """Return what leaves. What is avoided is stored on the side where it would be linked."""
    amount = package.amount(line)
    leaves = not line.get("isInput")
    if line.get("isAvoidedProduct") and package.flow_of(line)["flowType"] != "ELEMENTARY_FLOW":
        leaves = not leaves
    return amount if leaves else -amount


def _share(package: Package, process: Json, product: str, line: Json, method: str) -> float:
    """Return the part of an exchange that is allocated to one of the things that are provided."""
    own = process.get("defaultAllocationMethod")
    if method == BY_MASS and own in (None, NONE):
        provided = [
            (one["flow"]["@id"], package.mass(one))
            for one in process["exchanges"]
            if package.is_provided(one) and one["amount"]
        ]
        total = sum(mass for _, mass in provided)
        if len({id_ for id_, _ in provided}) < 2 or not total:
            return 1.0
        return sum(mass for id_, mass in provided if id_ == product) / total
    used = own if method in (BY_DEFAULT, BY_MASS) else method
    for factor in process.get("allocationFactors", []):
        if factor.get("allocationType") != used or factor.get("product", {}).get("@id") != product:
            continue
        if used != "CAUSAL_ALLOCATION":
            return float(factor["value"])
        if factor.get("exchange", {}).get("internalId") == line["internalId"]:
            return float(factor["value"])
    return 1.0


def _answer(package: Package, made: Matrices) -> Answer:
    nature = len(made.tech_flows)  # rows of both matrices are numbered in one sequence
    made.biosphere.rows = [row + nature for row in made.biosphere.rows]
    inventory = bw_processing.create_datapackage()
    made.technosphere.into(inventory, "technosphere_matrix")
    made.biosphere.into(inventory, "biosphere_matrix")
    lca = bw2calc.LCA({0: made.demand}, data_objs=[inventory])
    lca.lci()
    totals = np.asarray(lca.inventory.sum(axis=1)).ravel()
    places = lca.dicts.biosphere
    amounts: tuple[dict[str, float], dict[str, float]] = ({}, {})
    for id_, row in made.flows.items():
        is_loose = package.read("flows", id_)["flowType"] != "ELEMENTARY_FLOW"
        amounts[is_loose][id_] = float(totals[places[row + nature]])
    impacts = {}
    for category in package.all("lcia_categories"):
        factors = _characterisation(package, category, made)
        if factors is None:
            impacts[category["@id"]] = 0.0
            continue
        scored = bw2calc.LCA({0: made.demand}, data_objs=[inventory, factors])
        scored.lci()
        scored.lcia()
        impacts[category["@id"]] = float(scored.score)
    return Answer(*amounts, impacts)


def _characterisation(package: Package, category: Json, made: Matrices) -> Any:
    """Return the factors of a category per reference unit of a flow, or None where none is met."""
    cells = Cells()
    for factor in category["impactFactors"]:
        id_ = factor["flow"]["@id"]
        if id_ not in made.flows or factor.get("location"):
            continue
        flow = package.read("flows", id_)
        size = package.in_reference_unit(flow, factor.get("flowProperty"), factor.get("unit"))
        value = float(factor["value"]) / size
        direction = category.get("direction")
        is_taken = direction == "INPUT" if direction else made.taken_first[id_]
        cells.add(made.flows[id_] + len(made.tech_flows), 0, -value if is_taken else value)
    if not cells.values:
        return None
    factors = bw_processing.create_datapackage()
    cells.into(factors, "characterization_matrix")
    return factors
