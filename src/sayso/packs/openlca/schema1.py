"""Entities of olca-schema 1 as schema 2 writes them. What has no place there is kept under its old
name, or counted as a loss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from pydantic import JsonValue

from sayso.core.digest import JsonObject
from sayso.packs.guided import object_of, objects

#: Fields that have another name in schema 2, wherever they stand.
_RENAMED = {
    "input": "isInput",
    "quantitativeReference": "isQuantitativeReference",
    "avoidedProduct": "isAvoidedProduct",
    "infrastructureFlow": "isInfrastructureFlow",
    "infrastructureProcess": "isInfrastructureProcess",
    "referenceUnit": "isRefUnit",
    "referenceFlowProperty": "isRefFlowProperty",
    "inputParameter": "isInputParameter",
    "pedigreeUncertainty": "dqEntry",
    "copyright": "isCopyrightProtected",
    "referenceUnitName": "refUnit",
}


def upgraded(entity: JsonObject, paths: Mapping[str, str], losses: Counter[str]) -> JsonObject:
    """Return the entity in schema 2. `paths` has the path of each category by its id."""
    made = _renamed(entity)
    assert isinstance(made, dict)
    category = made.get("category")
    if isinstance(category, dict):
        path = paths.get(str(category.get("@id")))
        if path is None:
            losses["categories that are not in the file"] += 1
        made["category"] = path or str(category.get("name") or "")
    if made.get("@type") == "Process":
        _number_exchanges(made, losses)
        _name_exchanges(made, losses)
    return made


def category_paths(categories: Mapping[str, JsonObject]) -> dict[str, str]:
    """Return the path of each category, from its parents' names."""

    def path(id_: str, below: frozenset[str]) -> str:
        category = categories[id_]
        name = str(category.get("name") or "").replace("/", "|")
        parent = category.get("category")
        up = str(parent.get("@id")) if isinstance(parent, dict) else ""
        if up not in categories or up in below:
            return name
        return f"{path(up, below | {id_})}/{name}"

    return {id_: path(id_, frozenset({id_})) for id_ in categories}


def _renamed(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_renamed(one) for one in value]
    if isinstance(value, dict):
        return {
            _RENAMED.get(key, key): _renamed(one) for key, one in value.items() if key != "@context"
        }
    return value


def _number_exchanges(process: JsonObject, losses: Counter[str]) -> None:
    """Schema 2 knows an exchange by a number in its process, not by an id of its own."""
    found = objects(process.get("exchanges"))
    for number, exchange in enumerate(found, 1):
        exchange.setdefault("internalId", number)
        if exchange.pop("@id", None) is not None:
            losses["ids of exchanges (schema 2 numbers them)"] += 1
    numbers = [one["internalId"] for one in found]
    process["lastInternalId"] = max((n for n in numbers if isinstance(n, int)), default=0)


def _name_exchanges(process: JsonObject, losses: Counter[str]) -> None:
    """An allocation factor names its exchange by its flow; where only one has it, by its number."""
    numbers: dict[str, list[JsonValue]] = {}
    for exchange in objects(process.get("exchanges")):
        if isinstance(flow := exchange.get("flow"), dict):
            numbers.setdefault(str(flow.get("@id")), []).append(exchange["internalId"])
    for factor in objects(process.get("allocationFactors")):
        if not isinstance(factor.get("product"), dict):
            losses["allocation factors that name no product (kept, not used)"] += 1
        flow = object_of(factor.get("exchange")).get("flow")
        if not isinstance(flow, dict):
            continue
        known = numbers.get(str(flow.get("@id")), [])
        if len(known) == 1:
            factor["exchange"] = {"internalId": known[0]}
        else:
            losses["allocation factors whose exchange is not clear (kept, not used)"] += 1
