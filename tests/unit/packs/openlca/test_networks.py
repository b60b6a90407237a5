"""Random networks of processes: linked as the rules are written, and the same after a zip."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.packs.openlca import writes
from sayso.packs.openlca.backend import Provider, View
from sayso.packs.openlca.database import Database
from sayso.packs.openlca.linking import ProviderLinking, Rules, link_network
from sayso.packs.openlca.model import EntityT, Flow, Process
from sayso.packs.openlca.zips import export_zip, import_zip

PRODUCTS, WASTES, NATURE = ("p1", "p2", "p3"), ("w1", "w2"), ("e1",)
FLOWS = (*PRODUCTS, *WASTES, *NATURE)
NAMES = tuple(f"P{number}" for number in range(6))
Body = dict[str, Any]


def kind_of(flow: str) -> str:
    return {"p": "PRODUCT_FLOW", "w": "WASTE_FLOW", "e": "ELEMENTARY_FLOW"}[flow[0]]


@st.composite
def exchanges(draw: st.DrawFn) -> Body:
    default = draw(st.none() | st.sampled_from(NAMES))
    return {
        "flow": {"@type": "Flow", "@id": draw(st.sampled_from(FLOWS))},
        "amount": draw(st.floats(-1e6, 1e6)),
        "isInput": draw(st.booleans()),
        "isAvoidedProduct": draw(st.sampled_from([False, False, False, True])),
        **({"defaultProvider": {"@type": "Process", "@id": default}} if default else {}),
    }


@st.composite
def processes(draw: st.DrawFn) -> list[Body]:
    made: list[Body] = []
    for name in NAMES[: draw(st.integers(1, len(NAMES)))]:
        lines = [
            {
                "flow": {"@type": "Flow", "@id": draw(st.sampled_from(PRODUCTS))},
                "amount": 1.0,
                "isInput": False,
                "isQuantitativeReference": True,
            },
            *draw(st.lists(exchanges(), max_size=5)),
        ]
        made.append(
            {
                "@type": "Process",
                "@id": name,
                "name": name,
                "processType": draw(st.sampled_from(["UNIT_PROCESS", "LCI_RESULT"])),
                "exchanges": [{**one, "internalId": n} for n, one in enumerate(lines, 1)],
                "lastInternalId": len(lines),
            }
        )
    return made


@dataclass
class Shelf(View):
    """A database in memory."""

    bodies: list[Body]

    def read(self, model: type[EntityT], id_: str) -> EntityT | None:
        found: Any = None
        if model is Flow and id_ in FLOWS:
            found = {"@id": id_, "name": id_, "flowType": kind_of(id_)}
        if model is Process:
            found = next((one for one in self.bodies if one["@id"] == id_), None)
        return model.model_validate(found) if found else None

    def all(self, model: type[EntityT]) -> Sequence[EntityT]:
        raise NotImplementedError

    def providers(self, flow_id: str) -> list[Provider]:
        return [
            Provider(body["@id"], body["name"], body["processType"], "")
            for body in self.bodies
            if any(provides(one, flow_id) for one in body["exchanges"])
        ]

    def version_of(self, kind: str, id_: str) -> str:
        raise NotImplementedError


def provides(exchange: Body, flow_id: str) -> bool:
    """A product that leaves, or a waste that is taken in, and is not credited."""
    takes_wastes = flow_id in WASTES
    return (
        exchange["flow"]["@id"] == flow_id
        and not exchange.get("isAvoidedProduct")
        and exchange["isInput"] == takes_wastes
    )


def as_written(bodies: list[Body], by: Rules) -> dict[tuple[str, int], str]:
    """Return (process, exchange) → provider, by recursion and in words of its own."""
    shelf, links, seen = Shelf(bodies), {}, set[str]()
    kind = "UNIT_PROCESS" if by.prefer_unit_processes else "LCI_RESULT"

    def follow(name: str) -> None:
        if name in seen:
            return
        seen.add(name)
        body = next(one for one in bodies if one["@id"] == name)
        for one in body["exchanges"]:
            flow = one["flow"]["@id"]
            is_need = flow in PRODUCTS if one["isInput"] else flow in WASTES
            if not is_need or one.get("isQuantitativeReference"):
                continue
            offers = [provider.id for provider in shelf.providers(flow)]
            default = one.get("defaultProvider", {}).get("@id")
            wanted = by.linking is not ProviderLinking.IGNORE_DEFAULTS
            if wanted and default in offers:
                chosen = default
            elif by.linking is ProviderLinking.ONLY_DEFAULTS or not offers:
                continue
            else:
                typed = [p.id for p in shelf.providers(flow) if p.process_type == kind]
                chosen = (typed if len(offers) > 1 and typed else offers)[0]
            links[name, one["internalId"]] = chosen
            follow(chosen)

    follow(bodies[0]["@id"])
    return links


rules = st.builds(Rules, st.sampled_from(ProviderLinking), st.booleans())


@given(processes(), rules)
def test_a_network_is_linked_as_the_rules_are_written(bodies: list[Body], by: Rules) -> None:
    shelf = Shelf(bodies)
    network = link_network(shelf, Process.model_validate(bodies[0]), by)
    found = {
        (link.process.id, link.exchange.internal_id): link.provider.id
        for link in network.linked
        if link.provider is not None
    }
    wanted = as_written(bodies, by)
    assert found == wanted
    assert {one.id for one in network.processes} == {bodies[0]["@id"], *wanted.values()}
    assert len(network.links) == len(network.linked) + len(network.unlinked)


@pytest.fixture(scope="module")
def folder() -> Any:
    with tempfile.TemporaryDirectory() as found:
        yield Path(found)


@settings(max_examples=15)
@given(bodies=processes(), by=rules)
def test_what_is_exported_and_imported_is_what_was(
    folder: Path, bodies: list[Body], by: Rules
) -> None:
    place = Path(tempfile.mkdtemp(dir=folder))
    first = Database.create(place / "first.db", lambda _: None)
    network = link_network(Shelf(bodies), Process.model_validate(bodies[0]), by)
    with first.writing() as writer:
        for id_ in FLOWS:
            writer.put("Flow", {"@type": "Flow", "@id": id_, "name": id_, "flowType": kind_of(id_)})
        writer.put_all("Process", bodies)
        writer.put("ProductSystem", writes.system("system", "S", network))
    export_zip(first, place / "out.zip")
    import_zip(place / "out.zip", place / "second.db")
    second = Database(place / "second.db")
    assert sorted_by_id(second) == sorted_by_id(first)
    assert [first.providers(id_) for id_ in FLOWS] == [second.providers(id_) for id_ in FLOWS]


def sorted_by_id(database: Database) -> list[Any]:
    return sorted(database.everything(), key=lambda one: (one[0], str(one[1]["@id"])))
