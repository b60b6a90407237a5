"""Proposals, which people are shown before a call acts, and what their answers allow.

Each revision of a proposal has a card of its own, and the newest answer counts.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import JsonValue

from sayso.core.cards import Change
from sayso.core.digest import JsonObject, canonical_json
from sayso.core.effects import Effect, GrantUse
from sayso.core.interactions import Interaction, InteractionResponse, Proposal
from sayso.core.record import Allowed
from sayso.tools.answer_messages import approval_answer, approval_notes
from sayso.tools.masking import Mask
from sayso.tools.segment_env import SegmentEnv
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
        rows=_named(rows),
        impact=found.impact,
        warnings=found.warnings,
        data=found.data,
        revision=revision,
    )


def changes_beyond(
    old: Proposal, new: Proposal, edits: JsonObject, rows_argument: str | None = None
) -> list[Change]:
    """Return what differs between two proposals apart from the edits themselves. A changed cell is
    an edit of the argument that the rows are."""
    changes: list[Change] = []
    changes += _differences("details", old.details, new.details, edits)
    changes += _differences("data", old.data, new.data, edits)
    if old.impact != new.impact:
        changes.append(Change(path="impact", before=old.impact, after=new.impact))
    old_rows = {row_id(row): row for row in old.rows}
    new_rows = {row_id(row): row for row in new.rows}
    cells = _edited_cells(old, edits, rows_argument)
    for key in old_rows | new_rows:
        before_row, after_row = old_rows.get(key), new_rows.get(key)
        if before_row is None or after_row is None:
            changes.append(Change(path=f"rows/{key}", before=before_row, after=after_row))
        else:
            changes += _differences(f"rows/{key}", before_row, after_row, cells.get(key, edits))
    return changes


def _edited_cells(
    old: Proposal, edits: JsonObject, rows_argument: str | None
) -> dict[str, JsonObject]:
    """Return the edited entry of each row, by the row's id."""
    entries = edits.get(rows_argument) if rows_argument is not None else None
    if not isinstance(entries, list) or len(entries) != len(old.rows):
        return {}
    return {
        row_id(row): entry
        for row, entry in zip(old.rows, entries, strict=True)
        if isinstance(entry, dict)
    }


def edited_changes(old: Proposal, edits: JsonObject) -> list[Change]:
    """Return the person's own edits, as the next revision shows them."""
    return [
        Change(path=f"arguments/{name}", before=old.arguments.get(name), after=value)
        for name, value in edits.items()
        if old.arguments.get(name) != value
    ]


def entries_of(proposal: Proposal, rows_argument: str | None) -> list[tuple[str, JsonValue]] | None:
    """Return each row's id with the argument's entry for it. None where rows and entries are not
    one to one: then no row can run without the others."""
    entries = proposal.arguments.get(rows_argument) if rows_argument is not None else None
    if not isinstance(entries, list) or len(entries) != len(proposal.rows):
        return None
    if len({row_id(row) for row in proposal.rows}) != len(proposal.rows):
        return None
    pairs = list(zip(proposal.rows, entries, strict=True))
    if not all(_shows(row, entry) for row, entry in pairs):
        return None
    return [(row_id(row), entry) for row, entry in pairs]


def _shows(row: JsonObject, entry: JsonValue) -> bool:
    """Return whether a row shows all of an entry; it may show looked-up values beside it."""
    if not isinstance(entry, dict):
        return False
    shown: JsonObject = {key: row[key] for key in entry if key in row and key != "row_id"}
    meant: JsonObject = {key: value for key, value in entry.items() if key != "row_id"}
    return canonical_json(shown) == canonical_json(meant)


def _named(rows: list[JsonObject]) -> list[JsonObject]:
    """Return the rows with an id each: their own where all have one and no two are the same, else
    their numbers."""
    own = [row.get("row_id") for row in rows]
    are_names = all(isinstance(name, str | int) and name != "" for name in own)
    if are_names and len(set(map(str, own))) == len(rows):
        return rows
    return [{**row, "row_id": str(n)} for n, row in enumerate(rows, 1)]


def row_id(row: JsonObject) -> str:
    return str(row["row_id"])


def _rows_in(arguments: JsonObject, name: str | None) -> list[JsonObject]:
    """Return the entries of the rows argument; none where one of them cannot be shown as a row."""
    rows = arguments.get(name) if name is not None else None
    found = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return found if isinstance(rows, list) and len(found) == len(rows) else []


def _differences(
    place: str, before: JsonObject, after: JsonObject, edits: JsonObject
) -> list[Change]:
    return [
        Change(path=f"{place}/{key}", before=before.get(key), after=after.get(key))
        for key in before | after
        if before.get(key) != after.get(key) and not _is_the_edit(key, after.get(key), edits)
    ]


def _is_the_edit(key: str, value: JsonValue, edits: JsonObject) -> bool:
    return key in edits and edits[key] == value


@dataclass(frozen=True, slots=True, kw_only=True)
class Approved:
    """The approval under which a body runs; empty where none was needed."""

    proposal: Proposal | None = None
    shown_digest: str | None = None
    #: The grant under which a gated action runs.
    grant: GrantUse | None = None

    @property
    def is_by_a_person(self) -> bool:
        return self.shown_digest is not None or self.grant is not None


def revision_key(call_key: str, number: int) -> str:
    """Return the call key of a call's n-th card: the call's own for the first."""
    return call_key if number == 1 else f"{call_key}#r{number}"


def next_card_key(env: SegmentEnv, call_key: str) -> str:
    """Return the call key of the card that comes after the answered ones."""
    return revision_key(call_key, len(_answers(env, call_key)) + 1)


def newest_answer(env: SegmentEnv, call_key: str) -> Interaction | None:
    answers = _answers(env, call_key)
    return answers[-1] if answers else None


def was_refused(env: SegmentEnv, call_key: str) -> bool:
    """Return whether a person was asked about the call and said no."""
    it = newest_answer(env, call_key)
    return it is not None and not approval_answer(it).approved


def notes_of(env: SegmentEnv, call_key: str) -> tuple[str, ...]:
    """Return what the model must know of the approvals of a call."""
    approvals = [it for it in _answers(env, call_key) if approval_answer(it).approved]
    return tuple(note for it in approvals for note in approval_notes(it))


def approval_of(env: SegmentEnv, effect: Effect) -> Approved:
    """Return the approval under which an attempt was started, for the attempt after it."""
    it = newest_answer(env, effect.key)
    proposal = it.proposal if it is not None else None
    if proposal is not None and it is not None:
        proposal = approved_part(proposal, it.response).model_copy(
            update={"arguments": dict(effect.arguments)}
        )
    return Approved(proposal=proposal, shown_digest=effect.shown_digest)


def _answers(env: SegmentEnv, call_key: str) -> list[Interaction]:
    found: list[Interaction] = []
    while (it := env.answer(revision_key(call_key, len(found) + 1))) is not None:
        found.append(it)
    return found


def approved_part(proposal: Proposal, said: InteractionResponse | None) -> Proposal:
    """Return the proposal as the body sees it: without the rows that were not approved."""
    approved = _approved_rows(proposal, said)
    if approved is None:
        return proposal
    kept = [row for row in proposal.rows if row_id(row) in approved]
    return proposal.model_copy(update={"rows": kept})


def arguments_to_run(
    proposal: Proposal, said: InteractionResponse | None, rows_argument: str | None
) -> JsonObject | None:
    """Return the stored arguments, with only the rows that the answer approves; None where these
    cannot be told from the others."""
    approved = _approved_rows(proposal, said)
    if approved is None:
        return proposal.arguments
    entries = entries_of(proposal, rows_argument)
    if entries is None or rows_argument is None or not approved:
        return None
    kept = [entry for row, entry in entries if row in approved]
    return {**proposal.arguments, rows_argument: kept}


def _approved_rows(proposal: Proposal, said: InteractionResponse | None) -> set[str] | None:
    """Return the rows that an answer names with a yes; None where it approves the whole
    proposal."""
    data = said.response_data if said is not None else None
    if data is None or (data.approved_rows is None and not data.rejected_rows):
        return None
    approved = set(data.approved_rows or ()) - set(data.rejected_rows)
    every = {row_id(row) for row in proposal.rows}
    return None if not data.rejected_rows and approved >= every else approved


def allowed_as(
    it: Interaction, shown: Proposal, executed: Proposal, part: Proposal, mask: Mask
) -> Allowed:
    """Return how the record describes an approved call: under `prepare`'s summary of exactly what
    runs, with the person's changes. A summary that covers refused rows is left out."""
    edits = it.response.response_data.edits if it.response is not None else {}
    is_whole = len(part.rows) == len(executed.rows)
    summary = executed.summary if is_whole else ""
    return Allowed(
        interaction_id=it.id,
        title=mask.text(summary) or None,
        changed=[
            mask.change(change)
            for name, value in edits.items()
            for change in _changed(name, shown.arguments.get(name), value)
        ],
    )


def _changed(path: str, before: JsonValue, after: JsonValue) -> list[Change]:
    """Return what differs, each change at its own place: in a table, the cell."""
    if before == after and type(before) is type(after):
        return []
    if isinstance(before, dict) and isinstance(after, dict):
        parts = [
            _changed(f"{path}/{key}", before.get(key), after.get(key)) for key in before | after
        ]
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        parts = [
            _changed(f"{path}/{n}", old, new)
            for n, (old, new) in enumerate(zip(before, after, strict=True), 1)
        ]
    else:
        return [Change(path=path, before=before, after=after)]
    return [change for part in parts for change in part]
