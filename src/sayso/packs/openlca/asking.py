"""The request and creating tools as plain functions that ask by what they return: for agents of
other frameworks (LangChain: `StructuredTool.from_function(one, return_direct=True)`). They propose,
and write nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec

from sayso import Prepared, ToolMistake
from sayso.core.digest import JsonObject
from sayso.packs.openlca import proposals
from sayso.packs.openlca.backend import Backend
from sayso.packs.openlca.proposals import Linking, NewExchange, ProcessType, as_result

P = ParamSpec("P")


def asking_functions(database: Backend) -> list[Callable[..., JsonObject]]:
    """Return the functions for one database."""

    def create_output_product(
        name: str, flow_property: str = "Mass", category: str = "", description: str = ""
    ) -> JsonObject:
        """Propose the product that a process is going to make."""
        return _told(
            proposals.propose_product,
            database,
            name=name,
            flow_property=flow_property,
            category=category,
            description=description,
        )

    def create_process_for_system(
        name: str,
        process_type: ProcessType = "unit_process",
        location: str = "",
        category: str = "",
    ) -> JsonObject:
        """Propose a process without exchanges, which are added next."""
        return _told(
            proposals.propose_process,
            database,
            name=name,
            process_type=process_type,
            location=location,
            category=category,
        )

    def add_exchanges_to_process(process_id: str, exchanges: list[NewExchange]) -> JsonObject:
        """Propose inputs and outputs of a process."""
        return _told(
            proposals.propose_exchanges,
            database,
            process_id=process_id,
            exchanges=exchanges,
        )

    def create_product_system(
        process_id: str,
        prefer_unit_processes: bool = True,
        provider_linking: Linking = "PREFER_DEFAULTS",
    ) -> JsonObject:
        """Propose a product system of a valid process."""
        return _told(
            proposals.propose_system,
            database,
            process_id=process_id,
            prefer_unit_processes=prefer_unit_processes,
            provider_linking=provider_linking,
        )

    return [
        request_user_input,
        request_user_approval,
        create_output_product,
        create_process_for_system,
        add_exchanges_to_process,
        create_product_system,
    ]


def request_user_input(
    question: str, options: list[dict[str, str]], context: dict[str, str] | None = None
) -> JsonObject:
    """Ask the person to choose one of several options, each with id, label and description."""
    return {
        "user_input_required": True,
        "question": question,
        "options": [{**one} for one in options],
        "context": {**(context or {})},
    }


def request_user_approval(
    entity_type: str, entity_summary: str, entity_details: JsonObject, impact: str = ""
) -> JsonObject:
    """Ask the person to approve what is about to be created."""
    return {
        "approval_required": True,
        "entity_type": entity_type,
        "entity_summary": entity_summary,
        "entity_details": entity_details,
        "action": "create",
        "impact": impact or f"Will create a new {entity_type.replace('_', ' ')} in the database",
        "approval_options": ["approve", "reject"],
        "requires_reason": True,
    }


def _told(propose: Callable[P, Prepared], *given: P.args, **named: P.kwargs) -> JsonObject:
    try:
        return as_result(propose(*given, **named))
    except ToolMistake as exc:
        told: JsonObject = {"status": "error", "message": exc.message}
        if exc.details:
            told["details"] = exc.details
        return {**told, "suggestion": exc.suggestion or ""}
