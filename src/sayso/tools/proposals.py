"""Proposals: what a person is shown before a call acts, as a card, and whether an edit changes more
than it says."""

from __future__ import annotations

from collections.abc import Collection

from pydantic import JsonValue

from sayso.core.cards import ApprovalCard, Change, Column, ExchangesCard, Row
from sayso.core.digest import JsonObject
from sayso.core.interactions import CardRequest, InteractionResponse, Proposal
from sayso.core.policy import Decision, Verdict
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
    decision: Decision,
    changes: list[Change] | None = None,
) -> CardRequest:
    """The card of a proposal. Secrets never enter it: they are masked, and cannot be edited."""
    card = _card(tool, proposal, prepared or Prepared(), decision, changes or [])
    remembered = decision.verdict is Verdict.ASK and decision.may_be_remembered
    card = card.model_copy(update={"may_be_remembered": remembered})
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
        "edit_schema": edit_schema(tool, found),
        "changes": [
            Change(path=c.path, before=mask.value(c.before), after=mask.value(c.after))
            for c in changes
        ],
    }
    if not proposal.rows:
        bulk = _may_be_bulk(tool, proposal, decision)
        return ApprovalCard.model_validate({**fields, "bulk": bulk})
    return ExchangesCard.model_validate({**fields, **_table(tool, proposal, found, mask)})


def _table(tool: Runnable, proposal: Proposal, found: Prepared, mask: Mask) -> dict[str, object]:
    """What a card of rows has beside: its columns, its rows, and which argument they are."""
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
    }


def _column(named: str | Column, changeable: set[str]) -> Column:
    if isinstance(named, Column):
        return named.model_copy(update={"editable": named.editable and named.key in changeable})
    return Column(key=named, label=_words(named), editable=named in changeable)


def _rows_argument(tool: Runnable, proposal: Proposal, found: Prepared) -> str | None:
    """The argument whose entries are the rows, if a person may change it."""
    name = tool.traits.rows
    entries = proposal.arguments.get(name) if name is not None else None
    if not isinstance(entries, list) or len(entries) != len(proposal.rows):
        return None
    properties = (edit_schema(tool, found) or {}).get("properties")
    return name if isinstance(properties, dict) and name in properties else None


def _changeable_cells(tool: Runnable, found: Prepared, argument: str | None) -> set[str]:
    """The keys of the rows that a person may change: those that the tool's schema describes, or of
    them the ones that `editable` names."""
    if argument is None:
        return set()
    described = _described_keys(tool.schema, argument)
    allowed = _editable(tool, found)
    if allowed is None or argument in allowed:
        return described
    return {key for key in described if f"{argument}.{key}" in allowed}


def _described_keys(schema: JsonObject, argument: str) -> set[str]:
    """The properties of the entries of an argument that is an array of objects."""
    place = _followed(schema, schema.get("properties"), argument)
    items = _followed(schema, place, "items")
    properties = _followed(schema, items, "properties")
    return set(properties)


def _followed(schema: JsonObject, place: JsonValue, key: str) -> JsonObject:
    """`place[key]`, with a reference into `$defs` followed; empty where there is nothing."""
    value = place.get(key) if isinstance(place, dict) else None
    if not isinstance(value, dict):
        return {}
    reference, definitions = value.get("$ref"), schema.get("$defs")
    if not isinstance(reference, str) or not isinstance(definitions, dict):
        return value
    meant = definitions.get(reference.removeprefix("#/$defs/"))
    return meant if isinstance(meant, dict) else {}


def _may_be_bulk(tool: Runnable, proposal: Proposal, decision: Decision) -> bool:
    """Whatever the policy says: a warning, a second revision and what needs a second look are
    looked at alone."""
    alone = tool.traits.final_confirmation or proposal.warnings or proposal.revision > 1
    return decision.bulk and not alone


def edit_schema(tool: Runnable, found: Prepared) -> JsonObject | None:
    """JSON Schema of the arguments a person may change; None when there are none."""
    schema = tool.schema
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return None
    allowed = _editable(tool, found)
    kept: JsonObject = {
        name: prop
        for name, prop in properties.items()
        if name not in tool.traits.secrets
        and (allowed is None or any(a.partition(".")[0] == name for a in allowed))
    }
    if not kept:
        return None
    rest = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    return {"type": "object", "properties": kept, "additionalProperties": False, **rest}


def _editable(tool: Runnable, found: Prepared) -> Collection[str] | None:
    return found.editable if found.editable is not None else tool.traits.editable


def changes_beyond(
    old: Proposal, new: Proposal, edits: JsonObject, rows_argument: str | None = None
) -> list[Change]:
    """What differs between two proposals apart from the edited fields themselves: a changed cell
    is an edit of the argument that the rows are."""
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
    cells = _edited_cells(old, edits, rows_argument)
    for key in [*old_rows, *(k for k in new_rows if k not in old_rows)]:
        before_row, after_row = old_rows.get(key), new_rows.get(key)
        if before_row is None or after_row is None:
            changes.append(Change(path=f"rows/{key}", before=before_row, after=after_row))
        else:
            changes += _differences(f"rows/{key}", before_row, after_row, cells.get(key, edits))
    return changes


def _edited_cells(
    old: Proposal, edits: JsonObject, rows_argument: str | None
) -> dict[str, JsonObject]:
    """What a person has made of each row, by its id."""
    entries = edits.get(rows_argument) if rows_argument is not None else None
    if not isinstance(entries, list) or len(entries) != len(old.rows):
        return {}
    return {
        row_id(row): entry
        for row, entry in zip(old.rows, entries, strict=True)
        if isinstance(entry, dict)
    }


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
