"""The entities that approved calls write, made from the stored arguments and what was looked up
when the card was drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from sayso import ProposalStale
from sayso.core.digest import JsonObject
from sayso.packs.openlca.backend import Changes
from sayso.packs.openlca.linking import Network
from sayso.packs.openlca.locations import location, location_ref
from sayso.packs.openlca.model import PRODUCT, measured_in, ref
from sayso.packs.openlca.proposals import NewExchange

_VERSION = "01.00.000"


def product(changes: Changes, id_: str, property_id: str, values: Mapping[str, str]) -> JsonObject:
    held = changes.get("FlowProperty", property_id)
    if held is None:
        raise ProposalStale("The flow property is no longer in the database.")
    body: JsonObject = {
        "@type": "Flow",
        "@id": id_,
        **{key: value for key, value in values.items() if value},
        "version": _VERSION,
        "flowType": PRODUCT,
        "flowProperties": [
            measured_in({"@type": "FlowProperty", "@id": property_id, "name": held["name"]})
        ],
    }
    return body


def process(id_: str, process_type: str, code: str, values: Mapping[str, str]) -> JsonObject:
    body: JsonObject = {
        "@type": "Process",
        "@id": id_,
        **{key: value for key, value in values.items() if value},
        "version": _VERSION,
        "processType": process_type.upper(),
        "lastInternalId": 0,
        "exchanges": [],
    }
    return {**body, "location": location_ref(code)} if code else body


def put_location(changes: Changes, code: str) -> None:
    """Put the location where an imported database has not got it."""
    entity = location(code)
    if code and changes.get("Location", str(entity["@id"])) is None:
        changes.put("Location", entity)


def add_exchanges(  # noqa: PLR0917  # what the approved payload holds
    changes: Changes,
    process_id: str,
    version: str,
    rows: Sequence[str],
    exchanges: Sequence[NewExchange],
    flows: Mapping[str, JsonValue],
) -> list[JsonValue]:
    """Append the approved rows, all in one write, and return which exchange each has become.

    Raises ProposalStale where the process is no longer what the card was drawn from.
    """
    if changes.version_of("Process", process_id) != version:
        raise ProposalStale("The process has changed since this card was drawn.")
    body = changes.get("Process", process_id) or {}
    there = body.get("exchanges")
    kept = list(there) if isinstance(there, list) else []
    last = max([int(str(body.get("lastInternalId") or 0)), *map(_internal_id, kept)])
    added: list[JsonValue] = []
    for row, given in zip(rows, exchanges, strict=True):
        last += 1
        looked_up = flows[row]
        assert isinstance(looked_up, dict)
        kept.append(_exchange(last, given, looked_up))
        added.append({"row_id": row, "internal_id": last})
    changes.put("Process", {**body, "exchanges": kept, "lastInternalId": last})
    return added


def system(id_: str, name: str, network: Network) -> JsonObject:
    """Return a product system as openLCA makes one of its reference process."""
    reference = network.processes[0].reference
    assert reference is not None  # a process without one is not valid
    links: list[JsonValue] = [
        {
            "@type": "ProcessLink",
            "provider": ref("Process", link.provider),
            "flow": ref("Flow", link.flow),
            "process": ref("Process", link.process),
            "exchange": {"internalId": link.exchange.internal_id},
        }
        for link in network.links
        if link.provider is not None
    ]
    return {
        "@type": "ProductSystem",
        "@id": id_,
        "name": name,
        "version": _VERSION,
        "refProcess": ref("Process", network.processes[0]),
        "refExchange": {"internalId": reference.internal_id},
        "targetAmount": reference.amount,
        "targetUnit": reference.unit.json_object() if reference.unit else None,
        "targetFlowProperty": (
            reference.flow_property.json_object() if reference.flow_property else None
        ),
        "processes": [ref("Process", one) for one in network.processes],
        "processLinks": links,
    }


def _exchange(number: int, given: NewExchange, looked_up: JsonObject) -> JsonObject:
    body: JsonObject = {
        "@type": "Exchange",
        "internalId": number,
        **looked_up,
        "amount": given["amount"],
        "isInput": given["is_input"],
        "isQuantitativeReference": given.get("is_quantitative_reference", False),
        "isAvoidedProduct": False,
    }
    description = given.get("description")
    return {**body, "description": description} if description else body


def _internal_id(exchange: JsonValue) -> int:
    number = exchange.get("internalId") if isinstance(exchange, dict) else None
    return number if isinstance(number, int) else 0
