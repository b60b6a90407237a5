"""Results of tools that are cards: ones that ask a person, whose answer the model gets in their
place, and ones that only show something."""

from __future__ import annotations

from pydantic import JsonValue

from sayso.core.cards import (
    ApprovalCard,
    Card,
    CardMeta,
    ConfirmationCard,
    CriticalFailureCard,
    Display,
    RecoverableErrorCard,
    Retry,
    ValidationCard,
    payload_of,
)
from sayso.core.digest import JsonObject
from sayso.core.events import ErrorShown, EventData, ToolCallStatus, UiToolOpened
from sayso.core.ids import derived_id
from sayso.core.interactions import CardRequest, Interaction, InteractionState
from sayso.core.tool_result_cards import Asks, Shows, detect
from sayso.tools.calls import Call


def result_key(call_key: str) -> str:
    """Return the call key of the card that a result is."""
    return f"{call_key}!result"


def status_of_request(asked: Interaction) -> ToolCallStatus:
    """Return how a call ends whose result asked a person: done by an answer, not by a no or by
    nobody."""
    said = asked.response
    answered = (InteractionState.COMPLETED, InteractionState.EXPIRED)
    if said is None or asked.state not in answered:
        return ToolCallStatus.REJECTED
    is_no = isinstance(asked.card, ApprovalCard | ConfirmationCard) and said.decision == "reject"
    return ToolCallStatus.REJECTED if is_no else ToolCallStatus.DONE


def card_in(call: Call, result: JsonValue) -> CardRequest | None:
    """Return the card that this result is; None where it asks nothing, or where its tool was
    declared with `@tool`: such a tool asks through its context, unless it says `detect=True`."""
    traits = call.tool.traits
    reads = traits.detect or not call.tool.is_ours
    found = detect(call.tool.name, result) if reads else None
    if not isinstance(found, Asks):
        return None
    return CardRequest(
        call_key=result_key(call.key),
        card=found.card,
        ui_tool_id=found.card.card.value,
        agent_name=call.agent_name,
        tool_call_id=call.id,
        expires_in=traits.expires_in,
        on_expiry=traits.on_expiry,
        assignees=traits.assignees,
    )


def card_shown(call: Call, run_id: str, result: JsonValue) -> EventData | None:
    """Return the card that shows a result which is a validation report or an error."""
    found = detect(call.tool.name, call.mask.value(result))
    match found.card if isinstance(found, Shows) else None:
        case CriticalFailureCard() | RecoverableErrorCard() as card:
            retry = Retry(
                tool_call_id=call.id,
                tool_name=call.tool.name,
                arguments=call.mask.object(call.arguments),
                arguments_schema=call.tool.schema,
            )
            return _error_shown(card.model_copy(update={"retry": retry}), run_id, call)
        case ValidationCard() as card:
            return _opened(card, run_id, call)
        case _:
            return None


def _error_shown(
    card: CriticalFailureCard | RecoverableErrorCard, run_id: str, call: Call
) -> ErrorShown:
    return ErrorShown(
        message_id=derived_id(call.id, card.card.value),
        ui_tool_id="critical_failure"
        if isinstance(card, CriticalFailureCard)
        else "recoverable_error",
        agent_name=call.agent_name,
        run_id=run_id,
        payload=_payload(card, run_id, call),
    )


def _opened(card: ValidationCard, run_id: str, call: Call) -> UiToolOpened:
    return UiToolOpened(
        ui_tool_id=card.card.value,
        eventId=derived_id(call.id, card.card.value),
        workflow_name=call.agent_name,
        display=Display.INLINE,
        payload=_payload(card, run_id, call),
    )


def _payload(card: Card, run_id: str, call: Call) -> JsonObject:
    return payload_of(card, CardMeta(card=card.card, run_id=run_id, tool_call_id=call.id))
