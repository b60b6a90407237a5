"""What comes out of a body: JSON of a bounded size, and the cards that seed 1's shapes become."""

from __future__ import annotations

import orjson
from pydantic import JsonValue
from pydantic_core import PydanticSerializationError, to_jsonable_python

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
from sayso.core.events import ErrorShown, EventData, UiToolOpened
from sayso.core.ids import derived_id
from sayso.tools.masking import Mask
from sayso.tools.outcomes import error_result

#: A result goes to a model, a row and every client; beyond this it belongs in an artifact or a
#: file.
MAX_RESULT_BYTES = 1_000_000


def as_result(raw: object) -> JsonValue:
    """The body's value as JSON. One that cannot be told becomes an error that says the tool did
    run."""
    try:
        value: JsonValue = to_jsonable_python(raw, inf_nan_mode="null")
        size = len(orjson.dumps(value))
    except (PydanticSerializationError, ValueError, TypeError) as exc:
        return error_result(
            f"The tool ran, but its result cannot be written as JSON: {exc}",
            suggestion="Do not call it again for that; its author needs to return plain data.",
        )
    if size > MAX_RESULT_BYTES:
        return error_result(
            f"The tool ran, but its result has {size} bytes; the limit is {MAX_RESULT_BYTES}.",
            suggestion="Ask for less, or for a part of it.",
        )
    return value


def is_error(value: JsonValue) -> bool:
    return isinstance(value, dict) and value.get("status") in ("error", "critical_failure")


def error_text(value: JsonValue) -> str:
    return str(value.get("message") or "It failed.") if isinstance(value, dict) else "It failed."


def cards_in(
    tool_name: str,
    value: JsonValue,
    *,
    run_id: str,
    call_id: str,
    agent_name: str,
    arguments: JsonObject,
    schema: JsonObject,
    mask: Mask,
) -> list[EventData]:
    """The events of the card that a result shows by itself: a validation report or an error."""
    found = detect(tool_name, mask.value(value))
    if not isinstance(found, Shows):
        return []
    card = found.card
    if isinstance(card, CriticalFailureCard | RecoverableErrorCard):
        retry = Retry(
            tool_call_id=call_id,
            tool_name=tool_name,
            arguments=mask.object(arguments),
            arguments_schema=schema,
        )
        card = card.model_copy(update={"retry": retry})
        return [_error_shown(card, run_id, call_id, agent_name)]
    if isinstance(card, ValidationCard):
        return [_opened(card, run_id, call_id, agent_name)]
    return []


def _error_shown(
    card: CriticalFailureCard | RecoverableErrorCard, run_id: str, call_id: str, agent_name: str
) -> ErrorShown:
    return ErrorShown(
        message_id=derived_id(call_id, card.card.value),
        ui_tool_id="critical_failure"
        if isinstance(card, CriticalFailureCard)
        else "recoverable_error",
        agent_name=agent_name,
        run_id=run_id,
        payload=payload_of(card, CardMeta(card=card.card, run_id=run_id, tool_call_id=call_id)),
    )


def _opened(card: Card, run_id: str, call_id: str, agent_name: str) -> UiToolOpened:
    return UiToolOpened(
        ui_tool_id=card.card.value,
        eventId=derived_id(call_id, card.card.value),
        workflow_name=agent_name,
        display=Display.INLINE,
        payload=payload_of(card, CardMeta(card=card.card, run_id=run_id, tool_call_id=call_id)),
    )
