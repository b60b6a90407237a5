"""How people are told that a run has failed: its error, the card that shows it, and the card that
offers to try it again."""

from __future__ import annotations

from sayso.core.cards import CardKind, CardMeta, RecoverableErrorCard, payload_of
from sayso.core.digest import JsonObject
from sayso.core.errors import ModelUnavailable, SaysoError
from sayso.core.events import ErrorShown, EventData, MessageStatus, MessageWritten
from sayso.core.ids import derived_id
from sayso.core.messages import detail_coded, parts_of
from sayso.core.model_trouble import failure_id
from sayso.core.store_results import Fence


def error_card(error: SaysoError, *, message_id: str, agent: str, run_id: str) -> ErrorShown:
    """Return the card that shows why a run failed: a critical failure."""
    return ErrorShown(
        message_id=message_id,
        ui_tool_id="critical_failure",
        agent_name=agent,
        run_id=run_id,
        payload={
            "title": error.title,
            "status": "critical_failure",
            "message": error.title,
            "details": error.detail,
            "code": error.code,
            "resolution_steps": [error.fix] if error.fix else [],
            "sayso": {
                "card": "critical_failure",
                "run_id": run_id,
                "code": error.code,
            },
        },
    )


def error_body(error: SaysoError) -> JsonObject:
    body: JsonObject = {"code": error.code, "title": error.title, "detail": error.detail}
    return {**body, "fix": error.fix, **detail_coded(error.detail)}


def retry_card(error: ModelUnavailable, fence: Fence, agent: str) -> ErrorShown:
    """Return the card that offers to try a run again."""
    texts = parts_of("run.model_unavailable", agent=agent)
    kind = CardKind.RECOVERABLE_ERROR
    card = RecoverableErrorCard(
        says=texts.says,
        title=texts["title"],
        message=texts["message"],
        suggestion=texts["suggestion"],
        details=error.detail,
        code=error.code,
        retry_run=fence.run_id,
    )
    return ErrorShown(
        message_id=derived_id(failure_id(fence.run_id, fence.number), kind.value),
        ui_tool_id="recoverable_error",
        agent_name=agent,
        run_id=fence.run_id,
        payload=payload_of(card, CardMeta(card=kind, run_id=fence.run_id)),
    )


def broken_off(event: EventData) -> EventData:
    """Return a text that closes as one that its speaker never ended."""
    if not isinstance(event, MessageWritten):
        return event
    return event.model_copy(update={"status": MessageStatus.INTERRUPTED})
