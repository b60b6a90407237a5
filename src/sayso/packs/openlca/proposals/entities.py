"""The proposals of an output product, and of a process, still without exchanges."""

from __future__ import annotations

from typing import Literal

from sayso import Prepared, ToolMistake
from sayso.packs.openlca.backend import Backend
from sayso.packs.openlca.locations import code_of
from sayso.packs.openlca.model import PRODUCT, Flow, Process
from sayso.packs.openlca.named import flow_property_named
from sayso.packs.openlca.proposals.proposal import (
    already,
    duplicates,
    first_id,
    only_said,
    proposal,
    words,
)

ProcessType = Literal["unit_process", "lci_result"]


def propose_product(
    database: Backend, *, name: str, flow_property: str = "Mass", category: str = "",
    description: str = "", cas: str = "",
) -> Prepared:  # fmt: skip
    named = words(name, "The product")
    held = flow_property_named(database, flow_property)
    same = [one for one in database.named(Flow, named) if one.flow_type == PRODUCT]
    made = proposal(
        database,
        f"create output product '{named}'",
        "output_product",
        f"Output product flow: {named}",
        {
            "name": named,
            "flow_type": PRODUCT,
            "flow_property": held.name,
            "flow_property_id": held.id,
            "category": category,
            **only_said(description=description, cas=cas),
        },
        "create a new product flow",
    )
    made.warnings = already("product", same)
    made.data = {"flow_property_id": held.id, "existing_id": first_id(same)}
    made.editable = ["name", "flow_property", "category", *duplicates(same)]
    return made


def propose_process(
    database: Backend, *, name: str, process_type: ProcessType = "unit_process",
    location: str = "", category: str = "", description: str = "",
) -> Prepared:  # fmt: skip
    named = words(name, "The process")
    code = code_of(location) if location else None
    if location and code is None:
        raise ToolMistake(
            f"The location '{location}' is not known",
            suggestion="Use a country or its ISO code, or one of GLO, RER (Europe), RoW.",
        )
    same = database.named(Process, named)
    made = proposal(
        database,
        f"create process '{named}'",
        "process",
        f"Process: {named} ({process_type})",
        {
            "name": named,
            "process_type": process_type,
            "location": location,
            "exchanges": [],
            **only_said(category=category, description=description),
        },
        "create a new process",
    )
    made.warnings = already("process", same)
    if code is not None and code != location.strip():
        made.warnings.append(f"The location '{location}' is stored as {code}.")
    made.data = {"location_code": code or "", "existing_id": first_id(same)}
    made.editable = ["name", "location", "category", *duplicates(same)]
    return made
