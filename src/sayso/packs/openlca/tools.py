"""The tools of an openLCA database. Each creating tool looks everything up first and writes
nothing; what it writes after a person's yes is what the card showed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from sayso import Done, NotDone, Prepared, ProposalStale, ToolContext, ToolMistake, tool
from sayso.core.cards import Column
from sayso.core.digest import JsonObject
from sayso.packs.openlca import proposals, writes
from sayso.packs.openlca.calculation import calculate
from sayso.packs.openlca.database import Database, Writer
from sayso.packs.openlca.linking import ProviderLinking, Rules, link_network
from sayso.packs.openlca.matrices import Allocation
from sayso.packs.openlca.model import Flow
from sayso.packs.openlca.proposals import (
    Linking,
    NewExchange,
    ProcessType,
    Proposed,
    WhenExists,
    label_of,
    new_id,
    process_named,
    text,
)
from sayso.packs.openlca.rules import validate

Name = Annotated[str, Field(title="Name", min_length=1, max_length=255)]
ProcessId = Annotated[str, Field(description="The id of a process, or its exact name")]
IfThere = Annotated[WhenExists, Field(title="If one of that name is there")]

_EXCHANGE_COLUMNS = [
    Column(key="flow_name", label="Flow Name"),
    Column(key="amount", label="Amount", editable=True),
    Column(key="is_input", label="Type"),
    Column(key="is_quantitative_reference", label="Quantitative Reference"),
    Column(key="default_provider_name", label="Default Provider"),
]
_LINK_COLUMNS = [
    Column(key="flow", label="Needed"),
    Column(key="needed_by", label="By process"),
    Column(key="provider", label="Provider"),
    Column(key="why", label="Why"),
]
#: A card's table beyond this is no longer read by anybody.
_MOST_LINKS = 300


def openlca_tools(database: Database) -> list[object]:
    """Return the tools of one database."""

    @tool(read_only=True)
    def explore_available_product_flows(  # a tool's arguments come by name
        query: str = "",
        category: str = "",
        limit: Annotated[int, Field(ge=1, le=100)] = 20,
        offset: Annotated[int, Field(ge=0)] = 0,
    ) -> JsonObject:
        """Search the product flows of the database by words of their name, with the processes that
        make each."""
        total, hits = database.search_flows(query, category=category, limit=limit, offset=offset)
        if not hits:
            return {
                "status": "no_results",
                "message": f"No product flow has '{query}' in its name.",
                "suggestion": "Try fewer or other words, or create the product.",
            }
        items: list[JsonValue] = [_found(database, hit.flow, hit.reason) for hit in hits]
        return {"status": "success", "total": total, "items": items}

    @tool(
        approval=True,
        idempotent=True,
        on_error="failed",
        reconcile=_written(database),
        editable=["name", "flow_property", "category", "when_exists"],
    )
    def create_output_product(  # noqa: PLR0917
        ctx: ToolContext,
        name: Name,
        flow_property: Annotated[
            str, Field(title="Flow property", description="A name or id")
        ] = "Mass",
        category: Annotated[str, Field(title="Category")] = "",
        description: str = "",
        cas: str = "",
        when_exists: IfThere = "create_anyway",
    ) -> JsonObject:
        """Create the product that a process is going to make. A person approves it."""
        data = _data(ctx)
        if when_exists == "use_existing" and data["existing_id"]:
            return _created("flow_id", text(data["existing_id"]), name, reused=True)
        id_ = new_id("Flow", ctx.idempotency_key)
        values = {"name": name, "category": category, "description": description, "cas": cas}
        entity = writes.product(database, id_, text(data["flow_property_id"]), values)
        return _put(database, ctx, "Flow", entity, "flow_id")

    @create_output_product.prepare
    def propose_output_product(
        name: str, flow_property: str, category: str, description: str, cas: str
    ) -> Prepared:
        found = proposals.propose_product(
            database,
            name=name,
            flow_property=flow_property,
            category=category,
            description=description,
            cas=cas,
        )
        return _prepared(database, found, ["name", "flow_property", "category"])

    @tool(
        approval=True,
        idempotent=True,
        on_error="failed",
        reconcile=_written(database),
        editable=["name", "location", "category", "when_exists"],
    )
    def create_process_for_system(  # noqa: PLR0917
        ctx: ToolContext,
        name: Name,
        process_type: ProcessType = "unit_process",
        location: Annotated[str, Field(title="Location")] = "",
        category: Annotated[str, Field(title="Category")] = "",
        description: str = "",
        when_exists: IfThere = "create_anyway",
    ) -> JsonObject:
        """Create a process without exchanges, which are added next. A person approves it."""
        data = _data(ctx)
        if when_exists == "use_existing" and data["existing_id"]:
            return _created("process_id", text(data["existing_id"]), name, reused=True)
        id_ = new_id("Process", ctx.idempotency_key)
        code = text(data["location_code"])
        values = {"name": name, "category": category, "description": description}
        entity = writes.process(id_, process_type, code, values)

        def write(writer: Writer) -> JsonObject:
            if code:
                writes.put_location(writer, code)
            writer.put("Process", entity)
            return _created("process_id", id_, name)

        return database.write_once(ctx.idempotency_key, write)

    @create_process_for_system.prepare
    def propose_process(
        name: str, process_type: ProcessType, location: str, category: str, description: str
    ) -> Prepared:
        found = proposals.propose_process(
            database,
            name=name,
            process_type=process_type,
            location=location,
            category=category,
            description=description,
        )
        return _prepared(database, found, ["name", "location", "category"])

    @tool(
        approval=True,
        idempotent=True,
        on_error="failed",
        reconcile=_written(database),
        rows="exchanges",
        editable=["exchanges.amount"],
    )
    def add_exchanges_to_process(
        ctx: ToolContext, process_id: ProcessId, exchanges: list[NewExchange]
    ) -> JsonObject:
        """Add inputs and outputs to a process. A person approves them, all or one by one."""
        data, flows = _data(ctx), _data(ctx)["flows"]
        assert ctx.proposal is not None
        assert isinstance(flows, dict)
        rows = [str(row["row_id"]) for row in ctx.proposal.rows]
        process = process_named(database, process_id)

        def write(writer: Writer) -> JsonObject:
            version = text(data["process_version"])
            added = writes.add_exchanges(writer, process.id, version, rows, exchanges, flows)
            left_out: list[JsonValue] = [row for row in flows if row not in rows]
            return {
                "status": "partial_success" if left_out else "success",
                "message": f"Added {len(added)} of {len(flows)} exchanges to '{process.name}'",
                "process_id": process.id,
                "added": added,
                "rejected": left_out,
            }

        return database.write_once(ctx.idempotency_key, write)

    @add_exchanges_to_process.prepare
    def propose_exchanges(process_id: str, exchanges: list[NewExchange]) -> Prepared:
        found = proposals.propose_exchanges(database, process_id=process_id, exchanges=exchanges)
        made = _prepared(database, found, ["exchanges.amount"])
        return made.model_copy(update={"rows": found.rows, "columns": [*_EXCHANGE_COLUMNS]})

    @tool(read_only=True)
    def validate_process(process_id: ProcessId) -> JsonObject:
        """Check a process before a product system is made of it: errors, warnings, mass balance."""
        return validate(database, process_named(database, process_id)).as_json()

    @tool(
        approval=True,
        idempotent=True,
        on_error="failed",
        reconcile=_written(database),
        final_confirmation=True,
        editable=["name"],
    )
    def create_product_system(
        ctx: ToolContext,
        process_id: ProcessId,
        name: Annotated[str, Field(title="Name", max_length=255)] = "",
        prefer_unit_processes: bool = True,
        provider_linking: Linking = "PREFER_DEFAULTS",
    ) -> JsonObject:
        """Link a valid process with its providers, and theirs. A person approves the links."""
        process = process_named(database, process_id)
        rules = Rules(ProviderLinking(provider_linking), prefer_unit_processes)
        with database.reading() as reader:
            network = link_network(reader, process, rules)
            seen = proposals.fingerprint(reader, network)
        if seen != _data(ctx)["network"]:
            raise ProposalStale("The processes have changed since this card was drawn.")
        id_ = new_id("ProductSystem", ctx.idempotency_key)
        called = name or process.name or ""
        entity = writes.system(id_, called, network)

        def write(writer: Writer) -> JsonObject:
            writer.put("ProductSystem", entity)
            return {
                **_created("product_system_id", id_, called),
                "processes": len(network.processes),
                "links": len(network.linked),
                "unlinked": [link.flow.name for link in network.unlinked],
                "ambiguous": [link.flow.name for link in network.ambiguous],
            }

        return database.write_once(ctx.idempotency_key, write)

    @create_product_system.prepare
    def propose_system(
        process_id: str, name: str, prefer_unit_processes: bool, provider_linking: Linking
    ) -> Prepared:
        found = proposals.propose_system(
            database,
            process_id=process_id,
            name=name,
            prefer_unit_processes=prefer_unit_processes,
            provider_linking=provider_linking,
        )
        made = _prepared(database, found, ["name"])
        if not found.rows:
            return made
        more = len(found.rows) - _MOST_LINKS
        said = [f"{more} more links, each with one provider, are not listed."] if more > 0 else []
        return made.model_copy(
            update={
                "rows": found.rows[:_MOST_LINKS],
                "columns": [*_LINK_COLUMNS],
                "warnings": [*found.warnings, *said],
            }
        )

    @tool(read_only=True)
    def calculate_product_system(
        product_system: Annotated[str, Field(description="Its id, or its exact name")],
        allocation: Annotated[
            Literal["process_default", "mass", "none"],
            Field(description="For processes with several products; let the person choose"),
        ] = "process_default",
    ) -> JsonObject:
        """Calculate the inventory and the global warming potential of a product system."""
        found = proposals.system_named(database, product_system)
        return calculate(database, found, Allocation(allocation))

    return [
        explore_available_product_flows,
        create_output_product,
        create_process_for_system,
        add_exchanges_to_process,
        validate_process,
        create_product_system,
        calculate_product_system,
    ]


def _prepared(database: Database, found: Proposed, editable: list[str]) -> Prepared:
    request = found.request
    choices = ["when_exists"] if found.has_duplicates else []
    details = request["entity_details"]
    return Prepared(
        summary=text(request["entity_summary"]),
        message=found.message,
        entity_type=text(request["entity_type"]),
        action=text(request["action"]),
        details=details if isinstance(details, dict) else None,
        impact=text(request["impact"]),
        warnings=found.warnings,
        data=found.data,
        editable=[*editable, *choices],
        context={"database": label_of(database)},
    )


def _put(
    database: Database, ctx: ToolContext, kind: str, entity: JsonObject, id_key: str
) -> JsonObject:
    def write(writer: Writer) -> JsonObject:
        writer.put(kind, entity)
        return _created(id_key, text(entity["@id"]), text(entity.get("name")))

    return database.write_once(ctx.idempotency_key, write)


def _created(id_key: str, id_: str, name: str | None, *, reused: bool = False) -> JsonObject:
    return {"status": "success", id_key: id_, "name": name, "reused": reused}


def _data(ctx: ToolContext) -> JsonObject:
    assert ctx.proposal is not None  # approval=True: without one the body does not run
    return ctx.proposal.data


def _written(database: Database) -> Callable[[str], Done | NotDone]:
    def look_up(key: str) -> Done | NotDone:
        found = database.written(key)
        return Done(found) if found is not None else NotDone()

    return look_up


def _found(database: Database, flow: Flow, reason: str) -> JsonObject:
    reference = flow.reference
    group = database.unit_group_of(reference.flow_property.id) if reference else None
    unit = group.reference if group else None
    providers = database.providers(flow.id)
    return {
        "flow_id": flow.id,
        "name": flow.name,
        "category": flow.category,
        "flow_type": flow.flow_type,
        "ref_property": reference.flow_property.name if reference else None,
        "ref_unit": unit.name if unit else None,
        "match_reason": reason,
        "providers": [
            {
                "process_id": one.id,
                "name": one.name,
                "location": one.location,
                "process_type": one.process_type,
            }
            for one in providers[:10]
        ],
        "provider_count": len(providers),
    }


def explain(mistake: ToolMistake) -> JsonObject:
    """Return a mistake as a tool returns it that asks by itself."""
    body: JsonObject = {"status": "error", "message": mistake.message}
    if mistake.details:
        body["details"] = mistake.details
    return {**body, "suggestion": mistake.suggestion or ""}
