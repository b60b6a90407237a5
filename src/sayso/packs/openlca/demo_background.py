"""A background to try things with: real units, invented processes. Every name of it says so."""

from __future__ import annotations

import uuid
from functools import cache
from importlib.resources import files
from pathlib import Path

import orjson
from pydantic import BaseModel, JsonValue

from sayso.core.digest import JsonObject
from sayso.packs.openlca.database import DEMO, SYNTHETIC, Database
from sayso.packs.openlca.locations import location, location_ref, names
from sayso.packs.openlca.model import UnitGroup, measured_in, ref
from sayso.packs.openlca.writer import Writer

_OURS = uuid.UUID("6f1c4b0e-0d3c-5a57-9b7e-3a8f5a2f1d10")

_Flow = tuple[str, str, str, str]
_Line = tuple[str, float, str]
_Process = tuple[str, str, float, str, str, list[_Line], list[_Line]]


class _Demo(BaseModel):
    flows: list[_Flow]
    processes: list[_Process]


def demo_database(folder: Path) -> Database:
    """Return the demo database in this folder; made at its first use."""
    return Database.create(folder / f"{DEMO}.db", fill_with_demo)


def fill_with_reference(writer: Writer) -> None:
    """Put units, flow properties and locations."""
    for entity in _units():
        writer.put(str(entity["@type"]), entity)
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
    measure = next(one for one in map(_property, _groups()) if one["name"] == held)
    return {
        "@type": "Flow",
        "@id": demo_id("Flow", name),
        "name": name,
        "category": category,
        "description": SYNTHETIC,
        "flowType": kind,
        "flowProperties": [measured_in(measure)],
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
        "flowProperty": _property(group),
        "unit": ref("Unit", found),
        "amount": amount,
        "isInput": False,
    }


def _property(group: UnitGroup) -> JsonObject:
    assert group.default_flow_property is not None  # each of ours has one
    return ref("FlowProperty", group.default_flow_property)


@cache
def _groups() -> list[UnitGroup]:
    return [UnitGroup.model_validate(one) for one in _units() if one["@type"] == "UnitGroup"]


def _units() -> list[JsonObject]:
    """Return groups of units, and the flow properties that are measured in them."""
    found: list[JsonObject] = orjson.loads(_read("units.json"))
    return found


def _read(name: str) -> bytes:
    return (files(__package__) / "reference" / name).read_bytes()
