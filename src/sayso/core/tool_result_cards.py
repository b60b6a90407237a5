"""Detection: an undeclared tool's result that is an approval payload becomes a card, on structure
alone."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from pydantic import JsonValue, ValidationError

from sayso.core.cards import (
    ApprovalCard,
    Card,
    Column,
    CriticalFailureCard,
    ExchangesCard,
    FormCard,
    OptionsCard,
    RecoverableErrorCard,
    Row,
    ValidationCard,
)
from sayso.core.digest import JsonObject, object_in
from sayso.core.errors import SchemaInvalid
from sayso.core.messages import message, parts_of
from sayso.core.schemas import compiled

_COLUMNS = [
    Column(key="flow_name", label="Flow name"),
    Column(key="amount", label="Amount"),
    Column(key="is_input", label="Type"),
    Column(key="is_quantitative_reference", label="Quantitative reference"),
    Column(key="default_provider", label="Default provider"),
]


_ErrorT = TypeVar("_ErrorT", CriticalFailureCard, RecoverableErrorCard)
#: What no tool says of its own card.
_OURS = ("card", "says")
#: Text that may be the JSON of an approval payload: anything else is not even parsed.
_OBJECT = re.compile(r"\s*\{.*\"(user_input_required|approval_required|status)\"", re.DOTALL)


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
    """Return the card that a tool's result asks for, if it is an approval payload.

    A near miss (a known marker with a body that does not fit) is None: it stays a plain tool row.
    """
    body = spoken(result)
    if body is None:
        return None
    try:
        return _detect(tool_name, body)
    except ValidationError:
        return None


def spoken(result: JsonValue) -> JsonObject | None:
    """Return the object that a result is, or that its text is the JSON of: many frameworks, and
    MCP, hand a tool's object on as text."""
    if isinstance(result, dict):
        return result
    if not isinstance(result, str) or not _OBJECT.match(result):
        return None
    try:
        body = json.loads(result)
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _detect(tool_name: str, result: JsonObject) -> Asks | Shows | None:
    if result.get("user_input_required") is True:
        return Asks(form_card(result) or question_card(result))
    if result.get("approval_required") is True:
        return Asks(approval_card(tool_name, result))
    match result.get("status"):
        case "approval_required":
            request = result.get("approval_request")
            if not isinstance(request, dict):
                return None
            return Asks(approval_card(tool_name, request, message=_text(result.get("message"))))
        case "validation_complete":
            return Shows(validation_card(result))
        case "critical_failure":
            return Shows(_error_card(CriticalFailureCard, result))
        case "error" if "message" in result and "suggestion" in result:
            return Shows(_error_card(RecoverableErrorCard, result))
        case _:
            return None


def question_card(body: Mapping[str, JsonValue]) -> OptionsCard:
    """Return the output (or the arguments) of `request_user_input` as a card."""
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


def form_card(body: Mapping[str, JsonValue]) -> FormCard | None:
    """Return the output of a tool that asks for values, by a `response_schema` of an object, as a
    card; None where it gives no such schema, or one that cannot be used."""
    schema = body.get("response_schema")
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return None
    try:
        compiled(schema)
    except SchemaInvalid:
        return None
    question = _text(body.get("question")) or ""
    return FormCard.model_validate(
        {
            "title": question,
            "agent_message": question,
            "response_schema": schema,
            "values": body.get("values") or {},
            "context": body.get("context") or {},
        }
    )


def approval_card(
    tool_name: str, body: Mapping[str, JsonValue], *, message: str | None = None
) -> ApprovalCard:
    """Return the output of `request_user_approval`, or a creating tool's `approval_request`, as a
    card."""
    details = object_in(body.get("entity_details"))
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
        rows = [
            Row(row_id=str(n), values=row)
            for n, row in enumerate(exchanges, 1)
            if isinstance(row, dict)
        ]
        if len(rows) == len(exchanges):  # else what is no row is shown with the details
            return ExchangesCard.model_validate({**fields, "columns": _COLUMNS, "rows": rows})
    return ApprovalCard.model_validate(fields)


def validation_card(body: Mapping[str, JsonValue]) -> ValidationCard:
    name = _text(body.get("process_name")) or message("validation.the_data")
    verdict = "valid" if body.get("is_valid") is True else "not_valid"
    texts = parts_of(f"validation.{verdict}", name=name)
    says = texts.says if "title" not in body else None
    return ValidationCard.model_validate({"title": texts["title"], **body, "says": says})


def _error_card(kind: type[_ErrorT], body: Mapping[str, JsonValue]) -> _ErrorT:
    known = {k: v for k, v in body.items() if k in kind.model_fields and k not in _OURS}
    return kind.model_validate({"title": body.get("message"), **known})


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None
