"""A product system as two sparse matrices: what its processes take from each other, and what each
takes from nature and gives to it.

A column stands for one product of one process. Inputs are negative and outputs positive, so a waste
that is treated and a product that is avoided need no rule of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from sayso.packs.openlca.backend import Backend, View
from sayso.packs.openlca.linking import is_provided
from sayso.packs.openlca.model import (
    ELEMENTARY,
    MASS,
    Exchange,
    Flow,
    Process,
    ProductSystem,
)
from sayso.packs.openlca.units import Measure, measure


class Allocation(StrEnum):
    """How the exchanges of a process with several products are shared out."""

    PROCESS_DEFAULT = "process_default"
    MASS = "mass"
    NONE = "none"


class NotAllocated(Exception):
    """These processes make several products and have no method of their own."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(", ".join(names))
        self.names = names


#: One product (or treated waste) of one process.
Node = tuple[str, str]
Entry = tuple[int, int, float]


@dataclass(slots=True)
class Matrices:
    """Entries as (row, column, value); entries of one place add up."""

    nodes: list[Node] = field(default_factory=list)
    flows: list[Flow] = field(default_factory=list)
    technosphere: list[Entry] = field(default_factory=list)
    nature: list[Entry] = field(default_factory=list)
    #: The demand, in the reference node's own direction.
    demand: float = 0.0
    process_names: dict[str, str] = field(default_factory=dict)
    #: Products that nobody provides, as (process, flow).
    cut_off: list[tuple[str, str]] = field(default_factory=list)
    has_uncertainty: bool = False
    shared_out: list[str] = field(default_factory=list)


def build(database: Backend, system: ProductSystem, allocation: Allocation) -> Matrices:
    """Raises NotAllocated where a process needs a method and has none."""
    with database.reading() as view:
        return build_from(view, system, allocation)


def build_from(view: View, system: ProductSystem, allocation: Allocation) -> Matrices:
    return _Builder(view, system, allocation).build()


class _Builder:
    def __init__(self, database: View, system: ProductSystem, allocation: Allocation) -> None:
        self._database, self._system, self._allocation = database, system, allocation
        self._measures: dict[tuple[str, str, str], Measure] = {}
        self._processes: dict[str, Process] = {}
        self._products_of: dict[str, list[tuple[Exchange, Flow]]] = {}
        self._providers = {
            (link.process.id, link.exchange.get("internalId")): (link.provider.id, link.flow.id)
            for link in system.process_links
        }
        self._made = Matrices()
        self._columns: dict[Node, int] = {}
        self._rows: dict[str, int] = {}

    def build(self) -> Matrices:
        system = self._system
        root = self._process(system.ref_process.id if system.ref_process else "")
        reference = root.reference
        if reference is None or reference.flow is None:
            raise ValueError("The reference process has no quantitative reference.")
        first = self._column((root.id, reference.flow.id))
        done = 0
        while done < len(self._made.nodes):
            self._fill(done)
            done += 1
        self._made.demand = self._target(reference)
        assert first == 0
        missing = self._without_method()
        if missing:
            raise NotAllocated(missing)
        return self._made

    def _fill(self, column: int) -> None:
        process_id, flow_id = self._made.nodes[column]
        process = self._process(process_id)
        self._made.process_names[process_id] = process.name or process_id
        for exchange in process.exchanges:
            flow = self._flow(exchange.flow.id if exchange.flow else "")
            if flow is None:
                continue
            self._made.has_uncertainty |= exchange.uncertainty is not None
            value = self._value(exchange, flow)
            if flow.id == flow_id and is_provided(exchange, flow):
                self._made.technosphere.append((column, column, value))
                continue
            share = self._share(process, flow_id, exchange)
            if flow.flow_type == ELEMENTARY:
                self._made.nature.append((self._row(flow), column, value * share))
                continue
            provider = self._providers.get((process_id, exchange.internal_id))
            if provider is not None:
                self._made.technosphere.append((self._column(provider), column, value * share))
            elif not is_provided(exchange, flow):
                self._made.cut_off.append((process.name or "", flow.name or ""))

    def _value(self, exchange: Exchange, flow: Flow) -> float:
        sign = -1.0 if exchange.is_input and not exchange.is_avoided_product else 1.0
        return sign * self._measure(flow, exchange).to_reference(exchange.amount or 0.0)

    def _target(self, reference: Exchange) -> float:
        """Return the demand in the reference flow's unit, in the direction of its exchange."""
        system, flow = self._system, self._flow(reference.flow.id if reference.flow else "")
        assert flow is not None
        wanted = Exchange(
            amount=system.target_amount if system.target_amount is not None else reference.amount,
            unit=system.target_unit or reference.unit,
            flow_property=system.target_flow_property or reference.flow_property,
            is_input=reference.is_input,
        )
        return self._value(wanted, flow)

    # ── allocation ──

    def _share(self, process: Process, flow_id: str, exchange: Exchange) -> float:
        products = self._products(process)
        if len(products) < 2 or self._allocation is Allocation.NONE:
            return 1.0
        if self._allocation is Allocation.MASS:
            masses = {flow.id: self._mass(one, flow) for one, flow in products}
            total = sum(masses.values())
            return masses[flow_id] / total if total else 1.0
        method = process.default_allocation_method
        for factor in process.allocation_factors:
            number = (factor.exchange or {}).get("internalId")
            if factor.allocation_type != method or factor.product is None:
                continue
            if factor.product.id == flow_id and number in (None, exchange.internal_id):
                return factor.value
        return 1.0

    def _without_method(self) -> list[str]:
        if self._allocation is not Allocation.PROCESS_DEFAULT:
            self._made.shared_out = [p.name or "" for p in self._several()]
            return []
        known: list[str] = []
        missing: list[str] = []
        for process in self._several():
            method = process.default_allocation_method
            usable = any(
                factor.allocation_type == method and factor.product is not None
                for factor in process.allocation_factors
            )
            (known if usable else missing).append(process.name or "")
        self._made.shared_out = known
        return missing

    def _several(self) -> Iterator[Process]:
        for process in self._processes.values():
            if len(self._products(process)) > 1:
                yield process

    def _products(self, process: Process) -> list[tuple[Exchange, Flow]]:
        if process.id not in self._products_of:
            found = (
                (one, self._flow(one.flow.id if one.flow else "")) for one in process.exchanges
            )
            self._products_of[process.id] = [
                (exchange, flow)
                for exchange, flow in found
                if flow is not None and is_provided(exchange, flow) and exchange.amount
            ]
        return self._products_of[process.id]

    def _mass(self, exchange: Exchange, flow: Flow) -> float:
        factor = flow.factor(MASS)
        return abs(self._value(exchange, flow)) * factor.conversion_factor if factor else 0.0

    # ── lookups, each once ──

    def _measure(self, flow: Flow, exchange: Exchange) -> Measure:
        unit = exchange.unit.id or exchange.unit.name or "" if exchange.unit else ""
        held = exchange.flow_property.id if exchange.flow_property else ""
        key = (flow.id, unit, held)
        if key not in self._measures:
            self._measures[key] = measure(self._database, flow, unit or None, held or None)
        return self._measures[key]

    def _process(self, id_: str) -> Process:
        if id_ not in self._processes:
            found = self._database.read(Process, id_)
            if found is None:
                raise ValueError(f"The process {id_} is not in the database.")
            self._processes[id_] = found
        return self._processes[id_]

    def _flow(self, id_: str) -> Flow | None:
        return self._database.read(Flow, id_)

    def _column(self, node: Node) -> int:
        if node not in self._columns:
            self._columns[node] = len(self._made.nodes)
            self._made.nodes.append(node)
        return self._columns[node]

    def _row(self, flow: Flow) -> int:
        if flow.id not in self._rows:
            self._rows[flow.id] = len(self._made.flows)
            self._made.flows.append(flow)
        return self._rows[flow.id]
