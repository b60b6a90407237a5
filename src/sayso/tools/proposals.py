"""Proposals: what a person is shown before a call acts, as a card, and whether an edit changes more
than it says."""

from __future__ import annotations

from pydantic import JsonValue

from sayso.core.cards import ApprovalCard, Change, Column, ExchangesCard, Row
from sayso.core.digest import JsonObject
from sayso.core.interactions import CardRequest, InteractionResponse, Proposal
from sayso.tools.masking import Mask
from sayso.tools.tool import Prepared, Runnable


def make_proposal(
    tool: Runnable, arguments: JsonObject, prepared: Prepared | None, *, revision: int
) -> Proposal:
    found = prepared or Prepared()
    rows = found.rows or _rows_in(arguments, tool.traits.rows)
    return Proposal(
        tool_name=tool.name,
        arguments=arguments,
        summary=found.summary,
        details=found.details if found.details is not None else {},
        rows=[{"row_id": str(n), **row} for n, row in enumerate(rows, 1)],
        impact=found.impact,
        warnings=found.warnings,
        data=found.data,
        revision=revision,
    )


def approval_request(
    tool: Runnable,
    proposal: Proposal,
    prepared: Prepared | None,
    *,
    call_key: str,
    tool_call_id: str,
    agent_name: str,
    why: str = "",
    changes: list[Change] | None = None,
) -> CardRequest:
    """The card of a proposal. Secrets never enter it: they are masked, and cannot be edited."""
    card = _card(tool, proposal, prepared or Prepared(), why, changes or [])
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
    )


def _card(
    tool: Runnable, proposal: Proposal, found: Prepared, why: str, changes: list[Change]
) -> ApprovalCard | ExchangesCard:
    traits, mask = tool.traits, Mask(tool.traits.secrets, proposal.arguments)
    summary = mask.text(proposal.summary)
    title = traits.title or summary or _words(tool.name)
    message = mask.text(found.message) if found.message else None
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
        "context": mask.object({**found.context, **({"policy": why} if why else {})}),
        "warnings": [mask.text(warning) for warning in proposal.warnings],
        "requires_reason": traits.requires_reason,
        "final_confirmation": traits.final_confirmation,
        "edit_schema": edit_schema(tool, found),
        "changes": [
            Change(path=c.path, before=mask.value(c.before), after=mask.value(c.after))
            for c in changes
        ],
    }
    if not proposal.rows:
        return ApprovalCard.model_validate(fields)
    rows = [
        Row(row_id=row_id(row), values=mask.object({k: v for k, v in row.items() if k != "row_id"}))
        for row in proposal.rows
    ]
    keys = found.columns or list(dict.fromkeys(key for row in rows for key in row.values))
    columns = [Column(key=key, label=_words(key)) for key in keys]
    return ExchangesCard.model_validate({**fields, "columns": columns, "rows": rows})


def edit_schema(tool: Runnable, found: Prepared) -> JsonObject | None:
    """JSON Schema of the arguments a person may change; None when there are none."""
    schema = tool.schema
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return None
    allowed = found.editable if found.editable is not None else tool.traits.editable
    kept: JsonObject = {
        name: prop
        for name, prop in properties.items()
        if name not in tool.traits.secrets and (allowed is None or name in allowed)
    }
    if not kept:
        return None
    rest = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    return {"type": "object", "properties": kept, "additionalProperties": False, **rest}


def changes_beyond(old: Proposal, new: Proposal, edits: JsonObject) -> list[Change]:
    """What differs between two proposals apart from the edited fields themselves."""
    changes: list[Change] = []
    for name, before, after in (
        ("details", old.details, new.details),
        ("data", old.data, new.data),
    ):
        changes += _differences(name, before, after, edits)
    if old.impact != new.impact:
        changes.append(Change(path="impact", before=old.impact, after=new.impact))
    old_rows = {row_id(row): row for row in old.rows}
    new_rows = {row_id(row): row for row in new.rows}
    for key in [*old_rows, *(k for k in new_rows if k not in old_rows)]:
        before_row, after_row = old_rows.get(key), new_rows.get(key)
        if before_row is None or after_row is None:
            changes.append(Change(path=f"rows/{key}", before=before_row, after=after_row))
        else:
            changes += _differences(f"rows/{key}", before_row, after_row, edits)
    return changes


def edited_changes(old: Proposal, edits: JsonObject) -> list[Change]:
    """The person's own edits, as the next revision shows them."""
    return [
        Change(path=f"arguments/{name}", before=old.arguments.get(name), after=value)
        for name, value in edits.items()
        if old.arguments.get(name) != value
    ]


def arguments_to_run(
    proposal: Proposal, said: InteractionResponse | None, rows_argument: str | None
) -> JsonObject:
    """The stored arguments with the person's edits, and of the rows only those approved."""
    data = said.response_data if said is not None else None
    arguments = {**proposal.arguments, **(data.edits if data else {})}
    if data is None or rows_argument is None or not data.rejected_rows:
        return arguments
    rows = arguments.get(rows_argument)
    if isinstance(rows, list) and len(rows) == len(proposal.rows):
        arguments[rows_argument] = [
            row
            for row, shown in zip(rows, proposal.rows, strict=True)
            if row_id(shown) not in data.rejected_rows
        ]
    return arguments


def approved_part(proposal: Proposal, said: InteractionResponse | None) -> Proposal:
    """The proposal as the body sees it: without the rows that were refused."""
    refused = said.response_data.rejected_rows if said is not None else {}
    if not refused:
        return proposal
    kept = [row for row in proposal.rows if row_id(row) not in refused]
    return proposal.model_copy(update={"rows": kept})


def row_id(row: JsonObject) -> str:
    return str(row["row_id"])


def revision_key(call_key: str, revision: int) -> str:
    """The call key of a proposal's revision: the call's own for the first."""
    return call_key if revision == 1 else f"{call_key}#r{revision}"


def _rows_in(arguments: JsonObject, name: str | None) -> list[JsonObject]:
    rows = arguments.get(name) if name is not None else None
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _differences(
    place: str, before: JsonObject, after: JsonObject, edits: JsonObject
) -> list[Change]:
    keys = [*before, *(key for key in after if key not in before)]
    return [
        Change(path=f"{place}/{key}", before=before.get(key), after=after.get(key))
        for key in keys
        if before.get(key) != after.get(key) and not _is_the_edit(key, after.get(key), edits)
    ]


def _is_the_edit(key: str, value: JsonValue, edits: JsonObject) -> bool:
    return key in edits and edits[key] == value


def _words(name: str) -> str:
    return name.replace("_", " ").strip().capitalize()
