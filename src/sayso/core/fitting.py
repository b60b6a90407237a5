"""Whether an answer fits its card, and a card can be answered at all."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

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
from sayso.core.decisions import default_answer, wants_to_remember
from sayso.core.digest import JsonObject, object_in
from sayso.core.errors import InvalidInput, SchemaInvalid
from sayso.core.interactions import CardRequest, InteractionResponse, ResponseData
from sayso.core.messages import field_error, message
from sayso.core.schemas import compiled, schema_errors

#: The largest number that every client can say exactly.
LARGEST = 2**53 - 1


def check_answer(
    card: Card, response: InteractionResponse, *, reason_required: bool
) -> list[JsonObject]:
    """Return what does not fit, as `{path, message}`; empty when the answer fits its card."""
    errors = not_canonical(response.model_dump(exclude={"response_data"}), "")
    errors += not_canonical(response.response_data.model_dump(), "")
    return errors or [
        *_check_parts(card, response),
        *_check_card(card, response, reason_required),
    ]


def _check_card(
    card: Card, response: InteractionResponse, reason_required: bool
) -> list[JsonObject]:
    data = response.response_data
    if isinstance(card, ApprovalCard):
        return [
            *_check_reason(card, response, reason_required),
            *_check_remembering(card, response),
            *_check_edits(card, data.edits),
            *(_check_cells(card, data.edits) if isinstance(card, ExchangesCard) else ()),
        ]
    if isinstance(card, ConfirmationCard):
        return _check_reason(card, response, reason_required)
    if isinstance(card, OptionsCard | UncertainEffectCard):
        notes = isinstance(card, OptionsCard) and card.allow_notes
        return _check_choice([option.id for option in card.options], data, notes=notes)
    schema = schema_of(card)
    return [] if schema is None else _check_schema(schema, data.values, at="values")


def schema_of(card: Card) -> JsonObject | None:
    """The schema that an answer to this card is held against, or its edits are."""
    if isinstance(card, FormCard | UiToolCard):
        return card.response_schema
    return card.edit_schema if isinstance(card, ApprovalCard) else None


def check_request(request: CardRequest) -> None:
    """Raises for a card that could never be answered: SchemaInvalid, or InvalidInput for a default
    answer that does not fit."""
    schema = schema_of(request.card)
    if schema is not None:
        compiled(schema)
    _check_default(request)


def _check_default(request: CardRequest) -> None:
    """A default answer that does not fit must be refused now, not when nobody is there."""
    if request.on_expiry.action != "answer":
        return
    stated = request.on_expiry.answer
    if stated is None or (asks_for_decision(request.card) and "approved" not in stated):
        raise InvalidInput(
            f"The default answer of card '{request.card.title}' is not stated.",
            fix="State it in `on_expiry`, `approved` with it: silence alone is no yes.",
        )
    try:
        errors = check_answer(
            request.card, default_answer(request.on_expiry, ""), reason_required=False
        )
    except ValidationError as exc:
        errors = [{"path": place_of(e["loc"]), "message": e["msg"]} for e in exc.errors()]
    if errors:
        said = "; ".join(f"{e['path']}: {e['message']}" for e in errors)
        raise InvalidInput(
            f"The default answer of card '{request.card.title}' does not fit it: {said}.",
            fix="Correct `on_expiry`.",
            context={"errors": errors},
        )


def not_canonical(value: object, at: str) -> list[JsonObject]:
    """Return what canonical JSON (RFC 8785) cannot say, each at its place: whoever approves
    could not be shown it, nor its digest be made."""
    match value:
        case dict():
            return [e for key, one in value.items() for e in not_canonical(one, f"{at}/{key}")]
        case list():
            return [e for n, one in enumerate(value) for e in not_canonical(one, f"{at}/{n}")]
        case bool() | None:
            return []
        case int() if abs(value) > LARGEST:
            said = message("field.integer_range", least=-LARGEST, most=LARGEST)
        case float() if not isfinite(value):
            said = message("field.finite")
        case str() if any("\ud800" <= c <= "\udfff" for c in value):
            said = message("field.half_character")
        case _:
            return []
    return [field_error(at.strip("/"), said)]


def _check_parts(card: Card, response: InteractionResponse) -> list[JsonObject]:
    """An answer has no part that its card does not ask for: nobody would know what it means."""
    data = response.response_data
    digest = response.metadata.get("digest")
    errors: list[JsonObject] = []
    if digest is not None and not isinstance(digest, str):
        errors.append(field_error("metadata/digest", message("field.needs_text")))
    if not response.approved and not asks_for_decision(card):
        errors.append(field_error("approved", message("field.give_or_dismiss")))
    if data.selected_option and asks_for_decision(card):
        errors.append(field_error("selected_option", message("field.not_asked")))
    if not isinstance(card, FormCard | UiToolCard | UncertainEffectCard):
        errors += [field_error(f"values/{key}", message("field.not_asked")) for key in data.values]
    if not isinstance(card, ApprovalCard | UiToolCard):
        errors += [field_error(f"edits/{key}", message("field.fixed")) for key in data.edits]
    if isinstance(card, ExchangesCard):
        return [*errors, *_check_rows(card, response)]
    if data.approved_rows is not None or data.rejected_rows:
        errors.append(field_error("rows", message("field.no_rows")))
    return errors


def asks_for_decision(card: Card) -> bool:
    return isinstance(card, ApprovalCard | ConfirmationCard)


def _check_reason(
    card: ApprovalCard | ConfirmationCard, response: InteractionResponse, reason_required: bool
) -> list[JsonObject]:
    if response.decision != "reject" or not (reason_required and card.requires_reason):
        return []
    if (response.user_message or "").strip() or reasons_of_rows(response.response_data):
        return []
    return [field_error("reason", message("field.needs_reason"))]


def _check_remembering(card: ApprovalCard, response: InteractionResponse) -> list[JsonObject]:
    if not wants_to_remember(response):
        return []
    place = "metadata/always_allow"
    if not card.may_be_remembered:
        return [field_error(place, message("field.asks_each_time"))]
    if response.decision != "approve":
        return [field_error(place, message("field.with_approval"))]
    return []


def _check_edits(card: ApprovalCard, edits: JsonObject) -> list[JsonObject]:
    if not edits:
        return []
    whole = card.edit_schema or {}
    allowed = object_in(whole.get("properties"))
    if fixed := [key for key in edits if key not in allowed]:
        return [field_error(f"edits/{key}", message("field.fixed")) for key in fixed]
    return _check_schema({**whole, "required": []}, edits, at="edits")


def _check_schema(schema: JsonObject, value: object, *, at: str) -> list[JsonObject]:
    try:
        return schema_errors(schema, value, at=at)
    except SchemaInvalid as exc:  # the card was opened by a version that did not look
        said = f"cannot be checked, as the card's own schema cannot be used. {exc.detail}"
        return [{"path": at, "message": f"{said} The card can be dismissed."}]


def _check_cells(card: ExchangesCard, edits: JsonObject) -> list[JsonObject]:
    """An edit of the rows may change the cells that are open to it, and nothing else."""
    name = card.rows_argument
    if name is None or name not in edits:
        return []
    shown, said = card.tool_params.get(name), edits[name]
    if not isinstance(shown, list) or not isinstance(said, list) or len(shown) != len(said):
        return [field_error(f"edits/{name}", message("field.every_row"))]
    open_cells = {column.key for column in card.columns if column.editable}
    return [
        field_error(f"edits/{name}/{n}/{key}", message("field.fixed"))
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


def _check_rows(card: ExchangesCard, response: InteractionResponse) -> list[JsonObject]:
    data = response.response_data
    known = {row.row_id for row in card.rows}
    approved, rejected = set(data.approved_rows or ()), set(data.rejected_rows)
    errors: list[JsonObject] = [
        field_error(f"rows/{row}", message("field.not_a_row"))
        for row in sorted((approved | rejected) - known)
    ]
    errors += [
        field_error(f"rows/{row}", message("field.both_ways"))
        for row in sorted(approved & rejected)
    ]
    if response.approved and (approved or rejected):
        errors += undecided_rows(card, data)
    return errors


def undecided_rows(card: Card, data: ResponseData) -> list[JsonObject]:
    """Return what keeps a partial answer from being one: rows that it does not name, or that
    cannot be decided one by one."""
    if not isinstance(card, ExchangesCard):
        return [field_error("decision", message("field.all_or_nothing"))]
    known = {row.row_id for row in card.rows}
    approved, rejected = set(data.approved_rows or ()), set(data.rejected_rows)
    is_whole = (not rejected and approved >= known) or (not approved and rejected >= known)
    if is_whole:
        return []
    if not card.rows_decidable or len(known) != len(card.rows):
        return [field_error("rows", message("field.rows_together"))]
    return [
        field_error(f"rows/{row}", message("field.needs_decision"))
        for row in sorted(known - approved - rejected)
    ]


def _check_choice(options: list[str], data: ResponseData, *, notes: bool) -> list[JsonObject]:
    if not options:
        if data.selected_option is not None:
            return [field_error("selected_option", message("field.no_options"))]
        said = (data.additional_notes or "").strip()
        return [] if said else [field_error("additional_notes", message("field.needs_answer"))]
    if data.selected_option not in options:
        return [field_error("selected_option", message("field.one_of", options=[*options]))]
    if data.additional_notes and not notes:
        return [field_error("additional_notes", message("field.no_notes"))]
    return []


def reasons_of_rows(data: ResponseData) -> str:
    """Return the reasons that were given row by row."""
    said = ((row, why.strip()) for row, why in data.rejected_rows.items())
    return "; ".join(f"row {row}: {why}" for row, why in said if why)


def place_of(loc: Sequence[str | int]) -> str:
    """Return a field's path in the words of the wire."""
    path = [str(part) for part in loc if part != "response_data"]
    return "reason" if path == ["user_message"] else "/".join(path)
