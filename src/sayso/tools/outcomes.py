"""What the model is told: of an answer in seed 1's words, of a refusal, of an error."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import JsonValue

from sayso.core.cards import ApprovalCard, ConfirmationCard
from sayso.core.digest import JsonObject
from sayso.core.errors import SaysoError
from sayso.core.interactions import (
    DEFAULT_REJECTION,
    DISMISSED_RESULT,
    Interaction,
    InteractionResponse,
    InteractionState,
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """An answer as a decision: yes or no, in the person's own words."""

    approved: bool
    status: str
    reason: str
    suggestions: tuple[str, ...] = ()


def outcome_of(it: Interaction) -> Outcome:
    """What a settled interaction decided. No answer is a no."""
    said = it.response
    if said is None or it.state in (
        InteractionState.DISMISSED,
        InteractionState.CANCELLED,
        InteractionState.SUPERSEDED,
    ):
        status = "dismissed" if it.state is not InteractionState.EXPIRED else "expired"
        return Outcome(False, status, DEFAULT_REJECTION)
    if said.decision == "reject":
        status = "expired" if it.state is InteractionState.EXPIRED else "rejected"
        reason = said.user_message or DEFAULT_REJECTION
        return Outcome(False, status, reason, tuple(said.response_data.suggestions))
    return Outcome(True, "approved", said.user_message or "")


def refusal_result(outcome: Outcome) -> JsonObject:
    """The result of one of our tools that a person did not let run."""
    if outcome.status == "dismissed":
        return dict(DISMISSED_RESULT)
    result: JsonObject = {"status": outcome.status, "reason": outcome.reason}
    if outcome.suggestions:
        result["suggestions"] = list(outcome.suggestions)
    return result


def tool_response(it: Interaction, asking_tool: str) -> JsonObject:
    """Seed 1's `tool_response` for the answer to a card: what takes the place of the asking tool's
    result."""
    said = it.response
    if said is None or it.state is InteractionState.DISMISSED:
        return dict(DISMISSED_RESULT)
    body: JsonObject = {"tool_name": asking_tool}
    if isinstance(it.card, ApprovalCard | ConfirmationCard):
        body["approval_decision"] = _decision(said)
    else:
        body["user_input"] = _user_input(said)
    if it.state is InteractionState.EXPIRED:
        body["status"] = "expired"
    return {"tool_response": body}


def _decision(said: InteractionResponse) -> JsonObject:
    data = said.response_data
    body: JsonObject = {"decision": said.decision}
    if said.user_message:
        body["reason"] = said.user_message
    elif said.decision == "reject":
        body["reason"] = DEFAULT_REJECTION
    if data.suggestions:
        body["suggestions"] = list(data.suggestions)
    if data.rejected_rows:
        body["approved_rows"] = list(data.approved_rows or ())
        body["rejected_rows"] = dict(data.rejected_rows)
    if data.edits:
        body["edits"] = data.edits
    return body


def _user_input(said: InteractionResponse) -> JsonObject:
    data = said.response_data
    body: JsonObject = {}
    if data.selected_option is not None:
        body["selected_option"] = data.selected_option
    if data.additional_notes is not None:
        body["additional_notes"] = data.additional_notes
    if data.values:
        body["values"] = data.values
    return body


def with_note(result: JsonValue, notes: list[str]) -> JsonValue:
    """The result as the model gets it: as it is, or beside what a person changed or said."""
    return {"result": result, "note": " ".join(notes)} if notes else result


def approval_notes(it: Interaction) -> list[str]:
    """What the model must know of an approval: changed arguments, refused rows, the person's
    words."""
    said, proposal = it.response, it.proposal
    if said is None or proposal is None:
        return []
    notes = [
        f"A person changed {name} from {_word(proposal.arguments.get(name))} to {_word(value)} "
        "before it ran."
        for name, value in said.response_data.edits.items()
        if proposal.arguments.get(name) != value
    ]
    notes += [
        f"A person did not approve row {row}" + (f": {why}." if why else ".")
        for row, why in said.response_data.rejected_rows.items()
    ]
    if said.user_message:
        notes.append(f"The person said: {said.user_message}")
    return notes


def error_result(
    message: str,
    *,
    suggestion: str | None = None,
    errors: list[JsonObject] | None = None,
    code: str | None = None,
) -> JsonObject:
    """Seed 1's error shape, for the model."""
    body: JsonObject = {"status": "error", "message": message}
    if suggestion:
        body["suggestion"] = suggestion
    if errors:
        body["errors"] = list(errors)
    if code:
        body["code"] = code
    return body


def error_of(exc: SaysoError) -> JsonObject:
    """An error of ours in that shape."""
    return error_result(exc.detail, suggestion=exc.fix, code=exc.code)


def unknown_tool(name: str, known: list[str]) -> JsonObject:
    said = f"There is no tool named '{name}'."
    return error_result(
        said, suggestion=f"Known tools: {', '.join(known)}." if known else "There are no tools."
    )


def _word(value: JsonValue) -> str:
    return "nothing" if value is None else str(value)
