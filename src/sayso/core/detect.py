"""Detection: results of tools that are not ours but speak seed 1's shapes become cards, on
structure alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue, ValidationError

from sayso.core.cards import (
    ApprovalCard,
    Card,
    Column,
    CriticalFailureCard,
    ExchangesCard,
    OptionsCard,
    RecoverableErrorCard,
    Row,
    ValidationCard,
)
from sayso.core.digest import JsonObject

_COLUMNS = [
    Column(key="flow_name", label="Flow name"),
    Column(key="amount", label="Amount"),
    Column(key="is_input", label="Type"),
    Column(key="is_quantitative_reference", label="Quantitative reference"),
    Column(key="default_provider", label="Default provider"),
]


@dataclass(frozen=True, slots=True)
class Asks:
    """The result asks a person: the run pauses before the model sees it, and the answer takes its
    place."""

    card: Card


@dataclass(frozen=True, slots=True)
class Shows:
    """The result is for a person to look at; the model sees it as well."""

    card: Card


def detect(tool_name: str, result: JsonValue) -> Asks | Shows | None:
    """Which card a tool's result is, if it is one of seed 1's shapes.

    A near miss (a known marker with a body that does not fit) is None: it stays a plain tool row.
    """
    if not isinstance(result, dict):
        return None
    try:
        return _detect(tool_name, result)
    except ValidationError:
        return None


def _detect(tool_name: str, result: JsonObject) -> Asks | Shows | None:
    if result.get("user_input_required") is True:
        return Asks(question_card(result))
    if result.get("approval_required") is True:
        return Asks(approval_card(tool_name, result))
    match result.get("status"):
        case "approval_required":
            request = result.get("approval_request")
            if not isinstance(request, dict):
                return None
            message = result.get("message")
            return Asks(approval_card(tool_name, request, message=_text(message)))
        case "validation_complete":
            return Shows(validation_card(result))
        case "critical_failure":
            return Shows(critical_card(result))
        case "error" if "message" in result and "suggestion" in result:
            return Shows(recoverable_card(result))
        case _:
            return None


def question_card(body: Mapping[str, JsonValue]) -> OptionsCard:
    """Seed 1's `request_user_input` output (or its arguments) as a card."""
    question = _text(body.get("question")) or ""
    return OptionsCard.model_validate(
        {
            "title": question,
            "question": question,
            "agent_message": question,
            "options": body.get("options") or [],
            "context": body.get("context") or {},
        }
    )


def approval_card(
    tool_name: str, body: Mapping[str, JsonValue], *, message: str | None = None
) -> ApprovalCard:
    """Seed 1's `request_user_approval` output, or the `approval_request` of a creating tool, as a
    card."""
    details = body.get("entity_details")
    details = details if isinstance(details, dict) else {}
    summary = _text(body.get("entity_summary")) or message or tool_name
    fields: dict[str, object] = {
        "title": summary,
        "agent_message": message or "",
        "message": message,
        "tool_name": tool_name,
        "tool_params": details,
        "entity_type": body.get("entity_type") or "",
        "entity_summary": summary,
        "entity_details": details,
        "action": body.get("action") or "",
        "impact": body.get("impact"),
        "context": body.get("context") or {},
        "approval_options": body.get("approval_options") or ["approve", "reject"],
        "requires_reason": body.get("requires_reason", True),
        "final_confirmation": body.get("entity_type") == "product_system",
        "agent_acts": True,
    }
    exchanges = details.get("exchanges")
    if isinstance(exchanges, list) and exchanges and body.get("entity_type") == "exchanges_batch":
        rows = [Row(row_id=str(i), values=dict(row)) for i, row in enumerate(exchanges, 1)]  # type: ignore[arg-type]
        return ExchangesCard.model_validate({**fields, "columns": _COLUMNS, "rows": rows})
    return ApprovalCard.model_validate(fields)


def validation_card(body: Mapping[str, JsonValue]) -> ValidationCard:
    name = _text(body.get("process_name")) or "the data"
    verdict = "is valid" if body.get("is_valid") is True else "is not valid"
    return ValidationCard.model_validate({"title": f"{name} {verdict}", **body})


def critical_card(body: Mapping[str, JsonValue]) -> CriticalFailureCard:
    known = {k: v for k, v in body.items() if k in CriticalFailureCard.model_fields and k != "card"}
    return CriticalFailureCard.model_validate({"title": body.get("message"), **known})


def recoverable_card(body: Mapping[str, JsonValue]) -> RecoverableErrorCard:
    known = {
        k: v for k, v in body.items() if k in RecoverableErrorCard.model_fields and k != "card"
    }
    return RecoverableErrorCard.model_validate({"title": body.get("message"), **known})


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None
