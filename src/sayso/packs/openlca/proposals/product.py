"""The proposal of an output product."""

from __future__ import annotations

from sayso import Prepared
from sayso.packs.openlca.backend import Backend
from sayso.packs.openlca.model import PRODUCT, Flow
from sayso.packs.openlca.named import flow_property_named
from sayso.packs.openlca.proposals.proposal import (
    already,
    duplicates,
    first_id,
    only_said,
    proposal,
    words,
)


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
