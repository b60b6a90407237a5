"""The proposal of a product system: every link of it, with its provider and why that one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Literal

from sayso import Prepared, ToolMistake
from sayso.core.cards import Column
from sayso.core.digest import JsonObject
from sayso.packs.openlca.backend import Backend, View
from sayso.packs.openlca.linking import Link, Network, ProviderLinking, Rules, link_network
from sayso.packs.openlca.model import ProductSystem
from sayso.packs.openlca.named import process_named
from sayso.packs.openlca.proposals.proposal import already, proposal
from sayso.packs.openlca.rules import validate

Linking = Literal["IGNORE_DEFAULTS", "PREFER_DEFAULTS", "ONLY_DEFAULTS"]

_COLUMNS = [
    Column(key="flow", label="Needed"),
    Column(key="needed_by", label="By process"),
    Column(key="provider", label="Provider"),
    Column(key="why", label="Why"),
]
#: A card's table beyond this is no longer read by anybody.
_MOST_LINKS = 300


def propose_system(
    database: Backend, *, process_id: str, name: str = "", prefer_unit_processes: bool = True,
    provider_linking: Linking = "PREFER_DEFAULTS",
) -> Prepared:  # fmt: skip
    process = process_named(database, process_id)
    report = validate(database, process)
    if not report.is_valid:
        raise ToolMistake(
            f"Process '{process.name}' has errors, so no product system can be made of it",
            details="\n".join(issue.message for issue in report.errors),
            suggestion=". ".join(issue.fix for issue in report.errors) + ".",
        )
    rules = Rules(ProviderLinking(provider_linking), prefer_unit_processes)
    with database.reading() as view:
        network = link_network(view, process, rules)
        seen = fingerprint(view, network)
    details: JsonObject = {
        "process_id": process.id,
        "process_name": process.name,
        "prefer_unit_processes": prefer_unit_processes,
        "provider_linking": provider_linking,
        "validation_summary": {**report.summary},
    }
    made = proposal(
        database,
        f"create product system from process '{process.name}'",
        "product_system",
        f"Product system from process '{process.name}'",
        {**details, "name": name} if name else details,
        "create a new product system",
    )
    made.warnings = [
        *already("product system", database.named(ProductSystem, name or process.name or "")),
        *_about(network),
        *(issue.message for issue in report.warnings if issue.code == "MASS_BALANCE"),
    ]
    made.data = {"network": seen}
    made.rows = [_row(n, link) for n, link in enumerate(_doubtful_first(network)[:_MOST_LINKS], 1)]
    made.columns = [*_COLUMNS] if made.rows else []
    made.editable = ["name"]
    return made


def fingerprint(view: View, network: Network) -> str:
    """Return a hash of the processes and links of a network: it changes with any of them."""
    parts = [f"{one.id}={view.version_of('Process', one.id)}" for one in network.processes]
    parts += [
        f"{link.process.id}/{link.exchange.internal_id}->{link.provider.id}"
        for link in network.links
        if link.provider is not None
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _doubtful_first(network: Network) -> list[Link]:
    return sorted(
        network.links, key=lambda link: (link.provider is not None, not link.is_ambiguous)
    )


def _row(number: int, link: Link) -> JsonObject:
    return {
        "row_id": str(number),
        "flow": link.flow.name,
        "needed_by": link.process.name,
        "provider": str(link.provider) if link.provider else None,
        "why": f"{link.why.value} ({link.candidates})" if link.is_ambiguous else link.why.value,
    }


def _about(network: Network) -> Iterator[str]:
    if not network.linked:
        yield "The product system will have no links."
    if network.unlinked:
        yield f"Not linked: {_flows(network.unlinked)}."
    if network.ambiguous:
        yield f"Several processes provide {_flows(network.ambiguous)}; the first was taken."
    more = len(network.links) - _MOST_LINKS
    if more > 0:
        yield f"{more} more links, each with one provider, are not listed."


def _flows(links: list[Link]) -> str:
    return ", ".join(dict.fromkeys(f"'{link.flow.name}'" for link in links))
