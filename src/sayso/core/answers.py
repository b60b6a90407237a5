"""The door for answers: every form of answer the seeds know is read into one, and held against its
card."""

from __future__ import annotations

from collections.abc import Mapping

import jsonschema
from pydantic import JsonValue, ValidationError

from sayso.core.cards import (
    ApprovalCard,
    Card,
    ConfirmationCard,
    ExchangesCard,
    FormCard,
    OptionsCard,
    UiToolCard,
    UncertainEffectCard,
)
from sayso.core.decisions import wants_to_remember
from sayso.core.digest import JsonObject
from sayso.core.errors import AnswerInvalid
from sayso.core.interactions import (
    DEFAULT_REJECTION,
    Interaction,
    InteractionResponse,
    ResponseData,
)

_PARTS = set(ResponseData.model_fields)
_NORMAL_FORM = set(InteractionResponse.model_fields)
_DECISIONS = {
    "approve": True,
    "approved": True,
    "partial": True,
    "reject": False,
    "rejected": False,
}


def read_answer(
    it: Interaction, body: Mapping[str, object], *, reason_required: bool
) -> InteractionResponse:
    """The normal form of `body` for this interaction, checked against its card.

    `body` is seed 5's response, seed 1's decision or input, bare or in its `tool_response` wrapper,
    or the plain values of a form. `reason_required` says whether this door asks for a reason with a
    rejection (REST, console and CLI do; in-process answers do not). Raises AnswerInvalid with
    `context["errors"] = [{path, message}]`.
    """
    try:
        response = _normal_form(it, _unwrapped(body))
    except ValidationError as exc:
        raise _invalid(
            [
                {"path": "/".join(str(part) for part in e["loc"]), "message": e["msg"]}
                for e in exc.errors()
            ]
        ) from exc
    errors = check_answer(it.card, response, reason_required=reason_required)
    if errors:
        raise _invalid(errors)
    if not response.approved and not response.user_message and _asks_for_decision(it.card):
        return response.model_copy(update={"user_message": DEFAULT_REJECTION})
    return response


def check_answer(
    card: Card, response: InteractionResponse, *, reason_required: bool
) -> list[JsonObject]:
    """What does not fit, as `{path, message}`; empty when the answer fits its card."""
    data = response.response_data
    if isinstance(card, ExchangesCard):
        return [
            *_check_reason(card, response, reason_required),
            *_check_remembering(card, response),
            *_check_edits(card, data.edits),
            *_check_cells(card, data.edits),
            *_check_rows(card, data),
        ]
    if isinstance(card, ApprovalCard):
        return [
            *_check_reason(card, response, reason_required),
            *_check_remembering(card, response),
            *_check_edits(card, data.edits),
        ]
    if isinstance(card, ConfirmationCard):
        return _check_reason(card, response, reason_required)
    if isinstance(card, OptionsCard):
        return _check_choice([o.id for o in card.options], data, notes=card.allow_notes)
    if isinstance(card, UncertainEffectCard):
        return _check_choice([o.id for o in card.options], data, notes=False)
    if isinstance(card, FormCard):
        return schema_errors(card.response_schema, data.values, at="values")
    if isinstance(card, UiToolCard) and card.response_schema is not None:
        return schema_errors(card.response_schema, data.values, at="values")
    return []


def schema_errors(schema: JsonObject, value: object, *, at: str) -> list[JsonObject]:
    """Every place where `value` does not fit the JSON Schema, as `{path, message}`."""
    validator = jsonschema.Draft202012Validator(
        schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
    )
    return [
        {
            "path": "/".join([at, *(str(part) for part in error.absolute_path)]),
            "message": error.message,
        }
        for error in sorted(
            validator.iter_errors(value), key=lambda e: list(map(str, e.absolute_path))
        )
    ]


def _unwrapped(body: Mapping[str, object]) -> dict[str, object]:
    wrapped = body.get("tool_response")
    if not isinstance(wrapped, Mapping):
        return dict(body)
    inner = wrapped.get("approval_decision") or wrapped.get("user_input")
    if not isinstance(inner, Mapping):
        raise _invalid(
            [{"path": "tool_response", "message": "needs `approval_decision` or `user_input`"}]
        )
    return {**inner, **({"metadata": body["metadata"]} if "metadata" in body else {})}


def _normal_form(it: Interaction, body: dict[str, object]) -> InteractionResponse:
    if "approved" in body and set(body) <= _NORMAL_FORM:
        return InteractionResponse.model_validate({**body, "interaction_id": it.id})
    metadata = body.pop("metadata", None) or {}
    if "digest" in body:
        metadata = {**metadata, "digest": body.pop("digest")}  # type: ignore[dict-item]
    parts: dict[str, object] = {
        "interaction_id": it.id,
        "metadata": metadata,
        "user_message": body.pop("reason", None),
    }
    if "decision" in body or _asks_for_decision(it.card):
        parts["approved"] = _read_decision(body.pop("decision", None))
    else:
        parts["approved"] = True
    if isinstance(it.card, FormCard | UiToolCard) and not _PARTS & set(body):
        parts["response_data"] = {"values": body}
    else:
        parts["response_data"] = body
    return InteractionResponse.model_validate(parts)


def _read_decision(word: object) -> bool:
    if isinstance(word, str) and word.lower() in _DECISIONS:
        return _DECISIONS[word.lower()]
    raise _invalid(
        [{"path": "decision", "message": 'needs to be "approve", "reject" or "partial"'}]
    )


def _asks_for_decision(card: Card) -> bool:
    return isinstance(card, ApprovalCard | ConfirmationCard)


def _check_reason(
    card: ApprovalCard | ConfirmationCard, response: InteractionResponse, reason_required: bool
) -> list[JsonObject]:
    if response.decision != "reject" or not (reason_required and card.requires_reason):
        return []
    if (response.user_message or "").strip():
        return []
    return [
        {"path": "reason", "message": "a rejection needs a reason, so that the agent can do better"}
    ]


def _check_remembering(card: ApprovalCard, response: InteractionResponse) -> list[JsonObject]:
    if not wants_to_remember(response):
        return []
    place = "metadata/always_allow"
    if not card.may_be_remembered:
        return [{"path": place, "message": "the policy asks each time for this tool"}]
    if response.decision != "approve":
        return [{"path": place, "message": "goes with the approval of everything shown"}]
    return []


def _check_edits(card: ApprovalCard, edits: JsonObject) -> list[JsonObject]:
    if not edits:
        return []
    properties = (card.edit_schema or {}).get("properties")
    allowed = properties if isinstance(properties, dict) else {}
    fixed = [key for key in edits if key not in allowed]
    if fixed:
        return [{"path": f"edits/{key}", "message": "cannot be changed here"} for key in fixed]
    schema: JsonObject = {**(card.edit_schema or {}), "required": []}
    return schema_errors(schema, edits, at="edits")


def _check_cells(card: ExchangesCard, edits: JsonObject) -> list[JsonObject]:
    """An edit of the rows may change the cells that are open to it, and nothing else."""
    name = card.rows_argument
    if name is None or name not in edits:
        return []
    shown, said = card.tool_params.get(name), edits[name]
    if not isinstance(shown, list) or not isinstance(said, list) or len(shown) != len(said):
        message = "needs every row that was shown: a row is left out by the decision on it"
        return [{"path": f"edits/{name}", "message": message}]
    open_cells = {column.key for column in card.columns if column.editable}
    return [
        {"path": f"edits/{name}/{n}/{key}", "message": "cannot be changed here"}
        for n, (before, after) in enumerate(zip(shown, said, strict=True))
        for key in _changed_keys(before, after)
        if key not in open_cells
    ]


def _changed_keys(before: JsonValue, after: JsonValue) -> list[str]:
    if not isinstance(before, dict) or not isinstance(after, dict):
        return [] if before == after else [""]
    keys = {*before, *after}
    missing = object()
    return sorted(key for key in keys if before.get(key, missing) != after.get(key, missing))


def _check_rows(card: ExchangesCard, data: ResponseData) -> list[JsonObject]:
    known = {row.row_id for row in card.rows}
    approved, rejected = set(data.approved_rows or ()), set(data.rejected_rows)
    errors: list[JsonObject] = [
        {"path": f"rows/{row}", "message": "is not a row of this card"}
        for row in sorted((approved | rejected) - known)
    ]
    errors += [
        {"path": f"rows/{row}", "message": "is approved and rejected at once"}
        for row in sorted(approved & rejected)
    ]
    if data.approved_rows is not None:
        errors += [
            {"path": f"rows/{row}", "message": "needs a decision"}
            for row in sorted(known - approved - rejected)
            if approved and rejected
        ]
    return errors


def _check_choice(options: list[str], data: ResponseData, *, notes: bool) -> list[JsonObject]:
    if not options:
        said = (data.additional_notes or data.selected_option or "").strip()
        return [] if said else [{"path": "additional_notes", "message": "needs an answer"}]
    if data.selected_option not in options:
        return [{"path": "selected_option", "message": f"needs to be one of: {', '.join(options)}"}]
    if data.additional_notes and not notes:
        return [{"path": "additional_notes", "message": "this question takes no notes"}]
    return []


def _invalid(errors: list[JsonObject]) -> AnswerInvalid:
    first = errors[0]
    return AnswerInvalid(f"{first['path']}: {first['message']}.", context={"errors": list(errors)})
