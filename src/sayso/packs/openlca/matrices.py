"""A product system as two sparse matrices: what its processes take from each other, and what each
takes from nature and gives to it.

A column stands for one product of one process. Inputs are negative and outputs positive, so a waste
that is treated needs no rule of its own; what is avoided counts as if it stood on the other side.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from sayso.packs.openlca.backend import View
from sayso.packs.openlca.linking import is_provided, needs_provider
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
    """How processes with several products are shared out."""

    # By the method of each; those that have none are refused, go by mass, or carry everything.
    PROCESS_DEFAULT = "process_default"
    MASS = "mass"
    NONE = "none"
    # By the factors of one method, whatever the process's own is: openLCA's own setting.
    ALL_PHYSICAL = "PHYSICAL_ALLOCATION"
    ALL_ECONOMIC = "ECONOMIC_ALLOCATION"
    ALL_CAUSAL = "CAUSAL_ALLOCATION"
    NOWHERE = "NO_ALLOCATION"


_OF_EACH = (Allocation.PROCESS_DEFAULT, Allocation.MASS, Allocation.NONE)


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
    #: Processes with several products, and those of them that have no method of their own.
    several: list[str] = field(default_factory=list)
    without_method: list[str] = field(default_factory=list)
    #: Products that mass shares nothing out to, and processes none of whose products has any.
    massless: list[str] = field(default_factory=list)


def build(view: View, system: ProductSystem, allocation: Allocation) -> Matrices:
    """Raises NotAllocated where a process needs a method and has none."""
    return _Builder(view, system, allocation).build()


class _Builder:
    def __init__(self, database: View, system: ProductSystem, allocation: Allocation) -> None:
        self._database, self._system, self._allocation = database, system, allocation
        self._measures: dict[tuple[str, str, str], Measure] = {}
        self._processes: dict[str, Process] = {}
        self._masses_of: dict[str, dict[str, float]] = {}
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
        reference = system.reference_of(root)
        if reference is None or reference.flow is None:
            raise ValueError("The product system has no quantitative reference.")
        self._column((root.id, reference.flow.id))
        for column, _ in enumerate(self._made.nodes):  # which grow by what each takes
            self._fill(column)
        self._made.demand = self._target(reference)
        self._tell_allocation()
        return self._made

    def _fill(self, column: int) -> None:
        process_id, flow_id = self._made.nodes[column]
        process = self._process(process_id)
        self._made.process_names[process_id] = process.name or process_id
        for exchange in process.exchanges:
            flow = self._database.flow_of(exchange)
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
            if provider is not None and needs_provider(exchange, flow):
                self._made.technosphere.append((self._column(provider), column, value * share))
            elif not is_provided(exchange, flow):
                self._made.cut_off.append((process.name or "", flow.name or ""))

    def _value(self, exchange: Exchange, flow: Flow) -> float:
        is_avoided = exchange.is_avoided_product and flow.flow_type != ELEMENTARY
        sign = 1.0 if exchange.is_input == is_avoided else -1.0
        return sign * self._measure(flow, exchange).to_reference(exchange.amount or 0.0)

    def _target(self, reference: Exchange) -> float:
        """Return the demand in the reference flow's unit, in the direction of its exchange."""
        system, flow = self._system, self._database.flow_of(reference)
        assert flow is not None
        wanted = Exchange(
            amount=system.target_amount if system.target_amount is not None else 1.0,
            unit=system.target_unit,
            flow_property=system.target_flow_property,
            is_input=reference.is_input,
        )
        return self._value(wanted, flow)

    # ── allocation ──

    def _share(self, process: Process, flow_id: str, exchange: Exchange) -> float:
        masses = self._masses(process)
        if len(masses) < 2:
            return 1.0
        if self._has_method(process):
            return self._factor(process, flow_id, exchange)
        total = sum(masses.values())
        return masses[flow_id] / total if self._allocation is Allocation.MASS and total else 1.0

    def _method(self, process: Process) -> str | None:
        is_own = self._allocation in _OF_EACH
        return process.default_allocation_method if is_own else self._allocation.value

    def _has_method(self, process: Process) -> bool:
        """Return whether a method says how to share out, with factors if it is the process's."""
        method = self._method(process)
        return self._allocation not in _OF_EACH or any(
            one.allocation_type == method and one.product for one in process.allocation_factors
        )

    def _factor(self, process: Process, flow_id: str, exchange: Exchange) -> float:
        """Return what the method shares out to this product: all, where no factor says."""
        method = self._method(process)
        for factor in process.allocation_factors:
            number = (factor.exchange or {}).get("internalId")
            if factor.allocation_type != method or factor.product is None:
                continue
            if factor.product.id == flow_id and number in (None, exchange.internal_id):
                return factor.value
        return 1.0

    def _tell_allocation(self) -> None:
        made = self._made
        for process in self._processes.values():
            masses = self._masses(process)
            if len(masses) < 2:
                continue
            made.several.append(process.name or "")
            if self._has_method(process):
                continue
            made.without_method.append(process.name or "")
            if not any(masses.values()):
                made.massless.append(process.name or "")
            else:
                flows = (self._database.read(Flow, id_) for id_, mass in masses.items() if not mass)
                made.massless += [flow.name or "" for flow in flows if flow is not None]
        if made.without_method and self._allocation is Allocation.PROCESS_DEFAULT:
            raise NotAllocated(made.without_method)

    def _masses(self, process: Process) -> dict[str, float]:
        """Return the products of a process by their flows, and how much mass each has."""
        if process.id not in self._masses_of:
            masses: dict[str, float] = {}
            for exchange in process.exchanges:
                flow = self._database.flow_of(exchange)
                if flow is None or not exchange.amount or not is_provided(exchange, flow):
                    continue
                factor = flow.factor(MASS)
                mass = abs(self._value(exchange, flow)) * factor.conversion_factor if factor else 0
                masses[flow.id] = masses.get(flow.id, 0.0) + mass
            self._masses_of[process.id] = masses
        return self._masses_of[process.id]

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
