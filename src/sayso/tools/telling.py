"""What a chat is told of a call: that it was made, that it waits, how it came out.

A result that is a validation report or an error comes with its card. Secrets are masked in all of
it.
"""

from __future__ import annotations

from pydantic import JsonValue

from sayso.core.cards import (
    Card,
    CardMeta,
    CriticalFailureCard,
    Display,
    RecoverableErrorCard,
    Retry,
    ValidationCard,
    payload_of,
)
from sayso.core.detect import Shows, detect
from sayso.core.digest import JsonObject
from sayso.core.effects import Effect
from sayso.core.events import (
    ErrorShown,
    EventData,
    ToolCalled,
    ToolCallStatus,
    ToolReturned,
    UiToolOpened,
)
from sayso.core.ids import derived_id
from sayso.tools.call import Call


def made(call: Call, run_id: str) -> ToolCalled:
    return ToolCalled(
        tool_call_id=call.id,
        name=call.tool.name,
        arguments=call.mask.object(call.arguments),
        run_id=run_id,
        agent_name=call.agent_name,
    )


def waits(call: Call) -> ToolReturned:
    return ToolReturned(tool_call_id=call.id, status=ToolCallStatus.WAITING)


def came_out(
    call: Call,
    run_id: str,
    status: ToolCallStatus,
    result: JsonValue,
    *,
    error: str | None,
    arguments: JsonObject | None,
    effect: Effect | None = None,
    ran_seconds: float | None = None,
) -> list[EventData]:
    """How a call ended. `arguments` are those that ran, where they may differ from those that were
    asked for."""
    returned = ToolReturned(
        tool_call_id=call.id,
        status=status,
        result=call.mask.value(result),
        error=call.mask.text(error) if error is not None else None,
        arguments=call.mask.object(arguments) if arguments is not None else None,
        ran_seconds=ran_seconds,
        shown_digest=effect.shown_digest if effect is not None else None,
        executed_digest=effect.executed_digest if effect is not None else None,
    )
    found = detect(call.tool.name, call.mask.value(result))
    match found.card if isinstance(found, Shows) else None:
        case CriticalFailureCard() | RecoverableErrorCard() as card:
            retry = Retry(
                tool_call_id=call.id,
                tool_name=call.tool.name,
                arguments=call.mask.object(call.arguments),
                arguments_schema=call.tool.schema,
            )
            shown = card.model_copy(update={"retry": retry})
            return [returned, _error_shown(shown, run_id, call)]
        case ValidationCard() as card:
            return [returned, _opened(card, run_id, call)]
        case _:
            return [returned]


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
