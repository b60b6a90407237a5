"""A background to try things with: real units, invented processes. Every name of it says so."""

from __future__ import annotations

import uuid
from functools import cache
from importlib.resources import files
from pathlib import Path

from pydantic import BaseModel, JsonValue, TypeAdapter

from sayso.core.digest import JsonObject
from sayso.packs.openlca.database import DEMO, SYNTHETIC, Database
from sayso.packs.openlca.locations import location, location_ref, names
from sayso.packs.openlca.model import measured_in, ref
from sayso.packs.openlca.writer import Writer

_OURS = uuid.UUID("6f1c4b0e-0d3c-5a57-9b7e-3a8f5a2f1d10")

_Flow = tuple[str, str, str, str]
_Line = tuple[str, float, str]
_Process = tuple[str, str, float, str, str, list[_Line], list[_Line]]


class _Unit(BaseModel):
    id: str
    name: str
    factor: float
    synonyms: list[str] = []


class _Property(BaseModel):
    id: str
    name: str


class _Group(BaseModel):
    id: str
    name: str
    property: _Property
    units: list[_Unit]


class _Demo(BaseModel):
    flows: list[_Flow]
    processes: list[_Process]


def demo_database(folder: Path) -> Database:
    """Return the demo database in this folder; made at its first use."""
    return Database.create(folder / f"{DEMO}.db", fill_with_demo)


def fill_with_reference(writer: Writer) -> None:
    """Put units, flow properties and locations."""
    for group in _groups():
        held = ref("FlowProperty", group.property)
        writer.put(
            "UnitGroup",
            {
                **ref("UnitGroup", group),
                "defaultFlowProperty": held,
                "units": [_unit(unit, is_first=not n) for n, unit in enumerate(group.units)],
            },
        )
        writer.put(
            "FlowProperty",
            {
                **held,
                "flowPropertyType": "PHYSICAL_QUANTITY",
                "unitGroup": ref("UnitGroup", group),
            },
        )
    writer.put_all("Location", (location(code) for code in names()))


def fill_with_demo(writer: Writer) -> None:
    fill_with_reference(writer)
    demo = _Demo.model_validate_json(_read("demo.json"))
    flows = {name: _flow(name, kind, held, place) for name, kind, held, place in demo.flows}
    writer.put_all("Flow", flows.values())
    for process in demo.processes:
        writer.put("Process", _process(process, flows))


def demo_id(kind: str, name: str) -> str:
    return str(uuid.uuid5(_OURS, f"{kind}/{name}"))


def _flow(name: str, kind: str, held: str, category: str) -> JsonObject:
    group = next(group for group in _groups() if group.property.name == held)
    return {
        "@type": "Flow",
        "@id": demo_id("Flow", name),
        "name": name,
        "category": category,
        "description": SYNTHETIC,
        "flowType": kind,
        "flowProperties": [measured_in(ref("FlowProperty", group.property))],
    }


def _process(made: _Process, flows: dict[str, JsonObject]) -> JsonObject:
    name, code, amount, unit, product, inputs, outputs = made
    lines = [(line, True) for line in inputs] + [(line, False) for line in outputs]
    exchanges: list[JsonValue] = [
        {**_exchange(1, flows[product], amount, unit), "isQuantitativeReference": True}
    ]
    for number, ((flow, much, in_unit), is_input) in enumerate(lines, 2):
        made_of = _exchange(number, flows[flow], much, in_unit)
        exchanges.append({**made_of, "isInput": True} if is_input else made_of)
    return {
        "@type": "Process",
        "@id": demo_id("Process", name),
        "name": name,
        "category": SYNTHETIC,
        "description": f"{SYNTHETIC}: of a likely size, and measured nowhere.",
        "processType": "UNIT_PROCESS",
        "location": location_ref(code),
        "lastInternalId": len(exchanges),
        "exchanges": exchanges,
    }


def _exchange(number: int, flow: JsonObject, amount: float, unit: str) -> JsonObject:
    group, found = next(
        (group, one) for group in _groups() for one in group.units if one.name == unit
    )
    return {
        "@type": "Exchange",
        "internalId": number,
        "flow": {key: flow[key] for key in ("@type", "@id", "name", "flowType")},
        "flowProperty": ref("FlowProperty", group.property),
        "unit": ref("Unit", found),
        "amount": amount,
        "isInput": False,
    }


def _unit(unit: _Unit, *, is_first: bool) -> JsonObject:
    body: JsonObject = {**ref("Unit", unit), "conversionFactor": unit.factor}
    if is_first:
        body["isRefUnit"] = True
    return {**body, "synonyms": [*unit.synonyms]} if unit.synonyms else body


@cache
def _groups() -> list[_Group]:
    return TypeAdapter(list[_Group]).validate_json(_read("units.json"))


def _read(name: str) -> bytes:
    return (files(__package__) / "reference" / name).read_bytes()
