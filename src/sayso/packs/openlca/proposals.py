"""What each creating tool proposes, before anything is written: the approval payload, and beside it
what was looked up. Nothing here writes."""

from __future__ import annotations

import difflib
import hashlib
import math
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal, NotRequired

import orjson
from pydantic import Field, JsonValue
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from sayso import ToolMistake
from sayso.core.digest import JsonObject
from sayso.packs.openlca.database import Database, Provider, Reader
from sayso.packs.openlca.demo_background import LABEL, NAME
from sayso.packs.openlca.linking import Link, Network, ProviderLinking, Rules, link_network
from sayso.packs.openlca.locations import code_of
from sayso.packs.openlca.model import PRODUCT, EntityT, Flow, FlowProperty, Process, ProductSystem
from sayso.packs.openlca.rules import validate
from sayso.packs.openlca.units import UnitMistake, measure

#: What to do where something of that name is there already.
WhenExists = Literal["use_existing", "create_anyway"]
ProcessType = Literal["unit_process", "lci_result"]
Linking = Literal["IGNORE_DEFAULTS", "PREFER_DEFAULTS", "ONLY_DEFAULTS"]

_IDS = uuid.UUID("1f0d6e5c-60a0-5d0e-8a71-0f7a2f3f8f2b")


class NewExchange(TypedDict):
    """One line of a process: what goes in or comes out."""

    flow_name: NotRequired[Annotated[str, Field(description="The flow's exact name")]]
    flow_id: NotRequired[Annotated[str, Field(description="Where several have that name")]]
    amount: Annotated[float, Field(title="Amount")]
    unit: NotRequired[Annotated[str, Field(description="The reference unit where left out")]]
    is_input: bool
    is_quantitative_reference: NotRequired[bool]
    default_provider: NotRequired[
        Annotated[str | None, Field(description="The id of a process that makes it")]
    ]
    description: NotRequired[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """What a card shows, and what the tool's body needs beside its arguments."""

    message: str
    request: JsonObject
    warnings: list[str] = field(default_factory=list)
    data: JsonObject = field(default_factory=dict)
    rows: list[JsonObject] = field(default_factory=list)
    #: Whether something of the same name is there already.
    has_duplicates: bool = False

    def as_result(self) -> JsonObject:
        """Return what a tool returns that asks by itself, in any framework."""
        return {
            "status": "approval_required",
            "message": self.message,
            "approval_request": self.request,
        }


def new_id(kind: str, key: str) -> str:
    """Return the id of what a call is going to create: the same for the same call."""
    return str(uuid.uuid5(_IDS, f"{kind}/{key}"))


# ── the output product ──


def propose_product(
    database: Database, *, name: str, flow_property: str = "Mass", category: str = "",
    description: str = "", cas: str = "",
) -> Proposed:  # fmt: skip
    named = _words(name, "The product")
    held = _flow_property(database, flow_property)
    same = [one for one in database.named(Flow, named) if one.flow_type == PRODUCT]
    details: JsonObject = {
        "name": named,
        "flow_type": PRODUCT,
        "flow_property": held.name,
        "flow_property_id": held.id,
        "category": category,
    }
    details |= {k: v for k, v in (("description", description), ("cas", cas)) if v}
    return Proposed(
        message=f"Ready to create output product '{named}'",
        request=_request(
            "output_product",
            f"Output product flow: {named}",
            details,
            "Will create a new product flow in the database",
        ),
        warnings=_already("product", same),
        data={"flow_property_id": held.id, "existing_id": _first_id(same)},
        has_duplicates=bool(same),
    )


# ── the process ──


def propose_process(
    database: Database, *, name: str, process_type: ProcessType = "unit_process",
    location: str = "", category: str = "", description: str = "",
) -> Proposed:  # fmt: skip
    named = _words(name, "The process")
    code = code_of(location) if location else None
    if location and code is None:
        raise ToolMistake(
            f"The location '{location}' is not known",
            suggestion="Use a country or its ISO code, or one of GLO, RER (Europe), RoW.",
        )
    same = database.named(Process, named)
    details: JsonObject = {
        "name": named,
        "process_type": process_type,
        "location": location,
        "exchanges": [],
    }
    details |= {k: v for k, v in (("category", category), ("description", description)) if v}
    warnings = _already("process", same)
    if code is not None and code != location.strip():
        warnings.append(f"The location '{location}' is stored as {code}.")
    return Proposed(
        message=f"Ready to create process '{named}'",
        request=_request(
            "process",
            f"Process: {named} ({process_type})",
            details,
            "Will create a new process in the database",
        ),
        warnings=warnings,
        data={"location_code": code or "", "existing_id": _first_id(same)},
        has_duplicates=bool(same),
    )


# ── exchanges ──


def propose_exchanges(
    database: Database, *, process_id: str, exchanges: Sequence[NewExchange]
) -> Proposed:
    process = process_named(database, process_id)
    if not exchanges:
        raise ToolMistake("There are no exchanges to add", suggestion="Give at least one.")
    found = [_Resolved.of(database, one) for one in exchanges]
    mistakes = [f"{n}. {one}" for n, one in enumerate(found, 1) if isinstance(one, str)]
    if mistakes:
        raise ToolMistake(
            f"{len(mistakes)} of {len(exchanges)} exchanges cannot be added",
            details="\n".join(mistakes),
            suggestion=" ".join(mistakes),
        )
    resolved = [one for one in found if not isinstance(one, str)]
    name, count = process.name or "", len(resolved)
    details: JsonObject = {
        "process_id": process.id,
        "process_name": name,
        "exchanges": [one.shown() for one in resolved],
    }
    many = f"{count} exchange{'s' if count != 1 else ''}"
    return Proposed(
        message=f"Ready to add {many} to process '{name}'",
        request=_request(
            "exchanges_batch",
            f"Add {many} to process '{name}'",
            details,
            f"Will add {many} to the process in the database",
        ),
        warnings=_about_exchanges(process, resolved),
        data={
            "process_version": database.version_of("Process", process.id),
            "flows": {str(n): one.looked_up() for n, one in enumerate(resolved, 1)},
        },
        rows=[{"row_id": str(n), **one.row()} for n, one in enumerate(resolved, 1)],
    )


@dataclass(frozen=True, slots=True)
class _Resolved:
    """An exchange with its flow, unit and provider."""

    given: NewExchange
    flow: Flow
    unit_id: str
    unit_name: str
    property_id: str
    provider: Provider | None
    candidates: int

    @classmethod
    def of(cls, database: Database, given: NewExchange) -> _Resolved | str:
        """Return it, or what is wrong with it."""
        try:
            flow = flow_named(database, given.get("flow_id"), given.get("flow_name"))
            found = measure(database, flow, given.get("unit"))
        except ToolMistake as exc:
            return f"{exc.message}. {exc.suggestion or ''}".strip()
        except UnitMistake as exc:
            return f"{exc}. {exc.fix}"
        if not math.isfinite(given["amount"]):
            return f"The amount of '{flow.name}' is not a number."
        providers = database.providers(flow.id)
        wanted = given.get("default_provider")
        provider = next((one for one in providers if one.id == wanted), None)
        if wanted and provider is None:
            offered = ", ".join(f"{one.name} ({one.id})" for one in providers[:5])
            return (
                f"'{wanted}' does not provide '{flow.name}'. "
                f"{f'These do: {offered}.' if offered else 'No process does.'}"
            )
        return cls(
            given, flow, found.unit.id, found.unit.name or "", found.property_id, provider,
            len(providers),
        )  # fmt: skip

    def shown(self) -> JsonObject:
        """Return the five facts of the approval payload."""
        return {
            "flow_name": self.flow.name,
            "amount": self.given["amount"],
            "is_input": self.given["is_input"],
            "is_quantitative_reference": self.given.get("is_quantitative_reference", False),
            "default_provider": self.provider.id if self.provider else None,
        }

    def row(self) -> JsonObject:
        """Return the row of the card: all that was given, the unit, and the provider by name."""
        given = {key: value for key, value in self.given.items() if value is not None}
        provider = self.provider
        where = f" ({provider.location})" if provider and provider.location else ""
        return {
            **self.shown(),
            **orjson.loads(orjson.dumps(given)),
            "unit": self.given.get("unit") or self.unit_name,
            "default_provider_name": f"{provider.name}{where}" if provider else None,
        }

    def looked_up(self) -> JsonObject:
        body: JsonObject = {
            "flow": {
                "@type": "Flow",
                "@id": self.flow.id,
                "name": self.flow.name,
                "flowType": self.flow.flow_type,
            },
            "flowProperty": {"@type": "FlowProperty", "@id": self.property_id},
            "unit": {"@type": "Unit", "@id": self.unit_id, "name": self.unit_name},
        }
        if self.provider is not None:
            body["defaultProvider"] = {
                "@type": "Process",
                "@id": self.provider.id,
                "name": self.provider.name,
            }
        return body


def _about_exchanges(process: Process, new: Sequence[_Resolved]) -> list[str]:
    said: list[str] = []
    references = [one for one in new if one.given.get("is_quantitative_reference")]
    if process.reference is not None and references:
        said.append("The process has a quantitative reference already.")
    if process.reference is None and not references:
        said.append("The process will have no quantitative reference.")
    there = {(one.flow.id, one.is_input) for one in process.exchanges if one.flow}
    for one in new:
        side = "input" if one.given["is_input"] else "output"
        if (one.flow.id, one.given["is_input"]) in there:
            said.append(f"'{one.flow.name}' is an {side} of the process already.")
        needs = one.given["is_input"] and one.flow.flow_type == PRODUCT
        if needs and one.provider is None and one.candidates > 1:
            said.append(
                f"{one.candidates} processes make '{one.flow.name}' and none is chosen: openLCA "
                "takes the first."
            )
        if needs and one.candidates == 0:
            said.append(f"No process makes '{one.flow.name}': it stays unlinked.")
    return said


# ── the product system ──


def propose_system(
    database: Database, *, process_id: str, name: str = "", prefer_unit_processes: bool = True,
    provider_linking: Linking = "PREFER_DEFAULTS",
) -> Proposed:  # fmt: skip
    process = process_named(database, process_id)
    report = validate(database, process)
    if not report.is_valid:
        raise ToolMistake(
            f"Process '{process.name}' has errors, so no product system can be made of it",
            details="\n".join(issue.message for issue in report.errors),
            suggestion=". ".join(issue.fix for issue in report.errors) + ".",
        )
    rules = Rules(ProviderLinking(provider_linking), prefer_unit_processes)
    with database.reading() as reader:
        network = link_network(reader, process, rules)
        seen = fingerprint(reader, network)
    details: JsonObject = {
        "process_id": process.id,
        "process_name": process.name,
        "prefer_unit_processes": prefer_unit_processes,
        "provider_linking": provider_linking,
        "validation_summary": {**report.summary},
    }
    if name:
        details["name"] = name
    same = database.named(ProductSystem, name or process.name or "")
    return Proposed(
        message=f"Ready to create product system from process '{process.name}'",
        request=_request(
            "product_system",
            f"Product system from process '{process.name}'",
            details,
            "Will create a new product system in the database",
        ),
        warnings=[
            *_already("product system", same),
            *_about_links(network),
            *(issue.message for issue in report.warnings if issue.code == "MASS_BALANCE"),
        ],
        data={"network": seen},
        rows=[_link_row(n, link) for n, link in enumerate(_doubtful_first(network), 1)],
    )


def fingerprint(database: Reader, network: Network) -> str:
    """Return a hash of the processes and links of a network: it changes with any of them."""
    parts = [f"{one.id}={database.version_of('Process', one.id)}" for one in network.processes]
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


def _link_row(number: int, link: Link) -> JsonObject:
    provider = link.provider
    where = f" ({provider.location})" if provider and provider.location else ""
    return {
        "row_id": str(number),
        "flow": link.flow.name,
        "needed_by": link.process.name,
        "provider": f"{provider.name}{where}" if provider else None,
        "why": f"{link.why.value} ({link.candidates})" if link.is_ambiguous else link.why.value,
    }


def _about_links(network: Network) -> list[str]:
    said: list[str] = []
    if not network.linked:
        said.append("The product system will have no links.")
    if network.unlinked:
        names = ", ".join(dict.fromkeys(f"'{link.flow.name}'" for link in network.unlinked))
        said.append(f"Not linked: {names}.")
    if network.ambiguous:
        names = ", ".join(dict.fromkeys(f"'{link.flow.name}'" for link in network.ambiguous))
        said.append(f"Several processes provide {names}; the first was taken.")
    return said


# ── finding what a call names ──


def process_named(database: Database, id_or_name: str) -> Process:
    """Return the process with this id, or the only one with this name. Raises ToolMistake."""
    return _one(database, Process, id_or_name, "process")


def system_named(database: Database, id_or_name: str) -> ProductSystem:
    return _one(database, ProductSystem, id_or_name, "product system")


def flow_named(database: Database, id_: str | None, name: str | None) -> Flow:
    if id_:
        found = database.read(Flow, id_)
        if found is None:
            raise ToolMistake(f"There is no flow with the id '{id_}'", suggestion="Search for it.")
        return found
    if not name:
        raise ToolMistake("An exchange names no flow", suggestion="Give flow_name or flow_id.")
    return _one(database, Flow, name, "flow")


def _one(database: Database, model: type[EntityT], given: str, what: str) -> EntityT:
    by_id = database.read(model, given)
    if by_id is not None:
        return by_id
    named = database.named(model, given)
    if len(named) == 1:
        return named[0]
    if not named:
        raise ToolMistake(
            f"There is no {what} '{given}'", suggestion=f"Search for the {what}, or create it."
        )
    ids = ", ".join(str(one.json_object().get("@id")) for one in named[:5])
    raise ToolMistake(
        f"{len(named)} of the {what}s are named '{given}'",
        suggestion=f"Let the person choose, then give its id: {ids}.",
    )


def _flow_property(database: Database, given: str) -> FlowProperty:
    by_id = database.read(FlowProperty, given)
    if by_id is not None:
        return by_id
    named = database.named(FlowProperty, given)
    if named:
        return named[0]
    known = sorted(one.name or "" for one in database.all(FlowProperty))
    close = difflib.get_close_matches(given, known, n=5, cutoff=0.5) or known[:8]
    raise ToolMistake(
        f"Flow property '{given}' not found",
        suggestion=f"Use a valid flow property name like {', '.join(f'{c!r}' for c in close)}.",
    )


def label_of(database: Database) -> str:
    """Return the database as a card names it."""
    return f"{database.name} ({LABEL})" if database.name == NAME else database.name


def _already(what: str, same: Sequence[Flow | Process | ProductSystem]) -> list[str]:
    if not same:
        return []
    first = same[0]
    if len(same) == 1:
        return [f"A {what} named '{first.name}' is there already ({first.id})."]
    return [f"{len(same)} {what}s named '{first.name}' are there already."]


def _first_id(same: Sequence[Flow | Process]) -> str:
    return same[0].id if same else ""


def _request(entity_type: str, summary: str, details: JsonObject, impact: str) -> JsonObject:
    return {
        "entity_type": entity_type,
        "entity_summary": summary,
        "entity_details": details,
        "action": "create",
        "impact": impact,
    }


def _words(given: str, what: str) -> str:
    words = " ".join(given.split())
    if not words:
        raise ToolMistake(f"{what} has no name", suggestion="Give it a name.")
    return words


def text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""
