"""Amounts in units and flow properties, and the same amounts in a flow's reference unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sayso.packs.openlca.model import Flow, FlowPropertyFactor, Unit, UnitGroup


class Groups(Protocol):
    """What knows the units of a flow property: a database, or a cache before it."""

    def unit_group_of(self, property_id: str) -> UnitGroup | None: ...


@dataclass(frozen=True, slots=True)
class Measure:
    """How much one unit of a flow, in some property, is in the flow's reference unit."""

    property_id: str
    unit: Unit
    #: The property's factor: how much of it one reference unit of the flow is.
    property_factor: float

    def to_reference(self, amount: float) -> float:
        return amount * self.unit.conversion_factor / self.property_factor


class UnitMistake(ValueError):
    """A unit or property does not fit its flow; says which do."""

    def __init__(self, code: str, message: str, fix: str) -> None:
        super().__init__(message)
        self.code, self.fix = code, fix


def measure(
    groups: Groups, flow: Flow, unit: str | None = None, property_id: str | None = None
) -> Measure:
    """Return the measure of a flow in this unit (an id, a name or a synonym) and property; the
    flow's reference where none is given. A unit alone may belong to any property of the flow.

    Raises UnitMistake.
    """
    factors = [flow.factor(property_id)] if property_id else _reference_first(flow)
    allowed: list[str] = []
    for factor in factors:
        group = groups.unit_group_of(factor.flow_property.id) if factor is not None else None
        if factor is None or group is None:
            continue
        if factor.conversion_factor == 0:
            name = factor.flow_property.name or factor.flow_property.id
            raise UnitMistake(
                "FPF_ZERO", f"'{flow.name}' has a factor of 0 for {name}", "Edit the flow."
            )
        found = group.unit(unit) if unit else group.reference
        if found is not None:
            return Measure(factor.flow_property.id, found, factor.conversion_factor)
        allowed += [one.name or one.id for one in group.units]
    if not allowed:
        properties = ", ".join(f.flow_property.name or "" for f in flow.flow_properties)
        raise UnitMistake(
            "FP_NOT_OF_FLOW",
            f"'{flow.name}' is not measured in that flow property",
            f"Use one of: {properties}." if properties else "Give the flow a reference property.",
        )
    shown = ", ".join(allowed[:12])
    raise UnitMistake(
        "UNIT_NOT_IN_GROUP",
        f"'{flow.name}' is not measured in '{unit}'",
        f"Use one of its units: {shown}.",
    )


def _reference_first(flow: Flow) -> Sequence[FlowPropertyFactor | None]:
    return sorted(flow.flow_properties, key=lambda factor: not factor.is_ref_flow_property)
