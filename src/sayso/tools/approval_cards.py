"""The cards of proposals, and the same card once more where its answer cannot be carried out.

A card that comes back is the next revision: it says why at its place and keeps what was typed.
Nothing has run, and the model has heard nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta

from pydantic import JsonValue

from sayso.core.attachments import AttachedFile, AttachedLink, attached, contents
from sayso.core.cards import (
    ApprovalCard,
    CardKind,
    Change,
    Column,
    Detail,
    ExchangesCard,
    FieldMistake,
    HoldCard,
    Row,
    ValueFormat,
)
from sayso.core.digest import JsonObject, object_in
from sayso.core.errors import SchemaInvalid
from sayso.core.interactions import CardRequest, Interaction, OnExpiry, Proposal
from sayso.core.policy_rules import Decision, Verdict
from sayso.core.schemas import compiled
from sayso.tools.approvals import entries_of, row_id
from sayso.tools.calls import Call
from sayso.tools.journal import Refusal
from sayso.tools.masking import Mask
from sayso.tools.tool import Prepared, Runnable


def refusal_of_edits(shown: Proposal, edits: JsonObject, errors: Sequence[JsonObject]) -> Refusal:
    """Return the tool's errors, each at the edit that it is about."""
    only = next(iter(edits)) if len(edits) == 1 else None

    def place(path: str) -> str:
        if path.partition("/")[0] in edits:
            return f"edits/{path}"
        return f"edits/{only}" if only is not None else "edits"

    found = (
        FieldMistake.model_validate({**error, "path": place(str(error["path"]))})
        for error in errors
    )
    return Refusal(shown.revision, tuple(found))


def refusal_of_rows(shown: Proposal) -> Refusal:
    said = "These rows are approved or rejected together."
    return Refusal(shown.revision, (FieldMistake(path="rows", message=said),))


def card_again(
    call: Call, it: Interaction, shown: Proposal, refusal: Refusal, *, key: str
) -> CardRequest:
    """Return the same card under another call key. It is made from the card that was answered,
    since the tool may not be able to make it now."""
    revision = shown.revision + 1
    return CardRequest(
        call_key=key,
        card=_with(call, it, shown, refusal),
        ui_tool_id=it.ui_tool_id,
        agent_name=it.agent_name,
        display=it.display,
        tool_call_id=call.id,
        proposal=shown.model_copy(update={"revision": revision}),
        expires_in=call.tool.traits.expires_in,
        on_expiry=it.on_expiry,
        assignees=it.assignees,
    )


def hold_key(it: Interaction) -> str:
    """Return the call key of the hold of what was approved on this card."""
    return f"{it.call_key}#hold"


def hold_request(call: Call, it: Interaction, hold: timedelta) -> CardRequest:
    """Return the card on which the yes to another can be taken back, by whoever could give it. It
    lists what would run, with the person's changes, and lets it run when nobody speaks."""
    title = call.allowed.title or it.title
    shown = call.mask.object(call.arguments)
    return CardRequest(
        call_key=hold_key(it),
        card=HoldCard(
            title=title,
            agent_message=title,
            tool_name=call.tool.name,
            details=[Detail(label=name, value=value) for name, value in shown.items()],
        ),
        ui_tool_id=CardKind.HOLD.value,
        agent_name=it.agent_name,
        tool_call_id=call.id,
        expires_in=hold,
        on_expiry=OnExpiry(action="answer", answer={"approved": True}),
        assignees=it.assignees,
    )


def _with(call: Call, it: Interaction, shown: Proposal, refusal: Refusal) -> ApprovalCard:
    assert isinstance(it.card, ApprovalCard)
    edits = it.response.response_data.edits if it.response is not None else {}
    said: dict[str, object] = {
        "errors": list(refusal.errors) or None,
        "typed": call.mask.object(edits) if edits else None,
        "changes": [],
        "bulk": False,
    }
    if isinstance(it.card, ExchangesCard):
        said["rows_decidable"] = entries_of(shown, call.tool.traits.rows) is not None
    return it.card.model_copy(update=said)


def approval_request(
    tool: Runnable,
    proposal: Proposal,
    prepared: Prepared | None,
    *,
    call_key: str,
    tool_call_id: str,
    agent_name: str,
    decision: Decision,
    changes: list[Change] | None = None,
) -> CardRequest:
    """Return the card of a proposal. It holds no secrets: they are masked and cannot be edited."""
    found = prepared or Prepared()
    card = _card(tool, proposal, found, decision, changes or [])
    remembered = decision.verdict is Verdict.ASK and decision.may_be_remembered
    card = card.model_copy(update={"may_be_remembered": remembered, "rule": decision.asking})
    return CardRequest(
        call_key=call_key,
        card=card,
        ui_tool_id=card.card.value,
        agent_name=agent_name,
        tool_call_id=tool_call_id,
        proposal=proposal,
        expires_in=tool.traits.expires_in,
        on_expiry=tool.traits.on_expiry,
        assignees=tool.traits.assignees,
        files=contents(found.attachments),
    )


def _card(
    tool: Runnable,
    proposal: Proposal,
    found: Prepared,
    decision: Decision,
    changes: list[Change],
) -> ApprovalCard | ExchangesCard:
    traits, mask = tool.traits, Mask(tool.traits.secrets, proposal.arguments)
    summary = mask.text(proposal.summary)
    title = traits.title or summary or _words(tool.name)
    message = mask.text(found.message) if found.message else None
    why = {"policy": decision.reason} if decision.reason else {}
    fields: dict[str, object] = {
        "title": title,
        "agent_message": message or summary or title,
        "message": message,
        "tool_name": tool.name,
        "tool_params": mask.object(proposal.arguments),
        "tool_description": tool.description,
        "entity_type": found.entity_type,
        "entity_summary": summary or title,
        "entity_details": mask.object(proposal.details or proposal.arguments),
        "action": found.action,
        "impact": mask.text(proposal.impact) if proposal.impact else None,
        "context": mask.object({**found.context, **why}),
        "warnings": [mask.text(warning) for warning in proposal.warnings],
        "requires_reason": traits.requires_reason,
        "final_confirmation": traits.final_confirmation,
        "before": mask.object(found.before) if found.before else None,
        "edit_schema": edit_schema(tool, found),
        "formats": _formats(tool) or None,
        "attachments": [_masked(one, mask) for one in attached(found.attachments)] or None,
        "changes": [mask.change(change) for change in changes],
    }
    if not proposal.rows:
        bulk = _may_be_bulk(tool, proposal, decision)
        return ApprovalCard.model_validate({**fields, "bulk": bulk})
    return ExchangesCard.model_validate({**fields, **_table(tool, proposal, found, mask)})


def _masked(one: AttachedFile | AttachedLink, mask: Mask) -> AttachedFile | AttachedLink:
    texts = one.model_dump(include={"name", "alt", "url"}, exclude_none=True)
    return one.model_copy(update={name: mask.text(text) for name, text in texts.items()})


def _formats(tool: Runnable) -> dict[str, ValueFormat]:
    """Return how the arguments are read that the schema says more of than their type."""
    found: dict[str, ValueFormat] = {}
    for name, said in object_in(tool.schema.get("properties")).items():
        if name in tool.traits.secrets:
            continue
        match said:
            case {"format": "currency", "currency": str(currency)}:
                found[name] = ValueFormat(format="currency", currency=currency)
            case {"format": ("date" | "date-time") as format_}:
                found[name] = ValueFormat(format=format_)
            case {"unit": str(unit)}:
                found[name] = ValueFormat(unit=unit)
            case _:
                pass
    return found


def _table(tool: Runnable, proposal: Proposal, found: Prepared, mask: Mask) -> dict[str, object]:
    """Return what only a card of rows has: its columns, its rows, and the argument that they
    are."""
    rows = [
        Row(row_id=row_id(row), values=mask.object({k: v for k, v in row.items() if k != "row_id"}))
        for row in proposal.rows
    ]
    argument = _rows_argument(tool, proposal, found)
    changeable = _changeable_cells(tool, found, argument)
    keys = found.columns or list(dict.fromkeys(key for row in rows for key in row.values))
    return {
        "columns": [_column(key, changeable) for key in keys],
        "rows": rows,
        "rows_argument": argument,
        "rows_decidable": entries_of(proposal, tool.traits.rows) is not None,
    }


def _column(named: str | Column, changeable: set[str]) -> Column:
    if isinstance(named, Column):
        return named.model_copy(update={"editable": named.editable and named.key in changeable})
    return Column(key=named, label=_words(named), editable=named in changeable)


def _rows_argument(tool: Runnable, proposal: Proposal, found: Prepared) -> str | None:
    """Return the argument whose entries are the rows, if a person may change it."""
    name = tool.traits.rows
    if entries_of(proposal, name) is None:
        return None
    properties = object_in((edit_schema(tool, found) or {}).get("properties"))
    return name if name in properties else None


def _changeable_cells(tool: Runnable, found: Prepared, argument: str | None) -> set[str]:
    """Return the columns that a person may change: those in the tool's schema, or the ones that
    `editable` names among them."""
    if argument is None:
        return set()
    described = _described_keys(tool.schema, argument)
    allowed = _editable(tool, found)
    if allowed is None or argument in allowed:
        return described
    return {key for key in described if f"{argument}.{key}" in allowed}


def _described_keys(schema: JsonObject, argument: str) -> set[str]:
    """Return the properties of the entries of an argument that is an array of objects."""
    place = _followed(schema, schema.get("properties"), argument)
    items = _followed(schema, place, "items")
    return set(_followed(schema, items, "properties"))


def _followed(schema: JsonObject, place: JsonValue, key: str) -> JsonObject:
    """Return `place[key]`, following a reference into `$defs`; empty where there is nothing."""
    value = object_in(object_in(place).get(key))
    reference, definitions = value.get("$ref"), schema.get("$defs")
    if not isinstance(reference, str) or not isinstance(definitions, dict):
        return value
    return object_in(definitions.get(reference.removeprefix("#/$defs/")))


def _may_be_bulk(tool: Runnable, proposal: Proposal, decision: Decision) -> bool:
    """Return whether the card may be approved together with others. A warning, a second revision or
    a final confirmation needs a look of its own, whatever the policy says."""
    alone = tool.traits.final_confirmation or proposal.warnings or proposal.revision > 1
    return decision.bulk and not alone


def edit_schema(tool: Runnable, found: Prepared) -> JsonObject | None:
    """Return the JSON Schema of the arguments a person may change; None when there are none."""
    schema, allowed = tool.schema, _editable(tool, found)
    rest: JsonObject = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    kept: JsonObject = {
        name: prop
        for name, prop in object_in(schema.get("properties")).items()
        if name not in tool.traits.secrets
        and (allowed is None or any(a.partition(".")[0] == name for a in allowed))
        and _can_be_checked({"properties": {name: prop}, **rest})
    }
    if not kept:
        return None
    whole = {"type": "object", "properties": kept, "additionalProperties": False, **rest}
    return whole if _can_be_checked(whole) else None


def _can_be_checked(schema: JsonObject) -> bool:
    """Return whether an answer can be checked against this schema. An argument whose schema is
    broken is shown and cannot be changed."""
    try:
        compiled(schema)
    except SchemaInvalid:
        return False
    return True


def _editable(tool: Runnable, found: Prepared) -> Collection[str] | None:
    return found.editable if found.editable is not None else tool.traits.editable


def _words(name: str) -> str:
    return name.replace("_", " ").strip().capitalize()
