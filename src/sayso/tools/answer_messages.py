"""The messages that a model gets: for a person's answer, for a refusal, for an error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from sayso.core.cards import ApprovalCard, ConfirmationCard
from sayso.core.digest import JsonObject
from sayso.core.errors import SaysoError, SystemAway
from sayso.core.interactions import (
    DEFAULT_REJECTION,
    DISMISSED_RESULT,
    Interaction,
    InteractionResponse,
    InteractionState,
)
from sayso.core.raised import as_text


@dataclass(frozen=True, slots=True)
class ApprovalAnswer:
    """A person's yes or no to a card, in their own words. It is true when it was a yes."""

    approved: bool
    status: str
    reason: str = ""
    suggestions: tuple[str, ...] = ()
    edits: Mapping[str, JsonValue] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.approved


def approval_answer(it: Interaction) -> ApprovalAnswer:
    """Return what a settled interaction decided. No answer is a no."""
    said = it.response
    if said is None or it.state in (
        InteractionState.DISMISSED,
        InteractionState.CANCELLED,
        InteractionState.SUPERSEDED,
    ):
        status = "dismissed" if it.state is not InteractionState.EXPIRED else "expired"
        return ApprovalAnswer(False, status, DEFAULT_REJECTION)
    edits = dict(said.response_data.edits)
    if said.decision == "reject":
        status = "expired" if it.state is InteractionState.EXPIRED else "rejected"
        reason = said.user_message or DEFAULT_REJECTION
        return ApprovalAnswer(False, status, reason, tuple(said.response_data.suggestions), edits)
    return ApprovalAnswer(True, "approved", said.user_message or "", edits=edits)


def refusal_result(answer: ApprovalAnswer) -> JsonObject:
    """Return the result of a call that a person did not let run."""
    if answer.status == "dismissed":
        return dict(DISMISSED_RESULT)
    result: JsonObject = {"status": answer.status, "reason": answer.reason}
    if answer.suggestions:
        result["suggestions"] = list(answer.suggestions)
    return result


def tool_response(it: Interaction, asking_tool: str) -> JsonObject:
    """Return the `tool_response` for the answer to a card: it takes the place of the asking tool's
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


def approval_decision(it: Interaction) -> JsonObject:
    """Return the decision alone, for an agent that asked by itself; no answer is a no."""
    if it.response is None:
        return {"decision": "reject", "reason": DEFAULT_REJECTION, **DISMISSED_RESULT}
    return _decision(it.response)


def _decision(said: InteractionResponse) -> JsonObject:
    data = said.response_data
    body: JsonObject = {"decision": said.decision}
    if said.user_message:
        body["reason"] = said.user_message
    elif said.decision == "reject":
        body["reason"] = DEFAULT_REJECTION
    if data.suggestions:
        body["suggestions"] = list(data.suggestions)
    if said.decision != "reject" and data.approved_rows is not None:
        body["approved_rows"] = list(data.approved_rows)
    if data.rejected_rows:
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
    """Return the result as the model gets it: alone, or beside notes on what a person changed or
    said."""
    return {"result": result, "note": " ".join(notes)} if notes else result


def approval_notes(it: Interaction) -> list[str]:
    """Return what the model must know of an approval: changed arguments, refused rows, the person's
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
    """Return the error as the approval payload shapes it, for the model."""
    body: JsonObject = {"status": "error", "message": as_text(message)}
    if suggestion:
        body["suggestion"] = as_text(suggestion)
    if errors:
        body["errors"] = list(errors)
    if code:
        body["code"] = code
    return body


def critical_result(exc: SystemAway) -> JsonObject:
    """Return a critical failure as the approval payload shapes it."""
    return {
        "status": "critical_failure",
        "message": exc.detail,
        "details": exc.details,
        "resolution_steps": [*exc.steps],
    }


def sentences(message: str, suggestion: str | None) -> str:
    """Join both into one line, for people."""
    if not suggestion:
        return message
    stop = "" if message.rstrip().endswith((".", "!", "?", "。", "！", "？")) else "."
    return f"{message}{stop} {suggestion}"


def error_of(exc: SaysoError) -> JsonObject:
    """Return one of our errors in the shape of `error_result`."""
    return error_result(exc.detail, suggestion=exc.fix, code=exc.code)


def unknown_tool(name: str, known: list[str]) -> JsonObject:
    said = f"There is no tool named '{name}'."
    return error_result(
        said, suggestion=f"Known tools: {', '.join(known)}." if known else "There are no tools."
    )


def _word(value: JsonValue) -> str:
    return "nothing" if value is None else str(value)
