"""The tools of an openLCA database. Each creating tool looks everything up first and writes
nothing; what it writes after a person's yes is what the card showed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from sayso import Done, NotDone, ProposalStale, ToolContext, tool
from sayso.core.digest import JsonObject
from sayso.packs.openlca import proposals, writes
from sayso.packs.openlca.backend import Backend, Changes, fold
from sayso.packs.openlca.calculation import calculate
from sayso.packs.openlca.committing import commit
from sayso.packs.openlca.database import Database
from sayso.packs.openlca.exporting import export_tool
from sayso.packs.openlca.linking import ProviderLinking, Rules, link_network
from sayso.packs.openlca.matrices import Allocation
from sayso.packs.openlca.model import Flow
from sayso.packs.openlca.named import process_named, system_named
from sayso.packs.openlca.proposals import Linking, NewExchange, ProcessType, new_id
from sayso.packs.openlca.rules import validate

Name = Annotated[str, Field(title="Name", min_length=1, max_length=255)]
ProcessId = Annotated[str, Field(description="The id of a process, or its exact name")]
#: What to do where something of that name is there already.
WhenExists = Literal["use_existing", "create_anyway"]
IfThere = Annotated[WhenExists, Field(title="If one of that name is there")]


def openlca_tools(database: Backend) -> list[object]:
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
        total, flows = database.search_flows(query, category=category, limit=limit, offset=offset)
        if not flows:
            return {
                "status": "no_results",
                "message": f"No product flow has '{query}' in its name.",
                "suggestion": "Try fewer or other words, or create the product.",
            }
        items: list[JsonValue] = [_found(database, flow, query) for flow in flows]
        return {"status": "success", "total": total, "items": items}

    @tool(
        approval=True,
        idempotent=True,
        on_error="failed",
        reconcile=_written(database),
        editable=["name", "flow_property", "category", "when_exists"],
    )
    async def create_output_product(  # noqa: PLR0917  # a tool's arguments come by name
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
            return _created("flow_id", _text(data["existing_id"]), name, reused=True)
        id_ = new_id("Flow", ctx.idempotency_key)
        held = _text(data["flow_property_id"])
        values = {"name": name, "category": category, "description": description, "cas": cas}

        def write(changes: Changes) -> JsonObject:
            changes.put("Flow", writes.product(changes, id_, held, values))
            return _created("flow_id", id_, name)

        return await commit(database, ctx, write)

    create_output_product.prepare(partial(proposals.propose_product, database))

    @tool(
        approval=True,
        idempotent=True,
        on_error="failed",
        reconcile=_written(database),
        editable=["name", "location", "category", "when_exists"],
    )
    async def create_process_for_system(  # noqa: PLR0917  # a tool's arguments come by name
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
            return _created("process_id", _text(data["existing_id"]), name, reused=True)
        id_ = new_id("Process", ctx.idempotency_key)
        code = _text(data["location_code"])
        values = {"name": name, "category": category, "description": description}
        entity = writes.process(id_, process_type, code, values)

        def write(changes: Changes) -> JsonObject:
            if code:
                writes.put_location(changes, code)
            changes.put("Process", entity)
            return _created("process_id", id_, name)

        return await commit(database, ctx, write)

    create_process_for_system.prepare(partial(proposals.propose_process, database))

    @tool(
        approval=True,
        idempotent=True,
        on_error="failed",
        reconcile=_written(database),
        rows="exchanges",
        editable=["exchanges.amount"],
    )
    async def add_exchanges_to_process(
        ctx: ToolContext, process_id: ProcessId, exchanges: list[NewExchange]
    ) -> JsonObject:
        """Add inputs and outputs to a process. A person approves them, all or one by one."""
        data, flows = _data(ctx), _data(ctx)["flows"]
        assert ctx.proposal is not None
        assert isinstance(flows, dict)
        rows = [str(row["row_id"]) for row in ctx.proposal.rows]

        def write(changes: Changes) -> JsonObject:
            process = process_named(database, process_id)
            version = _text(data["process_version"])
            added = writes.add_exchanges(changes, process.id, version, rows, exchanges, flows)
            left_out: list[JsonValue] = [row for row in flows if row not in rows]
            return {
                "status": "partial_success" if left_out else "success",
                "message": f"Added {len(added)} of {len(flows)} exchanges to '{process.name}'",
                "process_id": process.id,
                "added": added,
                "rejected": left_out,
            }

        return await commit(database, ctx, write)

    add_exchanges_to_process.prepare(partial(proposals.propose_exchanges, database))

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
    async def create_product_system(
        ctx: ToolContext,
        process_id: ProcessId,
        name: Annotated[str, Field(title="Name", max_length=255)] = "",
        prefer_unit_processes: bool = True,
        provider_linking: Linking = "PREFER_DEFAULTS",
    ) -> JsonObject:
        """Link a valid process with its providers, and theirs. A person approves the links."""
        id_ = new_id("ProductSystem", ctx.idempotency_key)
        rules = Rules(ProviderLinking(provider_linking), prefer_unit_processes)

        def write(changes: Changes) -> JsonObject:
            process = process_named(database, process_id)
            with database.reading() as view:
                network = link_network(view, process, rules)
                seen = proposals.fingerprint(view, network)
            if seen != _data(ctx)["network"]:
                raise ProposalStale("The processes have changed since this card was drawn.")
            called = name or process.name or ""
            changes.put("ProductSystem", writes.system(id_, called, network))
            return {
                **_created("product_system_id", id_, called),
                "processes": len(network.processes),
                "links": len(network.linked),
                "unlinked": [link.flow.name for link in network.unlinked],
                "ambiguous": [link.flow.name for link in network.ambiguous],
            }

        return await commit(database, ctx, write)

    create_product_system.prepare(partial(proposals.propose_system, database))

    @tool(read_only=True)
    def calculate_product_system(
        product_system: Annotated[str, Field(description="Its id, or its exact name")],
        allocation: Annotated[
            Literal["process_default", "mass", "none"],
            Field(description="For processes with several products; let the person choose"),
        ] = "process_default",
    ) -> JsonObject:
        """Calculate the inventory and the global warming potential of a product system."""
        found = system_named(database, product_system)
        return calculate(database, found, Allocation(allocation))

    return [
        explore_available_product_flows,
        create_output_product,
        create_process_for_system,
        add_exchanges_to_process,
        validate_process,
        create_product_system,
        calculate_product_system,
        *([export_tool(database)] if isinstance(database, Database) else []),
    ]


def _created(id_key: str, id_: str, name: str | None, *, reused: bool = False) -> JsonObject:
    return {"status": "success", id_key: id_, "name": name, "reused": reused}


def _data(ctx: ToolContext) -> JsonObject:
    assert ctx.proposal is not None  # approval=True: without one the body does not run
    return ctx.proposal.data


def _written(database: Backend) -> Callable[[str], Done | NotDone]:
    def look_up(key: str) -> Done | NotDone:
        found = database.written(key)
        return Done(found) if found is not None else NotDone()

    return look_up


def _found(database: Backend, flow: Flow, query: str) -> JsonObject:
    reference, unit = flow.reference, database.reference_unit_of(flow)
    providers = database.providers(flow.id)
    return {
        "flow_id": flow.id,
        "name": flow.name,
        "category": flow.category,
        "flow_type": flow.flow_type,
        "ref_property": reference.flow_property.name if reference else None,
        "ref_unit": unit.name if unit else None,
        "match_reason": reason_of(flow.name or "", query),
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


def reason_of(flow_name: str, query: str) -> str:
    """Return why a search for this found a flow of that name."""
    name, words = fold(flow_name), fold(query)
    if not words:
        return "listed"
    if name == words:
        return "the same name"
    if name.startswith(words):
        return "its name begins so"
    if all(word in name for word in words.split()):
        return "its name has these words"
    return "its category has these words"


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""
