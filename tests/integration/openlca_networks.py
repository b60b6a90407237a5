"""Product systems made of olca-schema objects: by hand, and drawn from a seed."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import olca_schema as schema
import olca_schema.zipio

MASS = "93a60a56-a3c8-11da-a746-0800200b9a66"
UNITS = {
    MASS: {"kg": 1.0, "g": 0.001, "t": 1000.0},
    "volume": {"m3": 1.0, "l": 0.001},
    "energy": {"MJ": 1.0, "kWh": 3.6},
}
PRODUCT, WASTE, NATURE = (
    schema.FlowType.PRODUCT_FLOW,
    schema.FlowType.WASTE_FLOW,
    schema.FlowType.ELEMENTARY_FLOW,
)
PHYSICAL, ECONOMIC, CAUSAL = (
    schema.AllocationType.PHYSICAL_ALLOCATION,
    schema.AllocationType.ECONOMIC_ALLOCATION,
    schema.AllocationType.CAUSAL_ALLOCATION,
)


@dataclass
class Line:
    """An exchange: an amount in the reference unit of its flow, or in the unit that is named."""

    flow: str
    amount: float
    taken: bool = False
    provider: str | None = None
    avoided: bool = False
    unit: tuple[str, str] | None = None
    formula: str | None = None


@dataclass
class Works:
    """Writes flows, processes and systems, each under an id that begins with the same name."""

    name: str
    flows: dict[str, Any] = field(default_factory=dict)
    processes: dict[str, Any] = field(default_factory=dict)
    systems: dict[str, Any] = field(default_factory=dict)

    def id(self, name: str) -> str:
        return f"{self.name}-{name}"

    def flow(
        self,
        name: str,
        kind: Any = PRODUCT,
        held: Mapping[str, float] | None = None,
        *,
        id_: str = "",
    ) -> None:
        """Add a flow, measured by mass or by what is held, of which the first is its reference."""
        factors = [
            schema.FlowPropertyFactor(
                flow_property=schema.Ref(id=key),
                conversion_factor=factor,
                is_ref_flow_property=place == 0,
            )
            for place, (key, factor) in enumerate((held or {MASS: 1.0}).items())
        ]
        self.flows[name] = schema.Flow(
            id=id_ or self.id(name), name=name, flow_type=kind, flow_properties=factors
        )

    def process(self, name: str, *lines: Line, method: Any = None, **more: Any) -> None:
        """Add a process; the first line is its reference."""
        self.processes[name] = schema.Process(
            id=self.id(name),
            name=self.id(name),
            process_type=schema.ProcessType.UNIT_PROCESS,
            default_allocation_method=method,
            last_internal_id=len(lines),
            exchanges=[self._exchange(number, line) for number, line in enumerate(lines, 1)],
            **more,
        )

    def share(self, name: str, method: Any, flow: str, value: float, exchange: int = 0) -> None:
        """Allocate a part of a process (or of one exchange of it) to what it provides."""
        process = self.processes[name]
        process.allocation_factors = [
            *(process.allocation_factors or []),
            schema.AllocationFactor(
                allocation_type=method,
                product=schema.Ref(id=self.flows[flow].id),
                value=value,
                exchange=schema.ExchangeRef(internal_id=exchange) if exchange else None,
            ),
        ]

    def system(
        self,
        of: str,
        amount: float = 1.0,
        unit: tuple[str, str] | None = None,
        exchange: int = 1,
    ) -> None:
        """Add a product system in which each exchange is linked with its default provider."""
        links = [
            schema.ProcessLink(
                process=schema.Ref(ref_type=schema.RefType.Process, id=process.id),
                provider=one.default_provider,
                flow=one.flow,
                exchange=schema.ExchangeRef(internal_id=one.internal_id),
            )
            for process in self.processes.values()
            for one in process.exchanges
            if one.default_provider
        ]
        prop, measured = unit or (None, None)
        self.systems[of] = schema.ProductSystem(
            id=self.id(f"system-{of}"),
            name=self.id(of),
            ref_process=schema.Ref(ref_type=schema.RefType.Process, id=self.id(of)),
            ref_exchange=schema.ExchangeRef(internal_id=exchange),
            target_amount=amount,
            target_flow_property=schema.Ref(id=prop) if prop else None,
            target_unit=schema.Ref(id=measured) if measured else None,
            process_links=links,
            processes=[
                schema.Ref(ref_type=schema.RefType.Process, id=one.id)
                for one in self.processes.values()
            ],
        )

    def entities(self) -> list[Any]:
        return [*self.flows.values(), *self.processes.values(), *self.systems.values()]

    def _exchange(self, number: int, line: Line) -> Any:
        prop, unit = line.unit or (None, None)
        return schema.Exchange(
            internal_id=number,
            flow=schema.Ref(id=self.flows[line.flow].id),
            amount=line.amount,
            amount_formula=line.formula,
            is_input=line.taken,
            is_quantitative_reference=number == 1,
            is_avoided_product=line.avoided,
            flow_property=schema.Ref(id=prop) if prop else None,
            unit=schema.Ref(id=unit) if unit else None,
            default_provider=schema.Ref(ref_type=schema.RefType.Process, id=self.id(line.provider))
            if line.provider
            else None,
        )


def reference_data() -> list[Any]:
    """Return unit groups and properties; a unit's id is its name."""
    return [
        entity
        for prop, units in UNITS.items()
        for entity in (
            schema.UnitGroup(
                id=f"units of {prop}",
                name=f"units of {prop}",
                units=[
                    schema.Unit(id=name, name=name, conversion_factor=size, is_ref_unit=size == 1)
                    for name, size in units.items()
                ],
            ),
            schema.FlowProperty(id=prop, name=prop, unit_group=schema.Ref(id=f"units of {prop}")),
        )
    ]


def write(path: Path, entities: list[Any]) -> Path:
    """Write a zip, in which what several networks share lies once."""
    with olca_schema.zipio.ZipWriter(str(path)) as writer:
        for entity in {(type(one), one.id): one for one in entities}.values():
            writer.write(entity)
    return path


def drawn(seed: int, methods: Sequence[Any], emissions: Sequence[str]) -> Works:
    """Draw a network: loops, units, several products, wastes, and what is avoided or cut off.

    A process with several products has one of the methods for its own, and factors of each.
    """
    dice = random.Random(seed)
    works = Works(f"network{seed}")
    for place, id_ in enumerate(emissions):
        works.flow(f"emission{place}", NATURE, id_=id_)
    works.flow("ore", NATURE)
    works.flow("water", NATURE, {"volume": 1.0, MASS: 1000.0})
    works.flow("nobody's")

    names = [f"P{number}" for number in range(dice.randint(5, 8))]
    treatments = [f"T{number}" for number in range(2)]
    second = {name for name in names if dice.random() < 0.5} | {names[1]}
    for name in names:
        for part in ("", " too")[: 1 + (name in second)]:
            held = dice.choice([{MASS: 1.0}, {"volume": 1.0, MASS: dice.uniform(500, 2000)}])
            held["energy"] = dice.uniform(5, 40)
            works.flow(f"product of {name}{part}", held=held)
    for name in treatments:
        works.flow(f"waste for {name}", WASTE, {MASS: 1.0, "volume": dice.uniform(0.001, 0.01)})

    offered = [(f"product of {name}", name) for name in names]
    offered += [(f"product of {name} too", name) for name in sorted(second)]
    for name in [*names, *treatments]:
        is_treatment = name in treatments
        made = f"waste for {name}" if is_treatment else f"product of {name}"
        lines = [in_some_unit(dice, works, Line(made, dice.uniform(0.5, 2), taken=is_treatment))]
        if name in second:
            lines.append(in_some_unit(dice, works, Line(f"{made} too", dice.uniform(0.5, 2))))
        for flow, provider in dice.sample(offered, dice.randint(1, 4)):
            amount = dice.uniform(0.01, 0.1)
            line = Line(flow, amount, True, provider, avoided=dice.random() < 0.25)
            lines.append(in_some_unit(dice, works, line))
        if dice.random() < 0.6:
            to = dice.choice(treatments)
            waste = Line(f"waste for {to}", dice.uniform(0.05, 0.2), False, to)
            waste.avoided = dice.random() < 0.25
            lines.append(in_some_unit(dice, works, waste))
        if dice.random() < 0.3:
            lines.append(Line("nobody's", dice.uniform(0.1, 1), taken=True))
        for place in range(len(emissions)):
            line = Line(f"emission{place}", dice.uniform(0.1, 5), taken=dice.random() < 0.1)
            line.avoided = dice.random() < 0.05  # which means nothing of an elementary flow
            lines.append(in_some_unit(dice, works, line))
        for flow in ("ore", "water"):
            lines.append(in_some_unit(dice, works, Line(flow, dice.uniform(0.1, 5), taken=True)))
        works.process(name, *lines, method=dice.choice(methods) if name in second else None)
        if name in second:
            allocate(dice, works, name)
    takes_second = "P0" in second and dice.random() < 0.5
    wanted = "product of P0 too" if takes_second else "product of P0"
    unit = dice.choice([None, *measures(works, wanted)])
    works.system("P0", 2.5, unit, exchange=1 + takes_second)
    return works


def allocate(dice: random.Random, works: Works, name: str) -> None:
    """Write factors of every method."""
    products = (f"product of {name}", f"product of {name} too")
    for method in (PHYSICAL, ECONOMIC):
        part = dice.uniform(0.2, 0.8)
        for flow, value in zip(products, (part, 1 - part), strict=True):
            works.share(name, method, flow, value)
    for number in range(3, 1 + len(works.processes[name].exchanges)):
        part = dice.uniform(0.2, 0.8)
        for flow, value in zip(products, (part, 1 - part), strict=True):
            works.share(name, CAUSAL, flow, value, number)


def in_some_unit(dice: random.Random, works: Works, line: Line) -> Line:
    """Say the amount of the reference unit in any of the flow's units, or in none."""
    if dice.random() < 0.2:
        return line
    line.unit = dice.choice(measures(works, line.flow))
    prop, unit = line.unit
    held = next(
        one for one in works.flows[line.flow].flow_properties if one.flow_property.id == prop
    )
    line.amount *= held.conversion_factor / UNITS[prop][unit]
    return line


def measures(works: Works, flow: str) -> list[tuple[str, str]]:
    return [
        (held.flow_property.id, unit)
        for held in works.flows[flow].flow_properties
        for unit in UNITS[held.flow_property.id]
    ]
